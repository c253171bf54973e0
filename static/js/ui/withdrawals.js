/** A notice that is withdrawn does not go without a word: whoever had it on this page is told, until the page is left. */

/** @import { AnnouncementStore } from "./contest_page.js" */

import { withdrawnNotices } from "../stores/announcements.js";
import { element } from "./dom.js";
import { showNote } from "./notes.js";

/** @param {AnnouncementStore} store */
export function sayWithdrawals(store) {
  /** @type {Set<number>} */
  const said = new Set();
  store.subscribe((state) => {
    for (const { id, title } of withdrawnNotices(state).filter((notice) => !said.has(notice.id))) {
      said.add(id);
      const words = `Withdrawn by the jury: ${title}`;
      showNote(words);
      const entry = document.createElement("p");
      entry.className = "withdrawn quiet";
      entry.textContent = words;
      element(document, "#notice-list")?.after(entry);
    }
  });
}
