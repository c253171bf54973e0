import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { backoffMs, hintMs } from "../backoff.js";

test("the wait doubles from 300 ms to 5 s, in the middle of its spread", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 60].map((failures) => backoffMs(failures, 0.5)), [300, 600, 1_200, 2_400, 4_800, 5_000, 5_000]);
});

test("chance spreads the wait by half in both directions, after the cap", () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, chance) => {
    const middle = backoffMs(failures, 0.5);
    const wait = backoffMs(failures, chance);
    assert.ok(wait >= middle / 2 && wait <= middle * 1.5);
  }));
  assert.ok(backoffMs(30, 0.999) > 7_000 && backoffMs(30, 0) === 2_500, "clients of a long outage do not end up at one moment");
});

test("a hint that makes no sense is none, and none keeps a page away for longer than five minutes", () => {
  assert.deepEqual([0, 1_500, 1e12, -1, NaN, Infinity, "5", null, undefined].map(hintMs), [0, 1_500, 300_000, null, null, null, null, null, null]);
});
