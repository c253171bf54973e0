/** Sleep, late checks and clocks that step: what is not known is asked, and nobody is judged for it. */

import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { livePage, Page } from "./page.js";

const SILENCE_MS = 120_000;

for (const [words, options] of [["stops", { monotonicStops: true }], ["runs on", { monotonicStops: false }]]) {
  test(`after a sleep while the monotonic clock ${words}, a fresh probe with ten seconds goes out and kills nothing at once`, () => {
    const page = livePage();
    page.socket().sent.length = 0;
    page.environment.sleep(8 * 3_600_000, options);
    page.pass(9_999);
    assert.equal(page.socket().retired, false);
    assert.equal(page.state("news"), "checking");
    assert.deepEqual(page.socket().sent.filter((text) => text === "ping"), ["ping"]);
    assert.ok(page.news.includes("news slept"));
    page.socket().receive("pong");
    assert.equal(page.state("news"), "live");
  });
}

test("a dead connection is found ten seconds after a sleep, and says so", () => {
  const page = livePage();
  page.environment.sleep(600_000);
  page.pass(0);
  page.pass(9_999);
  assert.equal(page.socket().retired, false);
  page.pass(1);
  assert.equal(page.inside().causes[0].cause, "slept");
});

for (const [when, wait] of [["in the same moment", (page) => page], ["a moment later", (page) => page.pass(0)]]) {
  test(`a page event after a sleep, ${when}, does not shorten those ten seconds`, () => {
    const page = livePage();
    page.environment.sleep(600_000);
    wait(page);
    page.tell("visible");
    page.pass(9_999);
    assert.equal(page.socket().retired, false);
    page.pass(1);
    assert.equal(page.socket().retired, true);
  });
}

test("frames that had arrived before the sleep prove nothing about now: they are read, then the probe goes out", () => {
  const page = livePage();
  page.environment.sleep(600_000);
  page.socket().receive(event(4));
  page.environment.runTurns();
  assert.deepEqual(page.events, [4], "it was read");
  assert.deepEqual([page.state("news"), page.socket().sent.at(-1)], ["checking", "ping"]);
  page.pass(10_000);
  assert.equal(page.sockets("news")[0].retired, true);
});

test("a welcome that had arrived before the sleep proves nothing about now: it is read, then the probe goes out", () => {
  const page = new Page();
  page.socket().open();
  page.environment.sleep(3_600_000);
  page.socket().receive({ type: "welcome", protocol: 1, node: "n1", server_time: 1, resumed: true, timings: {} });
  page.socket().receive({ type: "synced", cursor: at(3) });
  assert.equal(page.inside().phase, "live", "both were read");
  assert.equal(page.state("news"), "checking");
  page.environment.runTurns();
  assert.deepEqual([page.state("news"), page.socket().sent.at(-1)], ["checking", "ping"]);
  page.pass(10_000);
  assert.deepEqual([page.sockets("news")[0].retired, page.inside().causes[0].cause], [true, "slept"]);
});

test("a close while nobody knows whether the connection outlived the sleep is put down to the sleep", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.environment.sleep(600_000);
  page.socket("news").close(1006);
  assert.equal(page.inside("news").causes[0].cause, "slept", "before the turn");
  page.environment.runTurns();
  assert.equal(page.inside("list").probe.cause, "slept", "the premise");
  page.socket("list").close(1006);
  assert.equal(page.inside("list").causes[0].cause, "slept", "while the probe is out");
});

test("a probe after a sleep that stays unanswered is evidence like any other", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.environment.sleep(600_000);
  page.pass(5_000);
  page.socket("list").receive("pong");
  assert.equal(page.state("list"), "live", "a frame that was under way is no proof for long");
  page.pass(5_000);
  assert.equal(page.inside("news").causes[0].cause, "slept");
  assert.equal(page.state("list"), "checking");
  page.pass(3_000);
  assert.equal(page.sockets("list")[0].retired, true);
});

test("a late tick in the middle of a probe starts a fresh one", () => {
  const page = livePage();
  page.pass(SILENCE_MS + 5_000);
  assert.equal(page.state("news"), "checking", "a probe was out");
  page.environment.sleep(60_000);
  page.pass(0);
  assert.equal(page.socket().retired, false);
  assert.equal(page.socket().sent.filter((text) => text === "ping").length, 2);
});

test("a wall clock set back restarts the window and nothing else", () => {
  const page = livePage();
  page.pass(60_000);
  page.environment.wallMs -= 7_200_000;
  page.pass(SILENCE_MS - 1);
  assert.equal(page.state("news"), "live");
  page.pass(10_001);
  assert.equal(page.state("news"), "checking", "it does not stall either");
});

test("a monotonic clock that jumps back neither kills nor stalls", () => {
  const page = livePage();
  page.pass(60_000);
  const { environment } = page;
  environment.monoMs -= 50_000;
  environment.timers.forEach((timer) => (timer.atMs -= 50_000));
  page.pass(SILENCE_MS);
  assert.equal(page.state("news"), "live");
  page.pass(10_000 + 10_000 + 10_000);
  assert.equal(page.sockets("news")[0].retired, true, "within silence, probe and the check that noticed the jump");
});

test("a handshake that a sleep interrupted gets its time again, once", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.environment.sleep(60_000);
  page.pass(0);
  assert.equal(page.socket().retired, false);
  page.environment.sleep(60_000);
  page.pass(0);
  assert.equal(page.socket().retired, true);
});

test("a handshake that sleep has ended twice accuses nobody: the others keep their ten seconds", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").close(1006);
  page.pass(300);
  page.environment.sleep(60_000);
  page.pass(0);
  page.socket("news").receive("pong");
  page.environment.sleep(60_000);
  page.pass(0);
  assert.equal(page.socket("list").retired, true);
  assert.deepEqual(page.inside("news").probe, { cause: "slept", dueInMs: 10_000 });
});

test("a sleep of a hidden page is a sleep, too: nobody is judged by three seconds after it", () => {
  const page = livePage();
  page.tell("hidden");
  page.environment.sleep(40_000, { monotonicStops: true });
  page.tell("visible");
  assert.equal(page.inside().probe.cause, "slept");
  page.pass(9_999);
  assert.equal(page.socket().retired, false);
});
