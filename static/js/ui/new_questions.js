/**
 * New questions and other jurors' answers on the console, put in their place: nothing that somebody
 * is writing there, an answer or a notice, is lost or moves away.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { caller, fetchPage } from "./server_html.js";

/** @param {ContestPage} page */
export function followQuestions(page) {
  const list = element(document, "#question-list");
  if (list === null || page.announcements === null) return;
  const refresh = caller(async () => {
    merge(list, await fetchPage(location.pathname));
    seen();
  });
  page.onReset(refresh);
  page.onAnnouncement(({ name }) => (name === "clarification.asked" || name === "clarification.answered") && refresh());
  const seen = sayNewQuestions(page, list);
}

/**
 * Says that there are new questions until they have been on the screen.
 * @param {ContestPage} page
 * @param {HTMLElement} list
 * @returns {() => void} looks which of them stand in the list now
 */
function sayNewQuestions(page, list) {
  const place = element(document, "#new-questions");
  const known = new Set([...document.querySelectorAll("[data-clarification-id]")].map((each) => each.getAttribute("data-clarification-id")));
  const say = () => {
    const clarifications = page.announcements?.get().clarifications;
    if (place === null || clarifications === undefined) return;
    const fresh = [...clarifications.values()].filter(({ id, answer }) => answer === null && !known.has(String(id)));
    place.hidden = fresh.length === 0;
    const latest = fresh.at(-1);
    if (latest === undefined) return;
    const link = document.createElement("a");
    link.href = `#question-${latest.id}`;
    link.textContent = "Show";
    place.replaceChildren(fresh.length === 1 ? `A new question by ${latest["asker"] ?? "somebody"}. ` : `${fresh.length} new questions. `, link);
  };
  const screen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) know(target);
    say();
  });
  const know = (/** @type {Element} */ question) => {
    known.add(question.getAttribute("data-clarification-id"));
    screen.unobserve(question);
  };
  page.announcements?.subscribe(say);
  return () => {
    for (const question of list.querySelectorAll(":scope > [data-clarification-id]")) {
      if (!known.has(question.getAttribute("data-clarification-id"))) screen.observe(question);
    }
  };
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
    else if (shown.getAttribute("data-version") !== fresh.getAttribute("data-version") && !isInUse(shown)) shown.replaceWith(fresh);
    last = shown?.isConnected ? shown : fresh;
  }
}

/** @param {Element} question whether somebody writes in it */
function isInUse(question) {
  return question.contains(document.activeElement) || [...question.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
}
