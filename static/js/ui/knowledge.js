/** How a page knows of something that goes on elsewhere: by a connection that is proven, by one in doubt, or no more. */

/** @import { PageNews } from "../realtime/machine_types.js" */
/** @import { VisibleState } from "../realtime/types.js" */

/** @typedef {"known" | "doubted" | "lost"} Knowledge */

const CARRYING = new Set(["live", "checking", "switching"]);
/** What arrives sooner than this after the browser went offline was on its way before. */
const ON_ITS_WAY_MS = 2_000;

/**
 * A probe that is out is a doubt, and so is a browser that says it is offline, until something is heard against it:
 * what the connection itself proves counts for more.
 * @param {() => number} [nowMs] monotonic
 */
export function connectionKnowledge(nowMs = () => performance.now()) {
  let state = /** @type {VisibleState} */ ("live");
  let offlineSinceMs = /** @type {number | null} */ (null);
  const heard = () => {
    if (offlineSinceMs !== null && nowMs() - offlineSinceMs > ON_ITS_WAY_MS) offlineSinceMs = null;
  };
  return {
    /** @returns {Knowledge} */
    get() {
      if (!CARRYING.has(state)) return "lost";
      return state === "checking" || offlineSinceMs !== null ? "doubted" : "known";
    },

    /** @param {VisibleState} now what the stream shows */
    onState(now) {
      state = now;
      if (state === "live") heard();
    },

    /** @param {PageNews} what */
    onPage(what) {
      if (what === "offline") offlineSinceMs = nowMs();
      if (what === "online") offlineSinceMs = null;
    },

    /** Something has come over the stream. */
    heard,
  };
}
