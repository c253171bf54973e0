/**
 * Drafts of a solution, kept in this browser alone, for each person, problem and language; those of a self-test's input
 * are kept in the same way (`input_draft.js`). What the server put into the form (a submission that was refused) goes
 * before a draft. Two tabs may write the same one: the newest wins, and the other text is a click away.
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
  new DraftKeeper(form, source, { key: `fathom/draft/${form.dataset["draftKey"]}`, what: "text", untouched: "" }).start();
}

/** The drafts of one field, in one tab. */
export class DraftKeeper {
  /** The stamp of the draft that was shown or written last; nothing: the server's text is shown. */
  #seen = "";
  /** The language whose text is in the editor. */
  #shown = "";
  /** @type {Text | null} */ #other = null;
  #tab = Math.random().toString(36).slice(2);
  #part;
  #source;
  #field;
  #select;

  /**
   * @param {HTMLElement} part of the page, where what becomes of the drafts is said (`.draft`), and the language chosen
   * @param {Source} source
   * @param {{ key: string, what: string, untouched: string }} field where its drafts are kept, its name for people, and
   *   what stands there before anybody types
   */
  constructor(part, source, field) {
    this.#part = part;
    this.#source = source;
    this.#field = field;
    this.#select = find(part, "select[name=language]", HTMLSelectElement);
  }

  start() {
    const saving = saveSoon(() => this.#save());
    this.#restore();
    this.#shown = this.#language();
    this.#offer(unseenOf(draftOf(this.#book(), this.#shown), this.#source, this.#seen));
    this.#source.onChange(saving.soon);
    this.#part.addEventListener("submit", saving.now);
    this.#select?.addEventListener("change", () => {
      this.#changeLanguage();
      saving.now();
    });
    this.#button()?.addEventListener("click", () => this.#exchange());
    addEventListener("storage", ({ key }) => key === this.#field.key && this.#onOtherTab());
  }

  #language() {
    return this.#select?.value ?? "";
  }

  #book() {
    return recall(this.#field.key, readBook);
  }

  #isUntouched() {
    return this.#source.text() === this.#field.untouched;
  }

  #current() {
    const savedAt = new Date().toISOString();
    return { source: this.#source.text(), savedAt, stamp: `${savedAt} ${this.#tab}` };
  }

  #restore() {
    const [source, select, book] = [this.#source, this.#select, this.#book()];
    if (select !== null && this.#isUntouched()) choose(select, book.language || (recall(LANGUAGE_KEY, readString) ?? ""));
    this.#seen = this.#show(draftOf(book, this.#language()) ?? draftOf(book, ""));
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
    this.#store(next, `The ${this.#field.what} of ${momentText(chosen.savedAt)}`);
  }

  #onOtherTab() {
    const draft = draftOf(this.#book(), this.#language());
    if (draft === null || draft.source === this.#source.text()) return;
    this.#say(`Another tab of yours has another ${this.#field.what} for this problem.`);
    this.#offer(draft);
  }

  /** @param {DraftBook} next @param {string} words what is said if this browser has kept it */
  #store(next, words) {
    const draft = draftOf(next, next.language);
    const isKept = keep(this.#field.key, next);
    if (isKept) this.#seen = draft?.stamp ?? "";
    if (next.language) keep(LANGUAGE_KEY, next.language);
    this.#offer(draft?.other ?? null);
    this.#say(isKept ? words : NOT_KEPT);
  }

  /** Where nobody has typed only. @param {Draft | null} draft @returns {string} the stamp of what is shown */
  #show(draft) {
    if (draft === null) return "";
    if (draft.source === this.#source.text()) return draft.stamp;
    if (!this.#isUntouched()) return "";
    this.#source.setText(draft.source);
    this.#say(`Draft of ${momentText(draft.savedAt)}`);
    return draft.stamp;
  }

  /** @param {Text | null} text */
  #offer(text) {
    this.#other = text;
    const button = this.#button();
    if (button === null) return;
    button.hidden = text === null;
    button.title = text === null ? "" : `It is of ${momentText(text.savedAt)}`;
  }

  #button() {
    return element(this.#part, ".draft-other");
  }

  /** @param {string} words */
  #say(words) {
    setText(this.#part, ".draft-said", words);
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
