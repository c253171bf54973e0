/** Deadlines of a stream, looked at with every step; and questions put to its connection from outside. */

/** @import { Life, Moment } from "./types.js" */
/** @import { Attempt, InnerEffect, Step, Stream, StreamEffect, StreamEvent } from "./machine_types.js" */

import { leave } from "./frames.js";
import { afterTurn, doubted, look, nextLookMs, probed, probedAfresh, question } from "./liveness.js";
import { expire, nextExpiryMs, nextSendMs } from "./queue.js";
import { maySwitch, silenceMs, switchUntilMs } from "./stream_life.js";
import { changed, failing, retried, settlements } from "./stream_steps.js";

/**
 * @param {Stream} before
 * @param {Moment} now
 * @returns {Step} whatever is due by now
 */
export function onLook(before, now) {
  const { queue, settled, unconfirmed } = expire(before.queue, now, before.timings.confirmMs);
  /** @type {(StreamEffect | InnerEffect)[]} */
  const effects = settlements(settled);
  effects.push(...unconfirmed.map((ref) => ({ type: /** @type {const} */ ("unconfirmed"), ref })));
  const stream = switched(queue === before.queue ? before : changed(before, { queue }), now);
  if (stream.socket === null) return [stream, effects];
  if (stream.life === null) return joined(effects, lookAtHandshake(stream, now));
  return joined(effects, lookAtLife(stream, stream.life, now));
}

/**
 * The page has slept or its check came late: nothing that is open now may be called dead by the clock.
 * @param {Stream} stream
 * @returns {Step}
 */
export function onLate(stream) {
  if (stream.life !== null) return [changed(stream, { life: doubted(stream.life, "late") }), [{ type: "turn" }]];
  if (stream.attempt === null) return [stream, []];
  return [changed(stream, { attempt: { ...stream.attempt, doubt: "late" } }), [{ type: "turn" }]];
}

/**
 * One turn of the event loop has passed since somebody asked for it.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {Step}
 */
export function onTurn(stream, now) {
  const { attempt, life } = stream;
  if (life !== null) {
    const verdict = afterTurn(life);
    if (verdict === "probe") return ping(changed(stream, { life: probedAfresh(life, now, stream.timings.probeMs) }));
    if (verdict === "dead") return failing(stream, { cause: life.probe?.cause ?? "probe-timeout" });
  } else if (attempt !== null && attempt.doubt !== null) {
    return handshakeAfterTurn(stream, attempt, now);
  }
  return [stream, []];
}

/**
 * Somebody has a reason to ask: other streams' trouble, a page event, a report.
 * @param {Stream} stream
 * @param {Extract<StreamEvent, { type: "probe" }>} event evidence: other streams' trouble, which may
 *   shorten even the probe after a sleep; a page event may not
 * @param {Moment} now
 * @returns {Step}
 */
export function onProbe(stream, { withinMs, evidence, cause }, now) {
  const { life } = stream;
  if (life === null || life.doubt !== null) return [stream, []];
  if (life.probe?.cause === "slept" && !evidence) return [stream, []];
  return ping(changed(stream, { life: probed(life, question(now, withinMs, cause)) }));
}

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {number} ms, when `onLook` has something to do; waiting for a try is the link's matter
 */
export function nextLook(stream, now) {
  const { attempt, drain, life, queue, retry, timings } = stream;
  let next = Math.min(nextExpiryMs(queue, timings.confirmMs), retry.switchUntilMs ?? Infinity);
  if (life !== null) {
    const sendMs = nextSendMs(queue, now, timings.confirmMs);
    next = Math.min(next, sendMs, nextLookMs(life, silenceMs(stream)), stream.seen.dueMs ?? Infinity);
    if (drain !== null) next = Math.min(next, drain.leaveByMs ?? drain.leaveAtMs);
  } else if (attempt !== null && attempt.doubt === null) {
    next = Math.min(next, attempt.byMs);
  }
  return next;
}

/** @param {Stream} stream @param {Life} before @param {Moment} now @returns {Step} */
function lookAtLife(stream, before, now) {
  const { life, act } = look(before, now, silenceMs(stream));
  const next = life === before ? stream : changed(stream, { life });
  if (act === "turn") return [next, [{ type: "turn" }]];
  if (act === "none") return lookAtDrain(next, now);
  return ping(changed(next, { life: probed(life, question(now, stream.timings.probeMs, "probe-timeout")) }));
}

/** @param {Stream} stream @param {Moment} now @returns {Step} */
function lookAtDrain(stream, now) {
  const { drain, socket } = stream;
  if (drain === null || socket === null) return [stream, []];
  if (drain.leaveByMs !== null) {
    return drain.leaveByMs <= now.ms ? failing(stream, { cause: "drain", planned: true }) : [stream, []];
  }
  if (drain.leaveAtMs > now.ms) return [stream, []];
  const leaving = { leaveAtMs: drain.leaveAtMs, leaveByMs: now.ms + stream.timings.probeMs };
  const retry = maySwitch(stream) ? retried(stream.retry, { switchUntilMs: switchUntilMs(stream, now) }) : stream.retry;
  return [changed(stream, { drain: leaving, retry }), [{ type: "send", socket, text: leave() }]];
}

/** The change of node takes too long to be called one. @param {Stream} stream @param {Moment} now @returns {Stream} */
function switched(stream, now) {
  const { retry } = stream;
  if (retry.switchUntilMs === null || retry.switchUntilMs > now.ms) return stream;
  return changed(stream, { retry: retried(retry, { switchUntilMs: null }) });
}

/** @param {Stream} stream @param {Moment} now @returns {Step} */
function lookAtHandshake(stream, now) {
  const { attempt } = stream;
  if (attempt === null || attempt.doubt !== null || now.ms < attempt.byMs) return [stream, []];
  const doubt = now.ms - attempt.byMs > now.lateAfterMs ? /** @type {const} */ ("late") : /** @type {const} */ ("due");
  return [changed(stream, { attempt: { ...attempt, doubt } }), [{ type: "turn" }]];
}

/**
 * A late look renews the deadline, once: the next one gives the attempt up without accusing the path.
 * @param {Stream} stream
 * @param {Attempt} attempt
 * @param {Moment} now
 * @returns {Step}
 */
function handshakeAfterTurn(stream, attempt, now) {
  const late = attempt.doubt === "late";
  if (attempt.hurried && !late) return failing(stream, { cause: "page", free: true });
  if (!late || attempt.extended) return failing(stream, { cause: "handshake-timeout", late });
  const renewed = { ...attempt, doubt: null, extended: true, hurried: false, byMs: now.ms + attempt.withinMs };
  return [changed(stream, { attempt: renewed }), []];
}

/** @param {Stream} stream @returns {Step} */
function ping(stream) {
  return [stream, [{ type: "send", socket: /** @type {number} */ (stream.socket), text: "ping" }]];
}

/** @param {(StreamEffect | InnerEffect)[]} effects @param {Step} step @returns {Step} */
function joined(effects, [stream, more]) {
  return effects.length === 0 ? [stream, more] : [stream, [...effects, ...more]];
}
