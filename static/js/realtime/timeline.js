/**
 * Two clocks become one time that never goes back. Durations are measured on the monotonic clock;
 * the wall clock is read only to notice that the machine has slept, because some platforms stop the
 * monotonic one meanwhile. Its value is never trusted, sent or compared with the server's.
 */

/** @import { Moment, Reading } from "./types.js" */

/**
 * @typedef {object} Timeline
 * @property {number} ms time so far; stands still when the monotonic clock steps back
 * @property {number} monoMs last reading
 * @property {number} wallMs last reading
 */

/**
 * @param {Reading} reading
 * @returns {Timeline}
 */
export function startTimeline(reading) {
  return { ms: 0, monoMs: reading.monoMs, wallMs: reading.wallMs };
}

/**
 * @param {Timeline} timeline
 * @param {Reading} reading
 * @param {number} lateAfterMs from how far over due a check counts as late
 * @param {number} sleptAfterMs from how long a standstill of the monotonic clock counts as sleep
 * @returns {[Timeline, Moment]}
 */
export function advanceTimeline(timeline, reading, lateAfterMs, sleptAfterMs) {
  const monoDelta = reading.monoMs - timeline.monoMs;
  const passed = Math.max(0, monoDelta);
  const ms = timeline.ms + passed;
  const missedMs = reading.wallMs - timeline.wallMs - passed;
  const next = { ms, monoMs: reading.monoMs, wallMs: reading.wallMs };
  const slept = missedMs > sleptAfterMs;
  return [next, { ms, wallMs: reading.wallMs, back: monoDelta < 0, slept, lateAfterMs, random: reading.random }];
}
