/** The standings table, fetched anew when it has changed: the server renders it once for all viewers. */

/** @import { Link } from "../realtime/index.js" */
/** @import { ContestPage } from "./contest_page.js" */

import { element, setShown } from "./dom.js";
import { caller, fetchPage, replaceFrom } from "./server_html.js";
import { momentElement } from "./times.js";

const PARTS = ["#standings", "#standings-state", "#standings-age"];
/** How often a page that nobody tells anything asks, while somebody looks at it. */
const PERIOD_MS = 15_000;

/** @param {ContestPage} page */
export function followStandings(page) {
  const source = element(document, "#standings")?.dataset["source"];
  if (source === undefined) return;
  if (page.link === null) return page.data.schedule.state === "archived" ? undefined : page.onOtherPhase(askSeldom(source));
  const refresh = askWhenTold(source, page.link);
  page.onAnnouncement(({ name }) => name === "standings.changed" && refresh());
  return page.onOtherPhase(refresh);
}

/**
 * With a link: asked for when the page is told of a change.
 * @param {string} source
 * @param {Pick<Link, "subscribe" | "summary" | "connections" | "serverNow">} link
 * @returns {() => void} asks
 */
export function askWhenTold(source, link) {
  const say = sayWhetherLive(link);
  return caller(async () => {
    try {
      replaceFrom(await fetchTable(source), PARTS);
      say(true);
    } catch (error) {
      say(false);
      throw error;
    }
  });
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
      replaceChanged(await fetchTable(source));
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

/** @param {string} source @returns {Promise<Document>} rejects also when something else stands at this address, as what a sign-in page or a proxy says */
async function fetchTable(source) {
  const page = await fetchPage(source);
  if (page.querySelector("#standings") === null) throw new Error(`${source}: no standings`);
  return page;
}

/**
 * "Follows live." is said while it is so, and else of when the table is: when the page was last told anything, or, while
 * what it was told of cannot be had, when the server has made what is shown. A live link does not make that newer.
 * @param {Pick<Link, "subscribe" | "summary" | "connections" | "serverNow">} link
 * @returns {(isHad: boolean) => void} the newest table was had, or could not be
 */
function sayWhetherLive(link) {
  let [wasLive, isBehind, made] = [false, false, shownAge()];
  const say = () => {
    const isLive = link.summary().state === "live";
    if (wasLive && !isLive && !isBehind) sayLastHeard(link);
    wasLive = isLive;
    setShown(document, "#standings-live", isLive && !isBehind);
    setShown(document, "#standings-age", !isLive || isBehind);
    setShown(document, "#standings-silent", isBehind);
  };
  link.subscribe(say);
  return (isHad) => {
    isBehind = !isHad;
    if (isHad) made = shownAge();
    else sayAge(made);
    say();
  };
}

/** @param {Pick<Link, "connections" | "serverNow">} link */
function sayLastHeard(link) {
  const now = link.serverNow();
  if (now === null) return;
  const ageMs = link.connections().find(({ name }) => name === "announcements")?.lastFrameAgeMs;
  if (ageMs == null) return;
  sayAge(new Date(now.serverMs - ageMs).toISOString());
}

/** @returns {string | undefined} ISO 8601 */
function shownAge() {
  return element(document, "#standings-age")?.querySelector("time")?.dateTime;
}

/** @param {string | undefined} iso */
function sayAge(iso) {
  element(document, "#standings-age")?.querySelector("time")?.replaceWith(momentElement(iso, "clock"));
}
