/** Questions about a stream that several of its parts ask. */

/** @import { Moment } from "./types.js" */
/** @import { Stream } from "./machine_types.js" */

/** From here on a connection is proven to live, and past failures are forgotten. */
export const PROVEN_LIFE_MS = 10_000;
/** A planned change of node that takes longer is shown as what it is: a connection that is lost. */
const SWITCH_MS = 2_000;
/** So many planned changes in a row are free: two nodes that are drained after one another are not felt. */
const MOST_SWITCHES = 2;
/** An event stream says something every 15 s: three of its comments are missing. */
const QUIET_EVENTS_MS = 45_000;

/**
 * Has the current socket lived for ten seconds, by the frames that arrived on it?
 * @param {Stream} stream
 * @returns {boolean}
 */
export function hasLived(stream) {
  return stream.syncedMs !== null && stream.life !== null && stream.life.heardMs - stream.syncedMs >= PROVEN_LIFE_MS;
}

/**
 * May this stream change its node for free? Without ten seconds of proven life between them only the first few
 * changes: a node that drains and still welcomes would be hammered.
 * @param {Stream} stream
 * @returns {boolean}
 */
export function maySwitch({ retry }) {
  return retry.switches < MOST_SWITCHES;
}

/**
 * A planned change of node begins: until when it is shown as one. Only what was synced is changed over; what was
 * not yet is on its way, and no repetition stretches that: neither does the close that a `leave` waited for.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {number | null}
 */
export function switchUntilMs({ retry, syncedMs, drain }, now) {
  const begins = syncedMs !== null && (drain === null || drain.leaveByMs === null);
  return retry.switchUntilMs ?? (begins ? now.ms + SWITCH_MS : null);
}

/**
 * How long this connection may be silent before it is asked. While replay is owed, silence is odd.
 * @param {Stream} stream
 * @returns {number} ms
 */
export function silenceMs(stream) {
  const { carrier, phase, timings } = stream;
  if (phase === "syncing") return timings.probeMs;
  return carrier === "events" ? Math.min(timings.silenceMs, QUIET_EVENTS_MS) : timings.silenceMs;
}

/**
 * May commands go out on the current socket?
 * @param {Stream} stream
 * @returns {boolean} from `welcome` until `leave`
 */
export function canSend(stream) {
  return stream.life !== null && (stream.drain === null || stream.drain.leaveByMs === null);
}
