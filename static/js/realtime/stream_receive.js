/** What arrives on the current socket. */

/** @import { EventFrame, Frame, Life, Moment, OtherFrame, ReplyFrame, SnapshotFrame, SyncedFrame } from "./types.js" */
/** @import { EndFrame, TokenFrame, WelcomeFrame } from "./types.js" */
/** @import { Delivery, Ending, Step, Stream } from "./machine_types.js" */

import { assertNever } from "./assert_never.js";
import { hintMs } from "./backoff.js";
import { endWords } from "./close_codes.js";
import { advance, isAhead, isOtherLog, place } from "./cursor.js";
import { byteLength, parse } from "./frames.js";
import { heard } from "./liveness.js";
import { hasLived } from "./stream_life.js";
import { answer, welcomed } from "./queue.js";
import { changed, failing, retried, settlements } from "./stream_steps.js";
import { withWire } from "./timings.js";

/** `seen` goes out at the latest this long after the first frame that it covers. */
const SEEN_AFTER_MS = 1_000;

/**
 * Proof of life first, whatever the content; `ping` is answered before anything else.
 * @param {Stream} before
 * @param {string} text
 * @param {Moment} now
 * @returns {Step}
 */
export function onText(before, text, now) {
  const socket = /** @type {number} */ (before.socket);
  const parsed = parse(text);
  const stream = alive(before, now);
  switch (parsed.kind) {
    case "ping": return [stream, [{ type: "send", socket, text: "pong" }]];
    case "pong": return [timed(stream, before.life, now), []];
    case "malformed": return fault(stream, `malformed ${parsed.what}`);
    case "frame": return onFrame(counted(stream, text, now), parsed.frame, now);
    default: return assertNever(parsed);
  }
}

/**
 * What came beside the stream, as the answer to a request. It says nothing of whether the stream lives,
 * and takes none of its credit.
 * @param {Stream} stream
 * @param {string} text
 * @param {Moment} now
 * @returns {Step}
 */
export function onBeside(stream, text, now) {
  const parsed = parse(text);
  return parsed.kind === "frame" ? onFrame(stream, parsed.frame, now) : fault(stream, "malformed answer");
}

/**
 * The page has handled a snapshot or an event, or its handler has thrown; only then the cursor moves.
 * @param {Stream} stream
 * @param {boolean} ok
 * @returns {Step}
 */
export function onHandled(stream, ok) {
  const { delivery } = stream;
  if (delivery === null) return [stream, []];
  const done = changed(stream, { delivery: null });
  if (!ok) return fault(done, delivery.key);
  const passed = changed(done, { fault: stream.fault?.key === delivery.key ? null : stream.fault });
  if (delivery.kind === "event") {
    return [changed(passed, { cursor: advance(stream.cursor ?? {}, delivery.topic, delivery.seq) }), []];
  }
  return [changed(passed, { cursor: delivery.cursor, retry: retried(stream.retry, { fresh: false }) }), []];
}

/** @param {Stream} stream @param {Frame} frame @param {Moment} now @returns {Step} */
function onFrame(stream, frame, now) {
  switch (frame.type) {
    case "retry": return onRetry(stream, frame);
    case "end": return failing(stream, { cause: "close", ending: endingOf(frame) });
    case "welcome": return onWelcome(stream, frame, now);
    default: break;
  }
  return stream.life === null ? fault(stream, `${frame.type} before welcome`) : onWelcomed(stream, frame, now);
}

/**
 * @param {Stream} stream
 * @param {Exclude<Frame, { type: "retry" | "end" | "welcome" }>} frame
 * @param {Moment} now
 * @returns {Step}
 */
function onWelcomed(stream, frame, now) {
  switch (frame.type) {
    case "snapshot": return deliver(stream, frame, { kind: "snapshot", key: "snapshot", cursor: frame.cursor });
    case "event": return onEvent(stream, frame);
    case "synced": return onSynced(stream, frame, now);
    case "reply": return onReply(stream, frame, now);
    case "drain": return onDrain(stream, hintMs(frame.leave_in_ms) ?? 0, now);
    case "token": return onToken(stream, frame, now);
    default: return [stream, [{ type: "pass", frame: /** @type {OtherFrame} */ (frame) }]];
  }
}

/**
 * The state of the connection is reset in one place, waiting commands go out, then subscriptions.
 * @param {Stream} stream
 * @param {WelcomeFrame} frame
 * @param {Moment} now
 * @returns {Step}
 */
function onWelcome(stream, frame, now) {
  const { attempt, retry } = stream;
  if (stream.phase !== "greeting" || attempt === null) return fault(stream, "second welcome");
  const asked = { sentMs: attempt.helloMs, sentWallMs: attempt.helloWallMs, serverTime: frame.server_time, heldMs: 0 };
  const { queue, settled } = welcomed(stream.queue);
  const next = changed(stream, {
    // Read after a sleep it may have arrived before: the doubt of a late check outlives it, as any frame.
    phase: "syncing", life: heard(now, attempt), drain: null, delivery: null, queue,
    // Not resumed means that a snapshot comes; until it has, a cursor says nothing.
    retry: frame.resumed && stream.cursor !== null ? retry : retried(retry, { fresh: true }),
    timings: withWire(stream.timings, frame.timings),
  });
  return [next, [...settlements(settled), { type: "exchange", asked }, { type: "flush" }, { type: "renew" }]];
}

/** @param {Stream} stream @param {EventFrame} frame @returns {Step} */
function onEvent(stream, frame) {
  const { cursor, stats } = stream;
  switch (place(cursor ?? {}, frame)) {
    case "duplicate": return [changed(stream, { stats: { ...stats, duplicates: stats.duplicates + 1 } }), []];
    case "gap": return gap(stream, cursor === null || cursor[frame.topic] === undefined);
    default: {
      const key = `${frame.topic} ${cursor?.[frame.topic]?.epoch} ${frame.seq}`;
      return deliver(stream, frame, { kind: "event", key, topic: frame.topic, seq: frame.seq });
    }
  }
}

/** @param {Stream} stream @param {SnapshotFrame | EventFrame} frame @param {Delivery} delivery @returns {Step} */
function deliver(stream, frame, delivery) {
  return [changed(stream, { delivery }), [{ type: "deliver", socket: /** @type {number} */ (stream.socket), frame }]];
}

/**
 * The page never guesses what it has missed: it resumes from where it is sure.
 * @param {Stream} stream
 * @param {boolean} fresh only a snapshot can help
 * @returns {Step}
 */
function gap(stream, fresh) {
  const stats = { ...stream.stats, gaps: stream.stats.gaps + 1 };
  const retry = retried(stream.retry, { fresh: fresh || stream.retry.fresh });
  return failing(changed(stream, { stats, retry }), { cause: "gap" });
}

/**
 * Replay is over. Its cursor is how far this page has been told: one that is ahead of ours means that
 * the replay's last frames were lost, one of another log that only a snapshot helps. A snapshot that
 * was owed and did not come is a gap, too: an empty page must not call itself live.
 * @param {Stream} stream
 * @param {SyncedFrame} frame
 * @param {Moment} now
 * @returns {Step}
 */
function onSynced(stream, frame, now) {
  const cursor = stream.cursor ?? frame.cursor;
  if (stream.retry.fresh) return gap(stream, true);
  if (isOtherLog(cursor, frame.cursor)) return gap(stream, true);
  if (isAhead(frame.cursor, cursor)) return gap(stream, false);
  const scout = stream.attempt?.scout === true;
  const retry = retried(stream.retry, {
    tries: 0, tryFailed: false, planned: false, switchUntilMs: null, hinted: false,
  });
  const syncedMs = stream.syncedMs ?? now.ms;
  const next = changed(stream, { phase: "live", syncedMs, everSynced: true, attempt: null, retry, cursor });
  return [next, [{ type: "synced", scout }]];
}

/** @param {Stream} stream @param {ReplyFrame} frame @param {Moment} now @returns {Step} */
function onReply(stream, frame, now) {
  const { queue, settled, item } = answer(stream.queue, frame, now);
  const next = changed(stream, { queue });
  const effects = settlements(settled);
  if (item?.sentMs == null || frame.server_time === undefined) return [next, effects];
  const heldMs = frame.held_ms ?? 0;
  const asked = { sentMs: item.sentMs, sentWallMs: item.sentWallMs, serverTime: frame.server_time, heldMs };
  const stats = { ...stream.stats, rttMs: Math.max(0, now.ms - item.sentMs - heldMs) };
  return [changed(next, { stats }), [{ type: "exchange", asked }, ...effects]];
}

/** @param {EndFrame} frame @returns {Ending} in the server's words, or in ours */
function endingOf({ code, message }) {
  return { code, message: message || endWords(code) };
}

/** @param {Stream} stream @param {Extract<Frame, { type: "retry" }>} frame @returns {Step} */
function onRetry(stream, frame) {
  const cause = frame.code === "draining" ? "drain" : "close";
  return failing(stream, { cause, hintMs: hintMs(frame.retry_after_ms) });
}

/**
 * The node goes; this connection's own moment to leave is spread among the others'.
 * @param {Stream} stream
 * @param {number} inMs
 * @param {Moment} now
 * @returns {Step}
 */
function onDrain(stream, inMs, now) {
  return [changed(stream, { drain: { leaveAtMs: now.ms + inMs, leaveByMs: null } }), []];
}

/**
 * The answer to `leave`: everything is in safe hands, go at once.
 * @param {Stream} stream
 * @param {TokenFrame} frame
 * @param {Moment} now
 * @returns {Step}
 */
function onToken(stream, frame, now) {
  const token = { token: frame.token, untilMs: now.ms + frame.expires_in_ms };
  return failing(changed(stream, { token }), { cause: "drain", planned: true });
}

/**
 * Ten seconds of proven life, and past failures are forgotten.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {Stream}
 */
function alive(stream, now) {
  const next = changed(stream, { answered: true, life: stream.life === null ? null : heard(now, stream.life) });
  const clean = next.fault === null && next.retry.failures === 0 && next.retry.misses === 0 && next.retry.switches === 0;
  if (clean || !hasLived(next)) return next;
  return changed(next, { fault: null, retry: retried(next.retry, { failures: 0, misses: 0, switches: 0 }) });
}

/** @param {Stream} stream @param {Life | null} life before the pong @param {Moment} now @returns {Stream} */
function timed(stream, life, now) {
  if (life === null || life.probe === null) return stream;
  return changed(stream, { stats: { ...stream.stats, rttMs: now.ms - life.probe.sentMs } });
}

/**
 * `seen` counts JSON frames of this connection, from the receive path.
 * @param {Stream} stream
 * @param {string} text
 * @param {Moment} now
 * @returns {Stream}
 */
function counted(stream, text, now) {
  const { frames, told, bytes, dueMs } = stream.seen;
  const seen = { frames: frames + 1, told, bytes: bytes + byteLength(text), dueMs: dueMs ?? now.ms + SEEN_AFTER_MS };
  return changed(stream, { seen });
}

/**
 * Something of the server's could not be taken in.
 * @param {Stream} stream
 * @param {string} fault what it was
 * @returns {Step}
 */
function fault(stream, fault) {
  return failing(stream, { cause: "fault", fault });
}
