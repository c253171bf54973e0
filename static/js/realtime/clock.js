/**
 * The server's clock, as seen from here: `server_time` of the best exchange plus the monotonic time
 * since. The browser's wall clock is used for one thing only: when it and the monotonic clock
 * disagree, the machine has slept or somebody has set the clock, and every exchange is thrown away.
 */

/** @import { Asked, Clock, Exchange, Moment } from "./types.js" */

/** Exchanges older than this have drifted more than a slow one is wrong by. */
const WINDOW_MS = 300_000;
/** Two clocks of one machine do not part further than this without a sleep or a step. */
const MOST_DISAGREEMENT_MS = 1_000;
/** Assumed worst drift of a monotonic clock: 200 ppm. */
const DRIFT = 0.0002;
/** From here on a countdown to the second would be a guess. */
const MOST_ERROR_MS = 1_000;
/** What a coarse clock may put into an exchange beside its round trip. */
const COARSENESS_MS = 100;
/** Exchanges kept; at one a report (10 s) more than the window holds. */
const MOST_EXCHANGES = 40;

/** @returns {Clock} */
export function unsetClock() {
  return { exchanges: [] };
}

/**
 * @param {Clock} clock
 * @param {Asked} asked
 * @param {Moment} now when the answer arrived
 * @returns {Clock} unchanged if the machine slept in between: the answer may have waited here all the while
 */
export function exchanged(clock, { sentMs, sentWallMs, serverTime, heldMs }, now) {
  const sleptMs = now.wallMs - sentWallMs - (now.ms - sentMs);
  if (Math.abs(sleptMs) > MOST_DISAGREEMENT_MS) return checked(clock, now);
  const tripMs = Math.max(0, now.ms - sentMs - heldMs);
  const offsetMs = serverTime * 1000 + tripMs / 2 - now.ms;
  const fresh = { atMs: now.ms, wallMs: now.wallMs, tripMs, offsetMs };
  const kept = checked(clock, now).exchanges.filter((each) => now.ms - each.atMs < WINDOW_MS && agree(each, fresh));
  return { exchanges: [...kept, fresh].slice(-MOST_EXCHANGES) };
}

/**
 * @param {Clock} clock
 * @param {Moment} now
 * @returns {Clock} empty if the two local clocks disagree about the time since any exchange
 */
export function checked(clock, now) {
  const parted = clock.exchanges.some((each) => {
    const disagreementMs = now.wallMs - each.wallMs - (now.ms - each.atMs);
    return Math.abs(disagreementMs) > MOST_DISAGREEMENT_MS;
  });
  return parted ? unsetClock() : clock;
}

/**
 * @param {Clock} clock
 * @param {Moment} now
 * @returns {{ serverMs: number, errorMs: number } | null} null: not synchronised
 */
export function serverNow(clock, now) {
  const best = bestOf(checked(clock, now).exchanges, now);
  if (best === null) return null;
  const errorMs = errorOf(best, now);
  return errorMs > MOST_ERROR_MS ? null : { serverMs: now.ms + best.offsetMs, errorMs };
}

/**
 * Can both be true? If not, a clock has stepped or stood still for less than the other one shows: the
 * newer one is right.
 * @param {Exchange} old
 * @param {Exchange} fresh
 */
function agree(old, fresh) {
  const boundMs = (old.tripMs + fresh.tripMs) / 2 + (fresh.atMs - old.atMs) * DRIFT + COARSENESS_MS;
  return Math.abs(old.offsetMs - fresh.offsetMs) <= boundMs;
}

/**
 * The shortest round trip of the window; without one, whichever is least wrong by now.
 * @param {Exchange[]} exchanges
 * @param {Moment} now
 * @returns {Exchange | null}
 */
function bestOf(exchanges, now) {
  const recent = exchanges.filter((each) => now.ms - each.atMs < WINDOW_MS);
  if (recent.length > 0) return least(recent, (each) => each.tripMs);
  return least(exchanges, (each) => errorOf(each, now));
}

/** @param {Exchange} exchange @param {Moment} now @returns {number} ms by which it may be wrong */
function errorOf(exchange, now) {
  return exchange.tripMs / 2 + (now.ms - exchange.atMs) * DRIFT;
}

/**
 * @param {Exchange[]} exchanges
 * @param {(exchange: Exchange) => number} cost
 * @returns {Exchange | null}
 */
function least(exchanges, cost) {
  return exchanges.reduce(
    (best, each) => (best === null || cost(each) <= cost(best) ? each : best), /** @type {Exchange | null} */ (null),
  );
}
