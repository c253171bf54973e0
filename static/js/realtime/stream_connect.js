/** From the link's leave to try until hello is out; and streams that stay without a socket on purpose. */

/** @import { Moment } from "./types.js" */
/** @import { Step, Stream, StreamEffect, StreamEvent } from "./machine_types.js" */

import { hello } from "./frames.js";
import { clear } from "./queue.js";
import { changed, failing, retried, settlements } from "./stream_steps.js";

/**
 * A handshake this young may still succeed, because a lost first packet is sent again after a second;
 * an older one is given up when a page event says "now".
 */
const FRESH_ATTEMPT_MS = 1_000;

/**
 * @param {Stream} stream
 * @param {Extract<StreamEvent, { type: "try" }>} event
 * @param {Moment} now
 * @returns {Step}
 */
export function onTry(stream, { scout, withinMs, carrier, asks }, now) {
  if (stream.phase !== "waiting") return [stream, []];
  const socket = stream.sockets + 1;
  const attempt = {
    openedMs: now.ms, withinMs, byMs: now.ms + withinMs, extended: false, hurried: false, doubt: null, scout, asks,
    helloMs: now.ms, helloWallMs: now.wallMs,
  };
  const next = changed(stream, { phase: "opening", socket, sockets: socket, attempt, carrier });
  return [next, [{ type: "open", socket, url: stream.url, carrier }]];
}

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {Step} hello goes out; the token with it, once
 */
export function onOpened(stream, now) {
  const { attempt, retry, socket, token } = stream;
  if (stream.phase !== "opening" || attempt === null || socket === null) return [stream, []];
  const text = hello({
    client: stream.client, tries: retry.tries, cause: retry.cause, stats: stream.stats,
    gapMs: stream.lostMs === null ? 0 : now.ms - stream.lostMs,
    cursor: retry.fresh ? null : stream.cursor,
    token: token !== null && token.untilMs > now.ms ? token.token : null,
    user: stream.user,
  });
  const next = changed(stream, {
    phase: "greeting", token: null, retry: retried(retry, { tries: retry.tries + 1 }),
    attempt: { ...attempt, helloMs: now.ms, helloWallMs: now.wallMs },
  });
  /** @type {StreamEffect[]} */
  const effects = [{ type: "send", socket, text }];
  if (attempt.asks) effects.push({ type: "send", socket, text: "ping" });
  return [next, effects];
}

/**
 * "Now", says a page event or a person: waiting is over, and an old handshake is not waited for.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {Step}
 */
export function onHurry(stream, now) {
  if (stream.phase === "waiting") return [wanting(stream, now.ms), []];
  const { attempt, life } = stream;
  // From welcome on the path has carried something: the probe that follows decides.
  if (attempt === null || life !== null) return [stream, []];
  if (now.ms - attempt.openedMs >= FRESH_ATTEMPT_MS) return failing(stream, { cause: "page", free: true });
  const byMs = Math.min(attempt.byMs, now.ms + FRESH_ATTEMPT_MS);
  return [changed(stream, { attempt: { ...attempt, byMs, hurried: byMs < attempt.byMs } }), []];
}

/**
 * Others wait for the browser to be done with this handshake: it gets no more time than the scout's.
 * @param {Stream} stream
 * @param {number} withinMs since its time began
 * @returns {Step}
 */
export function onShorten(stream, withinMs) {
  const { attempt, phase } = stream;
  if (phase !== "opening" || attempt === null || attempt.withinMs <= withinMs) return [stream, []];
  const byMs = attempt.byMs - attempt.withinMs + withinMs;
  return [changed(stream, { attempt: { ...attempt, withinMs, byMs } }), []];
}

/**
 * The scout has proven the path: follow at the given moment, unless the server asked for more time.
 * @param {Stream} stream
 * @param {number} atMs
 * @returns {Step}
 */
export function onFollow(stream, atMs) {
  const { retry } = stream;
  if (stream.phase !== "waiting" || (retry.hinted && retry.wantsAtMs > atMs)) return [stream, []];
  return [wanting(stream, atMs), []];
}

/**
 * The role of the scout passes to this stream, and the page's back-off with it.
 * @param {Stream} stream
 * @param {Extract<StreamEvent, { type: "inherit" }>} event
 * @returns {Step}
 */
export function onInherit(stream, { failures, atMs }) {
  const { retry } = stream;
  const heir = { failures: Math.max(retry.failures, failures), wantsAtMs: Math.max(retry.wantsAtMs, atMs) };
  return [changed(stream, { retry: retried(retry, heir) }), []];
}

/**
 * @param {Stream} stream
 * @param {"hidden" | "left"} why
 * @returns {Step}
 */
export function onPark(stream, why) {
  if (stream.phase === "ended") return [stream, []];
  if (stream.socket !== null) return failing(stream, { cause: "page", park: why });
  const parked = changed(stream, { phase: "parked" });
  return why === "left" ? emptied(parked, "leaving") : [parked, []];
}

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {Step} a parked stream wants to be opened at once, where it was left
 */
export function onUnpark(stream, now) {
  if (stream.phase !== "parked") return [stream, []];
  const back = wanting(stream, now.ms);
  const retry = retried(back.retry, { cause: "page", planned: false, tries: 0, tryFailed: false });
  return [changed(back, { phase: "waiting", retry }), []];
}

/**
 * What ended it for good is not so any more.
 * @param {Stream} stream
 * @param {string} reason for which it must have ended
 * @param {Moment} now
 * @returns {Step} it goes on from where it was left
 */
export function onRevive(stream, reason, now) {
  if (stream.phase !== "ended" || stream.ending?.code !== reason) return [stream, []];
  const back = wanting(stream, now.ms);
  const retry = retried(back.retry, { cause: "page", failures: 0, tries: 0, tryFailed: false });
  return [changed(back, { phase: "waiting", ending: null, retry }), []];
}

/**
 * The queue's owner is gone.
 * @param {Stream} stream
 * @param {"leaving" | "context"} code
 * @returns {Step}
 */
export function emptied(stream, code) {
  const { queue, settled } = clear(stream.queue, code);
  return [changed(stream, { queue }), settlements(settled)];
}

/** @param {Stream} stream @param {number} atMs @returns {Stream} */
function wanting(stream, atMs) {
  return changed(stream, { retry: retried(stream.retry, { wantsAtMs: atMs, hinted: false }) });
}
