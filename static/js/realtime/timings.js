/**
 * All windows of a page's live connections. The server's values come with the page and with every
 * `welcome`; these are the defaults. Paired values stand together; the server refuses to start when
 * report < lease, probe < silence or heartbeat < silence does not hold.
 */

/** @import { Timings } from "./types.js" */

/** @type {Readonly<Timings>} */
export const DEFAULT_TIMINGS = Object.freeze({
  // Silence is three missed heartbeats of the server: one may be lost, two may be late.
  heartbeatMs: 40_000,
  silenceMs: 120_000,
  // A probe is answered from the server's receive path, so ten seconds cover a very bad network.
  probeMs: 10_000,
  handshakeMs: 10_000,
  reportMs: 10_000,
  leaseMs: 30_000,
  // A hidden page gives up what nobody looks at.
  hiddenMs: 60_000,
  // From here on an unanswered command is shown as "not confirmed".
  confirmMs: 10_000,
  // Where WebSockets do not pass, one is tried this often.
  trialMs: 60_000,
});

/** No server names a longer window: it would have pages believe for ever in what nobody proves. */
const LONGEST_WINDOW_MS = 600_000;

/** @type {Readonly<Record<string, keyof Timings>>} */
const WIRE_NAMES = Object.freeze({
  heartbeat_ms: "heartbeatMs", silence_ms: "silenceMs", probe_ms: "probeMs",
  handshake_ms: "handshakeMs", report_ms: "reportMs", lease_ms: "leaseMs",
  hidden_ms: "hiddenMs", confirm_ms: "confirmMs",
  trial_ms: "trialMs",
});

/**
 * @param {Timings} timings
 * @param {unknown} wire the server's `timings`; what is missing, makes no sense or is over ten minutes leaves the old value
 * @returns {Timings} the handshake timeout follows the probe's unless it is named
 */
export function withWire(timings, wire) {
  if (typeof wire !== "object" || wire === null) return timings;
  const given = /** @type {Record<string, unknown>} */ (wire);
  const next = { ...timings };
  for (const [wireName, name] of Object.entries(WIRE_NAMES)) {
    const value = given[wireName];
    if (typeof value === "number" && value > 0 && value <= LONGEST_WINDOW_MS) next[name] = value;
  }
  if (given["handshake_ms"] === undefined && next.probeMs !== timings.probeMs) next.handshakeMs = next.probeMs;
  return next;
}

/** Other deadlines follow from the configured ones.
 * @param {Timings} timings
 * @returns {number} ms for a probe that a sign of trouble or a page event has caused */
export const evidenceMs = (timings) => 0.3 * timings.probeMs;

/** @param {Timings} timings @returns {number} ms within which any frame must follow a report */
export const replyMs = (timings) => 0.8 * timings.reportMs;

/** @param {Timings} timings @returns {number} ms that the scout's handshake may hold up the page */
export const scoutMs = (timings) => timings.handshakeMs / 2;

/** Timers of hidden pages run once a minute, so theirs is the period of a minute.
 * @param {Timings} timings @param {boolean} visible @returns {number} ms between two checks */
export const checkMs = (timings, visible) =>
  Math.max(Math.min(Math.max(timings.probeMs, 1_000), 10_000), visible ? 0 : 60_000);
