/**
 * A problem page through pauses, the end of the contest and its extension: what was typed stays, and what
 * cannot be submitted now has no button. The server decides; this only says it in time.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element, setShown, setText } from "./dom.js";

/** The label of the clock while submissions count. */
const OPEN = "Ends in";
/** @type {Readonly<Record<string, string>>} */
const CLOSED = Object.freeze({
  Paused: "The contest is paused; nothing can be submitted until it goes on. What you have written stays here.",
  Over: "The contest is over; nothing can be submitted any more.",
});
const BUTTONS = ["#submit-form button[type=submit]", "#selftest-run"];

/** @param {ContestPage} page */
export function followOpenHours(page) {
  if (page.data.user === null || page.data.user.staff || page.link === null) return;
  const hasForm = element(document, "#submit-form") !== null;
  page.onTurn((stage) => {
    const open = stage === OPEN;
    setText(document, "#submit-closed", CLOSED[stage] ?? "");
    setShown(document, "#submit-closed", stage in CLOSED);
    for (const button of BUTTONS) setShown(document, button, open);
    // A page that was made after the end has no form to open again.
    if (open && !hasForm) page.reloadSoon();
  });
}
