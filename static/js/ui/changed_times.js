/**
 * What the organisers changed about the times, said in words on every open page. Which times were told last
 * is remembered in this browser, so that a change between two pages is told by the second.
 */

/** @import { AnnouncementStore } from "./contest_page.js" */
/** @import { PageData } from "./page_data.js" */

import { showNote } from "./notes.js";
import { isMoment, keep, recall } from "./storage.js";
import { momentText } from "./times.js";
import { span } from "./words.js";

/**
 * @typedef {object} Times what a person has been told
 * @property {string} state
 * @property {string | null} starts_at
 * @property {string | null} ends_at
 * @property {string | null} freeze_at
 * @property {string | null} paused_at
 * @property {number} extra_time_ms
 */

/** @param {AnnouncementStore} store @param {PageData} data */
export function sayChangedTimes(store, data) {
  const key = `fathom/times/${data.contest}/${data.user?.id}`;
  let before = recall(key, readTimes);
  store.subscribe(({ contest, participation }) => {
    const now = timesOf(contest, participation?.extra_time_ms ?? 0);
    const words = before === null ? [] : changesInWords(before, now);
    before = now;
    keep(key, now);
    if (words.length > 0) showNote(words.join(" "), { kind: "times" });
  });
}

/** @param {any} kept @returns {Times | null} null: no page like this one has written it, and there is nothing to compare with */
export function readTimes(kept) {
  const moments = [kept?.starts_at, kept?.ends_at, kept?.freeze_at, kept?.paused_at];
  const isWhole = typeof kept?.state === "string" && Number.isFinite(kept.extra_time_ms) && moments.every((each) => each === null || isMoment(each));
  return isWhole ? kept : null;
}

/**
 * @param {Times} before
 * @param {Times} now
 * @returns {string[]} sentences; none where nothing has changed that was not bound to come
 */
export function changesInWords(before, now) {
  return [...contestChange(before, now), ...extraChange(before, now)];
}

/** @param {Times} before @param {Times} now @returns {string[]} */
function contestChange(before, now) {
  if (before.paused_at === null && now.paused_at !== null) {
    return ["The organisers have paused the contest. Its clock stands still; nothing can be submitted until it goes on."];
  }
  const [start, end] = [moved(before.starts_at, now.starts_at), moved(before.ends_at, now.ends_at)];
  if (before.paused_at !== null && now.paused_at === null) return [now.state === "ended" ? ENDED : `The contest goes on. ${ends(now)}`];
  if (end !== 0 && now.state === "ended") return before.state === "ended" ? [] : [ENDED];
  if (start !== 0 && start === end) return [`The organisers have moved the contest: it starts ${span(start)} ${start > 0 ? "later" : "earlier"}, at ${at(now.starts_at)}.`];
  if (start !== 0) return [`The organisers have changed the times: the contest starts at ${at(now.starts_at)} and ends at ${at(now.ends_at)}.`];
  if (end !== 0) return [`The organisers have ${end > 0 ? "extended" : "shortened"} the contest by ${span(end)}. ${now.paused_at === null ? ends(now) : ""}`.trim()];
  return before.freeze_at === now.freeze_at ? [] : [freezeWords(now)];
}

const ENDED = "The organisers have ended the contest.";

/** @param {Times} now */
const ends = (now) => (now.extra_time_ms > 0 ? `It ends at ${at(now.ends_at)}, for you at ${at(ownEnd(now))}.` : `It ends at ${at(now.ends_at)}.`);

/** @param {Times} now */
const ownEnd = (now) => new Date(Date.parse(now.ends_at ?? "") + now.extra_time_ms).toISOString();

/** @param {Times} now */
function freezeWords({ freeze_at: freezeAt }) {
  return freezeAt === null ? "The standings will not be frozen any more." : `The organisers have moved the freeze of the standings to ${at(freezeAt)}.`;
}

/** @param {Times} before @param {Times} now @returns {string[]} */
function extraChange(before, now) {
  const ms = now.extra_time_ms - before.extra_time_ms;
  if (ms === 0) return [];
  const what = ms > 0 ? `given you ${span(ms)} of extra time` : `taken ${span(ms)} of your extra time back`;
  return [`The organisers have ${what}. ${now.paused_at === null ? `Your own end is at ${at(ownEnd(now))}.` : ""}`.trim()];
}

/** @param {string | null} before @param {string | null} now @returns {number} milliseconds by which it is later */
function moved(before, now) {
  return Date.parse(now ?? "") - Date.parse(before ?? "") || 0;
}

/** @param {string | null} moment */
const at = (moment) => (moment === null ? "" : momentText(moment, "minute"));

/** @param {any} contest @param {number} extraMs @returns {Times} */
function timesOf({ state, starts_at, ends_at, freeze_at, paused_at = null }, extraMs) {
  return { state, starts_at, ends_at, freeze_at, paused_at, extra_time_ms: extraMs };
}
