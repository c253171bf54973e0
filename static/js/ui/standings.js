/** The standings table, fetched anew when it has changed: the server renders it once for all viewers. */

/** @import { Link } from "../realtime/index.js" */
/** @import { ContestPage } from "./contest_page.js" */

import { element, setShown } from "./dom.js";
import { caller, fetchPage, refresher, replaceFrom } from "./server_html.js";
import { momentElement } from "./times.js";

const PARTS = ["#standings", "#standings-state", "#standings-age"];
/** How often a page that nobody tells anything asks, while somebody looks at it. */
const PERIOD_MS = 15_000;

/** @param {ContestPage} page */
export function followStandings(page) {
  const source = element(document, "#standings")?.dataset["source"];
  if (source === undefined) return;
  if (page.link === null) return page.data.schedule.state === "archived" ? undefined : page.onOtherPhase(askSeldom(source));
  const refresh = refresher(source, ...PARTS);
  page.onAnnouncement(({ name }) => name === "standings.changed" && refresh());
  page.onOtherPhase(refresh);
  return sayWhetherLive(page.link);
}

/**
 * Without a link: what stands there says when the server has made it, and whether the server has answered since.
 * @param {string} source
 * @returns {() => void} asks
 */
export function askSeldom(source) {
  let askedMs = performance.now();
  const isLookedAt = () => document.visibilityState === "visible";
  const ask = caller(async () => {
    if (!isLookedAt()) return;
    askedMs = performance.now();
    try {
      replaceChanged(await fetchPage(source));
      setShown(document, "#standings-silent", false);
    } catch (error) {
      setShown(document, "#standings-silent", true);
      throw error;
    }
  });
  setInterval(ask, PERIOD_MS);
  document.addEventListener("visibilitychange", () => {
    if (isLookedAt() && performance.now() - askedMs >= PERIOD_MS) ask();
  });
  return ask;
}

/** What is the same stays, with whoever selects text in it or scrolls it by the keyboard. @param {Document} page */
function replaceChanged(page) {
  replaceFrom(page, PARTS.filter((part) => !element(document, part)?.isEqualNode(page.querySelector(part))));
}

/**
 * "Follows live." is said while it is so, and else of when the page was last told anything.
 * @param {Pick<Link, "subscribe" | "summary" | "connections" | "serverNow">} link
 */
export function sayWhetherLive(link) {
  let wasLive = false;
  link.subscribe(() => {
    const isLive = link.summary().state === "live";
    if (wasLive && !isLive) sayLastHeard(link);
    wasLive = isLive;
    setShown(document, "#standings-live", isLive);
    setShown(document, "#standings-age", !isLive);
  });
}

/** @param {Pick<Link, "connections" | "serverNow">} link */
function sayLastHeard(link) {
  const now = link.serverNow();
  if (now === null) return;
  const ageMs = link.connections().find(({ name }) => name === "announcements")?.lastFrameAgeMs;
  if (ageMs == null) return;
  element(document, "#standings-age")?.querySelector("time")?.replaceWith(momentElement(new Date(now.serverMs - ageMs).toISOString(), "clock"));
}
