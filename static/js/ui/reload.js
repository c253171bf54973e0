/**
 * Loading a page anew by itself. That throws away what stands there, so it is done only while the
 * server is there to give another one, and never over what a person has typed.
 */

/** @import { Link } from "../realtime/index.js" */

/** All pages of a contest reload at its start: each at a moment of its own within this time. */
export const RELOAD_JITTER_MS = 3_000;
/**
 * The server was heard from so shortly ago that it will answer the next request. Longer than the wait for one's moment,
 * or what has told of the start would not count any more, and the page would wait for the next beat.
 */
export const PROVEN_MS = 5_000;
const LOOK_AGAIN_MS = 1_000;
/** Somebody has stopped it, or the answer was a download. */
const STILL_HERE_MS = 20_000;
/** A box without a value of its own is "on" whatever stands in it. */
const NOT_TYPED = new Set(["hidden", "checkbox", "radio"]);

/** @typedef {"proven" | "quiet" | "away"} Standing how the page stands to its server: heard just now, live, not live */

/**
 * Makes a function that reloads the page as soon as it may.
 * @param {object} options
 * @param {() => Standing} options.standing
 * @param {() => boolean} options.isTyped
 * @param {() => void} options.reload
 * @param {() => number} [options.random]
 * @returns {(done: (instead: boolean) => void) => void} done: the page has stayed, because somebody has typed
 */
export function reloader({ standing, isTyped, reload, random = Math.random }) {
  return (done) => {
    let wasAway = false;
    const soon = () => setTimeout(look, random() * RELOAD_JITTER_MS);
    const look = () => {
      if (isTyped()) return done(true);
      const now = standing();
      wasAway ||= now === "away";
      if (now !== "proven") return setTimeout(look, LOOK_AGAIN_MS);
      if (!wasAway) {
        reload();
        return setTimeout(() => done(true), STILL_HERE_MS);
      }
      // The server is back for everybody at one moment, too.
      wasAway = false;
      return soon();
    };
    soon();
  };
}

/** @param {Link} link @returns {Standing} */
export function standingOf(link) {
  if (link.summary().state !== "live") return "away";
  const ages = link.connections().map(({ lastFrameAgeMs }) => lastFrameAgeMs ?? Infinity);
  return Math.min(...ages) <= PROVEN_MS ? "proven" : "quiet";
}

/** Text that a person has typed is worth more than a fresh page, in the editor too: its text is in the text area behind it. Boxes and choices are kept, or made again quickly. */
export function isTyped() {
  return [...document.querySelectorAll("textarea, input")].some((field) => {
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    return field instanceof HTMLInputElement && !NOT_TYPED.has(field.type) && field.value !== field.defaultValue;
  });
}
