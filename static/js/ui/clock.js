/** The contest's clock and one's own time, written twice a second. */

/** @import { ServerTime } from "./server_clock.js" */

import { element, setText } from "./dom.js";
import { clockText, NOT_SYNCHRONISED, span } from "./words.js";

const DOUBT = "Not synchronised with the server: this computer slept, its clock was set, or nothing was heard for long. What was known last goes on.";
const PERIOD_MS = 500;
const NEAR_END_MS = 5 * 60_000;

/** Stages that a moment of time parts. */
const BOUNDARIES = new Set(["Starts in", "Ends in", "Over"]);

/** @typedef {{ state: string, starts_at: string | null, ends_at: string | null, paused_at?: string | null }} Schedule */

/**
 * @param {() => ServerTime} serverTime
 * @param {() => { schedule: Schedule, extraMs: number }} times `extraMs`: what this viewer's own end is later by
 * @param {(stage: string, before: string) => void} onTurn called when the viewer's own start or end has come, or was
 *   moved; never before this page's scripts have all been run, and never on a guess about the time
 * @returns {() => void} shows it at once, when the times have changed
 */
export function showContestClock(serverTime, times, onTurn) {
  const clock = element(document, "#contest-clock");
  if (clock === null) return () => undefined;
  let [stage, isReady] = [clock.dataset["stage"] ?? "", false];
  const show = () => {
    const { nowMs, synchronised } = serverTime();
    const { schedule, extraMs } = times();
    const there = towards(schedule, nowMs, extraMs);
    const { label, remainingMs } = synchronised ? there : held(stage, there, schedule, nowMs, extraMs);
    setText(document, "[data-clock-label]", clockLabel(label, extraMs));
    clock.dataset["remainingMs"] = String(remainingMs);
    clock.dataset["synchronised"] = String(synchronised);
    clock.textContent = label === "Over" ? "" : clockText(remainingMs) + (label === "Paused" ? " left" : "") + (synchronised ? "" : NOT_SYNCHRONISED);
    clock.title = synchronised ? "" : DOUBT;
    clock.classList.toggle("near-end", label === "Ends in" && remainingMs < NEAR_END_MS);
    if (label === stage || !isReady) return;
    const before = stage;
    stage = clock.dataset["stage"] = label;
    onTurn(label, before);
  };
  show();
  setTimeout(() => {
    isReady = true;
    show();
  }, 0);
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

/**
 * Where the time is not known, no boundary has come: the page stays at the stage that it was at. That a contest is
 * paused or closed is not a matter of time.
 * @param {string} stage
 * @param {{ label: string, remainingMs: number }} there by a clock that may be wrong
 * @param {Schedule} schedule
 * @param {number} nowMs
 * @param {number} extraMs
 */
export function held(stage, there, { state, starts_at: startsAt, ends_at: endsAt }, nowMs, extraMs) {
  const isTime = BOUNDARIES.has(stage) && BOUNDARIES.has(there.label) && state !== "archived";
  if (!isTime || there.label === stage) return there;
  const towardsMs = stage === "Starts in" ? Date.parse(startsAt ?? "") : Date.parse(endsAt ?? "") + extraMs;
  return { label: stage, remainingMs: stage === "Over" ? 0 : Math.max(0, Math.round(towardsMs - nowMs)) };
}

/** @param {string} stage @param {number} extraMs @returns {string} what stands before the time, as the server writes it */
export function clockLabel(stage, extraMs) {
  if (stage === "Paused") return "Paused,";
  return stage === "Ends in" && extraMs > 0 ? `Your end, with ${span(extraMs)} extra, in` : stage;
}
