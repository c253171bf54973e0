/** Something to be done at a moment of the server's clock, however far away and however clocks step. */

/** @import { Environment } from "./outer_types.js" */

/** Looked at again at least this often, because the clock that counts may be corrected. Far below
 * the 24.8 days that a browser's timer can hold. */
const LONGEST_SLICE_MS = 60_000;
/** Without a synchronised clock there is nothing to compare; ask again soon. */
const UNKNOWN_SLICE_MS = 1_000;

/**
 * @param {number} atMs moment of the server's clock
 * @param {() => number | null} serverMs that clock; null: not synchronised
 * @param {() => void} run called once, never before its time
 * @param {Pick<Environment, "setTimer" | "clearTimer">} environment
 * @returns {() => void} ends the wait
 */
export function setAlarm(atMs, serverMs, run, environment) {
  /** @type {unknown} */
  let timer = null;
  const look = () => {
    const nowMs = serverMs();
    if (nowMs !== null && nowMs >= atMs) return run();
    const sliceMs = nowMs === null ? UNKNOWN_SLICE_MS : Math.min(atMs - nowMs, LONGEST_SLICE_MS);
    timer = environment.setTimer(look, Math.ceil(sliceMs));
  };
  timer = environment.setTimer(look, 0);
  return () => environment.clearTimer(timer);
}
