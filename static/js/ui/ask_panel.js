/**
 * The panel on every page that asks the jury. It opens and closes without a script; with one, the
 * question goes over the live connection, and what is typed is kept as a draft from page to page.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Outcome } from "../realtime/types.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Question } from "./question_draft.js" */

import { commandOptions } from "../stores/streams.js";
import { closeOnEscape, element, find, setShown, setText } from "./dom.js";
import { bodyOf, readForm, sizeOf } from "./form_submission.js";
import { dataOf } from "./page_data.js";
import { deadlineMs, post } from "./posting.js";
import { keepQuestion } from "./question_draft.js";
import { fetchPage } from "./server_html.js";

const ASKED = "Your question is with the jury.";
const FAILED = "This did not get through. Your text is still here; please send it again.";
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
  const send = asking(page, stream, form, onAsked);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    send({ text: String(given.get("text") ?? ""), problem: String(given.get("problem") ?? "") });
  });
}

/**
 * What was typed stays until the server has it.
 * @param {ContestPage} page
 * @param {StreamHandle} stream
 * @param {HTMLFormElement} form
 * @param {(question: Question, clarification: any) => void} onAsked
 * @returns {(question: Question) => void}
 */
function asking(page, stream, form, onAsked) {
  const { busy, show, giveFocus } = progressOf(form);
  /** @type {Question | null} */
  let doubtful = null;
  const asked = (/** @type {Question} */ question, /** @type {any} */ clarification = undefined) => {
    show(ASKED);
    onAsked(question, clarification);
    giveFocus("#ask-progress");
  };
  const failed = (/** @type {string} */ words) => {
    show("", words || FAILED);
    giveFocus("#ask-text");
  };
  const byForm = async (/** @type {Question} */ question) => {
    const submission = await readForm(form);
    const token = find(form, "input[name=csrfmiddlewaretoken]", HTMLInputElement)?.value ?? "";
    const answer = await post(submission.action, bodyOf(submission, token), deadlineMs(page.data.timings["probe_ms"] ?? 10_000, sizeOf(submission)));
    busy(false);
    if (answer.kind === "done") asked(question);
    else failed("words" in answer && answer.kind !== "away" ? answer.words : "");
  };
  const settle = (/** @type {Outcome} */ outcome, /** @type {Question} */ question) => {
    const inDoubt = outcome.kind === "failed" && page.session.isInDoubt;
    if (outcome.kind === "failed" && outcome.code === "ended" && !inDoubt) return void byForm(question);
    busy(false);
    if (outcome.kind === "reply" && outcome.reply.ok) return asked(question, outcome.reply.data?.clarification);
    doubtful = inDoubt ? question : null;
    return inDoubt ? show("", SIGNED_OUT) : failed(outcome.kind === "reply" ? outcome.reply.error?.message ?? "" : "");
  };
  const send = (/** @type {Question} */ question) => {
    busy(true);
    show(page.isLive ? "sending …" : "not sent yet: waiting for the connection");
    stream.command("ask", { problem: question.problem || null, text: question.text }, commandOptions("ask"))
      .onUnconfirmed(() => show("not confirmed yet: waiting for the server"))
      .onSettled((outcome) => settle(outcome, question));
  };
  page.session.subscribe(async (who) => {
    if (doubtful === null || who === "out") return;
    const question = doubtful;
    doubtful = null;
    if (who === "other") return show("", "Not sent. Your text is kept here.");
    if (await isAsked(page, question).catch(() => false)) return asked(question);
    return failed("");
  });
  return send;
}

/** @param {HTMLFormElement} form */
function progressOf(form) {
  let hadFocus = false;
  return {
    busy(/** @type {boolean} */ is) {
      if (is) hadFocus = form.contains(document.activeElement);
      form.querySelectorAll("button").forEach((button) => { button.disabled = is; });
    },
    show(/** @type {string} */ progress, /** @type {string} */ error = "") {
      setText(form, "#ask-progress", progress);
      setText(form, "#ask-error", error);
      setShown(form, "#ask-error", error !== "");
    },
    // The button that was pressed loses the focus while it is switched off; who has gone elsewhere since stays there.
    giveFocus(/** @type {string} */ place) {
      if (hadFocus && (document.activeElement === document.body || form.contains(document.activeElement))) element(form, place)?.focus();
    },
  };
}

/** The connection that carried it has ended before its answer: the server's own page knows. @param {ContestPage} page @param {Question} question */
async function isAsked(page, { text }) {
  const overview = await fetchPage(`/contests/${page.data.contest}/`);
  const rows = dataOf(overview)?.streams.announcements?.data.clarifications ?? [];
  return rows.some((/** @type {any} */ row) => row.text === text.trim());
}

/**
 * While the panel is open, the answer to what was just asked stands where the question was typed.
 * @param {ContestPage} page
 * @param {HTMLFormElement} form
 * @returns {(id: number | null) => void}
 */
function answerSayer(page, form) {
  /** @type {number | null} */
  let asked = null;
  page.announcements?.subscribe(({ clarifications }) => {
    const answer = asked === null ? null : clarifications.get(asked)?.answer ?? null;
    if (answer === null) return;
    asked = null;
    setText(form, "#ask-progress", `The jury has answered: ${answer}`);
  });
  return (id) => { asked = id; };
}

/** What the jury has: a draft of it went the form's usual way. @param {ContestPage} page @returns {Set<string>} */
function askedTexts(page) {
  return new Set([...page.announcements?.get().clarifications.values() ?? []].map((row) => String(row["text"] ?? "")));
}
