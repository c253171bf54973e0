/**
 * The one place where HTML becomes elements. It takes only what this server has rendered: a notice's
 * `html`, made from Markdown and sanitised there, and parts of this site's own pages, in which every
 * name was escaped. Parsing apart from the page means that even a script in it would not run, and the
 * page's Content-Security-Policy forbids inline scripts and styles anyway.
 */

import { fetchFresh } from "./fetch_fresh.js";
import { dataOf } from "./page_data.js";

const JITTER_MS = 1_500;
const RETRY_MS = 10_000;

/**
 * @param {HTMLElement} target
 * @param {string} html as the server sent it
 */
export function showServerHtml(target, html) {
  target.replaceChildren(...parse(html).body.childNodes);
}

/** @param {string} html as the server sent it @returns {string} what it says, where nothing but text can be shown */
export function serverText(html) {
  return parse(html).body.textContent?.trim() ?? "";
}

/**
 * Makes a function that fetches `address` and puts what each of `selectors` finds in it in the place
 * of what it finds here.
 * @param {string} address
 * @param {...string} selectors
 * @returns {() => void}
 */
export function refresher(address, ...selectors) {
  return caller(() => replaceParts(address, selectors));
}

/**
 * Makes a function that has `work` done. Pages come for it spread over a moment, one call at a time,
 * and once more if it was asked for meanwhile; a failure is tried again.
 * @param {() => Promise<void>} work
 * @returns {() => void}
 */
export function caller(work) {
  let [waiting, running] = [false, false];
  const run = async () => {
    [waiting, running] = [false, true];
    try {
      await work();
    } catch {
      setTimeout(ask, RETRY_MS);
    } finally {
      running = false;
      if (waiting) start();
    }
  };
  const start = () => setTimeout(run, Math.random() * JITTER_MS);
  const ask = () => {
    if (!waiting && !running) start();
    waiting = true;
  };
  return ask;
}

/**
 * A page of this site as it is now, apart from the one that is shown.
 * @param {string} address
 * @returns {Promise<Document>} rejects unless the server answers with the page, and it is of the same person as this one or, like a rendering that many share, of nobody
 */
export async function fetchPage(address) {
  const answer = await fetchFresh(address, { accept: "text/html" });
  const page = parse(await answer.text());
  // Signed out meanwhile, or somebody else by now: what is theirs has no place here.
  const [owner, other] = [dataOf(document)?.user?.id, dataOf(page)];
  if (owner !== undefined && other !== null && other.user?.id !== owner) throw new Error(`${address}: not the page of the same person`);
  return page;
}

/** @param {string} address @param {readonly string[]} selectors */
export async function replaceParts(address, selectors) {
  replaceFrom(await fetchPage(address), selectors);
}

/** @param {Document} page as the server makes it now @param {readonly string[]} selectors */
export function replaceFrom(page, selectors) {
  for (const selector of selectors) replacePart(document.querySelector(selector), page.querySelector(selector));
}

/** @param {Element | null} shown @param {Element | null} fresh */
function replacePart(shown, fresh) {
  if (fresh === null || shown === null) return;
  const left = shown.querySelector(".table-scroll")?.scrollLeft ?? 0;
  shown.replaceChildren(...fresh.childNodes);
  shown.querySelector(".table-scroll")?.scrollTo({ left });
}

/** @param {string} html */
function parse(html) {
  return new DOMParser().parseFromString(html, "text/html");
}
