/**
 * A record that is judged again. The stream of a final record has ended for good; the announcements
 * tell that the record was reopened, and the page follows it anew.
 */

/** @import { ContestPage, Follower } from "./contest_page.js" */
/** @import { RecordState } from "../stores/record.js" */

/**
 * @param {ContestPage} page
 * @param {Follower & { get: () => RecordState }} store
 */
export function followRejudging(page, store) {
  // The newest version that the page has heard of: an end that the server sent before it knew of that is no end.
  let heardVersion = 0;
  // Opening anew first shuts the stream that has ended, which is a change of the link, too: once for each version.
  let revivedVersion = 0;
  const revive = () => {
    if (heardVersion <= revivedVersion || !page.hasEnded("record") || store.get().record.version >= heardVersion) return;
    revivedVersion = heardVersion;
    page.reopen("record", store);
  };
  page.onAnnouncement(({ name, data }) => {
    if (name !== "record.reopened" || data.id !== store.get().record.id) return;
    heardVersion = Math.max(heardVersion, data.version);
    revive();
  });
  // Told as a whole instead of one by one, the announcements carry no reopened records: look once.
  page.onReset(() => page.hasEnded("record") && page.reopen("record", store));
  page.link?.subscribe(revive);
}
