/** The standings table, fetched anew when it has changed: the server renders it once for all viewers. */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { refresher } from "./server_html.js";

/** @param {ContestPage} page */
export function followStandings(page) {
  const source = element(document, "#standings")?.dataset["source"];
  if (source === undefined) return;
  const refresh = refresher(source, "#standings", "#standings-state");
  page.onAnnouncement(({ name }) => name === "standings.changed" && refresh());
  page.onOtherPhase(refresh);
}
