/** What page events mean for the streams of a page. */

/** @import { Moment } from "./types.js" */
/** @import { LinkState, Page, PageEventName, PageNews, StreamEvent } from "./machine_types.js" */

import { assertNever } from "./assert_never.js";

/** Being away for this long makes a returning focus worth a question. */
const LONG_ABSENCE_MS = 60_000;
/** An event stream takes one of the browser's few connections to a host: a hidden page says that it is, and gives it back. */
const LAST_WORDS_MS = 2_000;

/**
 * @typedef {object} PageStep
 * @property {Page} page
 * @property {PageNews | null} news what the streams' owners are told
 * @property {StreamEvent["type"][]} feed what every stream is told, in order: "unpark", "park"
 * @property {boolean} ask ask what is connected, with a short deadline
 * @property {boolean} hurry skip waiting, and let one try pass the breaker
 */

/**
 * @param {boolean} visible
 * @param {boolean} offline
 * @returns {Page}
 */
export function createPage(visible, offline) {
  return { visible, hiddenSinceMs: visible ? null : 0, offline, left: false, blurredMs: null };
}

/**
 * @param {Page} page
 * @param {PageEventName} what
 * @param {Moment} now
 * @returns {PageStep}
 */
export function stepPage(page, what, now) {
  switch (what) {
    case "hidden": return step({ ...page, visible: false, hiddenSinceMs: page.hiddenSinceMs ?? now.ms }, what);
    case "visible": return back({ ...page, visible: true, hiddenSinceMs: null, blurredMs: null }, what);
    // Browsers err about this: nothing is torn down on their word, but the path is asked.
    case "offline": return { ...step({ ...page, offline: true }, what), ask: true };
    case "online": return { ...step({ ...page, offline: false }, what), ask: true, hurry: true };
    case "blur": return step({ ...page, blurredMs: page.blurredMs ?? now.ms }, null);
    case "focus": return onFocus(page, now);
    case "freeze": return step(page, what);
    case "resume": return back(page, what);
    // Last words first; the sockets are closed by "left", once those are on their way.
    case "leaving": return step(page, what);
    case "left": return { ...step({ ...page, left: true }, null), feed: ["park"] };
    case "pageshow": return back(page, what);
    case "interaction": return page.left ? back(page, "pageshow") : step(page, null);
    default: return assertNever(what);
  }
}

/**
 * A page hidden for long keeps only what it must; it waits with that while a command is unanswered.
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {string[]} names of the streams to put aside now
 */
export function putAside(link, now) {
  if (hiddenAtMs(link) > now.ms) return [];
  const open = link.streams.filter((stream) => stream.phase !== "parked" && stream.phase !== "ended");
  const idle = open.filter((stream) => stream.delivery === null && !stream.queue.items.some((item) => item.again));
  return idle.filter((stream) => !stream.keepHidden || link.route.carrier === "events").map((stream) => stream.name);
}

/**
 * @param {LinkState} link
 * @returns {number} ms, the moment from which the page counts as hidden for long
 */
export function hiddenAtMs(link) {
  const { hiddenSinceMs } = link.page;
  const { hiddenMs } = link.timings;
  const patienceMs = link.route.carrier === "events" ? Math.min(hiddenMs, LAST_WORDS_MS) : hiddenMs;
  return hiddenSinceMs === null ? Infinity : hiddenSinceMs + patienceMs;
}

/** @param {Page} page @param {Moment} now @returns {PageStep} */
function onFocus(page, now) {
  const long = page.blurredMs !== null && now.ms - page.blurredMs >= LONG_ABSENCE_MS;
  const next = { ...page, blurredMs: null };
  return long || page.left ? back(next, "focus") : step(next, null);
}

/**
 * Somebody is here again: a page that was left but stayed comes back to life.
 * @param {Page} page
 * @param {PageNews} news
 * @returns {PageStep}
 */
function back(page, news) {
  return { page: { ...page, left: false }, news, feed: ["unpark"], ask: true, hurry: true };
}

/** @param {Page} page @param {PageNews | null} news @returns {PageStep} */
function step(page, news) {
  return { page, news: page.left ? null : news, feed: [], ask: false, hurry: false };
}
