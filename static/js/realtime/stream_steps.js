/** Turns of phrase that several parts of a stream use. */

/** @import { Settled } from "./types.js" */
/** @import { OuterEffect, Step, Stream, Why } from "./machine_types.js" */

/**
 * The stream asks for fail(), the one way in which a socket ends.
 * @param {Stream} stream
 * @param {Why} why
 * @returns {Step}
 */
export function failing(stream, why) {
  return [stream, [{ type: "fail", why }]];
}

/**
 * Commands that have their outcome.
 * @param {Settled[]} settled
 * @returns {OuterEffect[]}
 */
export function settlements(settled) {
  return settled.map((each) => ({ type: "settle", ...each }));
}

/**
 * The same stream with some things changed. Field by field, because engines clone a wide object by
 * spread some twenty times slower, and every frame passes here several times.
 * @param {Stream} stream
 * @param {Partial<Stream>} changes
 * @returns {Stream}
 */
export function changed(stream, changes) {
  return Object.assign(copyOf(stream), changes);
}

/** @param {Stream} stream @returns {Stream} */
function copyOf(stream) {
  return {
    name: stream.name, url: stream.url, client: stream.client, user: stream.user,
    keepHidden: stream.keepHidden, preferred: stream.preferred,
    mostBytes: stream.mostBytes, timeCommand: stream.timeCommand, timings: stream.timings,
    phase: stream.phase, socket: stream.socket, sockets: stream.sockets, answered: stream.answered,
    carrier: stream.carrier,
    attempt: stream.attempt, life: stream.life, syncedMs: stream.syncedMs, everSynced: stream.everSynced,
    lostMs: stream.lostMs, retry: stream.retry, cursor: stream.cursor, delivery: stream.delivery,
    fault: stream.fault, seen: stream.seen, queue: stream.queue, drain: stream.drain, token: stream.token,
    stats: stream.stats, causes: stream.causes, ending: stream.ending,
  };
}

/**
 * @param {Stream["retry"]} retry
 * @param {Partial<Stream["retry"]>} changes
 * @returns {Stream["retry"]}
 */
export function retried(retry, changes) {
  const { failures, misses, tries, switches, wantsAtMs, hinted, planned, switchUntilMs, tryFailed, fresh, cause } = retry;
  const copy = { failures, misses, tries, switches, wantsAtMs, hinted, planned, switchUntilMs, tryFailed, fresh, cause };
  return Object.assign(copy, changes);
}
