/**
 * The notices on the jury's console: one that was posted, edited or withdrawn, by whomever and however late, and how
 * many have it by now. Whoever has come to one of them by the keyboard stays there.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element } from "./dom.js";
import { caller, fetchPage, replaceFrom } from "./server_html.js";

const PLACE = "#posted-notices";
/** Receipts come by the hundred, and each look costs a page. */
const FIGURES_MS = 5_000;

/** @param {ContestPage} page */
export function followPostedNotices(page) {
  const place = element(document, PLACE);
  if (place === null) return;
  const refresh = caller(async () => replace(place, await fetchPage(location.pathname)));
  const lookSoon = soon(refresh);
  page.onReset(refresh);
  page.onAnnouncement(({ name }) => {
    if (name === "ledger.changed") lookSoon.ask();
    else if (name.startsWith("announcement.")) refresh();
  });
  document.addEventListener("visibilitychange", lookSoon.look);
}

/**
 * A page that nobody looks at asks when it is looked at again, if there was something to ask for.
 * @param {() => void} refresh
 */
function soon(refresh) {
  let [isAsked, isDue] = [false, false];
  const look = () => {
    if (!isAsked || isDue || document.visibilityState !== "visible") return;
    [isAsked, isDue] = [false, true];
    setTimeout(() => {
      isDue = false;
      refresh();
    }, FIGURES_MS);
  };
  const ask = () => {
    isAsked = true;
    look();
  };
  return { ask, look };
}

/** @param {HTMLElement} place @param {Document} page as the server makes it now */
function replace(place, page) {
  const at = place.contains(document.activeElement) ? document.activeElement : null;
  const address = at?.getAttribute("href") ?? null;
  replaceFrom(page, [PLACE]);
  if (at !== null) element(place, address === null ? ".table-scroll" : `[href="${CSS.escape(address)}"]`)?.focus({ preventScroll: true });
}
