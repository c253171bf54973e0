/** Who may try to connect, and when: the scout, the circuit breaker and the page's own limit. */

/** @import { Moment } from "./types.js" */
/** @import { LinkState, Stream } from "./machine_types.js" */

import { allowedFromMs } from "./breaker.js";
import { isLive } from "./liveness.js";
import { scoutMs } from "./timings.js";

/** A page makes at most this many attempts in a second, whatever happens. */
const MOST_ATTEMPTS = 5;
const ATTEMPTS_WINDOW_MS = 1_000;

/**
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {{ grant: { name: string, scout: boolean, withinMs: number } } | { atMs: number }} the one
 *   stream that may try now, or when to ask again; Infinity: not before something else happens
 */
export function nextGrant(link, now) {
  const waiting = link.streams.filter((stream) => stream.phase === "waiting");
  if (waiting.length === 0) return { atMs: Infinity };
  const recent = recentAttempts(link.attempts, now);
  if (recent.length >= MOST_ATTEMPTS) return { atMs: /** @type {number} */ (recent[0]) + ATTEMPTS_WINDOW_MS };
  const proven = link.streams.some((stream) => isLive(stream, now));
  // Beside a live stream, and in a planned change of node, every stream tries for itself.
  const alone = proven ? waiting : waiting.filter((each) => each.retry.planned);
  const due = alone.find((stream) => stream.retry.wantsAtMs <= now.ms);
  if (due !== undefined) return { grant: { name: due.name, scout: false, withinMs: link.timings.handshakeMs } };
  const aloneAtMs = Math.min(Infinity, ...alone.map((stream) => stream.retry.wantsAtMs));
  if (alone.length === waiting.length) return { atMs: aloneAtMs };
  const scouting = scoutGrant(link, waiting, now);
  return "grant" in scouting ? scouting : { atMs: Math.min(aloneAtMs, scouting.atMs) };
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
 * handshakes, and because a browser makes one handshake at a time to a host, so that a hanging one
 * holds up the others.
 * @param {LinkState} link
 * @param {Stream[]} waiting
 * @param {Moment} now
 * @returns {{ grant: { name: string, scout: boolean, withinMs: number } } | { atMs: number }}
 */
function scoutGrant(link, waiting, now) {
  const holdMs = scoutMs(link.timings);
  const busyUntilMs = Math.max(-Infinity, ...link.streams.map((stream) => heldUntilMs(stream, holdMs)));
  if (busyUntilMs > now.ms) return { atMs: busyUntilMs };
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

/**
 * The preferred stream, unless it has trouble of its own that others do not share.
 * @param {Stream[]} waiting
 * @returns {Stream | undefined}
 */
export function chooseScout(waiting) {
  const rank = (/** @type {Stream} */ stream) => stream.retry.misses * 2 + (stream.preferred ? 0 : 1);
  return [...waiting].sort((a, b) => rank(a) - rank(b))[0];
}
