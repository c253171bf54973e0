/** A stream's inside in words: the first thing that an organiser asks for on the phone. */

/** @import { Moment } from "./types.js" */
/** @import { Stream } from "./machine_types.js" */

/**
 * @param {Stream} stream
 * @param {Moment} now
 */
export function inspect(stream, now) {
  const { causes, cursor, ending, fault, life, name, phase, queue, retry, sockets, stats, url } = stream;
  return {
    name, url, phase, sockets, ...stats, cursor, ending, fault,
    lastFrameAgeMs: life === null ? null : now.ms - life.heardMs,
    probe: life?.probe == null ? null : { cause: life.probe.cause, dueInMs: life.probe.byMs - now.ms },
    tries: retry.tries, failures: retry.failures,
    nextTryMs: phase === "waiting" ? Math.max(0, retry.wantsAtMs - now.ms) : null,
    causes: causes.map((each) => ({ cause: each.cause, code: each.code, agoMs: now.ms - each.atMs })),
    queued: queue.items.map(({ clientSeq, name: command, sentMs, unconfirmed }) => ({
      name: command, clientSeq, sent: sentMs !== null, unconfirmed,
    })),
  };
}
