/**
 * The property tests' share of work. They are two files with the same content, so that two processes
 * run them; each does half of `FATHOM_SCHEDULES`. A failure names the seed and the path to it:
 * `FATHOM_SEED=… FATHOM_PATH=… node --test …/properties_1.test.js` runs that one schedule again.
 */

import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { run, schedules } from "./world_actions.js";
import { MUST } from "./world_checks.js";

const PARTS = 2;
const SCHEDULES = Math.ceil(Number(process.env.FATHOM_SCHEDULES ?? 5_000) / PARTS);
/** Fewer schedules than this may leave an invariant without an occasion. */
const ENOUGH = 500;

/** @param {number} part from 1 */
export function checkSchedules(part) {
  const seed = Number(process.env.FATHOM_SEED ?? Date.now() % 2 ** 30) + part - 1;
  const path = process.env.FATHOM_PATH;
  const replayed = path === undefined ? {} : { path, endOnFailure: true };

  test(`part ${part}, ${SCHEDULES} schedules from seed ${seed}: frames, losses, closes, clocks, page events and restarts`, (t) => {
    const startedMs = performance.now();
    fc.assert(fc.property(schedules, run), { seed, numRuns: SCHEDULES, includeErrorInReport: true, ...replayed });
    t.diagnostic(`${((performance.now() - startedMs) / SCHEDULES).toFixed(3)} ms for a schedule`);
  });

  for (const must of Object.values(MUST)) {
    test(`part ${part}, in all of them: ${must.name}`, { skip: path !== undefined || SCHEDULES < ENOUGH }, (t) => {
      assert.ok(must.looked > 0, "it was never looked at");
      t.diagnostic(`looked at ${must.looked} times`);
    });
  }
}
