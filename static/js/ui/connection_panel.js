/**
 * Looking inside: what the panel behind the badge says of each stream and of the page, and the age of
 * the last frame beside the badge. It is written while somebody looks, once a second, and only then.
 */

/** @import { Link } from "../realtime/index.js" */

import { causeWords, clockWords, frameAge, lifeWords, pageWords, placeWords, reportText, windowWords } from "./connection_words.js";
import { copyOnClick } from "./copy.js";
import { closeOnEscape, element, find, setText } from "./dom.js";

const TICK_MS = 1_000;

/** @param {HTMLDetailsElement} badge @param {Link} link */
export function showConnectionPanel(badge, link) {
  const paint = () => paintPanel(badge, link);
  const [begin, end] = ticking(paint);
  badge.addEventListener("toggle", () => (badge.open ? begin() : end()));
  link.subscribe(() => badge.open && paint());
  closeOnEscape(badge);
  showAge(badge, link);
  offerReport(badge, link);
}

/** Beside the badge while a mouse or the focus is on it. @param {HTMLElement} badge @param {Link} link */
function showAge(badge, link) {
  const summary = element(badge, "summary");
  const [begin, end] = ticking(() => setText(badge, ".badge-age", frameAge(link.connections())));
  /** The mouse, the focus, or both: one that goes leaves the other. @type {Set<string>} */ const there = new Set();
  for (const [comes, goes] of Object.entries({ mouseenter: "mouseleave", focus: "blur" })) {
    summary?.addEventListener(comes, () => there.add(comes) && begin());
    summary?.addEventListener(goes, () => there.delete(comes) && there.size === 0 && end());
  }
}

/** @param {HTMLElement} badge @param {Link} link */
function offerReport(badge, link) {
  const button = find(badge, ".copy-report", HTMLButtonElement);
  const report = element(badge, ".connection-report");
  if (button === null || report === null) return;
  copyOnClick(button, () => {
    report.textContent = reportText({
      shown: element(badge, ".badge-text")?.textContent ?? "", path: location.pathname,
      browser: navigator.userAgent, at: new Date().toISOString(),
      streams: link.connections(), page: link.page(),
    });
    report.hidden = false;
    return report;
  });
}

/** @param {HTMLElement} badge @param {Link} link */
function paintPanel(badge, link) {
  const streams = link.connections();
  for (const stream of streams) {
    const line = element(badge, `[data-stream="${stream.name}"]`);
    if (line === null) continue;
    setText(line, ".stream-ending", stream.ending?.message ?? "");
    setText(line, ".stream-life", lifeWords(stream));
    setText(line, ".stream-place", placeWords(stream));
    const causes = causeWords(stream);
    setText(line, ".stream-causes", causes === "" ? "" : `interrupted: ${causes}`);
  }
  const page = link.page();
  setText(badge, ".page-clock", clockWords(page, streams));
  setText(badge, ".page-now", pageWords(page));
  setText(badge, ".page-windows", windowWords(page));
  setText(badge, ".page-client", page.client);
}

/** @param {() => void} paint @returns {[begin: () => void, end: () => void]} at once and every second from begin to end */
function ticking(paint) {
  let timer = 0;
  const end = () => clearInterval(timer);
  const begin = () => {
    end();
    paint();
    timer = setInterval(paint, TICK_MS);
  };
  return [begin, end];
}
