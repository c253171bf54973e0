/** The input of a self-test, kept in this browser for each person and problem; the sample's own needs no keeping. */

import { find } from "./dom.js";
import { saveSoon } from "./save_soon.js";
import { keep, readString, recall } from "./storage.js";

/** @param {string} place of one person and one problem */
export function keepInput(place) {
  const input = find(document, "#selftest-input", HTMLTextAreaElement);
  if (input === null) return;
  const key = `fathom/input/${place}`;
  const kept = recall(key, readString);
  if (kept !== null && input.value === input.defaultValue) input.value = kept;
  const saving = saveSoon(() => keep(key, input.value === input.defaultValue ? null : input.value));
  input.addEventListener("input", saving.soon);
}
