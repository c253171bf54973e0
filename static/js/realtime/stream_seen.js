/** The credit that a client gives back: `seen` for what it has taken in. */

/** @import { Moment } from "./types.js" */
/** @import { Stream, StreamEffect } from "./machine_types.js" */

import { seen } from "./frames.js";
import { changed } from "./stream_steps.js";

/** `seen` goes out after this many frames … */
const MOST_FRAMES = 32;
/** … or this many bytes of UTF-8, well inside the server's credit of 512 KiB. */
const MOST_BYTES = 65_536;

/**
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {[Stream, StreamEffect[]]} tells what has been taken in so far, when it is due
 */
export function tellSeen(stream, now) {
  const { frames, told, bytes, dueMs } = stream.seen;
  const due = frames - told >= MOST_FRAMES || bytes >= MOST_BYTES || (dueMs !== null && dueMs <= now.ms);
  if (stream.life === null || stream.socket === null || frames === told || !due) return [stream, []];
  const next = changed(stream, { seen: { frames, told: frames, bytes: 0, dueMs: null } });
  return [next, [{ type: "send", socket: stream.socket, text: seen(frames) }]];
}
