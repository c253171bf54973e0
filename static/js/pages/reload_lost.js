/**
 * Brings back a page of which a script or a style sheet was lost while it loaded. A network that changes at that moment
 * ends everything that a browser is loading (ERR_NETWORK_CHANGED), and a module that was lost is not asked for again, so
 * the page has to be; a style sheet is asked for in its place, beside everything that goes on.
 *
 * Stands before the page's own script, and imports nothing: what it would import could be lost with the rest.
 */

const KEY = "fathom.lost-loads";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
/** A click or a form leads to another page; or it was a download, and nothing comes of it. */
const LEAVING_MS = 20_000;
/** As ui/reload.js says it. */
const TYPED_INTO = "textarea, input:not([type=hidden], [type=checkbox], [type=radio])";

let isLost = false;
let leavesAtMs = -Infinity;

addEventListener("error", ({ target }) => {
  if (!isLost && target instanceof HTMLScriptElement && isOwn(target.src)) comeBack();
}, true);

addEventListener("load", () => {
  // A style sheet may have been lost before this script ran, so its error was nobody's.
  for (const link of document.querySelectorAll("link")) if (isLostSheet(link)) void loadAgain(link);
  if (!isLost) forgetLoads();
});

addEventListener("beforeunload", () => { leavesAtMs = performance.now(); });

/** @param {string} address @returns {boolean} not what an extension of the browser has put into the page, and the site's rules have kept out */
function isOwn(address) {
  return address.startsWith(`${location.origin}/`);
}

/** @param {HTMLLinkElement} link @returns {boolean} of a lost one Chromium has a sheet whose rules nobody may read, others none */
function isLostSheet({ rel, href, sheet }) {
  if (rel !== "stylesheet" || !isOwn(href)) return false;
  try {
    return sheet?.cssRules === undefined;
  } catch {
    return true;
  }
}

/** @param {HTMLLinkElement} lost */
async function loadAgain(lost) {
  for (let [link, tries, isLoaded] = [lost, 0, false]; !isLoaded; tries += 1) {
    await wait(pauseMs(tries));
    const again = /** @type {HTMLLinkElement} */ (link.cloneNode());
    const outcome = new Promise((resolve) => {
      again.addEventListener("load", () => resolve(true));
      again.addEventListener("error", () => resolve(false));
    });
    link.replaceWith(again);
    [link, isLoaded] = [again, await outcome];
  }
}

function comeBack() {
  isLost = true;
  document.querySelector(".scripts-late")?.classList.add("lost");
  // Words that stay where the style sheets are lost, too, promise no reload that nobody makes.
  show(".when-late", false);
  show(".when-lost", true);
  // The server says where a reload would take something away: the answer to a form.
  if (document.querySelector(".comes-back") === null) return;
  // A browser that keeps nothing would load for ever without waiting any longer: there the page's words have to do.
  reloadWhenAnswered().catch(() => {});
}

/** @param {string} selector @param {boolean} isShown */
function show(selector, isShown) {
  const words = document.querySelector(selector);
  if (words instanceof HTMLElement) words.hidden = !isShown;
}

/** Each load waits longer than the one before, so that what is lost for good costs the server little. */
async function reloadWhenAnswered() {
  for (let tries = lostLoads(); ; tries += 1) {
    await wait(pauseMs(tries));
    if (isInUse() || !(await isAnswered()) || isInUse()) continue;
    sessionStorage.setItem(KEY, String(tries + 1));
    await reload();
  }
}

/** Over a slow line the page stands for a while yet. @returns {Promise<void>} when it stays: somebody types, or nothing has come */
function reload() {
  const stayed = new AbortController();
  return new Promise((resolve) => {
    addEventListener("input", () => {
      window.stop();
      resolve();
    }, { once: true, signal: stayed.signal });
    setTimeout(() => {
      stayed.abort();
      resolve();
    }, LEAVING_MS);
    location.reload();
  });
}

/** @returns {number} how often in a row this tab has loaded a page of which a script was lost */
function lostLoads() {
  return Math.max(0, Number(sessionStorage.getItem(KEY)) || 0);
}

function forgetLoads() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Switched off: nothing was kept.
  }
}

/** @param {number} tries before this one */
function pauseMs(tries) {
  return Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS) * (0.5 + Math.random());
}

/** @param {number} ms or until the browser has a network again */
function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", resolve, { once: true });
  });
}

/** Somebody who types into a page without scripts has no draft of it, and who has clicked is on the way. */
function isInUse() {
  const isTyped = [...document.querySelectorAll(TYPED_INTO)].some((field) => "defaultValue" in field && "value" in field && field.value !== field.defaultValue);
  return isTyped || performance.now() - leavesAtMs < LEAVING_MS;
}

/** @returns {Promise<boolean>} whether a reload would bring a page, and not the browser's words that there is none */
async function isAnswered() {
  try {
    const answer = await fetch(location.href, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return answer.status < 500;
  } catch {
    return false;
  }
}

export {};
