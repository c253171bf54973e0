/**
 * The input of a self-test, kept in this browser for each person and problem as the source is: of two tabs the newest
 * wins, and the other one is a click away. The sample, which stands there first, is nothing that anybody has typed.
 */

import { DraftKeeper } from "./drafts.js";
import { element, find } from "./dom.js";

/** @param {string} place of one person and one problem */
export function keepInput(place) {
  const panel = element(document, "#selftest");
  const input = find(document, "#selftest-input", HTMLTextAreaElement);
  if (panel === null || input === null) return;
  const source = {
    text: () => input.value, setText: (/** @type {string} */ text) => { input.value = text; },
    setLanguage: () => undefined, onChange: (/** @type {() => void} */ listener) => input.addEventListener("input", listener),
  };
  new DraftKeeper(panel, source, { key: `fathom/input/${place}`, what: "input", untouched: input.defaultValue }).start();
}
