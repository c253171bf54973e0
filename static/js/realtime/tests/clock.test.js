import assert from "node:assert/strict";
import test from "node:test";

import { checked, exchanged, serverNow, unsetClock } from "../clock.js";
import { advanceTimeline, startTimeline } from "../timeline.js";

const HOUR_MS = 3_600_000;
const SERVER_START_MS = 1_790_000_000_000;

/** A page whose two clocks run as they like, and a server whose clock is the truth. */
class Clocks {
  trueMs = 0;
  mono = 7_000;
  wall = 55;
  driftPpm = 0;
  clock = unsetClock();

  constructor() {
    this.timeline = startTimeline(this.reading());
  }

  reading() {
    return { monoMs: this.mono, wallMs: this.wall, random: () => 0.5 };
  }

  now() {
    [this.timeline, this.moment] = advanceTimeline(this.timeline, this.reading(), 10_000, 10_000);
    return this.moment;
  }

  pass(ms) {
    this.trueMs += ms;
    this.mono += ms * (1 + this.driftPpm / 1e6);
    this.wall += ms * (1 + this.driftPpm / 1e6);
  }

  /** One question and its answer. */
  exchange(outMs = 20, backMs = 20, heldMs = 5) {
    const sent = this.now();
    this.pass(outMs + heldMs);
    const serverTime = (SERVER_START_MS + this.trueMs) / 1000;
    this.pass(backMs);
    this.clock = exchanged(this.clock, { sentMs: sent.ms, sentWallMs: sent.wallMs, serverTime, heldMs }, this.now());
  }

  errorMs() {
    const now = serverNow(this.clock, this.now());
    return now === null ? null : Math.abs(now.serverMs - (SERVER_START_MS + this.trueMs));
  }
}

test("without an exchange the clock is not synchronised", () => assert.equal(new Clocks().errorMs(), null));

test("a wall clock that is wrong by decades changes nothing", () => {
  const clocks = new Clocks();
  clocks.exchange();
  clocks.pass(30_000);
  assert.ok(clocks.errorMs() < 1);
});

test("the exchange with the shortest round trip counts, with the time the server held it taken off", () => {
  const clocks = new Clocks();
  clocks.exchange(20, 20, 5_000);
  assert.ok(clocks.errorMs() < 1, "a long held answer is as good as a quick one");
  clocks.exchange(20, 900);
  clocks.exchange(900, 20);
  assert.ok(clocks.errorMs() < 1, "slow ones do not spoil it");
});

test("a quick exchange counts for five minutes, then a slower one of now is better", () => {
  const clocks = new Clocks();
  clocks.exchange(1, 1);
  clocks.pass(299_000);
  clocks.exchange(200, 200);
  assert.ok(serverNow(clocks.clock, clocks.now()).errorMs < 100, "the quick one");
  clocks.pass(1_000);
  assert.ok(serverNow(clocks.clock, clocks.now()).errorMs >= 200, "the slow one");
  clocks.exchange(300, 300);
  assert.equal(clocks.clock.exchanges.length, 2, "what is too old is not kept");
});

test("no more exchanges are kept than a page needs, and those are the newest", () => {
  const clocks = new Clocks();
  for (let count = 0; count < 100; count += 1) {
    clocks.exchange();
    clocks.pass(1_000);
  }
  const { exchanges } = clocks.clock;
  assert.equal(exchanges.length, 40);
  assert.ok(clocks.now().ms - exchanges[0].atMs < 45_000);
});

test("over ten hours with 100 ppm of drift the clock is right within 250 ms", () => {
  const clocks = new Clocks();
  clocks.driftPpm = 100;
  let worst = 0;
  for (let passed = 0; passed < 10 * HOUR_MS; passed += 10_000) {
    clocks.exchange(20 + (passed % 70), 20 + (passed % 110));
    clocks.pass(9_900);
    worst = Math.max(worst, clocks.errorMs());
  }
  assert.ok(worst < 250, `off by ${worst} ms`);
});

test("after a sleep in which the monotonic clock stood still, nothing is shown until the next exchange", () => {
  const clocks = new Clocks();
  clocks.exchange();
  clocks.trueMs += HOUR_MS;
  clocks.wall += HOUR_MS;
  assert.equal(clocks.errorMs(), null);
  assert.deepEqual(checked(clocks.clock, clocks.now()), unsetClock());
  clocks.exchange();
  assert.ok(clocks.errorMs() < 1);
});

for (const stepMs of [-2 * HOUR_MS, 2 * HOUR_MS, 1_500]) {
  test(`a wall clock set by ${stepMs} ms while open costs one exchange, not the truth`, () => {
    const clocks = new Clocks();
    clocks.exchange();
    clocks.wall += stepMs;
    assert.equal(clocks.errorMs(), null);
    clocks.exchange();
    assert.ok(clocks.errorMs() < 1);
  });
}

for (const standstillMs of [400, -400]) {
  test(`a clock that was out for only ${standstillMs} ms is noticed by the next exchange, however slow that is`, () => {
    const clocks = new Clocks();
    clocks.exchange();
    clocks.pass(5_000);
    clocks.trueMs += standstillMs;
    assert.equal(Math.round(clocks.errorMs()), 400, "nobody can know yet");
    clocks.exchange(150, 20);
    assert.ok(clocks.errorMs() < 100, "what contradicts it is thrown away");
  });
}

test("an answer that waited here through a sleep is not believed", () => {
  const clocks = new Clocks();
  const sent = clocks.now();
  clocks.pass(20);
  const serverTime = (SERVER_START_MS + clocks.trueMs) / 1000;
  clocks.trueMs += HOUR_MS;
  clocks.wall += HOUR_MS;
  clocks.pass(20);
  clocks.clock = exchanged(clocks.clock, { sentMs: sent.ms, sentWallMs: sent.wallMs, serverTime, heldMs: 0 }, clocks.now());
  assert.equal(clocks.errorMs(), null);
});

test("an old exchange is better than none, until it may be wrong by a second", () => {
  const clocks = new Clocks();
  clocks.exchange();
  clocks.pass(HOUR_MS / 2);
  assert.ok(clocks.errorMs() < 1);
  clocks.pass(HOUR_MS);
  assert.equal(clocks.errorMs(), null);
});

test("time never goes back, and what it missed while the monotonic clock stood still is noticed", () => {
  let timeline = startTimeline({ monoMs: 1_000, wallMs: 5_000, random: () => 0 });
  let now;
  [timeline, now] = advanceTimeline(timeline, { monoMs: 400, wallMs: 5_000, random: () => 0 }, 60_000, 10_000);
  assert.deepEqual([now.ms, now.back], [0, true]);
  [timeline, now] = advanceTimeline(timeline, { monoMs: 900, wallMs: 5_500, random: () => 0 }, 60_000, 10_000);
  assert.deepEqual([now.ms, now.back, now.slept], [500, false, false]);
  [timeline, now] = advanceTimeline(timeline, { monoMs: 950, wallMs: 15_551, random: () => 0 }, 60_000, 10_000);
  assert.deepEqual([now.ms, now.slept], [550, true]);
});
