/**
 * What a screen reader says. Everything for one region within one moment is said together, where the last would
 * otherwise take the words of the others away; the same words once more are said once more.
 */

import { setText } from "./dom.js";

/** A region that is filled while the page is being built is often not heard. */
const MOMENT_MS = 60;

/** @typedef {"#notice-said" | "#notice-said-now"} Region politely, or at once */

/** @type {Map<Region, string[]>} */
const waiting = new Map();

/** @param {Region} region @param {string} words */
export function say(region, words) {
  const known = waiting.get(region);
  if (known !== undefined) return void known.push(words);
  waiting.set(region, [words]);
  setText(document, region, "");
  return void setTimeout(() => {
    setText(document, region, (waiting.get(region) ?? []).join(" "));
    waiting.delete(region);
  }, MOMENT_MS);
}
