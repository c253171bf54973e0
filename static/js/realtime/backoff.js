/** How long to wait before the next try. Pure: chance comes in as an argument. */

/** First wait. Short, because most interruptions are over at once. */
const FIRST_MS = 300;
/** Longest wait before chance is applied: a page is never blind for longer because of waiting alone. */
const CAP_MS = 5_000;
/** A hint may be wrong; no page stays away longer than this because of one. */
const LONGEST_HINT_MS = 300_000;

/**
 * Exponential back-off with jitter after the cap. (Jitter before the cap lets every client of a
 * long outage end up at exactly the cap, which is the herd that jitter is there to break up.)
 * @param {number} failures how many tries have failed in a row, at least 1
 * @param {number} chance in [0, 1)
 * @returns {number} ms, within half and one and a half of the capped wait
 */
export function backoffMs(failures, chance) {
  const capped = Math.min(FIRST_MS * 2 ** (failures - 1), CAP_MS);
  return capped * (1 + 0.5 * (2 * chance - 1));
}

/**
 * A server's hint replaces the back-off, if it makes sense.
 * @param {unknown} value ms, as received
 * @returns {number | null} ms, or null if there is no usable hint
 */
export function hintMs(value) {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) return null;
  return Math.min(value, LONGEST_HINT_MS);
}
