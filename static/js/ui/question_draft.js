/**
 * The draft of a question. Each tab has its own, which goes with it from page to page; the newest of all is kept for
 * a tab that was closed or has crashed. A tab takes away its own only, and puts its own back where another one's is gone.
 */

import { find, setShown, setText } from "./dom.js";
import { keep, NOT_KEPT, readString, recall } from "./storage.js";

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
  const kept = KINDS.map((kind) => recall(key, readQuestion, kind)).find((question) => question !== null) ?? null;
  /** Of what all tabs share, what this one found or put there last. */
  let own = kept?.text;
  const put = (/** @type {Question | null} */ question) => {
    if (question !== null) own = question.text;
    const isOthers = question === null && recall(key, readQuestion)?.text !== own;
    return KINDS.filter((kind) => kind === "sessionStorage" || !isOthers).map((kind) => keep(key, question, kind)).includes(true);
  };
  const save = () => {
    mark();
    const question = text.value === "" ? null : { text: text.value, problem: problem?.value ?? "" };
    const isKept = put(question);
    setText(panel, ".ask-kept", question === null || isKept ? "" : NOT_KEPT);
  };
  // What the server put into the form, a question that was refused, goes before a draft.
  if (kept !== null && asked.has(kept.text.trim())) put(null);
  else if (text.value === "" && kept !== null) {
    text.value = kept.text;
    if (problem !== null && [...problem.options].some(({ value }) => value === kept.problem)) problem.value = kept.problem;
  }
  mark();
  form.addEventListener("input", save);
  addEventListener("storage", (event) => event.key === key && event.newValue === null && text.value !== "" && save());
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
  return typeof kept?.text === "string" ? { text: kept.text, problem: readString(kept.problem) ?? "" } : null;
}
