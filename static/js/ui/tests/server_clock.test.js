/** What a page knows of the server's time: right, or said not to be known. Clocks are numbers here. */

import assert from "node:assert/strict";
import test from "node:test";

import { loadingOf, ServerClock } from "../server_clock.js";

const HOUR_MS = 3_600_000;
/** When the page's HTML was made. */
const MADE_MS = 1_790_000_000_000;
/** How wrong the computer's wall clock is. */
const WRONG_MS = -5 * HOUR_MS;

/** A computer on which a page was loaded: its two clocks, and the truth. */
class Computer {
  trueMs = MADE_MS;
  ms = 0;
  wallMs = MADE_MS + WRONG_MS;
  drift = 0;

  pass(ms) {
    this.trueMs += ms;
    this.ms += ms * (1 + this.drift);
    this.wallMs += ms;
  }

  sleep(ms) {
    this.trueMs += ms;
    this.wallMs += ms;
  }

  /** Asks for the page; it takes `tripMs` there and back. */
  load(clockOptions, tripMs = 80) {
    const sentMs = this.ms;
    this.pass(tripMs / 2);
    const madeMs = this.trueMs;
    this.pass(tripMs / 2);
    const [gotMs, gotWallMs] = [this.ms, this.wallMs];
    this.pass(400); // until the scripts run
    const loading = { sentMs, gotMs, gotWallMs };
    return new ServerClock({ madeMs, loading, linked: null, read: () => this.read(), ...clockOptions });
  }

  ask(clock, tripMs = 80) {
    const sent = this.read();
    this.pass(tripMs / 2);
    const madeMs = this.trueMs;
    this.pass(tripMs / 2);
    clock.answered(sent, madeMs, this.read());
  }

  read() {
    return { ms: this.ms, wallMs: this.wallMs };
  }

  errorMs(clock) {
    return Math.abs(clock.now().nowMs - this.trueMs);
  }
}

test("a page that has just been loaded is right from its HTML, whatever the wall clock says", () => {
  for (const linked of [null, () => null]) {
    const computer = new Computer();
    const clock = computer.load({ linked });
    assert.equal(clock.now().synchronised, true);
    assert.ok(computer.errorMs(clock) < 1, "the way of the scripts to the page takes nothing away");
  }
});

test("where a link is to bring something better, the HTML counts for ten seconds", () => {
  const computer = new Computer();
  let known = null;
  const clock = computer.load({ linked: () => known });
  computer.pass(9_900);
  assert.equal(clock.now().synchronised, true);
  computer.pass(200);
  assert.equal(clock.now().synchronised, false);
  known = { serverMs: computer.trueMs };
  assert.deepEqual(clock.now(), { nowMs: computer.trueMs, synchronised: true });
});

test("a sleep in which the monotonic clock stands still is noticed before the first exchange, too", () => {
  for (const linked of [null, () => null]) {
    const computer = new Computer();
    const clock = computer.load({ linked });
    computer.sleep(HOUR_MS);
    assert.ok(computer.errorMs(clock) > HOUR_MS - 1_000, "the premise: the page cannot know");
    assert.equal(clock.now().synchronised, false);
  }
});

test("a wall clock that is set, in either direction, leaves a page without a link right once it has asked", () => {
  for (const step of [26 * HOUR_MS, -19 * HOUR_MS, 90_000, -90_000]) {
    const computer = new Computer();
    const clock = computer.load({});
    computer.wallMs += step;
    assert.deepEqual([clock.now().synchronised, clock.isDue], [false, true]);
    computer.ask(clock);
    assert.deepEqual([clock.now().synchronised, clock.isDue], [true, false]);
    assert.ok(computer.errorMs(clock) < 50);
  }
});

test("HTML that may be old is no exchange: nothing is synchronised until there is one", () => {
  const computer = new Computer();
  const clock = computer.load({ loading: null });
  assert.equal(clock.now().synchronised, false);
  computer.ask(clock);
  assert.equal(clock.now().synchronised, true);
  const known = { serverMs: 5 };
  assert.deepEqual(computer.load({ loading: null, linked: () => known }).now(), { nowMs: 5, synchronised: true });
});

test("when the exchanges are thrown away, time goes on from where it was known, not from the page's beginning", () => {
  const computer = new Computer();
  let exchanged = true;
  const clock = computer.load({ linked: () => (exchanged ? { serverMs: computer.trueMs } : null) });
  computer.sleep(2 * HOUR_MS);
  assert.ok(computer.errorMs(clock) === 0, "an exchange after the first sleep");
  const knownMs = computer.trueMs;
  exchanged = false;
  computer.sleep(30_000);
  computer.pass(1_000);
  assert.deepEqual(clock.now(), { nowMs: knownMs + 1_000, synchronised: false });
});

test("after the link's first exchange the HTML counts for nothing any more", () => {
  const computer = new Computer();
  let known = { serverMs: computer.trueMs };
  const clock = computer.load({ linked: () => known });
  assert.equal(clock.now().synchronised, true);
  known = null;
  assert.equal(clock.now().synchronised, false, "though the page is younger than ten seconds");
});

test("an answer that was slept over tells nothing, and one that took too long neither", () => {
  const computer = new Computer();
  const clock = computer.load({ loading: null });
  const sent = computer.read();
  const madeMs = computer.trueMs;
  computer.sleep(60_000);
  clock.answered(sent, madeMs, computer.read());
  assert.equal(clock.now().synchronised, false);
  computer.ask(clock, 3_000);
  assert.equal(clock.now().synchronised, false);
});

test("ten hours at 100 ppm with sleeps, without a link: right within 250 ms or not shown, and seldom not shown", () => {
  const computer = new Computer();
  computer.drift = 0.0001;
  const clock = computer.load({});
  let [asked, doubtful] = [0, 0];
  for (let second = 0; second < 10 * 3_600; second += 1) {
    computer.pass(1_000);
    if (second % 7_200 === 3_600) computer.sleep(600_000);
    if (!clock.now().synchronised) doubtful += 1;
    else assert.ok(computer.errorMs(clock) < 250, `after ${second} s: wrong by ${computer.errorMs(clock)} ms`);
    if (clock.isDue) {
      asked += 1;
      computer.ask(clock, 200);
    }
  }
  assert.ok(asked >= 36 && asked <= 50, `asked ${asked} times in ten hours`);
  assert.ok(doubtful <= 5, `not shown ${doubtful} times`);
});

test("an answer of long ago counts no more on a page that nobody looked at", () => {
  const computer = new Computer();
  const clock = computer.load({});
  computer.pass(19 * 60_000);
  assert.deepEqual([clock.now().synchronised, clock.isDue], [true, true]);
  computer.pass(61_000);
  assert.equal(clock.now().synchronised, false);
});

/** A browser at the moment at which its scripts run. */
function browser(entry, { wallMs = 9_000, timeOrigin = 8_000 } = {}) {
  return { performance: { now: () => 1_000, timeOrigin, getEntriesByType: () => (entry === null ? [] : [entry]) }, Date: { now: () => wallMs } };
}

const FRESH = { type: "navigate", deliveryType: "", requestStart: 20, responseStart: 100 };

test("HTML out of a cache, as with the back button or in a duplicated tab, is not taken for fresh", () => {
  assert.deepEqual(loadingOf(browser(FRESH), true), { sentMs: 20, gotMs: 100, gotWallMs: 8_100 });
  assert.notEqual(loadingOf(browser({ ...FRESH, type: "reload" }), true), null);
  for (const other of [{ ...FRESH, type: "back_forward" }, { ...FRESH, deliveryType: "cache" }, { ...FRESH, responseStart: 0 }, null]) {
    assert.equal(loadingOf(browser(other), true), null);
  }
});

test("a sleep between HTML and script is noticed where no link would put it right", () => {
  const slept = browser(FRESH, { wallMs: 9_000 + HOUR_MS });
  const found = loadingOf(slept, false);
  const clock = new ServerClock({ madeMs: MADE_MS, loading: found, linked: null, read: () => ({ ms: 1_000, wallMs: 9_000 + HOUR_MS }) });
  assert.equal(clock.now().synchronised, false);
});
