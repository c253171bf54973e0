/**
 * Own foreground time as the server counts it. Between two answers it is shown going on, but only
 * while the last answer is younger than the lease: beyond it nobody knows whether time counts. A
 * report that waits too long for its answer says so earlier: the path lives, but nothing is stored.
 */

import { createStore } from "./store.js";

/**
 * @typedef {object} OwnTime
 * @property {number} accumulatedMs the newest total, whichever page it was told to
 * @property {number} asOf the server's moment of that total, in its own clock; only compared with others of its kind
 * @property {number} countedToMs when that total arrived, on the page's monotonic clock
 * @property {boolean} counting the server counts this page's time from its last answer on
 * @property {number} answeredAsOf the server's moment of the last answer to this page itself
 * @property {number | null} receivedMs when that answer arrived; null: not from a live connection
 * @property {number | null} askedMs when the oldest report without an answer was made; null: there is none
 */

/** @typedef {{ accumulated_ms: number, as_of?: number, counting?: boolean }} TimerData */

/**
 * @typedef {object} Shown
 * @property {number} accumulatedMs by what the server has said, and counted on from there
 * @property {boolean} goesOn it is counted on
 * @property {boolean} synchronised
 */

/**
 * @param {TimerData} snapshot
 * @param {() => { leaseMs: number, replyMs: number }} limits as they are now: the server may change them with every
 *   welcome; replyMs: how long an answer may take
 */
export function createTimer(snapshot, limits) {
  const store = createStore(/** @type {OwnTime} */ ({
    accumulatedMs: snapshot.accumulated_ms, asOf: snapshot.as_of ?? 0, countedToMs: 0,
    counting: false, answeredAsOf: snapshot.as_of ?? 0, receivedMs: null, askedMs: null,
  }));
  return {
    get: store.get,
    subscribe: store.subscribe,

    /**
     * This page's snapshot, or the data of the reply to its own report.
     * @param {TimerData} data
     * @param {number} receivedMs on the page's monotonic clock
     */
    apply: (data, receivedMs) => store.set(applied(store.get(), data, receivedMs)),

    /**
     * A `timer` frame: another page of the same person has reported. The total is the same for all; whether that page
     * is in front, and that it was answered, says nothing about this one.
     * @param {TimerData} data
     * @param {number} receivedMs on the page's monotonic clock
     */
    applyOfOther: (data, receivedMs) => store.set(newerTotal(store.get(), data, receivedMs)),

    /** @param {number} nowMs a report was made */
    asked: (nowMs) => store.set({ ...store.get(), askedMs: store.get().askedMs ?? nowMs }),

    /**
     * @param {number} nowMs on the page's monotonic clock
     * @param {boolean} foreground is the page visible right now
     * @returns {Shown}
     */
    shown: (nowMs, foreground) => shownAt(store.get(), nowMs, foreground, limits()),
  };
}

/** @param {OwnTime} state @param {TimerData} data @param {number} receivedMs @returns {OwnTime} */
function applied(state, data, receivedMs) {
  const { as_of: answeredAsOf = state.answeredAsOf, counting = state.counting } = data;
  if (answeredAsOf < state.answeredAsOf || typeof data.accumulated_ms !== "number") return state;
  return { ...newerTotal(state, data, receivedMs), counting, answeredAsOf, receivedMs, askedMs: null };
}

/** @param {OwnTime} state @param {TimerData} data @param {number} receivedMs @returns {OwnTime} */
function newerTotal(state, { accumulated_ms: accumulatedMs, as_of: asOf = state.asOf }, receivedMs) {
  if (asOf < state.asOf || typeof accumulatedMs !== "number") return state;
  return { ...state, accumulatedMs: Math.max(accumulatedMs, state.accumulatedMs), asOf, countedToMs: receivedMs };
}

/**
 * What to write on the screen. An answer may bring less than was counted on (a report came late, say): the figure then
 * stands still until time has caught up, because a clock that runs backwards is taken for a wrong one. Where it does
 * not go on, nothing will catch up: then only what the server has counted is shown. A page that has just been loaded
 * begins with that, too: what the one before it showed beyond it may never be counted.
 * @param {number} beforeMs what is written there
 * @param {Shown} shown
 * @returns {number}
 */
export function writtenMs(beforeMs, { accumulatedMs, goesOn }) {
  return goesOn ? Math.max(beforeMs, accumulatedMs) : accumulatedMs;
}

/**
 * @param {OwnTime} state
 * @param {number} nowMs
 * @param {boolean} foreground
 * @param {{ leaseMs: number, replyMs: number }} limits
 * @returns {Shown}
 */
function shownAt({ accumulatedMs, countedToMs, counting, receivedMs, askedMs }, nowMs, foreground, { leaseMs, replyMs }) {
  const ageMs = receivedMs === null ? Infinity : nowMs - receivedMs;
  const fresh = ageMs >= 0 && ageMs < leaseMs;
  const answered = askedMs === null || nowMs - askedMs < replyMs;
  const goesOn = fresh && counting && foreground;
  const total = accumulatedMs + (goesOn ? Math.max(0, nowMs - countedToMs) : 0);
  return { accumulatedMs: total, goesOn, synchronised: fresh && answered };
}
