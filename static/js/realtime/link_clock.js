/**
 * The server's time comes with every reply. A page that has nothing to ask for would be left with an
 * old exchange, or after a sleep with none; so where one is missing, a stream that was given a
 * command for this asks. Pages that report every few seconds never do.
 */

/** @import { CommandSpec, Moment } from "./types.js" */
/** @import { LinkState, Stream } from "./machine_types.js" */

import { serverNow } from "./clock.js";

/** An exchange this old is renewed, well before it drops out of the five minutes that count. */
const RENEW_AFTER_MS = 240_000;
/** Not answered, or answered too late to be of use: once more after this time. */
const ASK_AGAIN_MS = 30_000;
/** An answer later than this tells little. */
const EXPIRES_MS = 10_000;
/** No handle has this number: nobody waits for the outcome. */
const NOBODY = 0;

/**
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {{ name: string, spec: CommandSpec } | null} the stream that is to ask now, and what
 */
export function dueTimeCommand(link, now) {
  const stream = nextAskMs(link, now) > now.ms ? undefined : asker(link);
  if (stream === undefined || stream.timeCommand === null) return null;
  const { name, data } = stream.timeCommand;
  const options = { kind: "time", expiresMs: EXPIRES_MS, again: false, patient: false, provesPath: false, standing: false };
  return { name: stream.name, spec: { ref: NOBODY, name, data, ...options } };
}

/**
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {number} ms, when to ask; Infinity: nobody looks, or nobody can ask
 */
export function nextAskMs(link, now) {
  if (!link.page.visible || link.page.left || asker(link) === undefined) return Infinity;
  const last = serverNow(link.clock, now) === null ? undefined : link.clock.exchanges.at(-1);
  return Math.max(last === undefined ? now.ms : last.atMs + RENEW_AFTER_MS, link.clockAskedMs + ASK_AGAIN_MS);
}

/** @param {LinkState} link @returns {Stream | undefined} */
function asker(link) {
  return link.streams.find((stream) => stream.timeCommand !== null && stream.phase === "live");
}
