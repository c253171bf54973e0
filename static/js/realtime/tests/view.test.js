/** What a person may see of several streams at once. */

import assert from "node:assert/strict";
import test from "node:test";

import { heard } from "../liveness.js";
import { createLink } from "../link.js";
import { summaryOf } from "../link_view.js";
import { createStream } from "../stream.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { FIVE, livePage } from "./page.js";

const now = { ms: 50_000, wallMs: 50_000, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5 };
const alive = { phase: "live", everSynced: true, syncedMs: 0, life: heard(now) };
const retry = (more) => ({ retry: { ...createStream({ timings: DEFAULT_TIMINGS }, now).retry, ...more } });

/** For each word the facts of which it is made. */
const FACTS = {
  live: alive,
  checking: { ...alive, life: { ...alive.life, doubt: "late" } },
  switching: { phase: "opening", ...retry({ switchUntilMs: 51_000 }) },
  connecting: { phase: "opening" },
  reconnecting: { phase: "opening", everSynced: true, ...retry({ failures: 1, cause: "close" }) },
  paused: { phase: "waiting", everSynced: true, ...retry({ failures: 6, cause: "close" }) },
  offline: { phase: "waiting", ...retry({ failures: 1, cause: "close", tryFailed: true }) },
  ended: { phase: "ended", ending: { code: "forbidden", message: "" } },
};

function summaryOfTwo(states) {
  const start = createLink({ timings: DEFAULT_TIMINGS, visible: true, offline: states.includes("offline") }, { monoMs: 0, wallMs: 0, random: () => 0.5 });
  const streams = states.map((state) => ({ ...createStream({ name: state, url: "/", client: "c", cursor: {}, timings: DEFAULT_TIMINGS }, now), ...FACTS[state] }));
  const breaker = states.includes("paused") ? { ...start.breaker, mode: "open", untilMs: 60_000 } : start.breaker;
  return summaryOf({ ...start, streams, breaker }, now).state;
}

for (const state of Object.keys(FACTS)) {
  test(`the premise: these facts are called ${state}`, () => assert.equal(summaryOfTwo([state]), state));
}

for (const [worse, better] of [
  ["ended", "offline"], ["ended", "live"], ["offline", "live"], ["paused", "reconnecting"], ["reconnecting", "connecting"],
  ["reconnecting", "live"], ["connecting", "switching"], ["connecting", "live"], ["switching", "checking"], ["checking", "live"],
]) {
  test(`of two streams the worse is shown: ${worse} before ${better}`, () => {
    assert.deepEqual([summaryOfTwo([worse, better]), summaryOfTwo([better, worse])], [worse, worse]);
  });
}

test("a browser that is offline has nothing to do with one stream's trouble while another lives", () => {
  const page = livePage({ streams: ["timer", "list", "item"] });
  page.tell("offline");
  page.socket("timer").receive("pong");
  page.socket("list").close(1006);
  page.pass(300);
  page.socket("list").close(1006);
  page.socket("item").close(1006);
  assert.deepEqual(["timer", "list", "item"].map(page.state, page), ["live", "offline", "reconnecting"]);
});

test("streams that a hidden page has put aside do not count: the rest of it is live", () => {
  const page = livePage({ streams: FIVE });
  page.tell("hidden");
  page.pass(60_000);
  assert.deepEqual(FIVE.map((name) => page.inside(name).phase), ["live", "parked", "parked", "parked", "parked"], "the premise");
  assert.equal(page.link.summary().state, "live");
});
