/**
 * Is this connection still able to carry data? Silence is not death; a probe without any answer is.
 * A check that comes late (sleep, frozen tab, throttled timer, long task) says nothing: what is
 * waiting to be read is read first, then a fresh probe asks again.
 */

/** @import { Cause, Life, Moment, Probe } from "./types.js" */
/** @import { Stream } from "./machine_types.js" */

/**
 * Any inbound frame, whatever its content, is proof of life and answers what was asked. The doubt of
 * a late check outlives it: the frame may have arrived before the machine slept.
 * @param {Moment} now
 * @param {Pick<Life, "doubt">} [before] the connection's life, or its handshake
 * @returns {Life}
 */
export function heard(now, before) {
  const doubt = before?.doubt === "late" ? "late" : null;
  return { heardMs: now.ms, sinceMs: now.ms, sinceWallMs: now.wallMs, probe: null, doubt };
}

/**
 * @param {Moment} now
 * @param {number} withinMs
 * @param {Cause} cause of the failure, should nothing arrive in time
 * @returns {Probe}
 */
export function question(now, withinMs, cause) {
  return { sentMs: now.ms, byMs: now.ms + withinMs, cause, quiet: false };
}

/**
 * A probe goes out. One that is out already is only ever shortened.
 * @param {Life} life
 * @param {Probe} probe
 * @returns {Life}
 */
export function probed(life, probe) {
  const out = life.probe;
  if (out === null) return { ...life, probe };
  const first = out.byMs <= probe.byMs ? out : probe;
  return { ...life, probe: { ...first, sentMs: out.sentMs, quiet: out.quiet && probe.quiet } };
}

/**
 * Look at the deadlines.
 * @param {Life} life
 * @param {Moment} now
 * @param {number} silenceMs
 * @returns {{ life: Life, act: "none" | "probe" | "turn" }} probe: the silence has lasted too long, ask;
 *   turn: let one turn of the event loop pass, then call `afterTurn`
 */
export function look(life, now, silenceMs) {
  const current = restarted(life, now);
  if (current.doubt !== null) return { life: current, act: "none" };
  const overMs = now.ms - (current.probe?.byMs ?? current.sinceMs + silenceMs);
  if (overMs < 0) return { life: current, act: "none" };
  if (overMs > now.lateAfterMs) return { life: doubted(current, "late"), act: "turn" };
  if (current.probe === null) return { life: current, act: "probe" };
  return { life: doubted(current, "due"), act: "turn" };
}

/**
 * @param {Life} life
 * @param {"due" | "late"} doubt due: the deadline of a probe has passed, in time; late: nobody can tell
 * @returns {Life} which waits for one turn of the event loop
 */
export function doubted(life, doubt) {
  return { ...life, doubt };
}

/**
 * One turn of the event loop has passed, and what was waiting to be read has been read.
 * @param {Life} life
 * @returns {"none" | "probe" | "dead"} probe: the check was late, ask afresh; dead: it was in time
 */
export function afterTurn(life) {
  if (life.doubt === null) return "none";
  return life.doubt === "late" ? "probe" : "dead";
}

/**
 * @param {Life} life
 * @param {Moment} now
 * @param {number} withinMs
 * @returns {Life} with a fresh deadline, whatever was asked before
 */
export function probedAfresh(life, now, withinMs) {
  return { ...life, doubt: null, probe: question(now, withinMs, "slept") };
}

/**
 * @param {Life} life
 * @param {number} silenceMs
 * @returns {number} ms, when to look again
 */
export function nextLookMs(life, silenceMs) {
  if (life.doubt !== null) return Infinity;
  return life.probe?.byMs ?? life.sinceMs + silenceMs;
}

/**
 * Live is what is synced, has proof of life younger than the silence window, and no question open.
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {boolean}
 */
export function isLive({ phase, life, timings }, now) {
  if (phase !== "live" || life === null || life.doubt !== null) return false;
  return now.ms - life.sinceMs <= timings.silenceMs && (life.probe === null || life.probe.quiet);
}

/**
 * A clock that went back restarts the window from now: it neither kills nor stalls.
 * `heardMs` stays what it is, the moment of the last frame.
 * @param {Life} life
 * @param {Moment} now
 * @returns {Life}
 */
function restarted(life, now) {
  if (!now.back && now.wallMs >= life.sinceWallMs) return life;
  return { ...life, sinceMs: now.ms, sinceWallMs: now.wallMs };
}
