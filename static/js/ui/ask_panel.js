/**
 * The panel on every page that asks the jury. It opens and closes without a script; with one, the
 * question goes over the live connection, and what is typed is kept as a draft from page to page.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { CommandHandle } from "../realtime/handles.js" */

import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText } from "./dom.js";
import { keep, recall } from "./storage.js";

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
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const [text, problem] = [String(given.get("text") ?? ""), String(given.get("problem") ?? "")];
    const command = stream.command("ask", { problem: problem || null, text }, commandOptions("ask"));
    showProgress(form, command, (clarification) => {
      draft.forget();
      sayAnswer(clarification?.id ?? null);
      page.announcements?.apply({ name: "clarification.asked", data: clarification });
    });
  });
}

/**
 * What was typed stays until the server has it; where no live connection can carry it, the form goes its usual way.
 * @param {HTMLFormElement} form
 * @param {CommandHandle} command
 * @param {(clarification: any) => void} onAsked
 */
function showProgress(form, command, onAsked) {
  const busy = (/** @type {boolean} */ is) => form.querySelectorAll("button").forEach((button) => { button.disabled = is; });
  const show = (/** @type {string} */ progress, /** @type {string} */ error = "") => {
    setText(form, "#ask-progress", progress);
    setText(form, "#ask-error", error);
    setShown(form, "#ask-error", error !== "");
  };
  const hadFocus = form.contains(document.activeElement);
  // The button that was pressed loses the focus while it is switched off; who has gone elsewhere since stays there.
  const giveFocus = (/** @type {string} */ place) => {
    if (hadFocus && (document.activeElement === document.body || form.contains(document.activeElement))) element(form, place)?.focus();
  };
  busy(true);
  show("sending …");
  command.onUnconfirmed(() => show("not confirmed yet: waiting for the server")).onSettled((outcome) => {
    busy(false);
    if (outcome.kind === "reply" && outcome.reply.ok) {
      show("Your question is with the jury.");
      onAsked(outcome.reply.data?.clarification);
      return giveFocus("#ask-progress");
    }
    if (outcome.kind === "failed" && outcome.code === "ended") return form.submit();
    const words = outcome.kind === "reply" ? outcome.reply.error?.message : "";
    show("", words || "This did not get through. Your text is still here; please send it again.");
    return giveFocus("#ask-text");
  });
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

/**
 * @param {HTMLDetailsElement} panel
 * @param {HTMLFormElement} form
 * @param {ReadonlySet<string>} asked
 */
function keepQuestion(panel, form, asked) {
  const key = `fathom/question/${form.dataset["draftKey"]}`;
  const text = find(form, "#ask-text", HTMLTextAreaElement);
  const problem = find(form, "#ask-problem", HTMLSelectElement);
  const mark = () => setShown(panel, ".ask-draft", (text?.value ?? "").trim() !== "");
  const save = () => {
    mark();
    keep(key, text?.value ? { text: text.value, problem: problem?.value ?? "" } : null, "sessionStorage");
  };
  // What the server put into the form, a question that was refused, goes before a draft.
  const kept = /** @type {{ text: string, problem: string } | null} */ (recall(key, "sessionStorage"));
  if (kept !== null && asked.has(kept.text.trim())) keep(key, null, "sessionStorage");
  else if (text !== null && text.value === "" && kept !== null) {
    text.value = kept.text;
    if (problem !== null && [...problem.options].some(({ value }) => value === kept.problem)) problem.value = kept.problem;
  }
  mark();
  form.addEventListener("input", save);
  // Without a live connection the form goes to the server, which keeps what it refuses.
  addEventListener("pagehide", save);
  const forget = () => {
    if (text !== null) text.value = "";
    save();
  };
  return { forget };
}

/** @param {HTMLDetailsElement} panel */
function closeOnEscape(panel) {
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !panel.open) return;
    panel.open = false;
    element(panel, "summary")?.focus();
  });
}
