/** A boundary of the contest as a page meets it: told twice, by its clock and by the server, and asked for once. */

import assert from "node:assert/strict";
import test from "node:test";

import { caller } from "../server_html.js";
import { isBoundary, Turns } from "../turns.js";

const COMING = { version: 1, state: "coming", title: "T", starts_at: "2026-01-01T10:00:00.000Z", ends_at: "2026-01-01T15:00:00.000Z", freeze_at: null, paused_at: null };
const RUNNING = { ...COMING, version: 2, state: "running" };
const ENDED = { ...COMING, version: 3, state: "ended" };

function stage(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = { refreshed: 0, begun: [], nowMs: 10_000 };
  const turns = new Turns((done) => page.begun.push(done), () => page.nowMs);
  turns.onOtherPhase(() => { page.refreshed += 1; });
  const pass = (ms) => {
    page.nowMs += ms;
    t.mock.timers.tick(ms);
  };
  return { turns, page, pass };
}

test("only time has passed if nothing but the state is another", () => {
  assert.ok(isBoundary(COMING, RUNNING));
  assert.ok(!isBoundary(RUNNING, { ...RUNNING, version: 3 }), "a problem was shown or hidden, say");
  for (const change of [{ ends_at: null }, { title: "U" }, { freeze_at: "2026-01-01T14:00:00.000Z" }, { paused_at: "2026-01-01T11:00:00.000Z" }]) {
    assert.ok(!isBoundary(RUNNING, { ...ENDED, ...change }));
  }
  assert.ok(isBoundary({ ...COMING, paused_at: undefined }, RUNNING), "a field that is not there says nothing");
});

test("the end is asked for once, whichever of clock and event comes first", (t) => {
  const { turns, page, pass } = stage(t);
  const clock = () => turns.turned("Over", "Ends in");
  const event = () => turns.changed(RUNNING, ENDED, "Ends in");
  for (const [first, second] of [[clock, event], [event, clock]]) {
    for (const apartMs of [0, 400, 2_900]) {
      page.refreshed = 0;
      first();
      pass(apartMs);
      second();
      pass(10_000);
      assert.equal(page.refreshed, 1, `${apartMs} ms apart`);
    }
  }
  assert.equal(page.begun.length, 0);
});

test("nothing is asked for before half a second: the page's clock may be ahead of the server", (t) => {
  const { turns, page, pass } = stage(t);
  turns.turned("Over", "Ends in");
  turns.ask();
  pass(499);
  assert.equal(page.refreshed, 0);
  pass(1);
  assert.equal(page.refreshed, 1, "what is asked for meanwhile is one");
  turns.begin();
  pass(499);
  assert.equal(page.begun.length, 0);
  pass(1);
  assert.equal(page.begun.length, 1);
});

test("the start brings the whole page, once, and the parts do not come besides", (t) => {
  for (const order of [["clock", "event"], ["event", "clock"]]) {
    t.mock.timers.reset();
    const { turns, page, pass } = stage(t);
    for (const by of order) {
      if (by === "clock") turns.turned("Ends in", "Starts in");
      else turns.changed(COMING, RUNNING, order[0] === "clock" ? "Ends in" : "Starts in");
      pass(700);
    }
    turns.ask();
    pass(10_000);
    assert.deepEqual([page.begun.length, page.refreshed], [1, 0], order.join());
  }
});

test("parts that were about to be asked for are not, once the whole page is to come", (t) => {
  const { turns, page, pass } = stage(t);
  turns.ask();
  pass(300);
  turns.begin();
  pass(10_000);
  assert.deepEqual([page.begun.length, page.refreshed], [1, 0]);
});

test("where the whole page cannot be had, the parts have to do, and the next boundary is met as ever", (t) => {
  const { turns, page, pass } = stage(t);
  turns.turned("Ends in", "Starts in");
  pass(500);
  page.begun[0](true);
  pass(500);
  assert.equal(page.refreshed, 1);
  turns.turned("Over", "Ends in");
  pass(500);
  assert.equal(page.refreshed, 2);
});

test("the end brings three hundred pages once each, within a second and a half, and not at one moment", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const PAGES = 300;
  let [nowMs, drawn] = [0, 0];
  t.mock.method(Math, "random", () => ((drawn += 1) * 0.618_033_988) % 1);
  const askedMs = [];
  for (let page = 0; page < PAGES; page += 1) {
    const turns = new Turns(() => undefined, () => nowMs);
    turns.onOtherPhase(caller(async () => void askedMs.push(nowMs)));
    turns.turned("Over", "Ends in");
    turns.changed(RUNNING, ENDED, "Over");
  }
  for (; nowMs < 10_000; nowMs += 10) t.mock.timers.tick(10);
  assert.equal(askedMs.length, PAGES);
  assert.ok(Math.min(...askedMs) >= 490 && Math.max(...askedMs) <= 2_010);
  const inTenth = Array.from({ length: 21 }, (_, tenth) => askedMs.filter((ms) => Math.floor(ms / 100) === tenth).length);
  assert.ok(Math.max(...inTenth) <= 30, `in a tenth of a second: ${inTenth}`);
});

test("a change of the jury is asked for even right after a boundary", (t) => {
  const { turns, page, pass } = stage(t);
  turns.turned("Over", "Ends in");
  pass(1_000);
  turns.changed(ENDED, { ...ENDED, version: 4, ends_at: "2026-01-01T16:00:00.000Z", state: "running" }, "Over");
  pass(1_000);
  assert.equal(page.refreshed, 2);
});

test("two events of one kind are two changes: the ends of others with extra time come as that", (t) => {
  const { turns, page, pass } = stage(t);
  turns.changed(RUNNING, ENDED, "Ends in");
  pass(1_000);
  turns.changed({ ...ENDED, state: "running" }, ENDED, "Ends in");
  pass(1_000);
  assert.equal(page.refreshed, 2);
});
