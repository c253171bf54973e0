/**
 * One's latest records of a problem, wherever they were submitted: another tab, another computer, or
 * a page that the back button brought back. Contestants follow the stream of their own records; for
 * those whose stream carries everybody's, final verdicts come with the announcements.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Records, RecordSummary } from "../stores/records.js" */

import { createRecords, recordsNewestFirst } from "../stores/records.js";
import { element, find, setShown, setText, showItems } from "./dom.js";
import { showOutcome } from "./outcome.js";
import { refresher } from "./server_html.js";
import { momentElement } from "./times.js";

/** As many as the server puts on the page. */
const SHOWN = 5;

/** @param {ContestPage} page */
export function followLatestRecords(page) {
  const list = element(document, "#latest-records");
  if (list === null) return;
  const followed = page.follow("records", createRecords);
  if (followed === null) return followFinals(page, list);
  const [problem, userId] = [list.dataset["problem"] ?? "", page.data.user?.id ?? 0];
  followed.store.subscribe((records) => {
    const items = latestOf(records, problem, userId);
    showItems({ list, items, templateId: "latest-template", key: "recordId", keyOf: ({ id }) => String(id), fill });
    setShown(document, "#no-latest", items.length === 0);
  });
  return undefined;
}

/** @param {Records} records @param {string} problem @param {number} userId @returns {RecordSummary[]} newest first */
export function latestOf(records, problem, userId) {
  const own = recordsNewestFirst(records).filter((record) => record["problem"] === problem && record["user_id"] === userId);
  return own.slice(0, SHOWN);
}

/** @param {HTMLElement} row @param {RecordSummary} record @param {boolean} isNew */
function fill(row, record, isNew) {
  if (!isNew && Number(row.dataset["version"]) >= record.version) return;
  Object.assign(row.dataset, { recordId: String(record.id), status: record.status, version: String(record.version) });
  showOutcome(row, record);
  if (!isNew) return;
  const link = find(row, "a", HTMLAnchorElement);
  if (link !== null) link.href = `/records/${record.id}/`;
  setText(row, "a", `#${record.id}`);
  row.querySelector(".latest-time")?.replaceChildren(momentElement(record["submitted_at"]));
}

/** @param {ContestPage} page @param {HTMLElement} list */
function followFinals(page, list) {
  const refresh = refresher(location.pathname, "#latest-section");
  page.onReset(refresh);
  page.onAnnouncement(({ name, data }) => {
    if ((name === "record.final" || name === "record.reopened") && data.problem === list.dataset["problem"]) refresh();
  });
}
