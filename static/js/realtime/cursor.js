/** The rule of `after` and `seq`: what to do with an event, given the place where a topic was left. */

/** @import { Cursor } from "./types.js" */

/**
 * @param {Cursor} cursor
 * @param {{ topic: string, after: number, seq: number }} event
 * @returns {"apply" | "duplicate" | "gap"} a topic that the cursor does not know is a gap:
 *   the resumed connection gets a snapshot that names it
 */
export function place(cursor, event) {
  const mark = cursor[event.topic];
  if (mark === undefined) return "gap";
  if (event.seq <= mark.seq) return "duplicate";
  return event.after > mark.seq ? "gap" : "apply";
}

/**
 * @param {Cursor} cursor
 * @param {string} topic
 * @param {number} seq
 * @returns {Cursor} never behind the old one
 */
export function advance(cursor, topic, seq) {
  const mark = cursor[topic];
  if (mark === undefined || seq <= mark.seq) return cursor;
  return { ...cursor, [topic]: { epoch: mark.epoch, seq } };
}

/**
 * Do these cursors speak of different logs? Then their numbers cannot be compared.
 * @param {Cursor} ours
 * @param {Cursor} served
 * @returns {boolean} also for a topic that is unknown to us
 */
export function isOtherLog(ours, served) {
  return Object.entries(served).some(([topic, mark]) => ours[topic]?.epoch !== mark.epoch);
}

/**
 * @param {Cursor} served
 * @param {Cursor} ours a cursor of the same log
 * @returns {boolean} whether `served` is further in any topic
 */
export function isAhead(served, ours) {
  return Object.entries(served).some(([topic, mark]) => mark.seq > (ours[topic]?.seq ?? 0));
}
