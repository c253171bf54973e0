/**
 * Drafts of a solution, kept in this browser alone, for each person, problem and language. What the server put into
 * the form (a submission that was refused) goes before a draft. Two tabs may write the same one: the newest wins, and
 * the other text is a click away.
 */

/** @import { Draft, DraftBook, Text } from "./draft_book.js" */
/** @import { Source } from "./source.js" */

import { element, find, setText } from "./dom.js";
import { draftOf, exchange, readBook, write } from "./draft_book.js";
import { saveSoon } from "./save_soon.js";
import { keep, recall } from "./storage.js";
import { momentText } from "./times.js";

const LANGUAGE_KEY = "fathom/language";
const NOT_KEPT = "This browser keeps no drafts: copy your text before you leave.";

/** @param {HTMLFormElement} form @param {Source} source */
export function keepDrafts(form, source) {
  const key = `fathom/draft/${form.dataset["draftKey"]}`;
  const select = find(form, "select[name=language]", HTMLSelectElement);
  const say = (/** @type {string} */ words) => setText(form, "#draft-said", words);
  const page = Math.random().toString(36).slice(2);
  let [seen, shown] = ["", ""];
  let other = /** @type {Text | null} */ (null);

  const language = () => select?.value ?? "";
  const book = () => readBook(recall(key));
  const current = () => {
    const savedAt = new Date().toISOString();
    return { source: source.text(), savedAt, stamp: `${savedAt} ${page}` };
  };
  const offer = (/** @type {Text | null} */ text) => {
    other = text;
    const button = element(form, "#draft-other");
    if (button === null) return;
    button.hidden = text === null;
    button.title = text === null ? "" : `It is of ${momentText(text.savedAt)}`;
  };
  const store = (/** @type {DraftBook} */ next, /** @type {string} */ words) => {
    const draft = draftOf(next, next.language);
    const isKept = keep(key, next);
    if (isKept) seen = draft?.stamp ?? "";
    if (next.language) keep(LANGUAGE_KEY, next.language);
    offer(draft?.other ?? null);
    say(isKept ? words : NOT_KEPT);
  };
  const save = () => store(write(book(), language(), current(), seen), "Draft kept in this browser");
  const saving = saveSoon(save);

  seen = restore(book(), source, select, say);
  shown = language();
  offer(unseenOf(draftOf(book(), language()), source, seen));
  source.onChange(saving.soon);
  form.addEventListener("submit", saving.now);
  select?.addEventListener("change", () => {
    store(write(book(), shown, current(), seen), "");
    shown = select.value;
    seen = show(draftOf(book(), select.value), source, say);
    source.setLanguage(select.value);
    saving.now();
  });
  element(form, "#draft-other")?.addEventListener("click", () => {
    if (other === null) return;
    const chosen = other;
    const next = exchange(book(), language(), current(), chosen);
    source.setText(chosen.source);
    store(next, `The text of ${momentText(chosen.savedAt)}`);
  });
  addEventListener("storage", (event) => {
    const draft = event.key === key ? draftOf(book(), language()) : null;
    if (draft === null || draft.source === source.text()) return;
    say("Another tab of yours has another text for this problem.");
    offer(draft);
  });
}

/**
 * @param {DraftBook} book
 * @param {Source} source
 * @param {HTMLSelectElement | null} select
 * @param {(words: string) => void} say
 * @returns {string} the stamp of what is shown; nothing: the server's text is
 */
function restore(book, source, select, say) {
  const isEmpty = source.text() === "";
  if (select !== null && isEmpty) choose(select, book.language || String(recall(LANGUAGE_KEY) ?? ""));
  const seen = isEmpty ? show(draftOf(book, select?.value ?? "") ?? draftOf(book, ""), source, say) : "";
  if (select !== null) source.setLanguage(select.value);
  return seen;
}

/**
 * What is kept and not shown: the draft itself, where the server's text stands in the form.
 * @param {Draft | null} draft
 * @param {Source} source
 * @param {string} seen
 * @returns {Text | null}
 */
function unseenOf(draft, source, seen) {
  const isHidden = draft !== null && draft.stamp !== seen && draft.source.trim() !== "" && draft.source !== source.text();
  return isHidden ? draft : draft?.other ?? null;
}

/**
 * Into an empty editor only.
 * @param {Draft | null} draft
 * @param {Source} source
 * @param {(words: string) => void} say
 * @returns {string} the stamp of what is shown
 */
function show(draft, source, say) {
  if (draft === null || draft.source === "" || source.text() !== "") return "";
  source.setText(draft.source);
  say(`Draft of ${momentText(draft.savedAt)}`);
  return draft.stamp;
}

/** A language that is not offered any more is not chosen. @param {HTMLSelectElement} select @param {string} id */
function choose(select, id) {
  if ([...select.options].some((option) => option.value === id)) select.value = id;
}
