/**
 * A form that is sent without leaving the page, and held in it until the server has answered. Without a script it
 * goes its usual way.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Effect, Event as BoxEvent } from "./outbox.js" */
/** @import { FormSubmission, PendingSubmissions } from "./form_submission.js" */
/** @import { Answer } from "./posting.js" */

import { assertNever } from "../realtime/assert_never.js";
import { element, find, setShown, setText } from "./dom.js";
import { bodyOf, readForm, sizeOf, standsIn } from "./form_submission.js";
import { emptyOutbox, isBusy, stepOutbox } from "./outbox.js";
import { saidOf } from "./outbox_words.js";
import { deadlineMs, post } from "./posting.js";
import { momentText } from "./times.js";


/**
 * @param {ContestPage} page
 * @param {HTMLFormElement} form
 * @param {object} options
 * @param {string} options.what "Your solution"
 * @param {string} options.look where to see whether it has arrived
 * @param {boolean} options.patient sent by itself when the connection is back
 * @param {PendingSubmissions | null} [options.pending] where it survives a reload; null: nowhere, the page must stay open
 * @param {(submission: FormSubmission) => boolean} [options.isInForm] whether what was refused stands in the form anyway
 */
export function sendForm(page, form, { what, look, patient, pending = null, isInForm = (submission) => standsIn(form, submission) }) {
  const place = element(form, ".outbox");
  const button = find(form, "button[type=submit]", HTMLButtonElement);
  if (place === null) return;
  let box = emptyOutbox({ patient, live: isProven(page, false) });
  let submission = /** @type {FormSubmission | null} */ (null);
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  const take = (/** @type {BoxEvent} */ event) => {
    const wasBusy = isBusy(box);
    const [next, effects] = stepOutbox(box, event, Math.random);
    box = next;
    for (const effect of effects) carryOut(effect);
    show();
    const busy = isBusy(box) || (box.phase === "sent" && box.fresh);
    if (button !== null && (busy || wasBusy)) button.disabled = busy;
  };

  const carryOut = (/** @type {Effect} */ effect) => {
    switch (effect.type) {
      case "post": return void send();
      case "keep": return void (submission !== null && pending?.keep(submission));
      case "forget": return void (submission !== null && (box.phase !== "refused" || isInForm(submission)) && pending?.forget(submission.key));
      case "wait":
        clearTimeout(timer);
        if (effect.ms !== null) timer = setTimeout(() => take({ type: "due" }), effect.ms);
        return undefined;
      case "ask-path": return page.link?.tryNow();
      case "ask-session": return void page.session.ask();
      case "leave": return location.assign(effect.location);
      default: return assertNever(effect);
    }
  };

  const send = async () => {
    if (submission === null) return;
    const body = bodyOf(submission, find(form, "input[name=csrfmiddlewaretoken]", HTMLInputElement)?.value ?? "");
    const answer = await post(submission.action, body, deadlineMs(page.data.timings["probe_ms"] ?? 10_000, sizeOf(submission)));
    showFieldErrors(form, answer);
    take({ type: "answer", answer });
    // It had ended before, and this went over a path that is dead: what has to be done first is said first.
    if (page.session.who === "out") take({ type: "session", who: "out" });
  };

  const show = () => {
    const { words, tone, canTry, canDrop } = saidOf(box, { what, look, since: submission === null ? "" : momentText(submission.at) });
    place.dataset["tone"] = tone;
    place.dataset["phase"] = box.phase;
    setText(place, ".outbox-words", words);
    setShown(place, ".outbox-try", canTry);
    setShown(place, ".outbox-drop", canDrop);
    setText(place, ".outbox-try", box.phase === "offered" ? "Send it" : "Try now");
    setText(place, ".outbox-drop", box.phase === "refused" ? "Close" : "Do not send");
    const link = find(place, ".outbox-link", HTMLAnchorElement);
    if (link !== null) [link.hidden, link.href] = [box.phase !== "sent", box.location];
    const isElsewhere = submission !== null && canDrop && !isInForm(submission);
    setShown(place, ".outbox-text", isElsewhere);
    if (isElsewhere) setText(place, ".outbox-text pre", submission?.text ?? "");
  };

  form.dataset["waits"] = "";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isBusy(box)) return;
    if (button !== null) button.disabled = true;
    forgetFieldErrors(form);
    submission = await readForm(form);
    take({ type: "submit" });
  });
  element(place, ".outbox-try")?.addEventListener("click", () => take({ type: "try" }));
  element(place, ".outbox-drop")?.addEventListener("click", () => take({ type: "drop" }));
  page.link?.subscribe(() => take({ type: "live", live: isProven(page, box.live) }));
  page.session.subscribe((who, words) => take({ type: "session", who, words }));
  pending?.onForgotten((key) => key === submission?.key && take({ type: "done-elsewhere" }));
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && box.phase === "sent") [box, submission] = [emptyOutbox(box), null];
    take({ type: "live", live: isProven(page, box.live) });
    if (button !== null) button.disabled = isBusy(box);
  });

  submission = pending?.oldest() ?? null;
  if (submission !== null) take({ type: "found" });
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

/** @param {HTMLFormElement} form @param {Answer} answer */
function showFieldErrors(form, answer) {
  if (answer.kind !== "refused") return;
  for (const [name, errors] of Object.entries(answer.fields)) {
    const field = element(form, `[name="${CSS.escape(name)}"]`)?.closest(".field");
    for (const words of errors) {
      field?.append(Object.assign(document.createElement("p"), { className: `error by-script ${name}-error`, textContent: words }));
    }
  }
}

/** Also those of the server's page. @param {HTMLFormElement} form */
function forgetFieldErrors(form) {
  form.querySelectorAll(".field .error, .form-errors > p").forEach((said) => said.remove());
}
