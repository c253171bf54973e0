/**
 * Whoever may not follow the contest any more, excluded by the organisers or not registered now, is told so in
 * the server's words. What was typed stays; what would be refused is switched off, until the server lets them in.
 */

/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { PageData } from "./page_data.js" */

import { element, setShown, setText, switchOff } from "./dom.js";
import { fetchPage } from "./server_html.js";

/** The self-test's button is its panel's own: it follows the panel's stream. */
const FORMS = "#submit-form, #ask-form";
/** They go over the stream that has ended, and by themselves to a page that says no. */
const ALERTS = "#alerts";
const BUTTONS = "button[type=submit]";
const ASK_AGAIN_MS = 30_000;
const BACK = "You may take part in this contest again. Reload this page to go on; what you typed is kept in this browser.";

/** @param {StreamHandle} announcements @param {PageData} data */
export function sayShutOut(announcements, data) {
  let isOut = false;
  announcements.handlers.onState = ({ state, reason }) => {
    if (isOut || state !== "ended" || reason?.code !== "forbidden") return;
    isOut = true;
    shut(reason.message);
    watchForReturn(data);
  };
}

/** @param {string} words */
function shut(words) {
  say(words);
  for (const form of document.querySelectorAll(`${FORMS}, ${ALERTS}`)) form instanceof HTMLElement && shutForm(form);
  sayInAlerts(words);
  write("#submit-closed", `${words} What you have written stays here.`);
  write("#ask-error", words);
}

/** Marked, so that whoever switches its buttons for reasons of their own leaves them off. @param {HTMLElement} form */
function shutForm(form) {
  form.dataset["shut"] = "";
  const disable = () => "shut" in form.dataset && switchButtons(form, true);
  disable();
  addEventListener("pageshow", disable); // a page out of the back-forward cache has its buttons switched on
}

/** A press goes by the form, which comes back to this page. What sends typed text waits for the reload. */
function openAlerts() {
  const alerts = element(document, ALERTS);
  if (alerts === null) return;
  delete alerts.dataset["shut"];
  switchButtons(alerts, false);
  sayInAlerts("");
}

/** @param {HTMLElement} form @param {boolean} off */
function switchButtons(form, off) {
  form.querySelectorAll(BUTTONS).forEach((button) => button instanceof HTMLButtonElement && switchOff(button, off));
}

/** @param {string} words */
function sayInAlerts(words) {
  element(document, ALERTS)?.querySelectorAll(".alert-progress").forEach((place) => { place.textContent = words; });
}

/** @param {string} words */
const say = (words) => write("#shut-out", words);

/** @param {string} place @param {string} words */
function write(place, words) {
  setText(document, place, words);
  setShown(document, place, true);
}

/** The stream that told of it has ended, so a page that is looked at asks whether its contest opens again. @param {PageData} data */
function watchForReturn({ contest }) {
  const ask = async () => {
    if (document.visibilityState !== "visible") return;
    const overview = await fetchPage(`/contests/${contest}/`).catch(() => null);
    if (!overview?.body.hasAttribute("data-connection")) return; // it has no streams for this person
    clearInterval(timer);
    document.removeEventListener("visibilitychange", ask);
    element(document, "#shut-out")?.classList.replace("error", "success");
    say(BACK);
    openAlerts();
  };
  const timer = setInterval(ask, ASK_AGAIN_MS);
  document.addEventListener("visibilitychange", ask);
}
