/**
 * The server's time as a page knows it, and whether it does. The link's exchanges come first. Until
 * the first of them the page's own HTML is one: it says when it was made, the browser when it was
 * asked for and when it came. A page without a link has nothing else, and asks again when it must.
 * The wall clock serves for one thing only: it tells of sleep, as in the link.
 */

/** @import { Clock, Moment } from "../realtime/types.js" */

// The rules alone: a page without a link needs no machine for them.
import { checked, exchanged, serverNow, unsetClock } from "../realtime/clock.js";

/** Where a link is to bring something better, the HTML is believed for no longer. A handshake takes at most as long. */
const FRESH_MS = 10_000;

/** Without a link the time is asked for this often by a page that is looked at, … */
const RENEW_AFTER_MS = 15 * 60_000;
/** … and an answer counts for so long: at 200 ppm, more than any clock of a computer drifts, it is wrong by 250 ms then. */
const LASTS_MS = 20 * 60_000;

/**
 * @typedef {{ ms: number, wallMs: number }} Reading of the monotonic and of the wall clock
 * @typedef {{ sentMs: number, gotMs: number, gotWallMs: number }} Loading when the page's HTML was asked for, and came
 * @typedef {{ nowMs: number, synchronised: boolean }} ServerTime
 */

/** The server's clock of one page. */
export class ServerClock {
  /** @type {Clock} */ #own = unsetClock();
  /** @type {(() => { serverMs: number } | null) | null} */ #linked;
  /** @type {() => Reading} */ #read;
  /** @type {number} */ #startedMs;
  /** @type {{ serverMs: number, ms: number }} */ #last;
  #heard = false;

  /**
   * @param {object} options
   * @param {number} options.madeMs when the page was made, on the server's clock
   * @param {Loading | null} options.loading null: the HTML may be older than this visit, or nobody knows
   * @param {(() => { serverMs: number } | null) | null} options.linked the link's clock; null: this page has no link
   * @param {() => Reading} options.read
   */
  constructor({ madeMs, loading, linked, read }) {
    const now = read();
    [this.#linked, this.#read, this.#startedMs] = [linked, read, now.ms];
    this.#last = { serverMs: madeMs, ms: now.ms };
    if (loading === null) return;
    this.#exchanged(loading.sentMs, madeMs, { ms: loading.gotMs, wallMs: loading.gotWallMs });
  }

  /**
   * An answer of the server to a question of the page's own.
   * @param {Reading} sent
   * @param {number} madeMs
   * @param {Reading} got
   */
  answered(sent, madeMs, got) {
    // Asleep in between, the two clocks part: then the answer tells nothing.
    this.#exchanged(sent.ms, madeMs, got, sent.wallMs);
  }

  /**
   * Not synchronised, time goes on from where it was last known: that may be wrong by a whole sleep,
   * so nothing may be done by it, but it does not jump back to where the page began.
   * @returns {ServerTime}
   */
  now() {
    const now = this.#read();
    const linked = this.#linked?.() ?? null;
    this.#heard ||= linked !== null;
    const counts = this.#linked === null ? this.#ageMs(now) < LASTS_MS : !this.#heard && now.ms - this.#startedMs < FRESH_MS;
    this.#own = counts ? checked(this.#own, moment(now)) : unsetClock();
    const known = linked ?? serverNow(this.#own, moment(now));
    if (known !== null) this.#last = { serverMs: known.serverMs, ms: now.ms };
    return { nowMs: this.#last.serverMs + Math.max(0, now.ms - this.#last.ms), synchronised: known !== null };
  }

  /** Should a page without a link ask for the time now? */
  get isDue() {
    return this.#ageMs(this.#read()) >= RENEW_AFTER_MS;
  }

  /** @param {Reading} now @returns {number} of the newest answer to a question of the page's own; Infinity: there is none */
  #ageMs(now) {
    return now.ms - (this.#own.exchanges.at(-1)?.atMs ?? -Infinity);
  }

  /** @param {number} sentMs @param {number} madeMs @param {Reading} got @param {number} [sentWallMs] */
  #exchanged(sentMs, madeMs, got, sentWallMs = got.wallMs - (got.ms - sentMs)) {
    this.#own = exchanged(this.#own, { sentMs, sentWallMs, serverTime: madeMs / 1000, heldMs: 0 }, moment(got));
  }
}

/** @param {Reading} reading @returns {Moment} */
function moment({ ms, wallMs }) {
  return { ms, wallMs, back: false, slept: false, lateAfterMs: Infinity, random: Math.random };
}

/** @param {Window & typeof globalThis} window @returns {Reading} */
export function readClocks({ performance, Date }) {
  return { ms: performance.now(), wallMs: Date.now() };
}

/**
 * When this document's HTML was asked for and came; null: it may come out of a cache without the server having been
 * asked, as with "back" and a duplicated tab, and be as old as the visit that is gone back to.
 * @param {Window & typeof globalThis} window
 * @param {boolean} hasLink without one nothing would put right what a sleep between HTML and script has spoilt, so the
 *   browser's own idea of when the page began is asked, which is wrong in some browsers after every sleep
 * @returns {Loading | null}
 */
export function loadingOf(window, hasLink) {
  const [found] = window.performance.getEntriesByType("navigation");
  const entry = /** @type {PerformanceNavigationTiming & { deliveryType?: string } | undefined} */ (found);
  if (entry === undefined || entry.type === "back_forward" || entry.deliveryType === "cache" || !(entry.responseStart > 0)) return null;
  const now = readClocks(window);
  const gotMs = entry.responseStart;
  const gotWallMs = hasLink ? now.wallMs - (now.ms - gotMs) : window.performance.timeOrigin + gotMs;
  return { sentMs: entry.requestStart, gotMs, gotWallMs };
}
