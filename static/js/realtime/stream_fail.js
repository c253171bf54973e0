/** fail(): the one way in which a socket ends. */

/** @import { Ending, Moment, Phase, Stream, StreamEffect, Why } from "./types.js" */

import { backoffMs } from "./backoff.js";
import { CloseCode, endReason, isTerminal } from "./close_codes.js";
import { clear, disconnected } from "./queue.js";
import { hasLived } from "./stream_life.js";

/** Causes of which the path itself may be guilty: every other stream of the page is asked at once. */
const EVIDENCE = new Set(["probe-timeout", "handshake-timeout", "report-timeout", "send-error"]);
/** Past failures kept for whoever looks inside. */
const MOST_CAUSES = 10;

/**
 * In this order: the socket is not current any more, its handlers are detached and it is closed
 * without waiting (`retire`), the queue is settled, the stream is told (`down`), and the decision
 * is taken: over, or exactly one next try. A second failure of the same socket finds none.
 * @param {Stream} stream
 * @param {Why} why
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]}
 */
export function fail(stream, why, now) {
  if (stream.socket === null) return [stream, []];
  const ending = endingOf(why);
  const { queue, settled } = settleQueue(stream, why, ending);
  const code = why.code ?? null;
  const next = {
    ...stream, ...unplugged(stream), queue, ending,
    phase: phaseAfter(why, ending),
    retry: nextRetry(stream, why, now),
    causes: [...stream.causes, { cause: why.cause, code, atMs: now.ms }].slice(-MOST_CAUSES),
  };
  return [next, [
    { type: "retire", socket: stream.socket },
    ...settled.map((each) => ({ type: /** @type {const} */ ("settle"), ...each })),
    { type: "down", cause: why.cause, code },
    ...news(stream, why),
  ]];
}

/**
 * A stream without a socket ends or loses its queue.
 * @param {Stream} stream
 * @param {Ending} ending
 * @returns {[Stream, StreamEffect[]]}
 */
export function endIdle(stream, ending) {
  const { queue, settled } = clear(stream.queue, "ended");
  const effects = settled.map((each) => ({ type: /** @type {const} */ ("settle"), ...each }));
  return [{ ...stream, phase: "ended", ending, queue }, effects];
}

/** @param {Why} why @returns {Ending | null} */
function endingOf(why) {
  if (why.ending !== undefined) return why.ending;
  return why.code !== undefined && isTerminal(why.code) ? { code: endReason(why.code), message: "" } : null;
}

/** @param {Why} why @param {Ending | null} ending @returns {Phase} */
function phaseAfter(why, ending) {
  if (ending !== null) return "ended";
  return why.park === undefined ? "waiting" : "parked";
}

/** @param {Stream} stream @param {Why} why @param {Ending | null} ending */
function settleQueue(stream, why, ending) {
  if (ending !== null) return clear(stream.queue, "ended");
  return why.park === "left" ? clear(stream.queue, "leaving") : disconnected(stream.queue);
}

/** Everything that belongs to a socket, in one place. @param {Stream} stream */
function unplugged(stream) {
  return {
    socket: null, attempt: null, life: null, syncedMs: null, delivery: null, drain: null, answered: false,
    lostMs: stream.life?.heardMs ?? stream.lostMs,
    seen: { frames: 0, told: 0, units: 0, dueMs: null },
  };
}

/** @param {Stream} stream @param {Why} why @param {Moment} now @returns {Stream["retry"]} */
function nextRetry(stream, why, now) {
  const { retry } = stream;
  const free = why.planned === true || why.free === true || why.park !== undefined;
  const failures = free ? retry.failures : retry.failures + 1;
  const hint = why.hintMs ?? drainHint(stream, why, now);
  const atOnce = free || (livedCode(why.code) && hasLived(stream)) || (why.code === CloseCode.DRAINING && holdsToken(stream, now));
  const waitMs = hint ?? (atOnce ? 0 : backoffMs(failures, now.random()));
  return {
    ...retry, failures, cause: why.cause, planned: why.planned === true || (why.code === CloseCode.DRAINING && waitMs === 0),
    misses: !free && stream.answered && !hasLived(stream) ? retry.misses + 1 : retry.misses,
    wantsAtMs: now.ms + waitMs, hinted: hint !== null,
    tryFailed: retry.tryFailed || (!free && stream.syncedMs === null),
  };
}

/** Codes after which a connection that had proven itself comes back at once. @param {number | undefined} code */
function livedCode(code) {
  return code === CloseCode.SLOW || code === CloseCode.DRAINING;
}

/** @param {Stream} stream @param {Moment} now */
function holdsToken(stream, now) {
  return stream.token !== null && stream.token.untilMs > now.ms;
}

/**
 * A node that said when to leave and died before: its clients come back at the moments that it had
 * spread them over, not all together.
 * @param {Stream} stream
 * @param {Why} why
 * @param {Moment} now
 */
function drainHint(stream, why, now) {
  if (stream.drain === null || why.planned === true || why.free === true || why.park !== undefined) return null;
  if (why.code === CloseCode.DRAINING) return null;
  return Math.max(0, stream.drain.leaveAtMs - now.ms);
}

/** What the link hears of it. @param {Stream} stream @param {Why} why @returns {StreamEffect[]} */
function news(stream, why) {
  /** @type {StreamEffect[]} */
  const effects = [];
  if (stream.syncedMs === null) {
    const counts = why.free !== true && why.planned !== true && why.park === undefined
      && (why.hintMs ?? null) === null && why.code !== CloseCode.DRAINING;
    const answered = stream.answered || (why.code !== undefined && why.code >= 4000);
    effects.push({ type: "tried-in-vain", scout: stream.attempt?.scout === true, answered, counts });
  }
  if (EVIDENCE.has(why.cause) && why.late !== true) effects.push({ type: "suspect" });
  effects.push({ type: "failed", cause: why.cause });
  return effects;
}
