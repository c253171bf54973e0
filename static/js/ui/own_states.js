/** The overview: how the contest stands, and one with each problem, from one's own final records as they are announced. */

/** @import { ContestPage } from "./contest_page.js" */

import { element, setText } from "./dom.js";
import { refresher } from "./server_html.js";
import { points } from "./words.js";

/** @param {ContestPage} page */
export function followOwnStates(page) {
  const refresh = refresher(location.pathname, "#contest-head", "#problem-list");
  // A changed contest has other times, or shows or hides a problem.
  page.onOtherPhase(refresh);
  page.onAnnouncement(({ name, data }) => {
    if (name === "record.final" && data.user_id === page.data.user?.id) note(data);
    // A reopened record may take a verdict back.
    if (name === "record.reopened") refresh();
  });
}

/** @param {{ problem: string, verdict: string | null, score: number | null }} record */
function note({ problem, verdict, score }) {
  const row = element(document, `[data-problem="${CSS.escape(problem)}"][data-own]`);
  const state = row === null ? null : element(row, ".own-state");
  if (row === null || state === null) return;
  const word = betterOf(row.dataset["own"] ?? "untried", verdict === "AC" ? "solved" : verdict === null ? "hidden" : "tried");
  row.dataset["own"] = state.dataset["own"] = word;
  state.textContent = word === "hidden" ? "submitted" : word;
  const best = element(row, ".own-score");
  if (best !== null && score !== null) setText(row, ".own-score", points(Math.max(score, Number(best.textContent) || 0)));
}

/** What is solved stays solved. @param {string} known @param {string} arrived */
export function betterOf(known, arrived) {
  return known === "solved" ? known : arrived;
}
