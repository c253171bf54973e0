/** The contest's clock and one's own time, written twice a second. */

/** @import { Link } from "../realtime/index.js" */
/** @import { PageData } from "./page_data.js" */

import { element, setText } from "./dom.js";
import { clockText, span } from "./words.js";

const PERIOD_MS = 500;
const NEAR_END_MS = 5 * 60_000;
const RELOAD_JITTER_MS = 3_000;

/** @typedef {{ state: string, starts_at: string | null, ends_at: string | null, paused_at?: string | null }} Schedule */

/**
 * @param {PageData} page
 * @param {Link | null} link
 * @param {() => { schedule: Schedule, extraMs: number }} times `extraMs`: what this viewer's own end is later by
 * @param {(stage: string) => void} onTurn called when the viewer's own start or end has come, or was moved
 * @returns {() => void} shows it at once, when the times have changed
 */
export function showContestClock(page, link, times, onTurn) {
  const clock = element(document, "#contest-clock");
  if (clock === null) return () => undefined;
  const serverMs = serverClock(page, link);
  let stage = clock.dataset["stage"] ?? "";
  const show = () => {
    const { nowMs, synchronised } = serverMs();
    const { schedule, extraMs } = times();
    const { label, remainingMs } = towards(schedule, nowMs, extraMs);
    setText(document, "[data-clock-label]", clockLabel(label, extraMs));
    clock.dataset["remainingMs"] = String(remainingMs);
    clock.dataset["synchronised"] = String(synchronised);
    clock.textContent = label === "Over" ? "" : clockText(remainingMs) + (label === "Paused" ? " left" : "") + (synchronised ? "" : " (not synchronised)");
    clock.classList.toggle("near-end", label === "Ends in" && remainingMs < NEAR_END_MS);
    if (label === stage) return;
    // The start brings problems that no event carries: ask once, not all at the same moment.
    if (stage === "Starts in") setTimeout(() => reloadUnlessTyping(), Math.random() * RELOAD_JITTER_MS);
    stage = clock.dataset["stage"] = label;
    onTurn(label);
  };
  show();
  setInterval(show, PERIOD_MS);
  return show;
}

/**
 * @param {Schedule} schedule
 * @param {number} nowMs
 * @param {number} extraMs
 */
export function towards({ state, starts_at: startsAt, ends_at: endsAt, paused_at: pausedAt = null }, nowMs, extraMs) {
  if (state === "archived") return { label: "Over", remainingMs: 0 };
  const start = Date.parse(startsAt ?? "");
  const end = Date.parse(endsAt ?? "") + extraMs;
  // The clock stands still where the pause began, however late it is.
  if (pausedAt !== null) return { label: "Paused", remainingMs: Math.max(0, Math.round(end - Date.parse(pausedAt))) };
  if (nowMs < start) return { label: "Starts in", remainingMs: Math.round(start - nowMs) };
  return nowMs < end ? { label: "Ends in", remainingMs: Math.round(end - nowMs) } : { label: "Over", remainingMs: 0 };
}

/** @param {string} stage @param {number} extraMs @returns {string} what stands before the time, as the server writes it */
export function clockLabel(stage, extraMs) {
  if (stage === "Paused") return "Paused,";
  return stage === "Ends in" && extraMs > 0 ? `Your end, with ${span(extraMs)} extra, in` : stage;
}

/**
 * The server's clock: by the link's exchanges, and until the first of them, or without a link, by
 * the time in the page and the monotonic clock since. The wall clock of the computer is not asked.
 * @param {PageData} page
 * @param {Link | null} link
 */
function serverClock(page, link) {
  const loadedMs = page.server_time * 1000;
  const sinceMs = performance.now();
  let heard = false;
  return () => {
    const known = link?.serverNow() ?? null;
    if (known !== null) heard = true;
    const nowMs = known?.serverMs ?? loadedMs + performance.now() - sinceMs;
    return { nowMs, synchronised: known !== null || !heard };
  };
}

/** Text that a person has typed is worth more than a fresh page. */
export function reloadUnlessTyping() {
  const typed = [...document.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
  if (!typed) location.reload();
}
