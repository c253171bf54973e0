/**
 * How far a rejudging has come, and which records can be judged again: looked at again while something is being judged,
 * and whenever a record becomes final or is opened again.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { caller, replaceParts } from "./server_html.js";

const PERIOD_MS = 2_000;
const PARTS = ["#rejudging-list", "#problems-to-judge"];
const CHANGES = new Set(["record.reopened", "record.final"]);

/** @param {ContestPage} page */
export function followProgress(page) {
  const look = caller(() => replaceParts(`${location.pathname}`, PARTS.filter((part) => !isHeld(part))));
  page.onAnnouncement(({ name }) => CHANGES.has(name) && look());
  page.onReset(look);
  setInterval(() => {
    if (document.visibilityState === "visible" && isGoing()) look();
  }, PERIOD_MS);
  for (const part of PARTS) element(document, part)?.addEventListener("focusout", look);
}

function isGoing() {
  return PARTS.some((part) => element(document, part)?.querySelector("[data-going]") != null);
}

/** The keyboard stands in it: what it is about to press must not go. It is brought up to date when the keyboard has left. @param {string} part */
function isHeld(part) {
  return element(document, part)?.contains(document.activeElement) ?? false;
}
