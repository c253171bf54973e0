/** The time of one page: its clock, and what is done when that comes to a boundary of the contest. */

/** @import { Link } from "../realtime/index.js" */
/** @import { Schedule } from "./clock.js" */
/** @import { PageData } from "./page_data.js" */

import { showContestClock } from "./clock.js";
import { element } from "./dom.js";
import { showNote } from "./notes.js";
import { quietPage } from "./quiet_page.js";
import { isTyped, reloader, standingOf } from "./reload.js";
import { loadingOf, readClocks, ServerClock } from "./server_clock.js";
import { Turns } from "./turns.js";

const STAYED = "The contest is open now. This page was made before, and was not loaded anew, so as to keep what is typed in it.";

/**
 * @param {PageData} data
 * @param {Link | null} link
 * @param {() => { schedule: Schedule, extraMs: number }} times
 * @param {(stage: string) => void} onTurn
 * @returns {{ turns: Turns, show: () => void }} show: at once, when the times have changed
 */
export function keepTime(data, link, times, onTurn) {
  const clock = new ServerClock({
    madeMs: data.server_time * 1000, loading: loadingOf(window, link !== null),
    linked: link && (() => link.serverNow()), read: () => readClocks(window),
  });
  const { ask, begin } = link === null ? quietPage(data, clock, sayStayed) : livePage(link);
  const turns = new Turns(begin, () => performance.now());
  const serverTime = () => {
    const time = clock.now();
    if (clock.isDue) ask();
    return time;
  };
  const show = showContestClock(serverTime, times, (stage, before) => {
    turns.turned(stage, before);
    onTurn(stage);
  });
  return { turns, show };
}

/** The link asks for the time by itself. @param {Link} link */
function livePage(link) {
  const reloadSoon = reloader({ standing: () => standingOf(link), isTyped, reload: () => location.reload() });
  const begin = (/** @type {(instead: boolean) => void} */ done) => reloadSoon((instead) => {
    if (instead && isTyped()) sayStayed();
    done(instead);
  });
  return { ask: () => undefined, begin };
}

/** The start brings more than the parts that are asked for, and only the person knows when what was typed may go. */
function sayStayed() {
  // A whole address: a note has no button for the page's own path.
  showNote(STAYED, { kind: "stayed", href: location.origin + location.pathname + location.search, linkText: "Reload it" });
}

/** @returns {string} the stage that the page's clock shows */
export function shownStage() {
  return element(document, "#contest-clock")?.dataset["stage"] ?? "";
}
