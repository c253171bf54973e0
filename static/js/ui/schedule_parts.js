/** State, actions and history of the schedule, as the server makes them now; what somebody is filling in stays. */

/** @import { ContestPage } from "./contest_page.js" */

import { caller, replaceParts } from "./server_html.js";

const PARTS = ["#schedule-state", "#schedule-actions", "#history-rows"];

/** @param {ContestPage} page */
export function followSchedule(page) {
  page.onOtherPhase(caller(() => replaceParts(location.pathname, PARTS.filter((part) => !isInUse(part)))));
}

/** @param {string} part whether somebody types in it, or has typed */
function isInUse(part) {
  const inputs = [...document.querySelectorAll(`${part} input:not([type=hidden])`)];
  return inputs.some((input) => input === document.activeElement || (input instanceof HTMLInputElement && input.value !== input.defaultValue));
}
