/**
 * Close codes of the live connections: the browser's one source for them.
 * The server's table is compared with this one by the golden-frames test.
 */

export const CloseCode = Object.freeze({
  /** anybody: an orderly close, a proxy restart, a page that leaves → reconnect with back-off */
  NORMAL: 1000,
  /** anybody: a node or a proxy goes away → reconnect with back-off */
  GOING_AWAY: 1001,
  /** server program: WebSocket protocol broken → terminal */
  PROTOCOL_ERROR: 1002,
  /** server program: kind of data not taken → terminal */
  UNSUPPORTED: 1003,
  /** browser: closed without a code → reconnect with back-off */
  NO_STATUS: 1005,
  /** browser: cut, refused or reset, nobody knows why → reconnect with back-off */
  ABNORMAL: 1006,
  /** server program: not UTF-8 → terminal */
  BAD_DATA: 1007,
  /** a proxy or the server program: policy → terminal */
  POLICY: 1008,
  /** a proxy or the server program: message too big → terminal */
  TOO_BIG: 1009,
  /** server program: internal error → reconnect with back-off */
  INTERNAL: 1011,
  /** server program: restart → reconnect with back-off */
  RESTART: 1012,
  /** server program: try again later → reconnect with back-off */
  TRY_LATER: 1013,
  /** server: preparing or handling failed for a lasting reason → terminal, message shown */
  BAD_REQUEST: 4000,
  /** server: the stream has come to its end → terminal, shown as ended, not as an error */
  FINISHED: 4001,
  /** server: session missing, expired or revoked → terminal, "sign in again" */
  SIGNED_OUT: 4002,
  /** server: not allowed → terminal */
  FORBIDDEN: 4003,
  /** server: no such thing → terminal */
  NOT_FOUND: 4004,
  /** server: this protocol version is not spoken here → terminal, one offer to reload */
  OLD_CLIENT: 4005,
  /** server: malformed or binary frame → terminal, a fault of this page */
  MALFORMED: 4006,
  /** server: frame too large → terminal, a fault of this page */
  TOO_LARGE: 4009,
  /** server: nothing taken in for 30 s → resume; at once if the socket had lived for 10 s */
  SLOW: 4100,
  /** server: no hello in time → reconnect with back-off */
  NO_HELLO: 4101,
  /** server: nothing received for the idle-kill time → reconnect with back-off */
  SILENT: 4102,
  /** server: a newer socket of the same stream took over → reconnect with back-off if still current */
  SUPERSEDED: 4103,
  /** server: a failure that may pass → reconnect with back-off */
  FAILURE: 4111,
  /** server: the node is drained → reconnect at once, with the token if one came */
  DRAINING: 4112,
  /** server: overloaded → reconnect after the delay of its `retry` frame */
  OVERLOADED: 4113,
  /** server: too many connections, attempts or frames → reconnect after the `retry` frame's delay */
  TOO_MANY: 4129,
});

/** @type {ReadonlySet<number>} */
const TERMINAL_STANDARD = new Set([1002, 1003, 1007, 1008, 1009]);

/**
 * The rule in one line: 1002, 1003, 1007, 1008, 1009 and 4000–4099 end the stream for good,
 * every other code reconnects.
 * @param {number} code
 * @returns {boolean}
 */
export function isTerminal(code) {
  return TERMINAL_STANDARD.has(code) || (code >= 4000 && code <= 4099);
}

/** @type {ReadonlyMap<number, string>} */
const END_REASONS = new Map([
  [CloseCode.BAD_REQUEST, "bad-request"],
  [CloseCode.FINISHED, "finished"],
  [CloseCode.SIGNED_OUT, "signed-out"],
  [CloseCode.FORBIDDEN, "forbidden"],
  [CloseCode.NOT_FOUND, "not-found"],
  [CloseCode.OLD_CLIENT, "old-client"],
  [CloseCode.MALFORMED, "fault"],
  [CloseCode.TOO_LARGE, "fault"],
]);

/**
 * Why a terminal close ends the stream, when no `end` frame said so before.
 * @param {number} code
 * @returns {string} one of the codes of the `end` frame, `fault` (of this page) or `refused`
 */
export function endReason(code) {
  return END_REASONS.get(code) ?? "refused";
}

/** For a person, where no `end` frame brought the server's own words. @type {Readonly<Record<string, string>>} */
const END_WORDS = Object.freeze({
  "signed-out": "You are signed out. Sign in again to go on.",
  "forbidden": "You may not follow this.",
  "not-found": "This is not here any more.",
  "finished": "This has come to its end.",
  "old-client": "This page is older than the server. Reload it.",
  "fault": "This page has a fault. Reload it.",
});

/**
 * @param {string} reason as of `endReason`
 * @returns {string} a sentence, or nothing if nobody can say more
 */
export function endWords(reason) {
  return END_WORDS[reason] ?? "";
}

/**
 * What the next `hello` names as the cause of this close.
 * @param {number} code
 * @returns {"slow"|"superseded"|"drain"|"close"}
 */
export function causeOfClose(code) {
  if (code === CloseCode.SLOW) return "slow";
  if (code === CloseCode.SUPERSEDED) return "superseded";
  return code === CloseCode.DRAINING ? "drain" : "close";
}
