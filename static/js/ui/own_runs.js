/**
 * Of which problem one's latest self-test was. The server does not know it, a run is of a contest; the page that
 * started the run remembers it in this browser, so that the page of another problem does not show its output as its own.
 */

import { keep, recall } from "./storage.js";

/** @typedef {{ id: number, problem: string }} Run */

/** @param {string} contest slug @param {number | undefined} user */
export function rememberRuns(contest, user) {
  const key = `fathom/run/${contest}/${user}`;
  /** @type {Run | null} */
  let known = null;
  return {
    /** @param {number} id @param {string} problem its label */
    add(id, problem) {
      known = { id, problem };
      keep(key, known);
    },
    /** @param {number} id @returns {string | null} null: started in another browser, or long ago */
    problemOf(id) {
      known = recall(key, readRun) ?? known;
      return known?.id === id ? known.problem : null;
    },
  };
}

/** @param {any} kept @returns {Run | null} */
export function readRun(kept) {
  return typeof kept?.id === "number" && typeof kept.problem === "string" ? { id: kept.id, problem: kept.problem } : null;
}
