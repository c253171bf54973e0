/** A verdict or status as the templates write it: a code, a word, and the shape that the style sheet adds. */

import { element, setText } from "./dom.js";
import { outcomeOf, outcomeWord } from "./words.js";

/**
 * @param {ParentNode} root
 * @param {{ verdict?: string | null, status?: string }} summary
 */
export function showOutcome(root, summary) {
  const shown = element(root, ".outcome");
  if (shown === null) return;
  const code = outcomeOf(summary);
  shown.dataset["outcome"] = code;
  setText(shown, ".code", code);
  setText(shown, ".word", outcomeWord(code));
}

/**
 * @param {ParentNode} root
 * @param {{ status: string, progress?: { done: number, all: number } | null }} summary
 */
export function showProgress(root, { status, progress }) {
  const bar = root.querySelector(".record-progress");
  if (!(bar instanceof HTMLProgressElement)) return;
  bar.hidden = status === "final" || !progress || progress.all === 0;
  if (!progress) return;
  bar.max = Math.max(1, progress.all);
  bar.value = progress.done;
}
