/** Who may try to connect, and when: the scout, the circuit breaker and the page's own limit. */

/** @import { Moment } from "./types.js" */
/** @import { LinkState, Stream } from "./machine_types.js" */

import { allowedFromMs } from "./breaker.js";
import { isLive } from "./liveness.js";
import { scoutMs } from "./timings.js";

/** A page makes at most this many attempts in a second, whatever happens. */
const MOST_ATTEMPTS = 5;
const ATTEMPTS_WINDOW_MS = 1_000;

/** @typedef {{ grant: { name: string, scout: boolean, withinMs: number } } | { atMs: number, busy?: true }} Grant
 *   the one stream that may try now, or when to ask again; Infinity: not before something else happens;
 *   busy: the outcome of a try is waited for */

/**
 * One handshake at a time, because browsers make no more to one host and port: the next would only
 * lose its own time behind it.
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {Grant}
 */
export function nextGrant(link, now) {
  const waiting = link.streams.filter((stream) => stream.phase === "waiting");
  if (waiting.length === 0 || inTheWay(link) !== undefined) return { atMs: Infinity };
  const recent = recentAttempts(link.attempts, now);
  if (recent.length >= MOST_ATTEMPTS) return { atMs: /** @type {number} */ (recent[0]) + ATTEMPTS_WINDOW_MS };
  const proven = link.streams.some((stream) => isLive(stream, now));
  // Beside a live stream, and in a planned change of node, every stream tries for itself.
  const alone = proven ? waiting : waiting.filter((each) => each.retry.planned);
  const first = firstOf(alone);
  const aloneAtMs = first?.retry.wantsAtMs ?? Infinity;
  if (first !== undefined && aloneAtMs <= now.ms) {
    return { grant: { name: first.name, scout: false, withinMs: link.timings.handshakeMs } };
  }
  if (alone.length === waiting.length) return { atMs: aloneAtMs };
  const scouting = scoutGrant(link, waiting, now);
  return "grant" in scouting ? scouting : { ...scouting, atMs: Math.min(aloneAtMs, scouting.atMs) };
}

/**
 * @param {LinkState} link
 * @returns {Stream | undefined} whose handshake the browser is busy with
 */
function inTheWay(link) {
  return link.streams.find((stream) => stream.phase === "opening");
}

/**
 * A handshake that others wait for gets no more time than the scout's, so that a hanging one never
 * holds up the page for longer.
 * @param {LinkState} link
 * @returns {{ name: string, withinMs: number } | null} whose handshake has to be shorter than it was to be
 */
export function heldUp(link) {
  const { name, attempt } = inTheWay(link) ?? {};
  const withinMs = scoutMs(link.timings);
  if (name === undefined || attempt == null || attempt.hurried || attempt.withinMs <= withinMs) return null;
  const waited = link.streams.some(({ phase, retry }) => phase === "waiting" && retry.wantsAtMs < attempt.byMs);
  return waited ? { name, withinMs } : null;
}

/**
 * @param {number[]} attempts
 * @param {Moment} now
 * @returns {number[]} those that still count against the page's limit
 */
export function recentAttempts(attempts, now) {
  return attempts.filter((ms) => now.ms - ms < ATTEMPTS_WINDOW_MS);
}

/**
 * Nothing is proven to live: one stream tries for all, because in a herd that is a fifth of the
 * handshakes.
 * @param {LinkState} link
 * @param {Stream[]} waiting
 * @param {Moment} now
 * @returns {Grant}
 */
function scoutGrant(link, waiting, now) {
  const holdMs = scoutMs(link.timings);
  const busyUntilMs = Math.max(-Infinity, ...link.streams.map((stream) => heldUntilMs(stream, holdMs)));
  if (busyUntilMs > now.ms) return { atMs: busyUntilMs, busy: true };
  const scout = /** @type {Stream} */ (chooseScout(waiting));
  const atMs = Math.max(scout.retry.wantsAtMs, allowedFromMs(link.breaker, now.ms));
  return atMs > now.ms ? { atMs } : { grant: { name: scout.name, scout: true, withinMs: holdMs } };
}

/**
 * How long a stream's attempt keeps the others waiting: the scout's until its outcome is known, but
 * replay that takes long does not.
 * @param {Stream} stream
 * @param {number} holdMs
 */
function heldUntilMs({ attempt, phase }, holdMs) {
  if (attempt === null) return -Infinity;
  if (!attempt.scout || phase === "syncing") return attempt.openedMs + holdMs;
  return attempt.doubt === null ? attempt.byMs : Infinity;
}

/** @param {Stream[]} waiting @returns {Stream | undefined} the one that has waited longest */
function firstOf(waiting) {
  return waiting.reduce(
    (/** @type {Stream | undefined} */ first, each) =>
      (first === undefined || each.retry.wantsAtMs < first.retry.wantsAtMs ? each : first), undefined,
  );
}

/**
 * The preferred stream, unless it has trouble of its own that others do not share.
 * @param {Stream[]} waiting
 * @returns {Stream | undefined}
 */
export function chooseScout(waiting) {
  const rank = (/** @type {Stream} */ stream) => stream.retry.misses * 2 + (stream.preferred ? 0 : 1);
  return waiting.reduce(
    (/** @type {Stream | undefined} */ best, each) =>
      (best === undefined || rank(each) < rank(best) ? each : best), undefined,
  );
}
