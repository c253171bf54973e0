/** Frames as text, and text as frames: version 1 of the wire protocol. */

/** @import { Cursor, Frame } from "./types.js" */

export const PROTOCOL = 1;

/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/** @param {unknown} value */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
/** @param {unknown} value */
const isCount = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
/** @param {unknown} value */
const isFlag = (value) => typeof value === "boolean";

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {value is Cursor} */
export function isCursor(value) {
  if (!isObject(value)) return false;
  return Object.values(value).every((mark) => isObject(mark) && isText(mark["epoch"]) && isCount(mark["seq"]));
}

/**
 * What the library itself reads of each frame. A type that is not here is passed on unread.
 * @type {Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>>}
 */
const SHAPES = Object.freeze({
  welcome: { protocol: isCount, server_time: isNumber, resumed: isFlag, timings: isObject },
  snapshot: { cursor: isCursor },
  event: { topic: isText, after: isCount, seq: isCount, name: isText },
  synced: { cursor: isCursor },
  reply: { client_seq: isCount, ok: isFlag },
  retry: { code: isText, retry_after_ms: isNumber },
  end: { code: isText },
  drain: { leave_in_ms: isNumber },
  token: { token: isText, expires_in_ms: isNumber },
});

/** The same as lists, which are gone through for every frame. */
const CHECKS = new Map(Object.entries(SHAPES).map(([type, shape]) => [type, Object.entries(shape)]));

/**
 * @param {string} text
 * @returns {{ kind: "ping" | "pong" } | { kind: "frame", frame: Frame } | { kind: "malformed", what: string }}
 */
export function parse(text) {
  if (text === "ping" || text === "pong") return { kind: text };
  let value;
  try {
    value = /** @type {unknown} */ (JSON.parse(text));
  } catch {
    return { kind: "malformed", what: "not JSON" };
  }
  if (!isObject(value) || !isText(value["type"])) return { kind: "malformed", what: "no type" };
  const type = /** @type {string} */ (value["type"]);
  for (const [field, fits] of CHECKS.get(type) ?? []) {
    if (!fits(value[field])) return { kind: "malformed", what: `${type}.${field}` };
  }
  return { kind: "frame", frame: /** @type {Frame} */ (/** @type {unknown} */ (value)) };
}

/** @param {string} text @returns {boolean} */
export function isWelcome(text) {
  const parsed = parse(text);
  return parsed.kind === "frame" && parsed.frame.type === "welcome";
}

/**
 * The first frame of every connection.
 * @param {object} fields
 * @param {string} fields.client id of this document
 * @param {number} fields.tries
 * @param {string} fields.cause
 * @param {number} fields.gapMs
 * @param {{ gaps: number, duplicates: number, rttMs: number | null }} fields.stats
 * @param {Cursor | null} fields.cursor null: start with a snapshot
 * @param {string | null} fields.token
 * @param {number | null} [fields.user] whose page it is; the server turns away another's session
 * @returns {string}
 */
export function hello({ client, tries, cause, gapMs, stats, cursor, token, user = null }) {
  const { gaps, duplicates, rttMs } = stats;
  return JSON.stringify({
    type: "hello", protocol: PROTOCOL, client, try: tries, cause, gap_ms: Math.round(gapMs),
    stats: { gaps, duplicates, ...(rttMs === null ? {} : { rtt_ms: Math.round(rttMs) }) },
    ...(cursor === null ? {} : { cursor }),
    ...(token === null ? {} : { token }),
    ...(user === null ? {} : { user }),
  });
}

/**
 * @param {number} clientSeq
 * @param {string} name
 * @param {object} data
 * @returns {string}
 */
export function command(clientSeq, name, data) {
  return JSON.stringify({ type: "command", client_seq: clientSeq, name, data });
}

/** @param {number} frames JSON frames of this connection taken in so far @returns {string} */
export function seen(frames) {
  return JSON.stringify({ type: "seen", frames });
}

/** @returns {string} */
export function leave() {
  return JSON.stringify({ type: "leave" });
}

/**
 * Bytes of a text as UTF-8, which is what the server's limits count.
 * @param {string} text
 * @returns {number}
 */
export function byteLength(text) {
  return new TextEncoder().encode(text).length;
}
