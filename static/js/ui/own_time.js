/**
 * One's own foreground time: reports to the server, and what it answers on the screen. Only the
 * server counts; the page says for how long it has been visible, by its monotonic clock.
 */

/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Shown } from "../stores/timer.js" */

import { commandOptions } from "../stores/streams.js";
import { writtenMs } from "../stores/timer.js";
import { element } from "./dom.js";
import { clockText, NOT_SYNCHRONISED } from "./words.js";

const SHOW_MS = 500;
/** A page that has just been loaded is not doubted at once. */
const FIRST_ANSWER_MS = 5_000;

/** How long this page has been visible since it was loaded. */
export class Foreground {
  #sumMs = 0;
  /** @type {number | null} */ #sinceMs = null;

  /** @param {boolean} visible @param {number} nowMs monotonic */
  set(visible, nowMs) {
    this.#sumMs = this.ms(nowMs);
    this.#sinceMs = visible ? nowMs : null;
  }

  get visible() {
    return this.#sinceMs !== null;
  }

  /** @param {number} nowMs */
  ms(nowMs) {
    return this.#sumMs + (this.#sinceMs === null ? 0 : Math.max(0, nowMs - this.#sinceMs));
  }
}

/** @typedef {{ shown: (nowMs: number, foreground: boolean) => Shown }} Showing */

/**
 * @param {object} options
 * @param {StreamHandle} options.stream
 * @param {Showing & { asked: (nowMs: number) => void }} options.timer
 * @param {Foreground} options.foreground
 * @param {() => number} options.reportMs the period, as the server says it now: every welcome may change it
 */
export function reportForeground({ stream, timer, foreground, reportMs }) {
  foreground.set(document.visibilityState === "visible", performance.now());
  stream.standing("report", () => {
    const nowMs = performance.now();
    timer.asked(nowMs);
    return { foreground: foreground.visible, foreground_ms: Math.round(foreground.ms(nowMs)) };
  }, commandOptions("report"));
  const again = () => {
    stream.renew("report");
    setTimeout(again, reportMs());
  };
  setTimeout(again, reportMs());
  showOwnTime(timer, foreground);
}

/**
 * The page's own news as the link tells them: each change of the foreground is reported at once.
 * @param {Foreground} foreground
 * @param {string} what
 * @returns {boolean} whether there is something to report
 */
export function noteForeground(foreground, what) {
  switch (what) {
    case "hidden":
    case "freeze":
    case "leaving": return change(foreground, false);
    // Somebody is here after all: the page was left, but the navigation came to nothing.
    case "interaction": return change(foreground, document.visibilityState === "visible");
    case "focus":
    case "visible":
    case "resume":
    case "pageshow":
    case "slept": return change(foreground, document.visibilityState === "visible") || foreground.visible;
    default: return false;
  }
}

/** @param {Foreground} foreground @param {boolean} visible @returns {boolean} */
function change(foreground, visible) {
  const before = foreground.visible;
  foreground.set(visible, performance.now());
  return before !== visible;
}

/** A page that is live is heard, and its time is not: then the server cannot store it right now. */
function doubt() {
  return document.body.dataset["connection"] === "live" ? "the server has not confirmed it yet" : "this page is not live";
}

/** @param {Showing} timer @param {Foreground} foreground */
function showOwnTime(timer, foreground) {
  const own = element(document, "#own-time");
  if (own === null) return;
  let [heard, shownMs] = [false, 0];
  const show = () => {
    const nowMs = performance.now();
    const now = timer.shown(nowMs, foreground.visible);
    const { accumulatedMs, synchronised } = now;
    shownMs = writtenMs(shownMs, now);
    heard ||= synchronised || nowMs > FIRST_ANSWER_MS;
    own.dataset["accumulatedMs"] = String(Math.floor(accumulatedMs));
    own.dataset["synchronised"] = String(synchronised);
    const isDoubted = heard && !synchronised;
    own.toggleAttribute("data-doubted", isDoubted);
    own.textContent = clockText(shownMs) + (isDoubted ? NOT_SYNCHRONISED : "");
    own.title = `How long a page of this contest has been in front on your screen; ${synchronised ? "counted by the server" : `not synchronised: ${doubt()}`}`;
  };
  show();
  setInterval(show, SHOW_MS);
}
