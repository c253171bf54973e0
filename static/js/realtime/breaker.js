/**
 * The circuit breaker of a page: when most tries of its scout fail, it stops trying for a while.
 * Closed lets everything through; open nothing; half-open one try of the scout, whose outcome decides.
 * Drained and hinted closes are not reported here: in both the server is in control.
 */

/** @import { Breaker } from "./machine_types.js" */

/** Outcomes older than this say nothing about now. */
const WINDOW_MS = 20_000;
/** Fewer outcomes than this are no pattern. */
const LEAST_OUTCOMES = 6;
const FIRST_OPEN_MS = 5_000;
const LONGEST_OPEN_MS = 30_000;
/** Share by which the open time is spread, so that pages do not come back in step. */
const JITTER = 0.2;

/** @returns {Breaker} */
export function closedBreaker() {
  return { mode: "closed", outcomes: [], untilMs: 0, openMs: 0, permit: false };
}

/**
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @returns {number} the moment from which a try may pass; not after `nowMs` if it may pass now
 */
export function allowedFromMs(breaker, nowMs) {
  return breaker.mode !== "open" || breaker.permit ? nowMs : breaker.untilMs;
}

/**
 * A try goes out: uses up the permit, and turns an open breaker whose time is over half-open.
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @returns {Breaker}
 */
export function tried(breaker, nowMs) {
  const over = breaker.mode === "open" && nowMs >= breaker.untilMs;
  return { ...breaker, permit: false, mode: over ? "half-open" : breaker.mode };
}

/**
 * @param {Breaker} breaker
 * @returns {Breaker} that lets one try pass at once
 */
export function permitOne(breaker) {
  return { ...breaker, permit: true };
}

/**
 * The path is proven.
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @param {boolean} counts it was the scout's try that has succeeded
 * @returns {Breaker}
 */
export function succeeded(breaker, nowMs, counts) {
  if (breaker.mode !== "closed") return closedBreaker();
  return { ...closedBreaker(), outcomes: counts ? recent(breaker, nowMs, true) : breaker.outcomes };
}

/**
 * A try of the scout has failed.
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @param {number} chance in [0, 1)
 * @returns {Breaker}
 */
export function failed(breaker, nowMs, chance) {
  const outcomes = recent(breaker, nowMs, false);
  const next = { ...breaker, outcomes };
  if (breaker.mode === "half-open") return open(next, nowMs, chance);
  if (breaker.mode === "open" || !mostFailed(outcomes)) return next;
  return open(next, nowMs, chance);
}

/**
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @param {boolean} ok
 */
function recent(breaker, nowMs, ok) {
  return [...breaker.outcomes.filter((each) => nowMs - each.ms < WINDOW_MS), { ms: nowMs, ok }];
}

/** @param {{ ok: boolean }[]} outcomes */
function mostFailed(outcomes) {
  const bad = outcomes.filter((each) => !each.ok).length;
  return outcomes.length >= LEAST_OUTCOMES && bad * 2 >= outcomes.length;
}

/**
 * @param {Breaker} breaker
 * @param {number} nowMs
 * @param {number} chance
 * @returns {Breaker}
 */
function open(breaker, nowMs, chance) {
  const openMs = breaker.openMs === 0 ? FIRST_OPEN_MS : Math.min(breaker.openMs * 2, LONGEST_OPEN_MS);
  const untilMs = nowMs + openMs * (1 + JITTER * (2 * chance - 1));
  return { ...breaker, mode: "open", openMs, untilMs };
}
