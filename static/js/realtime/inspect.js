/**
 * The inside of a page's connections in words and numbers: the first thing that an organiser asks for
 * on the phone. Ages and waits are ms from now.
 */

/** @import { Moment } from "./types.js" */
/** @import { LinkState, Stream } from "./machine_types.js" */

import { allowedFromMs } from "./breaker.js";
import { serverNow } from "./clock.js";
import { shownOf } from "./link_view.js";

/**
 * @param {LinkState} link
 * @param {Stream} stream
 * @param {Moment} now
 */
export function inspect(link, stream, now) {
  const { attempt, causes, cursor, ending, fault, life, name, phase } = stream;
  const { queue, retry, sockets, stats, syncedMs, url } = stream;
  const heardMs = life?.heardMs ?? stream.lostMs;
  const { state, nextTryAtMs } = shownOf(link, stream, now);
  return {
    name, url, state, phase, sockets, ...stats, cursor, ending, fault,
    lastFrameAgeMs: heardMs === null ? null : now.ms - heardMs,
    syncedForMs: syncedMs === null ? null : now.ms - syncedMs,
    handshakeForMs: attempt === null ? null : now.ms - attempt.openedMs,
    probe: life?.probe == null ? null : { cause: life.probe.cause, dueInMs: life.probe.byMs - now.ms },
    tries: retry.tries, failures: retry.failures,
    nextTryMs: nextTryAtMs === null ? null : Math.max(0, nextTryAtMs - now.ms),
    causes: causes.map((each) => ({ cause: each.cause, code: each.code, agoMs: now.ms - each.atMs })),
    queued: queue.items.map(({ clientSeq, name: command, sentMs, unconfirmed }) => ({
      name: command, clientSeq, sent: sentMs !== null, unconfirmed,
    })),
  };
}

/**
 * What the streams of a page share.
 * @param {LinkState} link
 * @param {Moment} now
 */
export function inspectPage(link, now) {
  const { breaker, clock, page } = link;
  return {
    visible: page.visible, offline: page.offline, left: page.left,
    hiddenForMs: page.hiddenSinceMs === null ? null : now.ms - page.hiddenSinceMs,
    circuit: { mode: breaker.mode, opensInMs: Math.max(0, allowedFromMs(breaker, now.ms) - now.ms) },
    clock: serverNow(clock, now), exchanges: clock.exchanges.length, timings: link.timings,
  };
}
