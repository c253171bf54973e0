/**
 * A page without a link: an anonymous visitor's, or of somebody who is not registered. Nobody tells it
 * anything, so it asks for itself again when its clock has lost the time, and at the start.
 */

/** @import { PageData } from "./page_data.js" */
/** @import { ServerClock } from "./server_clock.js" */

import { dataOf } from "./page_data.js";
import { isTyped } from "./reload.js";
import { readClocks } from "./server_clock.js";
import { caller, fetchPage, replaceFrom } from "./server_html.js";

/** What the start changes. */
const PARTS = ["main", ".tabs"];
/** An answer that was too slow to tell the time is not asked for again at once. */
const ASK_AGAIN_MS = 30_000;

/**
 * @param {PageData} data takes in the schedule that the server tells
 * @param {ServerClock} clock
 * @param {() => void} onStayed at the start, where somebody has typed
 */
export function quietPage(data, clock, onStayed) {
  let askedMs = -Infinity;
  let begun = /** @type {((instead: boolean) => void) | null} */ (null);
  const look = caller(async () => {
    const tell = begun;
    const sent = readClocks(window);
    const page = await fetchPage(location.pathname + location.search);
    const fresh = dataOf(page);
    if (fresh === null) return undefined;
    clock.answered(sent, fresh.server_time * 1000, readClocks(window));
    Object.assign(data, { schedule: fresh.schedule, extra_time_ms: fresh.extra_time_ms });
    if (tell === null) return undefined;
    // Made just before the start, by a server whose clock the page was ahead of.
    if (isComing(fresh) && Date.parse(fresh.schedule.starts_at) <= clock.now().nowMs) return look();
    begun = null;
    const stays = isTyped();
    replaceFrom(page, PARTS.filter((part) => part !== "main" || !stays));
    if (stays) onStayed();
    return tell(false);
  });
  const isComing = (/** @type {PageData} */ { schedule }) => schedule.state === "coming";
  return {
    /** The clock is not synchronised, or will soon not be. */
    ask() {
      const { ms } = readClocks(window);
      if (document.visibilityState !== "visible" || ms - askedMs < ASK_AGAIN_MS) return;
      askedMs = ms;
      look();
    },

    /** The contest begins. @param {(instead: boolean) => void} tell */
    begin(tell) {
      begun = tell;
      look();
    },
  };
}
