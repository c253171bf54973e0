/**
 * The drafts of one person for one problem, as data: one text for each language, and beside it the text that it has
 * taken the place of without anybody having looked at that: of another tab, or of this language before. The newest
 * wins, and nothing is overwritten unseen.
 */

import { isMoment } from "./storage.js";

/**
 * @typedef {{ source: string, savedAt: string }} Text
 * @typedef {Text & { stamp: string, other?: Text | undefined }} Draft `stamp`: of the page and the moment that wrote it
 * @typedef {{ language: string, texts: Record<string, Draft> }} DraftBook `language`: chosen last
 */

/** @param {any} kept whatever lay in the browser's storage @returns {DraftBook} what of it a page like this one has written */
export function readBook(kept) {
  const texts = Object.entries(kept?.texts ?? {}).filter(([, draft]) => isText(draft)).map(([language, draft]) => [language, readDraft(draft)]);
  return { language: typeof kept?.language === "string" ? kept.language : "", texts: Object.fromEntries(texts) };
}

/** @param {any} draft @returns {Draft} */
function readDraft({ source, savedAt, stamp, other }) {
  return { source, savedAt, stamp: typeof stamp === "string" ? stamp : "", other: isText(other) ? other : undefined };
}

/** @param {any} kept @returns {boolean} */
function isText(kept) {
  return typeof kept?.source === "string" && isMoment(kept.savedAt);
}

/** @param {DraftBook} book @param {string} language @returns {Draft | null} */
export function draftOf(book, language) {
  return book.texts[language] ?? null;
}

/**
 * @param {DraftBook} book
 * @param {string} language
 * @param {Text & { stamp: string }} text
 * @param {string} seen the stamp of the draft that this page has shown or written last in this language
 * @returns {DraftBook}
 */
export function write(book, language, { source, savedAt, stamp }, seen) {
  const before = book.texts[language];
  const isUnseen = before !== undefined && before.stamp !== seen && before.source.trim() !== "";
  const other = isUnseen && before.source !== source ? { source: before.source, savedAt: before.savedAt } : before?.other;
  return put(book, language, { source, savedAt, stamp, other: other?.source === source ? undefined : other });
}

/**
 * Brings the other text back; what stood there is the other one now.
 * @param {DraftBook} book
 * @param {string} language
 * @param {Text & { stamp: string }} current
 * @param {Text} other
 * @returns {DraftBook}
 */
export function exchange(book, language, { source, savedAt, stamp }, other) {
  const left = source.trim() === "" ? undefined : { source, savedAt };
  return put(book, language, { source: other.source, savedAt, stamp, other: left });
}

/** What was written before a language was chosen goes over to the one that is. @param {DraftBook} book @param {string} language @param {Draft} draft */
function put(book, language, draft) {
  const texts = { ...book.texts, [language]: draft };
  if (language !== "") delete texts[""];
  return { language, texts };
}
