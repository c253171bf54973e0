/**
 * Pages of one person as data: news reach them at different moments, messages take their time, timers come late, pages
 * open, close and freeze. What was heard is kept for all of them, for each alone, or not at all.
 */

import { nextDueMs, stepClaims, TAKEN_FOR_MS, waitMs } from "../claims.js";

export const NOTICE = { key: "notice/1", version: 1 };

/**
 * @typedef {object} Plan of one page; all times are moments in ms
 * @property {number} newsMs when it has the news
 * @property {number} openMs when it begins to listen, at the latest when it has the news
 * @property {number} closeMs when it is closed without a word
 * @property {number} lateMs how late its timers come
 * @property {number[]} ranks drawn one after the other
 * @property {boolean} attended
 * @property {boolean} deaf it has no channel
 */

/** @param {{ plans: Plan[], delayMs: (count: number) => number, remembers: boolean, untilMs?: number }} schedule */
export function played({ plans, delayMs, remembers, untilMs = 60_000 }) {
  const kept = new Set();
  const queue = [];
  const rings = [];
  let [count, order] = [0, 0];
  const at = (ms, run) => queue.push({ ms, order: order++, run });
  const pages = plans.map((plan, index) => ({ ...plan, index, claims: new Map(), own: new Set(), draws: 0, timer: 0 }));
  const isAlive = (page, nowMs) => nowMs >= page.openMs && nowMs < page.closeMs;

  const step = (page, event, nowMs) => {
    if (!isAlive(page, nowMs)) return;
    const isHeard = ({ key, version }) => page.own.has(`${key}@${version}`) || (remembers && kept.has(`${key}@${version}`));
    const rank = page.ranks[page.draws++ % page.ranks.length] + Math.floor(page.draws / page.ranks.length);
    const isNew = page.deaf || nowMs - page.openMs < TAKEN_FOR_MS;
    const wait = waitMs(!page.deaf, rank % 1);
    const [claims, effects] = stepClaims(page.claims, event, { nowMs, rank, attended: page.attended, isNew, waitMs: wait, isHeard });
    page.claims = claims;
    for (const effect of effects) carryOut(page, effect, nowMs);
    const dueMs = nextDueMs(claims);
    const mine = ++page.timer;
    if (dueMs !== null) at(Math.max(dueMs, nowMs) + page.lateMs, (ms) => page.timer === mine && step(page, { type: "tick" }, ms));
  };
  const carryOut = (page, effect, nowMs) => {
    if (effect.type === "ring") for (const item of effect.items) rings.push({ page: page.index, ms: nowMs, ...item });
    if (effect.type === "remember") for (const { key, version } of effect.items) [page.own, kept].forEach((set) => set.add(`${key}@${version}`));
    if (effect.type !== "post" || page.deaf) return;
    for (const other of pages) {
      if (other === page || other.deaf || !isAlive(other, nowMs)) continue;
      at(nowMs + delayMs(count++), (ms) => step(other, { type: "message", message: effect.message }, ms));
    }
  };
  for (const page of pages) at(page.newsMs, (ms) => step(page, { type: "news", items: [NOTICE] }, ms));
  while (queue.length > 0) {
    queue.sort((a, b) => a.ms - b.ms || a.order - b.order);
    const { ms, run } = queue.shift();
    if (ms > untilMs) break;
    run(ms);
  }
  return rings;
}

/** @param {Partial<Plan>} [more] @returns {Plan} */
export function page(more = {}) {
  return { newsMs: 1_000, openMs: 0, closeMs: Infinity, lateMs: 0, ranks: [0.5], attended: false, deaf: false, ...more };
}
