/** Tells the jury that something was asked since the page was loaded. The page is not changed under a half-written answer. */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";

/** @param {ContestPage} page */
export function sayNewQuestions(page) {
  const place = element(document, "#new-questions");
  if (place === null || page.announcements === null) return;
  const known = new Set([...document.querySelectorAll("[data-clarification-id]")].map((each) => each.getAttribute("data-clarification-id")));
  page.announcements.subscribe(({ clarifications }) => {
    const fresh = [...clarifications.values()].filter(({ id, answer }) => answer === null && !known.has(String(id)));
    place.hidden = fresh.length === 0;
    const latest = fresh.at(-1);
    const link = document.createElement("a");
    link.href = location.pathname;
    link.textContent = "Show";
    const words = fresh.length === 1 ? `A new question by ${latest?.["asker"] ?? "somebody"}. ` : `${fresh.length} new questions. `;
    if (fresh.length > 0) place.replaceChildren(words, link);
  });
}
