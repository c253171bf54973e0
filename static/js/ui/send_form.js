/**
 * A form that is sent without leaving the page, and held in it until the server has answered. Without a script it
 * goes its usual way.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Effect, Event as BoxEvent, Outbox } from "./outbox.js" */
/** @import { Said } from "./outbox_words.js" */
/** @import { FormSubmission, PendingSubmissions } from "./form_submission.js" */

import { assertNever } from "../realtime/assert_never.js";
import { element, find, setShown, setText, switchOff } from "./dom.js";
import { forgetFieldErrors, showFieldErrors } from "./field_errors.js";
import { postSubmission, readForm, standsIn } from "./form_submission.js";
import { emptyOutbox, isBusy, stepOutbox } from "./outbox.js";
import { saidOf } from "./outbox_words.js";
import { momentText } from "./times.js";

/**
 * @typedef {object} Options
 * @property {string} what "Your solution"
 * @property {string} look where to see whether it has arrived
 * @property {boolean} patient sent by itself when the connection is back
 * @property {PendingSubmissions | null} [pending] where it survives a reload; null: nowhere, the page must stay open
 * @property {(submission: FormSubmission) => boolean} [isInForm] whether what was refused stands in the form anyway
 */

/** @param {ContestPage} page @param {HTMLFormElement} form @param {Options} options */
export function sendForm(page, form, options) {
  const place = element(form, ".outbox");
  if (place !== null) new FormSender(page, form, place, options).start();
}

/** The outbox of one form: what happens is fed to the machine, its effects are carried out. */
class FormSender {
  /** @type {FormSubmission | null} */ #submission = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** Whether a reload would find it. */
  #isKept = true;
  #page;
  #form;
  #place;
  #options;
  #button;
  #pending;
  #box;

  /** @param {ContestPage} page @param {HTMLFormElement} form @param {HTMLElement} place @param {Options} options */
  constructor(page, form, place, options) {
    this.#page = page;
    this.#form = form;
    this.#place = place;
    this.#options = options;
    this.#button = find(form, "button[type=submit]", HTMLButtonElement);
    this.#pending = options.pending ?? null;
    this.#box = emptyOutbox({ patient: options.patient, live: isProven(page, false) });
  }

  /** From now on the form is sent from here. What an earlier page left unanswered is offered. */
  start() {
    this.#form.dataset["waits"] = "";
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    element(this.#place, ".outbox-try")?.addEventListener("click", () => this.#take({ type: "try" }));
    element(this.#place, ".outbox-drop")?.addEventListener("click", () => this.#take({ type: "drop" }));
    this.#page.link?.subscribe(() => this.#lookAtLink());
    this.#page.session.subscribe((who, words) => this.#take({ type: "session", who, words }));
    this.#pending?.onForgotten(({ key, at }, location) => {
      if (key === this.#submission?.key && at === this.#submission.at) this.#take({ type: "done-elsewhere", location });
    });
    addEventListener("pageshow", ({ persisted }) => this.#onPageShow(persisted));
    this.#submission = this.#pending?.oldest() ?? null;
    if (this.#submission !== null) this.#take({ type: "found" });
  }

  async #submit() {
    if (isBusy(this.#box)) return;
    switchOff(this.#button, true);
    forgetFieldErrors(this.#form);
    this.#submission = await readForm(this.#form);
    this.#take({ type: "submit" });
  }

  /** @param {boolean} persisted out of the browser's cache, with everything as it was left */
  #onPageShow(persisted) {
    if (persisted && this.#box.phase === "sent") [this.#box, this.#submission] = [emptyOutbox(this.#box), null];
    this.#lookAtLink();
    switchOff(this.#button, isBusy(this.#box));
  }

  #lookAtLink() {
    this.#take({ type: "live", live: isProven(this.#page, this.#box.live) });
  }

  /** @param {BoxEvent} event */
  #take(event) {
    if (event.type !== "done-elsewhere" && this.#isGone()) this.#take({ type: "done-elsewhere" });
    const wasBusy = isBusy(this.#box);
    const [box, effects] = stepOutbox(this.#box, event, Math.random);
    this.#box = box;
    for (const effect of effects) this.#carryOut(effect);
    this.#show();
    const busy = isBusy(this.#box);
    if (busy || wasBusy) switchOff(this.#button, busy);
  }

  /** @param {Effect} effect */
  #carryOut(effect) {
    switch (effect.type) {
      case "post": return void this.#post();
      case "keep": return void (this.#isKept = this.#submission !== null && this.#pending?.keep(this.#submission) === true);
      case "forget": return this.#forget();
      case "wait":
        clearTimeout(this.#timer);
        if (effect.ms !== null) this.#timer = setTimeout(() => this.#take({ type: "due" }), effect.ms);
        return undefined;
      case "ask-path": return this.#page.link?.tryNow();
      case "ask-session": return void this.#page.session.ask();
      case "leave": return location.assign(effect.location);
      default: return assertNever(effect);
    }
  }

  async #post() {
    if (this.#submission === null) return;
    const answer = await postSubmission(this.#page, this.#form, this.#submission);
    showFieldErrors(this.#form, answer);
    this.#take({ type: "answer", answer });
    // It had ended before, and this went over a path that is dead: what has to be done first is said first.
    if (this.#page.session.who === "out") this.#take({ type: "session", who: "out" });
  }

  /** A page that slept in the browser's cache has not heard of it: whoever is about to send it looks. */
  #isGone() {
    const mayGo = isBusy(this.#box) || this.#box.phase === "offered";
    return mayGo && this.#isKept && this.#submission !== null && this.#pending?.has(this.#submission) === false;
  }

  /** What was refused and stands nowhere else is kept. */
  #forget() {
    if (this.#submission === null || (this.#box.phase === "refused" && !this.#isInForm(this.#submission))) return;
    this.#pending?.forget(this.#submission, this.#box.phase === "sent" ? this.#box.location : "");
  }

  /** @param {FormSubmission} submission */
  #isInForm(submission) {
    return this.#options.isInForm?.(submission) ?? standsIn(this.#form, submission);
  }

  #show() {
    const submission = this.#submission;
    const [since, isShut] = [submission === null ? "" : momentText(submission.at), this.#form.dataset["shut"] !== undefined];
    const said = saidOf(this.#box, { ...this.#options, isKept: this.#isKept, isShut, since });
    showOutbox(this.#place, this.#box, said);
    const isElsewhere = submission !== null && said.canDrop && !this.#isInForm(submission);
    setShown(this.#place, ".outbox-text", isElsewhere);
    if (isElsewhere) setText(this.#place, ".outbox-text pre", submission.text);
  }
}

/** @param {HTMLElement} place @param {Outbox} box @param {Said} said */
function showOutbox(place, { phase, location: address }, { words, tone, canTry, canDrop }) {
  place.dataset["tone"] = tone;
  place.dataset["phase"] = phase;
  setText(place, ".outbox-words", words);
  setShown(place, ".outbox-try", canTry);
  setShown(place, ".outbox-drop", canDrop);
  setText(place, ".outbox-try", phase === "offered" ? "Send it" : "Try now");
  setText(place, ".outbox-drop", phase === "refused" ? "Close" : "Do not send");
  const link = find(place, ".outbox-link", HTMLAnchorElement);
  if (link !== null) [link.hidden, link.href] = [phase !== "sent", address];
}

/**
 * A stream that is live proves the path; what else the badge sums up may have ended in peace. A question that is out
 * changes nothing: what fails here is asked about, and each answer would be taken for a connection that is back.
 * @param {ContestPage} page
 * @param {boolean} before
 */
function isProven({ link }, before) {
  if (link === null) return true;
  const states = Object.values(link.summary().streams);
  return states.includes("live") || (before && states.some((state) => state === "checking" || state === "switching"));
}
