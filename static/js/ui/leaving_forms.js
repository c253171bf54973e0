/**
 * Forms that lead to another page: the server is asked for a sign of life first. Over a path that is dead the browser
 * would put its own error page in place of this one, and of everything that was typed in it.
 */

/** @import { SessionWatch } from "./session.js" */

import { element } from "./dom.js";
import { LEAVES_WITHIN_MS } from "./leaves_within.js";
import { showNote } from "./notes.js";

/** Words for every press would flicker. */
const SAY_AFTER_MS = 400;
const ASKING = "Waiting for an answer of the site …";
const AWAY = "The site does not answer, so this was not sent. What you typed is still here: try again when the page is live.";

const REPLACED = "This was not sent: what the form belongs to has just changed. Look at it, and press again if it is still what you want.";
const CHANGED = "Not sent: it was changed after you had pressed. Press again to send it as it is now.";
const OTHER = "Not sent: another form of this page is on its way.";

/** @param {SessionWatch} session */
export function askBeforeLeaving(session) {
  /** Asked for, or on its way: one at a time, and once. @type {HTMLFormElement | null} */ let going = null;
  /** @type {HTMLFormElement | null} */ let passing = null;
  const end = () => { going = null; };
  // At the window, in the bubbling phase: whoever sends a form in another way has taken it by then.
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form === passing || !mayLose(form)) return;
    event.preventDefault();
    if (going === form) return;
    if (going !== null) return say(form, OTHER);
    going = form;
    const pressed = contentOf(form);
    const who = await answerFor(form, session).finally(end);
    // Whoever is signed out, or somebody else, is told so by the session itself.
    if (who !== "same") return;
    if (!form.isConnected) return void showNote(REPLACED);
    if (contentOf(form) !== pressed) return say(form, CHANGED);
    [going, passing] = [form, form];
    setTimeout(end, LEAVES_WITHIN_MS);
    try {
      form.requestSubmit(event.submitter?.isConnected ? event.submitter : null);
    } finally {
      passing = null;
    }
  });
  addEventListener("pageshow", end);
  forgetWhenLive(session);
}

/** That the site does not answer is true until it has. @param {SessionWatch} session */
function forgetWhenLive({ link }) {
  let wasLive = true;
  link?.subscribe(({ state }) => {
    if (state === "live" && !wasLive) document.querySelectorAll(".leaving-said").forEach((said) => { said.textContent = ""; });
    wasLive = state === "live";
  });
}

/** @param {HTMLFormElement} form @returns {string} what a person has put into it */
function contentOf(form) {
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken");
  return JSON.stringify(fields.map(([name, value]) => [name, typeof value === "string" ? value : [value.name, value.size]]));
}

/** @param {HTMLFormElement} form @param {SessionWatch} session whose it is, in words beside the form while nobody knows */
async function answerFor(form, session) {
  const timer = setTimeout(() => say(form, ASKING), SAY_AFTER_MS);
  const who = await session.check().finally(() => clearTimeout(timer));
  say(form, who === null ? AWAY : "");
  // The live connections may be dead, too, and not know it yet.
  if (who === null) session.link?.tryNow();
  return who;
}

/** Whoever signs out means to leave. @param {HTMLFormElement} form */
function mayLose(form) {
  return form.method === "post" && form.closest("nav.account") === null;
}

/** Why nothing happens yet. @param {HTMLFormElement} form @param {string} words */
function say(form, words) {
  const there = element(form, ".leaving-said");
  if (there !== null) {
    there.textContent = words;
    return;
  }
  const made = Object.assign(document.createElement("p"), { className: "leaving-said quiet", textContent: words });
  made.setAttribute("role", "status");
  form.append(made);
}
