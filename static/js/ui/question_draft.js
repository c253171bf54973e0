/**
 * The draft of a question. Each tab has its own, which goes with it from page to page; the newest of all is kept for
 * a tab that was closed or has crashed.
 */

import { find, setShown, setText } from "./dom.js";
import { keep, NOT_KEPT, recall } from "./storage.js";

/** @typedef {{ text: string, problem: string }} Question */

const KINDS = /** @type {const} */ (["sessionStorage", "localStorage"]);

/**
 * @param {HTMLDetailsElement} panel
 * @param {HTMLFormElement} form
 * @param {ReadonlySet<string>} asked what the jury has: a draft of it went the form's usual way
 * @returns {{ forget: (text: string) => void }} what is in the form, if it is still this text
 */
export function keepQuestion(panel, form, asked) {
  const key = `fathom/question/${form.dataset["draftKey"]}`;
  const text = find(form, "#ask-text", HTMLTextAreaElement);
  const problem = find(form, "#ask-problem", HTMLSelectElement);
  if (text === null) return { forget: () => undefined };
  const mark = () => setShown(panel, ".ask-draft", text.value.trim() !== "");
  const save = () => {
    mark();
    const question = text.value === "" ? null : { text: text.value, problem: problem?.value ?? "" };
    const isKept = KINDS.map((kind) => keep(key, question, kind)).includes(true);
    setText(panel, ".ask-kept", question === null || isKept ? "" : NOT_KEPT);
  };
  // What the server put into the form, a question that was refused, goes before a draft.
  const kept = KINDS.map((kind) => readQuestion(recall(key, kind))).find((question) => question !== null) ?? null;
  if (kept !== null && asked.has(kept.text.trim())) for (const kind of KINDS) keep(key, null, kind);
  else if (text.value === "" && kept !== null) {
    text.value = kept.text;
    if (problem !== null && [...problem.options].some(({ value }) => value === kept.problem)) problem.value = kept.problem;
  }
  mark();
  form.addEventListener("input", save);
  // Without a live connection the form goes to the server, which keeps what it refuses.
  addEventListener("pagehide", () => text.value !== "" && save());
  return {
    forget(sent) {
      if (text.value.trim() === sent.trim()) text.value = "";
      save();
    },
  };
}

/** @param {any} kept @returns {Question | null} null: nothing that a page like this one has written */
export function readQuestion(kept) {
  return typeof kept?.text === "string" ? { text: kept.text, problem: String(kept.problem ?? "") } : null;
}
