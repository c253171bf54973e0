/** Commands of a stream: taken in at any time, sent while the connection is welcomed. */

/** @import { Command, CommandSpec, Moment } from "./types.js" */
/** @import { Step, Stream, StreamEffect } from "./machine_types.js" */

import { byteLength, command } from "./frames.js";
import { probed, question } from "./liveness.js";
import { add, markSent, refusal, sendable } from "./queue.js";
import { canSend } from "./stream_life.js";
import { changed, settlements } from "./stream_steps.js";
import { replyMs } from "./timings.js";

/**
 * @param {Stream} stream
 * @param {CommandSpec} spec
 * @param {Moment} now
 * @returns {Step} refused at once where it can never be sent; nothing is dropped silently
 */
export function onCommand(stream, spec, now) {
  if (stream.phase === "ended") return refuse(stream, spec, "ended");
  const encode = (/** @type {number} */ clientSeq) => command(clientSeq, spec.name, spec.data);
  if (byteLength(encode(stream.queue.nextSeq)) > stream.mostBytes) return refuse(stream, spec, "too-large");
  const { queue, settled } = add(stream.queue, spec, encode, now);
  return [changed(stream, { queue }), settlements(settled)];
}

/**
 * Sends what waits, as far as the connection and the server's own queue allow.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]}
 */
export function flush(stream, now) {
  if (!canSend(stream) || stream.queue.items.length === 0) return [stream, []];
  const sent = sendable(stream.queue, now, stream.timings.confirmMs);
  if (sent.length === 0) return [stream, []];
  const next = changed(stream, { queue: markSent(stream.queue, sent, now) });
  return sent.some((item) => item.provesPath) ? withPing(next, sent, now) : [next, sends(next, sent)];
}

/**
 * A report is followed by a ping: a database that stalls is not taken for a dead path, because the
 * pong comes all the same; and a dead path is found within the reply deadline.
 * @param {Stream} stream
 * @param {Command[]} sent
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]}
 */
function withPing(stream, sent, now) {
  const socket = /** @type {number} */ (stream.socket);
  const probe = { ...question(now, replyMs(stream.timings), "report-timeout"), quiet: true };
  const life = stream.life === null ? null : probed(stream.life, probe);
  return [changed(stream, { life }), [...sends(stream, sent), { type: "send", socket, text: "ping" }]];
}

/** @param {Stream} stream @param {Command[]} sent @returns {StreamEffect[]} */
function sends(stream, sent) {
  const socket = /** @type {number} */ (stream.socket);
  return sent.flatMap((item) => [{ type: "send", socket, text: item.text }, { type: "sent", ref: item.ref }]);
}

/** @param {Stream} stream @param {CommandSpec} spec @param {"ended" | "too-large"} code @returns {Step} */
function refuse(stream, spec, code) {
  return [stream, [{ type: "settle", ref: spec.ref, outcome: refusal(code) }]];
}
