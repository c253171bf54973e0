/**
 * One stream as a pure state machine: what happened goes in, the next state and what is to be done
 * come out. It owns no socket, no timer, no clock and no source of chance.
 */

/** @import { Cursor, Moment, Timings } from "./types.js" */
/** @import { InnerEffect, Step, Stream, StreamEffect, StreamEvent } from "./machine_types.js" */
/** @import { TimeCommand } from "./machine_types.js" */

import { assertNever } from "./assert_never.js";
import { emptyQueue } from "./queue.js";
import { onCommand, flush } from "./stream_commands.js";
import { emptied, onFollow, onHurry, onInherit, onOpened, onPark, onRevive, onShorten, onTry, onUnpark } from "./stream_connect.js";
import { endIdle, fail } from "./stream_fail.js";
import { onBeside, onHandled, onText } from "./stream_receive.js";
import { changed, failing, retried } from "./stream_steps.js";
import { tellSeen } from "./stream_seen.js";
import { nextLook, onLate, onLook, onProbe, onTurn } from "./stream_watch.js";
import { causeOfClose } from "./close_codes.js";

/** What a server takes in one frame, unless the stream says otherwise. */
const MOST_BYTES = 65_536;

/**
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.url
 * @param {string} options.client id of this document
 * @param {number | null} [options.user] whose page it is
 * @param {Cursor | null} options.cursor where the page's own snapshot ends; null: start with a snapshot
 * @param {Timings} options.timings
 * @param {boolean} [options.keepHidden] stays open while the page is hidden
 * @param {boolean} [options.preferred] scout before others
 * @param {number} [options.mostBytes]
 * @param {TimeCommand | null} [options.timeCommand]
 * @param {Moment} now
 * @param {Stream} [old] of the same name, which has ended: its numbers go on, so that nothing of it
 *   is mistaken for ours
 * @returns {Stream} that wants to be opened at once
 */
export function createStream(options, now, old) {
  const { name, url, client, cursor, timings, keepHidden = false, preferred = false } = options;
  const { mostBytes = MOST_BYTES, timeCommand = null, user = null } = options;
  return {
    name, url, client, user, keepHidden, preferred, mostBytes, timeCommand, timings, cursor,
    phase: "waiting", socket: null, sockets: old?.sockets ?? 0, answered: false,
    carrier: "websocket",
    attempt: null, life: null, syncedMs: null, everSynced: false, lostMs: null,
    retry: {
      failures: 0, misses: 0, tries: 0, switches: 0, wantsAtMs: now.ms, cause: "first",
      hinted: false, planned: false, switchUntilMs: null, tryFailed: false, fresh: false,
    },
    delivery: null, fault: null, seen: { frames: 0, told: 0, bytes: 0, dueMs: null },
    queue: { ...emptyQueue(), nextSeq: old?.queue.nextSeq ?? 1 },
    drain: null, token: null, stats: { gaps: 0, duplicates: 0, rttMs: null }, causes: [], ending: null,
  };
}

/**
 * @param {Stream} stream
 * @param {StreamEvent} event
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]}
 */
export function stepStream(stream, event, now) {
  // A retired socket can do nothing any more, whatever arrives late in its name.
  if ("socket" in event && event.socket !== stream.socket) return [stream, []];
  const [next, effects] = take(stream, event, now);
  return workOff(next, effects, now);
}

/** @param {Stream} stream @param {StreamEvent} event @param {Moment} now @returns {Step} */
function take(stream, event, now) {
  switch (event.type) {
    case "try": return onTry(stream, event, now);
    case "opened": return onOpened(stream, now);
    case "text": return onText(stream, event.text, now);
    case "beside": return onBeside(stream, event.text, now);
    case "binary": return failing(stream, { cause: "fault", fault: "binary" });
    case "closed": return failing(stream, { cause: closeCause(stream, event.code), code: event.code });
    case "error": return failing(stream, { cause: "error" });
    case "send-error": return failing(stream, { cause: "send-error" });
    case "handled": return onHandled(stream, event.ok);
    case "regroup": return failing(stream, { cause: "page", planned: true });
    case "look": return onLook(stream, now);
    case "late": return onLate(stream);
    case "turn": return onTurn(stream, now);
    case "probe": return onProbe(stream, event, now);
    case "hurry": return onHurry(stream, now);
    case "shorten": return onShorten(stream, event.withinMs);
    case "follow": return onFollow(stream, event.atMs);
    case "inherit": return onInherit(stream, event);
    case "blame": return [changed(stream, { retry: retried(stream.retry, { cause: event.cause }) }), []];
    case "park": return onPark(stream, event.why);
    case "unpark": return onUnpark(stream, now);
    case "revive": return onRevive(stream, event.reason, now);
    case "command": return onCommand(stream, event.spec, now);
    case "context": return emptied(stream, "context");
    case "stop": return onStop(stream);
    default: return assertNever(event);
  }
}

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {number} ms, when the stream has to be looked at
 */
export function nextStreamLook(stream, now) {
  return nextLook(stream, now);
}

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {boolean} has anything to be looked at now? A clock that went back is such a thing.
 */
export function isDue(stream, now) {
  const back = stream.life !== null && (now.back || now.wallMs < stream.life.sinceWallMs);
  return back || nextLook(stream, now) <= now.ms;
}

/**
 * `fail` and `flush` are worked off where they stand; at the end whatever may go out goes out.
 * @param {Stream} stream
 * @param {(StreamEffect | InnerEffect)[]} effects
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]}
 */
function workOff(stream, effects, now) {
  let next = stream;
  /** @type {StreamEffect[]} */
  const done = [];
  const then = (/** @type {[Stream, StreamEffect[]]} */ [after, more]) => {
    next = after;
    for (const effect of more) done.push(effect);
  };
  for (const effect of effects) {
    if (effect.type === "fail") then(fail(next, effect.why, now));
    else if (effect.type === "flush") then(flush(next, now));
    else if (effect.type !== "send" || effect.socket === next.socket) done.push(effect);
  }
  then(flush(next, now));
  then(tellSeen(next, now));
  return [next, done];
}

/** A socket that closes while nobody knows whether the machine slept was most likely lost in sleep.
 * @param {Stream} stream @param {number} code */
function closeCause(stream, code) {
  const doubtful = stream.life?.doubt === "late" || stream.life?.probe?.cause === "slept";
  const cause = causeOfClose(code);
  return doubtful && cause === "close" ? "slept" : cause;
}

/** @param {Stream} stream @returns {Step} */
function onStop(stream) {
  const ending = { code: "closed", message: "" };
  return stream.socket === null ? endIdle(stream, ending) : failing(stream, { cause: "page", ending });
}
