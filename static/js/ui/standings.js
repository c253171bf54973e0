/**
 * The standings table, fetched anew when it has changed. The server renders it once for all, and the
 * pages come for it spread over a moment.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { showServerHtml } from "./server_html.js";

const JITTER_MS = 1_500;
const RETRY_MS = 10_000;

/** @param {ContestPage} page */
export function followStandings(page) {
  const place = element(document, "#standings");
  const source = place?.dataset["source"];
  if (place === null || source === undefined) return;
  const refresh = refresher(() => fetchInto(place, source));
  page.onAnnouncement(({ name }) => {
    if (name === "standings.changed" || name === "contest.changed") refresh();
  });
  page.stream("announcements")?.standing("standings", () => {
    refresh(); // after every reconnect: what changed meanwhile may have been left out
    return null;
  });
}

/**
 * At most one fetch at a time, and one more if something changed while it was on its way.
 * @param {() => Promise<void>} fetchOnce
 */
function refresher(fetchOnce) {
  let waiting = false;
  let running = false;
  const run = async () => {
    waiting = false;
    running = true;
    try {
      await fetchOnce();
    } catch {
      setTimeout(ask, RETRY_MS);
    } finally {
      running = false;
      if (waiting) ask();
    }
  };
  const ask = () => {
    if (waiting && !running) return;
    waiting = true;
    if (!running) setTimeout(run, Math.random() * JITTER_MS);
  };
  return ask;
}

/** @param {HTMLElement} place @param {string} source */
async function fetchInto(place, source) {
  const answer = await fetch(source, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  if (!answer.ok) throw new Error(`standings: ${answer.status}`);
  const table = await answer.text();
  const scroll = element(place, ".table-scroll")?.scrollLeft ?? 0;
  showServerHtml(place, table);
  element(place, ".table-scroll")?.scrollTo({ left: scroll });
}
