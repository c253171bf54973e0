import assert from "node:assert/strict";
import test from "node:test";

import { allowedFromMs, closedBreaker, failed, permitOne, succeeded, tried } from "../breaker.js";

const MIDDLE = 0.5;
const failures = (count, stepMs = 100) => {
  let breaker = closedBreaker();
  for (let each = 0; each < count; each += 1) breaker = failed(breaker, each * stepMs, MIDDLE);
  return breaker;
};

test("five failures are no pattern, six are", () => {
  assert.equal(failures(5).mode, "closed");
  assert.equal(failures(6).mode, "open");
});

test("failures further apart than the window never open it", () => {
  assert.equal(failures(30, 4_000).mode, "closed");
});

test("it opens when at least half have failed", () => {
  const mixed = (order) => order.reduce((breaker, ok, at) => (ok ? succeeded(breaker, at, true) : failed(breaker, at, MIDDLE)), closedBreaker());
  assert.equal(mixed([true, true, true, true, false, false, false]).mode, "closed", "three of seven");
  assert.equal(mixed([true, true, true, true, false, false, false, false]).mode, "open", "four of eight");
});

test("open lets nothing pass for five seconds, then one, whose failure doubles the time up to thirty seconds", () => {
  let breaker = failures(6);
  let now = 500;
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    times.push(allowedFromMs(breaker, now) - now);
    now = allowedFromMs(breaker, now);
    breaker = tried(breaker, now);
    assert.equal(breaker.mode, "half-open");
    breaker = failed(breaker, now, MIDDLE);
  }
  assert.deepEqual(times, [5_000, 10_000, 20_000, 30_000, 30_000]);
});

test("chance spreads the open time by a fifth", () => {
  const open = (chance) => failed(failures(5), 500, chance).untilMs - 500;
  assert.deepEqual([open(0), open(MIDDLE)], [4_000, 5_000]);
  assert.ok(open(0.999) < 6_000);
});

test("a success closes it and forgets", () => {
  const breaker = succeeded(tried(failures(6), 6_000), 6_100, true);
  assert.deepEqual([breaker.mode, breaker.outcomes.length, breaker.openMs], ["closed", 0, 0]);
});

test("what is not the scout's does not count: followers do not outvote it", () => {
  let breaker = succeeded(closedBreaker(), 0, true);
  for (let at = 1; at <= 4; at += 1) breaker = succeeded(breaker, at, false);
  for (let at = 5; at < 10; at += 1) breaker = failed(breaker, at, MIDDLE);
  assert.equal(breaker.mode, "open", "five of the six that count");
});

test("a person lets one try pass at once, and only one", () => {
  const breaker = permitOne(failures(6));
  assert.equal(allowedFromMs(breaker, 600), 600);
  const after = tried(breaker, 600);
  assert.equal(after.mode, "open");
  assert.ok(allowedFromMs(after, 600) > 600);
  assert.equal(failed(after, 700, MIDDLE).untilMs, after.untilMs, "its failure does not prolong the pause");
});
