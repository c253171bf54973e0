/**
 * Forms that lead to another page: the server is asked for a sign of life first. Over a path that is dead the browser
 * would put its own error page in place of this one, and of everything that was typed in it.
 */

/** @import { SessionWatch } from "./session.js" */

import { showNote } from "./notes.js";

/** Words for every press would flicker. */
const SAY_AFTER_MS = 400;
const ASKING = "Waiting for an answer of the site …";
const AWAY = "The site does not answer, so this was not sent. What you typed is still here: try again when the page is live.";

const REPLACED = "This was not sent: what the form belongs to has just changed. Look at it, and press again if it is still what you want.";

/** @param {SessionWatch} session */
export function askBeforeLeaving(session) {
  /** @type {WeakSet<HTMLFormElement>} */ const asking = new WeakSet();
  /** @type {HTMLFormElement | null} */ let passing = null;
  // At the window, in the bubbling phase: whoever sends a form in another way has taken it by then.
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form === passing || !mayLose(form)) return;
    event.preventDefault();
    if (asking.has(form)) return;
    asking.add(form);
    const who = await answerFor(form, session).finally(() => asking.delete(form));
    // Whoever is signed out, or somebody else, is told so by the session itself.
    if (who !== "same") return;
    if (!form.isConnected) return void showNote(REPLACED);
    passing = form;
    try {
      form.requestSubmit(event.submitter?.isConnected ? event.submitter : null);
    } finally {
      passing = null;
    }
  });
}

/** @param {HTMLFormElement} form @param {SessionWatch} session whose it is, in words beside the form while nobody knows */
async function answerFor(form, session) {
  const said = status(form);
  const timer = setTimeout(() => { said.textContent = ASKING; }, SAY_AFTER_MS);
  const who = await session.check().finally(() => clearTimeout(timer));
  said.textContent = who === null ? AWAY : "";
  // The live connections may be dead, too, and not know it yet.
  if (who === null) session.link?.tryNow();
  return who;
}

/** Whoever signs out means to leave. @param {HTMLFormElement} form */
function mayLose(form) {
  return form.method === "post" && form.closest("nav.account") === null;
}

/** @param {HTMLFormElement} form @returns {HTMLElement} where it is said why nothing happens yet */
function status(form) {
  const there = form.querySelector(".leaving-said");
  if (there instanceof HTMLElement) return there;
  const made = Object.assign(document.createElement("p"), { className: "leaving-said quiet" });
  made.setAttribute("role", "status");
  form.append(made);
  return made;
}
