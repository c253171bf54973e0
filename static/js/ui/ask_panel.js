/**
 * The panel on every page that asks the jury. It opens and closes without a script; with one, the
 * question goes over the live connection, and what is typed is kept as a draft from page to page.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Outcome } from "../realtime/types.js" */
/** @import { FormSubmission } from "./form_submission.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Clarification } from "../stores/announcements.js" */
/** @import { Question } from "./question_draft.js" */
/** @import { Who } from "./session.js" */

import { commandOptions } from "../stores/streams.js";
import { answerSayer, askedTexts, isAsked, onHeardOf } from "./asked_questions.js";
import { closeOnEscape, element, find, setShown, setText, switchOff } from "./dom.js";
import { postSubmission, readForm } from "./form_submission.js";
import { sayPress } from "./press.js";
import { keepQuestion } from "./question_draft.js";

const ASKED = "Your question is with the jury.";
const FAILED = "This did not get through. Your text is still here; please send it again.";
const DOUBTFUL = "Not confirmed: the jury may have it. Your text is still here; look among your questions before you send it again.";
/** The page itself has refused them. @type {ReadonlySet<string>} */
const NEVER_SENT = new Set(["full", "too-large"]);
const LOOKING = "Looking whether the jury has it …";
const NOT_SENT = "Not sent: you are signed out. Your text is kept here; sign in again, and send it then.";
const SIGNED_OUT = "Not confirmed: the session has ended. Your text is kept here; once you have signed in again, it is looked whether the jury has it.";

/** @param {ContestPage} page */
export function openAskPanel(page) {
  const panel = find(document, "details.ask", HTMLDetailsElement);
  const form = find(document, "#ask-form", HTMLFormElement);
  if (panel === null || form === null) return;
  closeOnEscape(panel);
  const draft = keepQuestion(panel, form, askedTexts(page));
  const stream = page.stream("announcements");
  if (stream === null) return;
  const sayAnswer = answerSayer(page, form);
  const onAsked = (/** @type {Question} */ question, /** @type {any} */ clarification) => {
    draft.forget(question.text);
    sayAnswer(clarification?.id ?? null);
    if (clarification !== undefined) page.announcements?.apply({ name: "clarification.asked", data: clarification });
  };
  const sender = new QuestionSender(page, stream, form, onAsked);
  onHeardOf(page, (row) => {
    sender.hear(row);
    draft.forget(row.text);
  });
  form.dataset["waits"] = "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    sender.send({ text: String(given.get("text") ?? ""), problem: String(given.get("problem") ?? "") });
  });
}

/** Sends questions one at a time. What was typed stays until the server has it. */
class QuestionSender {
  /** Sent when the session had ended: whether the jury has it, is looked at later. @type {Question | null} */
  #doubtful = null;
  /** Sent last, as long as nobody has said what became of it. @type {Question | null} */
  #open = null;
  #page;
  #stream;
  #form;
  #progress;
  #onAsked;

  /**
   * @param {ContestPage} page
   * @param {StreamHandle} stream
   * @param {HTMLFormElement} form
   * @param {(question: Question, clarification: any) => void} onAsked
   */
  constructor(page, stream, form, onAsked) {
    this.#page = page;
    this.#stream = stream;
    this.#form = form;
    this.#progress = progressOf(form);
    this.#onAsked = onAsked;
    page.session.subscribe((who) => this.#onSession(who));
  }

  /** @param {Question} question */
  send(question) {
    const { busy, show } = this.#progress;
    if (this.#page.session.who === "out") return show("", NOT_SENT);
    busy(true);
    this.#open = question;
    // As it is now: whoever types on does not mean that.
    const submission = readForm(this.#form);
    const command = this.#stream.command("ask", { problem: question.problem || null, text: question.text }, commandOptions("ask"));
    sayPress(this.#stream, command, show);
    command.onSettled((outcome) => this.#settle(outcome, question, submission));
  }

  /** The reply may be lost: the site tells of it all the same. @param {Clarification & { text: string }} row */
  hear(row) {
    if (this.#open !== null && this.#open.text.trim() === row.text) this.#succeed(this.#open, row);
  }

  /** @param {Outcome} outcome @param {Question} question @param {Promise<FormSubmission>} submission */
  #settle(outcome, question, submission) {
    if (this.#open !== question) return this.#progress.busy(false);
    const inDoubt = outcome.kind === "failed" && this.#page.session.isInDoubt;
    if (outcome.kind === "failed" && outcome.code === "ended" && !inDoubt) return void this.#sendByForm(question, submission);
    this.#progress.busy(false);
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#succeed(question, outcome.reply.data?.clarification);
    this.#doubtful = inDoubt ? question : null;
    if (outcome.kind === "reply") this.#open = null;
    if (inDoubt) return this.#progress.show("", SIGNED_OUT);
    return this.#fail(outcome.kind === "reply" ? outcome.reply.error?.message ?? "" : NEVER_SENT.has(outcome.code) ? FAILED : DOUBTFUL);
  }

  /** Where no connection can carry it. What has ended may have carried it yet. @param {Question} question @param {Promise<FormSubmission>} submission */
  async #sendByForm(question, submission) {
    const asked = await this.#look(question);
    if (asked !== false) return this.#settleLook(asked, question);
    this.#progress.busy(true);
    const answer = await postSubmission(this.#page, this.#form, await submission);
    this.#progress.busy(false);
    if (answer.kind === "done") return this.#succeed(question);
    return this.#fail("words" in answer && answer.kind !== "away" ? answer.words : DOUBTFUL);
  }

  /** @param {Who} who is signed in now */
  async #onSession(who) {
    if (who !== "out") this.#progress.forget(NOT_SENT);
    if (this.#doubtful === null || who === "out") return;
    const question = this.#doubtful;
    this.#doubtful = null;
    if (who === "other") return this.#progress.show("", "Not confirmed. Your text is kept here.");
    this.#settleLook(await this.#look(question), question);
  }

  /** @param {Question} question @returns {Promise<boolean | null>} whether the jury has it; null: nobody answers */
  async #look(question) {
    // Whoever pressed the button again meanwhile might ask twice, and would be told of the first when the second is sent.
    this.#progress.busy(true);
    this.#progress.show(LOOKING);
    const asked = await isAsked(this.#page, question).catch(() => null);
    this.#progress.busy(false);
    return asked;
  }

  /** @param {boolean | null} asked @param {Question} question */
  #settleLook(asked, question) {
    if (asked) this.#succeed(question);
    else this.#fail(asked === null ? DOUBTFUL : FAILED);
  }

  /** @param {Question} question @param {any} [clarification] */
  #succeed(question, clarification) {
    this.#open = null;
    this.#progress.show(ASKED);
    this.#onAsked(question, clarification);
    this.#progress.giveFocus("#ask-progress");
  }

  /** @param {string} words of the server, if it said any */
  #fail(words) {
    this.#progress.show("", words || DOUBTFUL);
    this.#progress.giveFocus("#ask-text");
  }
}

/** @param {HTMLFormElement} form */
function progressOf(form) {
  let hadFocus = false;
  return {
    busy(/** @type {boolean} */ is) {
      if (is) hadFocus = form.contains(document.activeElement);
      form.querySelectorAll("button").forEach((button) => switchOff(button, is));
    },
    show(/** @type {string} */ progress, /** @type {string} */ error = "") {
      setText(form, "#ask-progress", progress);
      setShown(form, "#ask-answer", false);
      setText(form, "#ask-error", error);
      setShown(form, "#ask-error", error !== "");
    },
    forget(/** @type {string} */ error) {
      if (element(form, "#ask-error")?.textContent === error) this.show("");
    },
    // The button that was pressed loses the focus while it is switched off; who has gone elsewhere since stays there.
    giveFocus(/** @type {string} */ place) {
      if (hadFocus && (document.activeElement === document.body || form.contains(document.activeElement))) element(form, place)?.focus();
    },
  };
}
