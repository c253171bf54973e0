/**
 * Drafts of a solution, kept in this browser alone, one for each person and problem. What the server
 * put into the form (a submission that was refused) goes before a draft.
 */

/** @import { Source } from "./source.js" */

import { find, setText } from "./dom.js";
import { keep, recall } from "./storage.js";
import { momentText } from "./times.js";

const SAVE_AFTER_MS = 400;

/** @typedef {{ source: string, language: string, savedAt: string }} Draft */

/** @param {HTMLFormElement} form @param {Source} source */
export function keepDrafts(form, source) {
  const key = `fathom/draft/${form.dataset["draftKey"]}`;
  const languageKey = "fathom/language";
  const language = find(form, "select[name=language]", HTMLSelectElement);
  const say = (/** @type {string} */ words) => setText(form, "#draft-said", words);
  restore(key, languageKey, source, language, say);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const save = () => {
    clearTimeout(timer);
    const chosen = language?.value ?? "";
    const isKept = keep(key, { source: source.text(), language: chosen, savedAt: new Date().toISOString() });
    if (chosen) keep(languageKey, chosen);
    say(isKept ? "Draft kept in this browser" : "This browser keeps no drafts: copy your text before you leave.");
  };
  const saveSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_AFTER_MS);
  };
  source.onChange(saveSoon);
  language?.addEventListener("change", () => {
    source.setLanguage(language.value);
    saveSoon();
  });
  form.addEventListener("submit", save);
  addEventListener("pagehide", () => { if (timer !== undefined) save(); });
  addEventListener("storage", (event) => {
    if (event.key === key) say("This draft was changed in another tab of yours.");
  });
}

/**
 * @param {string} key
 * @param {string} languageKey
 * @param {Source} source
 * @param {HTMLSelectElement | null} select
 * @param {(words: string) => void} say
 */
function restore(key, languageKey, source, select, say) {
  const draft = /** @type {Draft | null} */ (recall(key));
  const isEmpty = source.text() === "";
  if (isEmpty && draft?.source) {
    source.setText(draft.source);
    say(`Draft of ${momentText(draft.savedAt)}`);
  }
  if (select === null) return;
  if (isEmpty) choose(select, draft?.language || String(recall(languageKey) ?? ""));
  source.setLanguage(select.value);
}

/** A language that is not offered any more is not chosen. @param {HTMLSelectElement} select @param {string} id */
function choose(select, id) {
  if ([...select.options].some((option) => option.value === id)) select.value = id;
}
