/** fail(): the one way in which a socket ends. */

/** @import { Moment } from "./types.js" */
/** @import { Ending, Fault, Phase, Stream, StreamEffect, Why } from "./machine_types.js" */

import { backoffMs } from "./backoff.js";
import { CloseCode, endReason, endWords, isTerminal } from "./close_codes.js";
import { isLive } from "./liveness.js";
import { clear, disconnected } from "./queue.js";
import { hasLived, maySwitch, switchUntilMs } from "./stream_life.js";
import { changed, retried, settlements } from "./stream_steps.js";

/** Causes of which the path itself may be guilty: every other stream of the page is asked at once. */
const EVIDENCE = new Set(["probe-timeout", "handshake-timeout", "report-timeout", "send-error", "slept"]);
/** The third failure over one event ends the stream: neither resuming nor a snapshot has helped. */
const MOST_FAULTS = 3;
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
  const fault = nextFault(stream.fault, why);
  const ending = endingOf(why, fault);
  const { queue, settled } = settleQueue(stream, why, ending);
  const code = why.code ?? null;
  const next = changed(unplugged(stream), {
    queue, ending, fault,
    phase: phaseAfter(why, ending),
    retry: nextRetry(stream, why, fault, now),
    causes: [...stream.causes, { cause: why.cause, code, atMs: now.ms }].slice(-MOST_CAUSES),
  });
  return [next, [
    { type: "retire", socket: stream.socket, parting: why.park !== undefined },
    ...settlements(settled),
    { type: "down", cause: why.cause, code },
    ...news(stream, why, now),
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
  return [changed(stream, { phase: "ended", ending, queue }), settlements(settled)];
}

/**
 * Something of the server's could not be taken in: resume; the second time without a cursor; the
 * third time this page is at fault and says so. A snapshot that fails goes on where an event began.
 * @param {Fault | null} before
 * @param {Why} why
 * @returns {Fault | null}
 */
function nextFault(before, { fault: key }) {
  if (key === undefined) return before;
  const same = before !== null && (before.key === key || key === "snapshot");
  return same ? { key: before.key, count: before.count + 1 } : { key, count: 1 };
}

/** @param {Why} why @param {Fault | null} fault @returns {Ending | null} */
function endingOf(why, fault) {
  if (why.ending !== undefined) return why.ending;
  if (why.fault !== undefined && fault !== null && fault.count >= MOST_FAULTS) return endedBy("fault");
  return why.code !== undefined && isTerminal(why.code) ? endedBy(endReason(why.code)) : null;
}

/** @param {string} code @returns {Ending} */
function endedBy(code) {
  return { code, message: endWords(code) };
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

/** Everything that belongs to a socket, in one place. @param {Stream} stream @returns {Stream} */
function unplugged(stream) {
  return changed(stream, {
    socket: null, attempt: null, life: null, syncedMs: null, delivery: null, drain: null, answered: false,
    lostMs: stream.life?.heardMs ?? stream.lostMs,
    seen: { frames: 0, told: 0, bytes: 0, dueMs: null },
  });
}

/**
 * @param {Stream} stream
 * @param {Why} why
 * @param {Fault | null} fault
 * @param {Moment} now
 * @returns {Stream["retry"]}
 */
function nextRetry(stream, why, fault, now) {
  const { retry } = stream;
  const switches = why.cause === "drain" ? 1 : 0;
  const planned = isPlanned(stream, why, now) && (switches === 0 || maySwitch(stream));
  const free = planned || isOwnWish(why);
  const failures = free ? retry.failures : retry.failures + 1;
  const hint = free ? null : (why.hintMs ?? drainHint(stream, failures, now));
  const atOnce = free || (why.code === CloseCode.SLOW && hasLived(stream));
  return retried(retry, {
    failures, planned, switches: retry.switches + (planned ? switches : 0), cause: why.cause, hinted: hint !== null,
    // Only what lives is changed over; what was in doubt when its response was given up for another stream is lost.
    switchUntilMs: planned && (switches > 0 || isLive(stream, now)) ? switchUntilMs(stream, now) : retry.switchUntilMs,
    wantsAtMs: now.ms + (hint ?? (atOnce ? 0 : backoffMs(failures, now.random()))),
    fresh: retry.fresh || (why.fault !== undefined && fault?.count === 2),
    misses: !free && isAnswered(stream, why) && !hasLived(stream) ? retry.misses + 1 : retry.misses,
    tryFailed: retry.tryFailed || (!free && stream.syncedMs === null),
  });
}

/** The page itself gave the socket up. @param {Why} why */
function isOwnWish(why) {
  return why.free === true || why.park !== undefined;
}

/**
 * A change of node: the token has come, or the drained node closes a connection that it had told to
 * leave, had given a token, or that had proven itself. One that a draining node closes again and
 * again without any of these is a failure like any other, and so is one change too many in a row.
 * @param {Stream} stream
 * @param {Why} why
 * @param {Moment} now
 */
function isPlanned(stream, why, now) {
  if (why.planned === true) return true;
  if (why.code !== CloseCode.DRAINING) return false;
  return stream.drain !== null || hasLived(stream) || (stream.token !== null && stream.token.untilMs > now.ms);
}

/**
 * A node that said when to leave and died before: its clients come back at the moments over which it
 * had spread them, not all together; and never sooner than after any other failure.
 * @param {Stream} stream
 * @param {number} failures
 * @param {Moment} now
 */
function drainHint({ drain }, failures, now) {
  if (drain === null || drain.leaveAtMs <= now.ms) return null;
  return Math.max(backoffMs(failures, now.random()), drain.leaveAtMs - now.ms);
}

/** What the link hears of it. @param {Stream} stream @param {Why} why @param {Moment} now @returns {StreamEffect[]} */
function news(stream, why, now) {
  /** @type {StreamEffect[]} */
  const effects = [];
  if (stream.syncedMs === null) {
    const answered = isAnswered(stream, why);
    const { scout = false, openedMs = now.ms } = stream.attempt ?? {};
    effects.push({ type: "tried-in-vain", scout, answered, counts: isCounted(why), late: why.late === true, openedMs });
  }
  if (isEvidence(why)) effects.push({ type: "suspect" });
  effects.push({ type: "failed", cause: why.cause });
  return effects;
}

/** A deadline that was looked at too late accuses nobody, and a close after a sleep is no timeout. @param {Why} why */
function isEvidence(why) {
  return EVIDENCE.has(why.cause) && why.late !== true && why.code === undefined;
}

/**
 * A frame or one of the server's own codes: whatever failed, it was not the path.
 * @param {Stream} stream
 * @param {Why} why
 */
function isAnswered(stream, why) {
  return stream.answered || (why.code !== undefined && why.code >= 4000);
}

/** Drained and hinted closes are the server's own regulation; the breaker stays out of it. @param {Why} why */
function isCounted(why) {
  return !isOwnWish(why) && why.planned !== true && (why.hintMs ?? null) === null && why.code !== CloseCode.DRAINING;
}
