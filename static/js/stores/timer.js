/**
 * Own foreground time as the server counts it. Between two answers it is shown going on, but only
 * while the last answer is younger than the lease: beyond it nobody knows whether time counts.
 */

import { createStore } from "./store.js";

/**
 * @typedef {object} OwnTime
 * @property {number} accumulatedMs as of the last answer
 * @property {number} asOf the server's moment of that answer, in its own clock; only compared with others of its kind
 * @property {boolean} counting the server counts from there on
 * @property {number | null} receivedMs when it arrived, on the page's monotonic clock; null: not from a live connection
 */

/** @typedef {{ accumulated_ms: number, as_of?: number, counting?: boolean }} TimerData */

/**
 * @param {TimerData} snapshot
 * @param {{ leaseMs: number }} options
 */
export function createTimer(snapshot, { leaseMs }) {
  const store = createStore(/** @type {OwnTime} */ ({
    accumulatedMs: snapshot.accumulated_ms, asOf: snapshot.as_of ?? 0, counting: false, receivedMs: null,
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

    /**
     * @param {number} nowMs on the page's monotonic clock
     * @param {boolean} foreground is the page visible right now
     * @returns {{ accumulatedMs: number, synchronised: boolean }}
     */
    shown: (nowMs, foreground) => shownAt(store.get(), nowMs, foreground, leaseMs),
  };
}

/** @param {OwnTime} state @param {TimerData} data @param {number} receivedMs @returns {OwnTime} */
function applied(state, data, receivedMs) {
  const { accumulated_ms: accumulatedMs, as_of: asOf = state.asOf, counting = state.counting } = data;
  if (asOf < state.asOf || typeof accumulatedMs !== "number") return state;
  return { accumulatedMs: Math.max(accumulatedMs, state.accumulatedMs), asOf, counting, receivedMs };
}

/** @param {OwnTime} state @param {number} nowMs @param {boolean} foreground @param {number} leaseMs */
function shownAt({ accumulatedMs, counting, receivedMs }, nowMs, foreground, leaseMs) {
  const ageMs = receivedMs === null ? Infinity : nowMs - receivedMs;
  const synchronised = ageMs >= 0 && ageMs < leaseMs;
  return { accumulatedMs: accumulatedMs + (synchronised && counting && foreground ? ageMs : 0), synchronised };
}
