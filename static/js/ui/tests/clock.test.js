/** The countdown on the screen, and the turns that it tells of: none of them on a guess about the time. */

import assert from "node:assert/strict";
import test from "node:test";

import { held, showContestClock, towards } from "../clock.js";

const START = Date.parse("2026-01-01T10:00:00.000Z");
const END = Date.parse("2026-01-01T15:00:00.000Z");
const SCHEDULE = { state: "running", starts_at: "2026-01-01T10:00:00.000Z", ends_at: "2026-01-01T15:00:00.000Z", paused_at: null };

/** @param {string} stage as the server has written it */
function stage(t, stage) {
  class FakeElement {
    dataset = {};
    textContent = "";
    classList = { toggle: () => undefined };
  }
  const [clock, label] = [new FakeElement(), new FakeElement()];
  clock.dataset.stage = stage;
  globalThis.HTMLElement = FakeElement;
  globalThis.document = { querySelector: (selector) => (selector === "#contest-clock" ? clock : label) };
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.after(() => { for (const name of ["document", "HTMLElement"]) delete globalThis[name]; });
  const page = { time: { nowMs: END - 1_000, synchronised: true }, times: { schedule: SCHEDULE, extraMs: 0 }, turns: [], clock, label };
  showContestClock(() => page.time, () => page.times, (now, before) => page.turns.push(`${before} > ${now}`));
  const pass = (ms, time = {}) => {
    page.time = { nowMs: page.time.nowMs + ms, synchronised: page.time.synchronised, ...time };
    t.mock.timers.tick(ms);
  };
  return { page, pass };
}

test("a boundary is told once, when it has come", (t) => {
  const { page, pass } = stage(t, "Ends in");
  assert.deepEqual([page.clock.textContent, page.label.textContent], ["0:00:01", "Ends in"]);
  pass(500);
  assert.deepEqual(page.turns, []);
  pass(500);
  pass(5_000);
  assert.deepEqual(page.turns, ["Ends in > Over"]);
  assert.equal(page.clock.textContent, "");
});

test("an end further away than a timer can wait is looked at like any other: no timer is set for it", (t) => {
  const { page, pass } = stage(t, "Ends in");
  const timers = [t.mock.method(globalThis, "setTimeout"), t.mock.method(globalThis, "setInterval")];
  page.times = { schedule: { ...SCHEDULE, ends_at: "2026-03-01T15:00:00.000Z" }, extraMs: 0 };
  pass(60_000);
  assert.deepEqual(page.turns, []);
  assert.ok(Number(page.clock.dataset.remainingMs) > 2 ** 31, "the premise");
  assert.deepEqual(timers.map(({ mock }) => mock.callCount()), [0, 0]);
});

test("what had come before the scripts ran is told when all of them have", (t) => {
  const { page, pass } = stage(t, "Starts in");
  assert.deepEqual(page.turns, [], "nobody listens yet");
  pass(1);
  assert.deepEqual(page.turns, ["Starts in > Ends in"]);
});

test("while the time is not known, no boundary comes, in neither direction, and the page says so", (t) => {
  const { page, pass } = stage(t, "Over");
  page.time = { nowMs: END + 1_000, synchronised: true };
  pass(1_000);
  pass(1_000, { nowMs: START + 1_000, synchronised: false });
  assert.deepEqual([page.turns, page.label.textContent], [[], "Over"], "no submit button comes back after the end");
  pass(1_000, { nowMs: END + 90_000, synchronised: true });
  assert.deepEqual(page.turns, []);
});

test("a countdown that may be wrong stops at nothing, and turns when the time is known", (t) => {
  const { page, pass } = stage(t, "Starts in");
  page.time = { nowMs: START - 10_000, synchronised: true };
  pass(1);
  pass(60_000, { synchronised: false });
  assert.equal(page.clock.textContent, "0:00:00 (not\u00a0synchronised)");
  assert.deepEqual([page.clock.dataset.synchronised, page.turns], ["false", []]);
  pass(500, { synchronised: true });
  assert.deepEqual(page.turns, ["Starts in > Ends in"]);
});

test("a pause, its end and a closed contest are no matter of time", (t) => {
  const { page, pass } = stage(t, "Ends in");
  page.time.synchronised = false;
  page.times = { schedule: { ...SCHEDULE, paused_at: "2026-01-01T14:00:00.000Z" }, extraMs: 0 };
  pass(500);
  page.times = { schedule: SCHEDULE, extraMs: 0 };
  pass(0, { nowMs: END - 5_000 });
  pass(500);
  page.times = { schedule: { ...SCHEDULE, state: "archived" }, extraMs: 0 };
  pass(500);
  assert.deepEqual(page.turns, ["Ends in > Paused", "Paused > Ends in", "Ends in > Over"]);
});

test("the stage that is held counts to its own boundary, with the viewer's extra time", () => {
  const at = (stage, nowMs, extraMs = 0) => held(stage, towards(SCHEDULE, nowMs, extraMs), SCHEDULE, nowMs, extraMs);
  assert.deepEqual(at("Ends in", START - 1_000), { label: "Ends in", remainingMs: END - START + 1_000 });
  assert.deepEqual(at("Ends in", START - 1_000, 60_000), { label: "Ends in", remainingMs: END - START + 61_000 });
  assert.deepEqual(at("Starts in", END), { label: "Starts in", remainingMs: 0 });
  assert.deepEqual(at("Over", START), { label: "Over", remainingMs: 0 });
  assert.deepEqual(at("", START), { label: "Ends in", remainingMs: END - START }, "a page that the server gave no stage");
});
