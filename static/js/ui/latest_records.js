/** One's latest records of a problem: final verdicts come with the announcements, so no further stream is needed. */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { showOutcome } from "./outcome.js";
import { refresher } from "./server_html.js";

/** @param {ContestPage} page */
export function followLatestRecords(page) {
  const list = element(document, "#latest-records");
  if (list === null) return;
  page.onReset(refresher(location.pathname, "#latest-records"));
  page.onAnnouncement(({ name, data }) => {
    if (name !== "record.final" && name !== "record.reopened") return;
    const row = element(list, `[data-record-id="${Number(data.id)}"]`);
    if (row === null || Number(row.dataset["version"]) >= data.version) return;
    Object.assign(row.dataset, { status: data.status, version: String(data.version) });
    showOutcome(row, data);
  });
}
