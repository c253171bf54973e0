/**
 * Of which problem one's latest self-test was. The server does not know it, a run is of a contest; the page that
 * started the run remembers it in this browser, so that the page of another problem does not show its output as its own.
 */

import { keep, recall } from "./storage.js";

/** @param {string} contest slug @param {number | undefined} user */
export function rememberRuns(contest, user) {
  const key = `fathom/run/${contest}/${user}`;
  /** @type {{ id: number, problem: string } | null} */
  let known = null;
  return {
    /** @param {number} id @param {string} problem its label */
    add(id, problem) {
      known = { id, problem };
      keep(key, known);
    },
    /** @param {number} id @returns {string | null} null: started in another browser, or long ago */
    problemOf(id) {
      known = /** @type {typeof known} */ (recall(key)) ?? known;
      return known?.id === id ? known.problem : null;
    },
  };
}
