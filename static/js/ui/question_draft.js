/**
 * The draft of a question. Each tab has its own, which goes with it from page to page, and stands in a slot beside those
 * of all tabs, for when it is closed or crashes: the newest is offered in the box of a tab that has none, the others by
 * a button. A slot is one tab's: whoever finds another's text in it takes a new one, and puts its own back.
 */

import { element, find, setShown, setText } from "./dom.js";
import { forget, isMoment, keep, keysOf, NOT_KEPT, readString, recall } from "./storage.js";

/** @typedef {{ text: string, problem: string }} Question */
/** @typedef {Question & { slot: string, savedAt: string }} Draft */

/** More than anybody has tabs to ask in. */
const MOST_SLOTS = 8;
/** Longer than a contest. */
const OLDEST_MS = 30 * 86_400_000;
/** What is written here asks whose tabs are alive. */
const CALL = "?";

/**
 * @param {HTMLDetailsElement} panel
 * @param {HTMLFormElement} form
 * @param {ReadonlySet<string>} asked what the jury has: a draft of it went the form's usual way
 * @returns {{ forget: (text: string) => void }} what is in the form, if it is still this text
 */
export function keepQuestion(panel, form, asked) {
  const text = find(form, "#ask-text", HTMLTextAreaElement);
  if (text === null) return { forget: () => undefined };
  const keeper = new QuestionKeeper(panel, form, text);
  keeper.start(asked);
  return keeper;
}

/** The draft of one tab. */
class QuestionKeeper {
  #slot = newName();
  /** Of what lies in the slot, what this tab has found or put there last, and when that was typed. */
  #own = "";
  #savedAt = "";
  /** Whether what is in the box is kept in the tab. */
  #isInTab = false;
  /** In the browser's cache: other pages go on with this tab's draft. */
  #isAway = false;
  /** Slots of tabs that are open, as far as was heard: what is in them is on a screen. @type {Set<string>} */
  #living = new Set();
  #panel;
  #form;
  #text;
  #problem;
  #key;

  /** @param {HTMLElement} panel @param {HTMLFormElement} form @param {HTMLTextAreaElement} text */
  constructor(panel, form, text) {
    this.#panel = panel;
    this.#form = form;
    this.#text = text;
    this.#problem = find(form, "#ask-problem", HTMLSelectElement);
    this.#key = `fathom/question/${form.dataset["draftKey"]}`;
  }

  /** @param {ReadonlySet<string>} asked */
  start(asked) {
    this.#tidy(asked);
    this.#restore(asked);
    this.#form.addEventListener("input", () => this.#save());
    element(this.#form, "#ask-other")?.addEventListener("click", () => this.#bringBack());
    addEventListener("storage", (event) => this.#hear(event));
    // Without a live connection the form goes to the server, which keeps what it refuses.
    addEventListener("pagehide", () => this.#goAway());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#comeBack());
    if (this.#next() !== null && keep(this.#place(CALL), newName())) forget(this.#place(CALL));
  }

  #goAway() {
    if (this.#text.value !== "") this.#save();
    this.#isAway = true;
  }

  /** The tab's draft is what its last page has left of it: that one may have sent it, or written on. */
  #comeBack() {
    this.#isAway = false;
    const own = recall(this.#key, readQuestion, "sessionStorage");
    if (own !== null) this.#take(own);
    else if (this.#isInTab) [this.#text.value, this.#own] = ["", ""];
    this.#showAnew();
  }

  /** @param {string} sent */
  forget(sent) {
    for (const { slot, text } of this.#slots()) if (text.trim() === sent.trim()) forget(this.#place(slot));
    if (this.#text.value.trim() === sent.trim()) this.#text.value = "";
    this.#save();
  }

  #place(slot = this.#slot) {
    return `${this.#key}/${slot}`;
  }

  /** @param {string} place */
  #slotAt(place) {
    return place.slice(this.#place("").length);
  }

  /** @returns {Draft[]} of all tabs, the newest first */
  #slots() {
    const drafts = keysOf(this.#place("")).map((key) => ({ ...recall(key, readQuestion) ?? NOTHING, slot: this.#slotAt(key) }));
    return drafts.filter(({ text }) => text.trim() !== "").sort((one, other) => other.savedAt.localeCompare(one.savedAt));
  }

  /** @param {ReadonlySet<string>} asked */
  #tidy(asked) {
    const isOld = (/** @type {Draft} */ { savedAt }) => Date.now() - Date.parse(savedAt) > OLDEST_MS;
    const gone = this.#slots().filter((draft, at) => at >= MOST_SLOTS || isOld(draft) || asked.has(draft.text.trim()));
    for (const { slot } of gone) forget(this.#place(slot));
  }

  /** What the server put into the form, a question that was refused, goes before a draft. @param {ReadonlySet<string>} asked */
  #restore(asked) {
    const own = recall(this.#key, readQuestion, "sessionStorage");
    const kept = own ?? this.#slots()[0];
    if (own !== null && asked.has(own.text.trim())) keep(this.#key, null, "sessionStorage");
    else if (kept !== undefined && ["", kept.text.trim()].includes(this.#text.value.trim())) this.#take(kept);
    this.#showAnew();
  }

  #showAnew() {
    if (this.#text.value === "") this.#offer();
    else this.#save(newName()); // a page that asked while this one was loading hears of it now
  }

  /** @param {Draft} draft comes into the form, and its slot is this tab's */
  #take({ text, problem, slot, savedAt }) {
    [this.#text.value, this.#own, this.#savedAt, this.#slot] = [text, text, savedAt, slot || this.#slot];
    const select = this.#problem;
    if (select !== null && [...select.options].some(({ value }) => value === problem)) select.value = problem;
  }

  /**
   * @param {string} [call] that is answered by it, or another word that was never written: others hear of changes only
   * @returns {boolean} whether it is in the slot
   */
  #save(call) {
    const text = this.#text.value;
    const held = recall(this.#place(), readQuestion);
    const isOwn = held === null || held.text === this.#own;
    if (!isOwn && text !== "") this.#slot = newName();
    const savedAt = text === this.#own ? this.#savedAt : new Date().toISOString();
    const question = text === "" ? null : { text, problem: this.#problem?.value ?? "", slot: this.#slot, savedAt };
    this.#isInTab = keep(this.#key, question, "sessionStorage");
    const isInSlot = (isOwn || question !== null) && keep(this.#place(), question && { ...question, call });
    if (isInSlot) [this.#own, this.#savedAt] = [text, savedAt];
    setText(this.#panel, ".ask-kept", question === null || this.#isInTab || isInSlot ? "" : NOT_KEPT);
    this.#offer();
    return isInSlot;
  }

  /** Another tab has written. @param {StorageEvent} event */
  #hear({ key, newValue }) {
    if (this.#isAway || key === null || !key.startsWith(this.#place(""))) return;
    if (newValue !== null) this.#living.add(this.#slotAt(key));
    const call = key === this.#place(CALL) ? newValue : null;
    const isDisplaced = key === this.#place() && recall(key, readQuestion)?.text !== this.#own;
    if (this.#text.value !== "" && (isDisplaced || call !== null)) this.#save(call ?? undefined);
    else this.#offer();
  }

  /** @returns {Draft | null} the one after what is in the box, round and round, of those that no other tab shows */
  #next() {
    const isLost = (/** @type {Draft} */ { slot, text }) => !this.#living.has(slot) && text !== this.#text.value;
    const all = this.#slots().filter((draft) => draft.slot === this.#slot || isLost(draft));
    const next = all[(all.findIndex(({ slot }) => slot === this.#slot) + 1) % all.length];
    return next === undefined || next.slot === this.#slot ? null : next;
  }

  #offer() {
    setShown(this.#panel, ".ask-draft", this.#text.value.trim() !== "");
    setShown(this.#form, "#ask-other", this.#next() !== null);
  }

  /** What is in the box stays in its slot, and comes back by the same button. */
  #bringBack() {
    const next = this.#next();
    if (next === null) return;
    if (this.#text.value !== "" && !this.#save()) return setText(this.#panel, ".ask-kept", NOT_KEPT);
    this.#take(next);
    this.#save();
    this.#text.focus();
  }
}

const NOTHING = { text: "", problem: "", savedAt: "" };

const newName = () => Math.random().toString(36).slice(2);

/** @param {any} kept @returns {Draft | null} null: nothing that a page like this one has written */
export function readQuestion(kept) {
  if (typeof kept?.text !== "string") return null;
  return { text: kept.text, problem: readString(kept.problem) ?? "", slot: readString(kept.slot) ?? "", savedAt: isMoment(kept.savedAt) ? kept.savedAt : "" };
}
