/** How many questions wait for the jury: in the navigation of every page of its members, and said when one comes. */

/** @import { AnnouncementStore } from "./contest_page.js" */

import { element, setText } from "./dom.js";

/** @param {AnnouncementStore} store */
export function countOpenQuestions(store) {
  const count = element(document, "#open-questions");
  if (count === null) return;
  /** @type {Set<number> | null} */
  let known = null;
  store.subscribe(({ clarifications }) => {
    const open = [...clarifications.values()].filter(({ answer }) => answer === null);
    count.textContent = String(open.length);
    count.hidden = open.length === 0;
    const fresh = open.filter(({ id }) => known !== null && !known.has(id));
    known = new Set(clarifications.keys());
    const latest = fresh.at(-1);
    // The console says it itself, beside the questions.
    if (latest !== undefined && element(document, "#new-questions") === null) {
      setText(document, "#notice-said", `A new question by ${latest["asker"] ?? "somebody"}; ${open.length} without an answer.`);
    }
  });
}
