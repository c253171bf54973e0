/** A chosen common answer goes into the field at once; the button beside it, for pages without a script, is not needed. */

import { element, find } from "./dom.js";

export function fillCommonAnswers() {
  const list = element(document, "#question-list");
  list?.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && event.target.matches("select.template")) fill(event.target);
  });
  list?.setAttribute("data-fills", "");
}

/** @param {HTMLSelectElement} select */
function fill(select) {
  const answer = select.form === null ? null : find(select.form, "textarea", HTMLTextAreaElement);
  if (answer === null || select.value === "") return;
  answer.value = withSentence(answer.value, select.value, select.dataset["filled"] ?? "");
  select.dataset["filled"] = select.value;
}

/**
 * @param {string} text what stands there
 * @param {string} sentence
 * @param {string} before the sentence that the last choice put in: another choice takes its place
 */
export function withSentence(text, sentence, before) {
  const typed = text.trimEnd();
  if (before !== "" && (typed === before || typed.endsWith(`\n${before}`))) return typed.slice(0, typed.length - before.length) + sentence;
  return typed === "" ? sentence : `${typed}\n${sentence}`;
}
