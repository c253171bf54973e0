/**
 * Own foreground time as the server counts it. Between two answers it is shown going on, but only
 * while the last answer is younger than the lease: beyond it nobody knows whether time counts. A
 * report that waits too long for its answer says so earlier: the path lives, but nothing is stored.
 */

import { createStore } from "./store.js";

/**
 * @typedef {object} OwnTime
 * @property {number} accumulatedMs as of the last answer
 * @property {number} asOf the server's moment of that answer, in its own clock; only compared with others of its kind
 * @property {boolean} counting the server counts from there on
 * @property {number | null} receivedMs when it arrived, on the page's monotonic clock; null: not from a live connection
 * @property {number | null} askedMs when the oldest report without an answer was made; null: there is none
 */

/** @typedef {{ accumulated_ms: number, as_of?: number, counting?: boolean }} TimerData */

/**
 * @param {TimerData} snapshot
 * @param {{ leaseMs: number, replyMs: number }} options replyMs: how long an answer may take
 */
export function createTimer(snapshot, { leaseMs, replyMs }) {
  const store = createStore(/** @type {OwnTime} */ ({
    accumulatedMs: snapshot.accumulated_ms, asOf: snapshot.as_of ?? 0, counting: false, receivedMs: null, askedMs: null,
  }));
  return {
    get: store.get,
    subscribe: store.subscribe,

    /**
     * A `timer` frame or the data of a report's reply.
     * @param {TimerData} data
     * @param {number} receivedMs on the page's monotonic clock
     */
    apply: (data, receivedMs) => store.set(applied(store.get(), data, receivedMs)),

    /** @param {number} nowMs a report was made */
    asked: (nowMs) => store.set({ ...store.get(), askedMs: store.get().askedMs ?? nowMs }),

    /**
     * @param {number} nowMs on the page's monotonic clock
     * @param {boolean} foreground is the page visible right now
     * @returns {{ accumulatedMs: number, synchronised: boolean }}
     */
    shown: (nowMs, foreground) => shownAt(store.get(), nowMs, foreground, { leaseMs, replyMs }),
  };
}

/** @param {OwnTime} state @param {TimerData} data @param {number} receivedMs @returns {OwnTime} */
function applied(state, data, receivedMs) {
  const { accumulated_ms: accumulatedMs, as_of: asOf = state.asOf, counting = state.counting } = data;
  if (asOf < state.asOf || typeof accumulatedMs !== "number") return state;
  return { accumulatedMs: Math.max(accumulatedMs, state.accumulatedMs), asOf, counting, receivedMs, askedMs: null };
}

/** @param {OwnTime} state @param {number} nowMs @param {boolean} foreground @param {{ leaseMs: number, replyMs: number }} limits */
function shownAt({ accumulatedMs, counting, receivedMs, askedMs }, nowMs, foreground, { leaseMs, replyMs }) {
  const ageMs = receivedMs === null ? Infinity : nowMs - receivedMs;
  const fresh = ageMs >= 0 && ageMs < leaseMs;
  const answered = askedMs === null || nowMs - askedMs < replyMs;
  const total = accumulatedMs + (fresh && counting && foreground ? ageMs : 0);
  return { accumulatedMs: total, synchronised: fresh && answered };
}
