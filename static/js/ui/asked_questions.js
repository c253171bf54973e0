/** What the jury has been asked, and what it answers, as far as this page knows or can find out. */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Announcements, Clarification } from "../stores/announcements.js" */
/** @import { Question } from "./question_draft.js" */

import { element, setShown, setText } from "./dom.js";
import { dataOf } from "./page_data.js";
import { fetchPage, showServerHtml } from "./server_html.js";

/** What the jury has: a draft of it went the form's usual way. @param {ContestPage} page @returns {Set<string>} */
export function askedTexts(page) {
  return new Set([...page.announcements?.get().clarifications.values() ?? []].map((row) => String(row["text"] ?? "")));
}

/**
 * With its answer, or after a time without a connection: of what is asked from the page itself its own reply tells.
 * @param {ContestPage} page
 * @param {(row: Clarification & { text: string }) => void} listener called once for each question that the page has not known
 */
export function onHeardOf(page, listener) {
  const known = new Set(page.announcements?.get().clarifications.keys() ?? []);
  page.announcements?.subscribe(({ clarifications }) => {
    for (const row of clarifications.values()) {
      const isNew = !known.has(row.id);
      known.add(row.id);
      if (isNew) listener({ ...row, text: String(row["text"] ?? "") });
    }
  });
}

/** The connection that carried it has ended before its answer: the server's own page knows. @param {ContestPage} page @param {Question} question */
export async function isAsked(page, { text }) {
  const overview = await fetchPage(`/contests/${page.data.contest}/`);
  const rows = dataOf(overview)?.streams.announcements?.data.clarifications ?? [];
  return rows.some((/** @type {any} */ row) => row.text === text.trim());
}

/**
 * While the panel is open, the answer to what was just asked stands where the question was typed.
 * @param {ContestPage} page
 * @param {HTMLFormElement} form
 * @returns {(id: number | null) => void}
 */
export function answerSayer(page, form) {
  /** @type {number | null} */
  let asked = null;
  const look = (/** @type {Announcements} */ { clarifications }) => {
    const row = asked === null ? undefined : clarifications.get(asked);
    if (row === undefined || row.answer === null) return;
    asked = null;
    setText(form, "#ask-progress", "The jury has answered:");
    const answer = element(form, "#ask-answer");
    if (answer !== null) showServerHtml(answer, row["answer_html"] ?? "");
    setShown(form, "#ask-answer", true);
  };
  page.announcements?.subscribe(look);
  return (id) => {
    asked = id;
    if (page.announcements !== null) look(page.announcements.get());
  };
}
