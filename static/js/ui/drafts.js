/**
 * Drafts of a solution, kept in this browser alone, for each person, problem and language; those of a self-test's input
 * are kept in the same way (`input_draft.js`). What the server put into the form (a submission that was refused) goes
 * before a draft. Tabs may write the same one: the newest wins, and the other texts are a click away, one after the other.
 * Whoever chooses a language finds its draft; what stood there is kept under the language before, and a click away too.
 */

/** @import { Draft, DraftBook, Text } from "./draft_book.js" */
/** @import { Source } from "./source.js" */

import { element, find, setText } from "./dom.js";
import { apart, draftOf, exchange, isBlank, readBook, takeUp, textsBeside, write } from "./draft_book.js";
import { saveSoon } from "./save_soon.js";
import { keep, NOT_KEPT, readString, recall } from "./storage.js";
import { momentText } from "./times.js";

const LANGUAGE_KEY = "fathom/language";
const KEPT = "Draft kept in this browser";

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
  /** What stood here until a language was chosen that has its own draft: who pasted first wants it here. @type {Text[]} */
  #left = [];
  #tab = Math.random().toString(36).slice(2);
  /** Two texts of one moment, as where a language is chosen, have a stamp each. */
  #stamps = 0;
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
    this.#offer();
    this.#source.onChange(saving.soon);
    this.#part.addEventListener("submit", saving.now);
    this.#select?.addEventListener("change", () => this.#changeLanguage());
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
    this.#stamps += 1;
    return { source: this.#source.text(), savedAt, stamp: `${savedAt} ${this.#tab} ${this.#stamps}` };
  }

  /** @returns {Text[]} what the button brings back, one after the other */
  #others() {
    const source = this.#source.text();
    return apart([...this.#left, ...textsBeside(this.#book(), this.#shown, source, this.#seen)], source);
  }

  #restore() {
    const [source, select, book] = [this.#source, this.#select, this.#book()];
    if (select !== null && this.#isUntouched()) choose(select, book.language || (recall(LANGUAGE_KEY, readString) ?? ""));
    this.#seen = this.#show(draftOf(book, this.#language()) ?? draftOf(book, ""));
    if (select !== null) source.setLanguage(select.value);
  }

  /** Also when the editor tells of a text that was put there: then there is nothing to store, and nothing to say. */
  #save() {
    const draft = draftOf(this.#book(), this.#shown);
    if (draft === null || draft.stamp !== this.#seen || draft.source !== this.#source.text()) this.#write(this.#current(), KEPT);
    this.#offer();
  }

  /** What was typed belongs to the language before. */
  #changeLanguage() {
    const [left, before] = [this.#current(), this.#shown];
    const isKept = this.#isNothing(left) || this.#write(left, "");
    this.#shown = this.#language();
    const draft = draftOf(this.#book(), this.#shown);
    this.#left = [];
    if (isKept && draft !== null && !isBlank(draft.source) && draft.source !== left.source) this.#turnTo(draft, left, before);
    else this.#carryOver(draft);
    this.#source.setLanguage(this.#shown);
    this.#offer();
  }

  /** An empty editor takes the place of no draft that another tab has written meanwhile. @param {Text} left */
  #isNothing(left) {
    return isBlank(left.source) && draftOf(this.#book(), this.#shown)?.stamp !== this.#seen;
  }

  /** @param {Draft} draft of the language that was chosen @param {Text} left what is kept under the one before @param {string} before */
  #turnTo(draft, left, before) {
    const kept = before === "" ? "; what stood here is kept beside it" : "; what stood here is kept under its language";
    this.#left = [left];
    this.#source.setText(draft.source);
    this.#seen = draft.stamp;
    this.#store(takeUp(this.#book(), this.#shown, draft), draftWords(draft) + (isBlank(left.source) ? "" : kept));
  }

  /** The language has no text of its own, or nothing is kept here: what is on the screen stays. @param {Draft | null} draft */
  #carryOver(draft) {
    this.#seen = draft?.source === this.#source.text() ? draft.stamp : "";
    this.#write(this.#current(), KEPT);
  }

  /** The next of the other texts comes into the editor, and what was there is the last of them: if there is room for it. */
  #exchange() {
    const [chosen] = this.#others();
    if (chosen === undefined) return;
    const next = exchange(this.#book(), this.#shown, this.#current(), chosen, this.#seen);
    if (!this.#store(next, `The ${this.#field.what} of ${momentText(chosen.savedAt)}`)) return;
    this.#left = [];
    this.#source.setText(chosen.source);
    this.#offer();
  }

  #onOtherTab() {
    const draft = draftOf(this.#book(), this.#shown);
    this.#offer();
    if (draft === null || draft.stamp === this.#seen || isBlank(draft.source) || draft.source === this.#source.text()) return;
    this.#say(`Another tab of yours has another ${this.#field.what} for this problem.`);
  }

  /** @param {Text} text @param {string} words @returns {boolean} */
  #write(text, words) {
    return this.#store(write(this.#book(), this.#shown, text, this.#seen), words);
  }

  /** @param {DraftBook} next @param {string} words what is said if this browser has kept it @returns {boolean} whether it has */
  #store(next, words) {
    const isKept = keep(this.#field.key, next);
    if (isKept) this.#seen = draftOf(next, next.language)?.stamp ?? "";
    if (next.language) keep(LANGUAGE_KEY, next.language);
    this.#say(isKept ? words : NOT_KEPT);
    return isKept;
  }

  /** Where nobody has typed only. @param {Draft | null} draft @returns {string} the stamp of what is shown */
  #show(draft) {
    if (draft === null) return "";
    if (draft.source === this.#source.text()) return draft.stamp;
    if (!this.#isUntouched()) return "";
    this.#source.setText(draft.source);
    this.#say(draftWords(draft));
    return draft.stamp;
  }

  #offer() {
    const button = this.#button();
    if (button === null) return;
    const [next, ...more] = this.#others();
    button.hidden = next === undefined;
    button.title = next === undefined ? "" : `It is of ${momentText(next.savedAt)}${more.length === 0 ? "" : "; press again for the next"}`;
    button.textContent = `Bring back the other ${this.#field.what}${more.length === 0 ? "" : ` (${more.length + 1})`}`;
  }

  #button() {
    return element(this.#part, ".draft-other");
  }

  /** @param {string} words */
  #say(words) {
    setText(this.#part, ".draft-said", words);
  }
}

/** @param {Text} draft */
function draftWords(draft) {
  return `Draft of ${momentText(draft.savedAt)}`;
}

/** A language that is not offered any more is not chosen. @param {HTMLSelectElement} select @param {string} id */
function choose(select, id) {
  if ([...select.options].some((option) => option.value === id)) select.value = id;
}
