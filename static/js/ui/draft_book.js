/**
 * The drafts of one person for one problem, as data: one text for each language, and beside it those that it has taken
 * the place of without anybody having looked at them: of other tabs, or of before a language was chosen. The newest
 * wins, and nothing is overwritten unseen.
 */

import { isMoment } from "./storage.js";

/** Of all that tabs have left for one language, beside the text that is shown. */
const MOST_OTHERS = 5;

/**
 * @typedef {{ source: string, savedAt: string, stamp: string }} Text `stamp`: of the page and the moment that wrote it
 * @typedef {Text & { others: Text[] }} Draft `others`: what is brought back first stands first
 * @typedef {{ language: string, texts: Record<string, Draft> }} DraftBook `language`: chosen last
 */

/** @param {any} kept whatever lay in the browser's storage @returns {DraftBook} what of it a page like this one has written */
export function readBook(kept) {
  const texts = Object.entries(kept?.texts ?? {}).filter(([, draft]) => isText(draft)).map(([language, draft]) => [language, readDraft(draft)]);
  return { language: typeof kept?.language === "string" ? kept.language : "", texts: Object.fromEntries(texts) };
}

/** Pages before this one kept one `other` only. @param {any} draft @returns {Draft} */
function readDraft(draft) {
  const others = [...(Array.isArray(draft.others) ? draft.others : []), draft.other];
  return { ...readText(draft), others: others.filter(isText).map(readText) };
}

/** @param {any} text @returns {Text} */
function readText({ source, savedAt, stamp }) {
  return { source, savedAt, stamp: typeof stamp === "string" ? stamp : "" };
}

/** @param {any} kept @returns {boolean} */
function isText(kept) {
  return typeof kept?.source === "string" && isMoment(kept.savedAt);
}

/** @param {string} source */
export function isBlank(source) {
  return source.trim() === "";
}

/** @param {DraftBook} book @param {string} language @returns {Draft | null} */
export function draftOf(book, language) {
  return book.texts[language] ?? null;
}

/**
 * What is kept for a language and not on the screen; and, for it may be wanted there, what was written before a
 * language was chosen. Not what this page has shown and typed on: the screen has that.
 * @param {DraftBook} book
 * @param {string} language
 * @param {string} source on the screen
 * @param {string} seen the stamp of the draft that this page has shown or written last in this language
 * @returns {Text[]} what is brought back first stands first
 */
export function textsBeside(book, language, source, seen) {
  const drafts = [...new Set([language, ""])].flatMap((each) => book.texts[each] ?? []);
  const texts = drafts.flatMap(({ others, ...text }) => [text, ...others]);
  return apart(texts.filter(({ stamp }) => stamp === "" || stamp !== seen), source);
}

/** None of them blank, none twice, none that is shown. @param {Text[]} texts @param {string} source that is shown @returns {Text[]} */
export function apart(texts, source) {
  const isFirst = (/** @type {Text} */ text, /** @type {number} */ at) => texts.findIndex((each) => each.source === text.source) === at;
  return texts.filter((text, at) => !isBlank(text.source) && text.source !== source && isFirst(text, at));
}

/**
 * @param {DraftBook} book
 * @param {string} language
 * @param {Text} text
 * @param {string} seen as above
 * @returns {DraftBook}
 */
export function write(book, language, text, seen) {
  return put(book, language, { ...text, others: textsBeside(book, language, text.source, seen) });
}

/** The draft of a language that was chosen is shown, and stays as old as it is. @param {DraftBook} book @param {string} language @param {Draft} draft */
export function takeUp(book, language, draft) {
  return put(book, language, { ...draft, others: textsBeside(book, language, draft.source, draft.stamp) });
}

/**
 * Brings another text back; what stood there goes to the end, so that one after the other comes. No page has seen that
 * under its new place: none may take it for its own and type over it.
 * @param {DraftBook} book
 * @param {string} language
 * @param {Text} current
 * @param {Text} chosen
 * @param {string} seen as above
 * @returns {DraftBook}
 */
export function exchange(book, language, current, chosen, seen) {
  const { source, savedAt, stamp } = current;
  const others = apart([...textsBeside(book, language, source, seen), { source, savedAt, stamp: "" }], chosen.source);
  return put(book, language, { source: chosen.source, savedAt, stamp, others });
}

/** What was written before a language was chosen is among its others now. @param {DraftBook} book @param {string} language @param {Draft} draft */
function put(book, language, draft) {
  const texts = { ...book.texts, [language]: { ...draft, others: bounded(draft.others) } };
  if (language !== "") delete texts[""];
  return { language, texts };
}

/** Where there are too many the oldest go, wherever they stand. @param {Text[]} texts @returns {Text[]} */
function bounded(texts) {
  const newest = [...texts].sort((a, b) => Date.parse(b.savedAt) - Date.parse(a.savedAt)).slice(0, MOST_OTHERS);
  return texts.filter((text) => newest.includes(text));
}
