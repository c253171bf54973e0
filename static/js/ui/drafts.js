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
import { keep, NOT_KEPT, readString, recall } from "./storage.js";
import { momentText } from "./times.js";

const LANGUAGE_KEY = "fathom/language";

/** @param {HTMLFormElement} form @param {Source} source */
export function keepDrafts(form, source) {
  new DraftKeeper(form, source).start();
}

/** The drafts of one form, in one tab. */
class DraftKeeper {
  /** The stamp of the draft that was shown or written last; nothing: the server's text is shown. */
  #seen = "";
  /** The language whose text is in the editor. */
  #shown = "";
  /** @type {Text | null} */ #other = null;
  #tab = Math.random().toString(36).slice(2);
  #form;
  #source;
  #key;
  #select;

  /** @param {HTMLFormElement} form @param {Source} source */
  constructor(form, source) {
    this.#form = form;
    this.#source = source;
    this.#key = `fathom/draft/${form.dataset["draftKey"]}`;
    this.#select = find(form, "select[name=language]", HTMLSelectElement);
  }

  start() {
    const saving = saveSoon(() => this.#save());
    this.#restore();
    this.#shown = this.#language();
    this.#offer(unseenOf(draftOf(this.#book(), this.#shown), this.#source, this.#seen));
    this.#source.onChange(saving.soon);
    this.#form.addEventListener("submit", saving.now);
    this.#select?.addEventListener("change", () => {
      this.#changeLanguage();
      saving.now();
    });
    element(this.#form, "#draft-other")?.addEventListener("click", () => this.#exchange());
    addEventListener("storage", ({ key }) => key === this.#key && this.#onOtherTab());
  }

  #language() {
    return this.#select?.value ?? "";
  }

  #book() {
    return recall(this.#key, readBook);
  }

  #current() {
    const savedAt = new Date().toISOString();
    return { source: this.#source.text(), savedAt, stamp: `${savedAt} ${this.#tab}` };
  }

  #restore() {
    const [source, select, book] = [this.#source, this.#select, this.#book()];
    const isEmpty = source.text() === "";
    if (select !== null && isEmpty) choose(select, book.language || (recall(LANGUAGE_KEY, readString) ?? ""));
    if (isEmpty) this.#seen = this.#show(draftOf(book, this.#language()) ?? draftOf(book, ""));
    if (select !== null) source.setLanguage(select.value);
  }

  #save() {
    this.#store(write(this.#book(), this.#language(), this.#current(), this.#seen), "Draft kept in this browser");
  }

  /** What was typed belongs to the language before. */
  #changeLanguage() {
    this.#store(write(this.#book(), this.#shown, this.#current(), this.#seen), "");
    this.#shown = this.#language();
    this.#seen = this.#show(draftOf(this.#book(), this.#shown));
    this.#source.setLanguage(this.#shown);
  }

  /** The other text comes into the editor, and what was there is the other one. */
  #exchange() {
    if (this.#other === null) return;
    const chosen = this.#other;
    const next = exchange(this.#book(), this.#language(), this.#current(), chosen);
    this.#source.setText(chosen.source);
    this.#store(next, `The text of ${momentText(chosen.savedAt)}`);
  }

  #onOtherTab() {
    const draft = draftOf(this.#book(), this.#language());
    if (draft === null || draft.source === this.#source.text()) return;
    this.#say("Another tab of yours has another text for this problem.");
    this.#offer(draft);
  }

  /** @param {DraftBook} next @param {string} words what is said if this browser has kept it */
  #store(next, words) {
    const draft = draftOf(next, next.language);
    const isKept = keep(this.#key, next);
    if (isKept) this.#seen = draft?.stamp ?? "";
    if (next.language) keep(LANGUAGE_KEY, next.language);
    this.#offer(draft?.other ?? null);
    this.#say(isKept ? words : NOT_KEPT);
  }

  /** Into an empty editor only. @param {Draft | null} draft @returns {string} the stamp of what is shown */
  #show(draft) {
    if (draft === null || draft.source === "" || this.#source.text() !== "") return "";
    this.#source.setText(draft.source);
    this.#say(`Draft of ${momentText(draft.savedAt)}`);
    return draft.stamp;
  }

  /** @param {Text | null} text */
  #offer(text) {
    this.#other = text;
    const button = element(this.#form, "#draft-other");
    if (button === null) return;
    button.hidden = text === null;
    button.title = text === null ? "" : `It is of ${momentText(text.savedAt)}`;
  }

  /** @param {string} words */
  #say(words) {
    setText(this.#form, "#draft-said", words);
  }
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

/** A language that is not offered any more is not chosen. @param {HTMLSelectElement} select @param {string} id */
function choose(select, id) {
  if ([...select.options].some((option) => option.value === id)) select.value = id;
}
