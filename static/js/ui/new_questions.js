/**
 * New questions and other jurors' answers on the console, put in their place: nothing that somebody
 * is writing there, an answer or a notice, is lost or moves away.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { sayAnsweredMeanwhile } from "./answered_meanwhile.js";
import { element } from "./dom.js";
import { caller, fetchPage } from "./server_html.js";

/** @param {ContestPage} page */
export function followQuestions(page) {
  const list = element(document, "#question-list");
  if (list === null || page.announcements === null) return;
  const refresh = caller(async () => merge(list, await fetchPage(location.pathname)));
  page.onReset(refresh);
  page.onAnnouncement(({ name }) => (name === "clarification.asked" || name === "clarification.answered") && refresh());
  sayNewQuestions(page);
}

/** For who does not see them come: they stand in the list, and the bar counts them. @param {ContestPage} page */
function sayNewQuestions(page) {
  const place = element(document, "#new-questions");
  const known = new Set([...document.querySelectorAll("[data-clarification-id]")].map((each) => each.getAttribute("data-clarification-id")));
  page.announcements?.subscribe(({ clarifications }) => {
    if (place === null) return;
    const fresh = [...clarifications.values()].filter(({ id, answer }) => answer === null && !known.has(String(id)));
    const latest = fresh.at(-1);
    if (latest === undefined) return;
    place.textContent = fresh.length === 1 ? `A new question by ${latest["asker"] ?? "somebody"}.` : `${fresh.length} new questions.`;
  });
}

/** @param {HTMLElement} list @param {Document} page as the server makes it now */
function merge(list, page) {
  const wanted = [...page.querySelectorAll("#question-list > [data-clarification-id]")];
  if (wanted.length > 0) list.querySelector(":scope > .empty")?.remove();
  /** @type {Element | null} */
  let last = null;
  for (const fresh of wanted) {
    const shown = list.querySelector(`:scope > [data-clarification-id="${fresh.getAttribute("data-clarification-id")}"]`);
    if (shown === null) last === null ? list.prepend(fresh) : last.after(fresh);
    else if (shown.getAttribute("data-version") !== fresh.getAttribute("data-version")) isInUse(shown) ? sayAnsweredMeanwhile(shown, fresh) : shown.replaceWith(fresh);
    last = shown?.isConnected ? shown : fresh;
  }
}

/** @param {Element} question whether somebody writes in it */
function isInUse(question) {
  return question.contains(document.activeElement) || [...question.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
}
