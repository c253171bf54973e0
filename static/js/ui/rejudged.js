/** Whoever's records are judged again is told on every page, once for all that come together. */

/** @import { ContestPage } from "./contest_page.js" */

import { showNote } from "./notes.js";

/** @param {ContestPage} page */
export function sayRejudged(page) {
  /** @type {Set<number>} */
  let told = new Set();
  page.onAnnouncement(({ name, data }) => {
    if (name !== "record.reopened" || data.user_id !== page.data.user?.id) return;
    told.add(data.id);
    const [words, href] = told.size === 1
      ? [`Your record #${data.id} (problem ${data.problem}) is being judged again.`, `/records/${data.id}/`]
      : [`${told.size} of your records are being judged again.`, `/contests/${page.data.contest}/records/`];
    showNote(words, { kind: "rejudged", href, onClosed: () => { told = new Set(); } });
  });
}
