/** How far a rejudging has come: looked at again while it is going, and whenever the standings change. */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { caller, replaceParts } from "./server_html.js";

const PERIOD_MS = 2_000;

/** @param {ContestPage} page */
export function followProgress(page) {
  const look = caller(() => replaceParts(`${location.pathname}`, ["#rejudging-list"]));
  page.onAnnouncement(({ name }) => name === "record.reopened" && look());
  setInterval(() => {
    if (document.visibilityState === "visible" && element(document, "#rejudging-list [data-going]") !== null) look();
  }, PERIOD_MS);
}
