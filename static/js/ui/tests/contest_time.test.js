/** The whole of a page's time over the real link: its clock comes to the start, and the page is loaded anew. */

import assert from "node:assert/strict";
import test from "node:test";

import { Page } from "../../realtime/tests/page.js";
import { keepTime, shownStage } from "../contest_time.js";

const SERVER_S = 1_790_000_000;
const iso = (seconds) => new Date((SERVER_S + seconds) * 1000).toISOString();
const SCHEDULE = { version: 1, state: "coming", starts_at: iso(10), ends_at: iso(7_200), freeze_at: null, paused_at: null };

function stage(t, random = 0.5) {
  class FakeElement {
    dataset = { stage: "Starts in" };
    classList = { toggle: () => undefined };
    textContent = "";
  }
  const [clock, label, said] = [new FakeElement(), new FakeElement(), new FakeElement()];
  const elements = { "#contest-clock": clock, "#notice-said": said, "#note-template": null };
  const real = new Page({ streams: ["announcements", "timer"] });
  const { environment } = real;
  const world = { reloads: 0, turns: [], typed: [] };
  Object.assign(globalThis, {
    HTMLElement: FakeElement, HTMLTextAreaElement: class {}, HTMLInputElement: class {}, HTMLTemplateElement: class {},
    document: { visibilityState: "hidden", querySelector: (selector) => (selector in elements ? elements[selector] : label), querySelectorAll: () => world.typed },
    location: { pathname: "/", reload: () => { world.reloads += 1; } },
    window: { performance: { now: () => environment.monoMs, getEntriesByType: () => [] }, Date: { now: () => environment.wallMs } },
  });
  t.after(() => { for (const name of ["HTMLElement", "HTMLTextAreaElement", "HTMLInputElement", "HTMLTemplateElement", "document", "location", "window"]) delete globalThis[name]; });
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.mock.method(Math, "random", () => random);
  t.mock.method(globalThis.performance, "now", () => environment.monoMs);
  real.goLive();
  const data = { server_time: SERVER_S, schedule: SCHEDULE, streams: {} };
  const { turns } = keepTime(data, real.link, () => ({ schedule: SCHEDULE, extraMs: 0 }), (now) => world.turns.push(now));
  /** Link and page go on together; the server sends a beat every second while it is there. */
  const pass = (ms, { beats = true } = {}) => {
    for (let left = ms; left > 0; left -= 500) {
      real.pass(500);
      if (beats) for (const socket of environment.sockets) if (socket.state === 1) socket.receive("ping");
      t.mock.timers.tick(500);
    }
  };
  return { real, world, turns, clock, said, pass };
}

test("at the start a live page is loaded anew, once, at its own moment", (t) => {
  const { world, turns, clock, pass } = stage(t);
  assert.deepEqual([clock.dataset.synchronised, shownStage()], ["true", "Starts in"]);
  pass(9_000);
  assert.deepEqual([world.turns, world.reloads], [[], 0]);
  pass(1_000);
  assert.deepEqual(world.turns, ["Ends in"]);
  turns.changed(SCHEDULE, { ...SCHEDULE, version: 2, state: "running" }, shownStage());
  assert.equal(world.reloads, 0, "half a second, and half of three");
  pass(2_500);
  assert.equal(world.reloads, 1);
  pass(10_000);
  assert.equal(world.reloads, 1);
});

test("a page in which somebody has typed stays at the start, and says why", (t) => {
  const { world, said, pass } = stage(t);
  world.typed.push(Object.assign(new globalThis.HTMLTextAreaElement(), { value: "typed", defaultValue: "" }));
  pass(9_000);
  assert.equal(said.textContent, "", "the premise: not yet");
  pass(5_000);
  assert.equal(world.reloads, 0);
  assert.match(said.textContent, /^The contest is open now\. This page .* was not loaded anew/);
});

test("the event that told of a change is proof enough at the page's own moment, however quiet it is afterwards", (t) => {
  const { real, world, turns, pass } = stage(t, 0.999);
  pass(5_000);
  real.socket("announcements").receive("ping"); // the event, for the link
  turns.changed(SCHEDULE, { ...SCHEDULE, version: 2, state: "running", starts_at: iso(5) }, shownStage());
  pass(4_000, { beats: false });
  assert.equal(world.reloads, 1);
});

test("a page whose connection is lost at the start stays until it is back", (t) => {
  const { real, world, pass } = stage(t);
  pass(5_000);
  for (const socket of real.environment.sockets) socket.close(1006);
  pass(60_000, { beats: false });
  assert.deepEqual([world.turns, world.reloads, real.link.summary().state === "live"], [["Ends in"], 0, false]);
  for (let round = 0; round < 5; round += 1) {
    for (const socket of real.environment.sockets) if (socket.state === 0 && !socket.retired) socket.accept({ cursor: { contest: { epoch: "e1", seq: 3 } }, serverTime: SERVER_S + 65 });
    pass(500);
  }
  assert.equal(real.link.summary().state, "live", "the premise: the server is back");
  assert.equal(world.reloads, 0, "not all at once");
  pass(3_500);
  assert.equal(world.reloads, 1);
});

test("over a sleep nothing is done by a time that is not known", (t) => {
  const { real, world, clock, pass } = stage(t);
  pass(1_000);
  real.environment.sleep(3_600_000, { monotonicStops: true });
  for (const socket of real.environment.sockets) socket.state = 2; // nothing arrives
  pass(20_000, { beats: false });
  assert.deepEqual([clock.dataset.synchronised, clock.textContent, world.turns], ["false", "0:00:00 (not\u00a0synchronised)", []]);
});
