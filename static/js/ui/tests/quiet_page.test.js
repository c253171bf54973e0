/** A page that nobody tells anything: it asks for itself, seldom, and follows the start. */

import assert from "node:assert/strict";
import test from "node:test";

import { quietPage } from "../quiet_page.js";
import { ServerClock } from "../server_clock.js";

const START_MS = Date.parse("2026-01-01T10:00:00.000Z");
const COMING = { version: 1, state: "coming", starts_at: "2026-01-01T10:00:00.000Z", ends_at: "2026-01-01T15:00:00.000Z" };
const RUNNING = { ...COMING, version: 2, state: "running" };

function stage(t) {
  const world = { ms: 50_000, wallMs: 7, visible: true, answers: [], fetched: [], replaced: [], told: [], typed: [], stayed: 0 };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(Math, "random", () => 0.5);
  t.mock.method(globalThis, "fetch", async (address) => {
    world.fetched.push(address);
    const answer = world.answers.shift();
    if (answer === undefined) throw new Error("offline");
    world.answer = answer;
    return { ok: true, text: async () => "" };
  });
  const parsed = {
    getElementById: () => ({ textContent: JSON.stringify({ server_time: world.answer.madeMs / 1000, schedule: world.answer.schedule, extra_time_ms: 0 }) }),
    querySelector: (selector) => ({ childNodes: [selector] }),
  };
  const shown = { querySelector: () => null, replaceChildren: (...nodes) => world.replaced.push(...nodes) };
  Object.assign(globalThis, {
    HTMLElement: class {}, HTMLTextAreaElement: class {},
    window: { performance: { now: () => world.ms }, Date: { now: () => world.wallMs + world.ms } },
    location: { pathname: "/contests/demo/", search: "" },
    DOMParser: class { parseFromString() { return parsed; } },
    document: { getElementById: () => null, querySelector: () => shown, querySelectorAll: () => world.typed, get visibilityState() { return world.visible ? "visible" : "hidden"; } },
  });
  t.after(() => { for (const name of ["window", "location", "DOMParser", "document", "HTMLElement", "HTMLTextAreaElement"]) delete globalThis[name]; });
  const read = () => ({ ms: world.ms, wallMs: world.wallMs + world.ms });
  const clock = new ServerClock({ madeMs: START_MS, loading: null, linked: null, read });
  const data = { schedule: COMING, extra_time_ms: 0 };
  const page = quietPage(data, clock, () => { world.stayed += 1; });
  const pass = async (ms) => {
    world.ms += ms;
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
  };
  return { world, page, clock, data, pass };
}

test("asked as often as the clock likes, it asks the server once, after a moment, and knows the time", async (t) => {
  const { world, page, clock, pass } = stage(t);
  world.answers.push({ madeMs: START_MS + 9_000, schedule: COMING });
  for (let time = 0; time < 5; time += 1) page.ask();
  assert.deepEqual([world.fetched.length, clock.now().synchronised], [0, false], "the premise: not at once, and not known");
  await pass(750);
  assert.deepEqual([world.fetched, clock.now()], [["/contests/demo/"], { nowMs: START_MS + 9_000, synchronised: true }]);
  page.ask();
  await pass(2_000);
  assert.equal(world.fetched.length, 1, "within half a minute it was asked");
  assert.deepEqual(world.replaced, [], "nothing that stands there is touched for the time alone");
});

test("a page that nobody looks at asks for nothing", async (t) => {
  const { world, page, pass } = stage(t);
  world.visible = false;
  page.ask();
  await pass(60_000);
  assert.equal(world.fetched.length, 0);
});

test("the start is fetched, tried again while the server is away, and put in place", async (t) => {
  const { world, page, data, pass } = stage(t);
  page.begin((instead) => world.told.push(instead));
  await pass(750);
  assert.deepEqual([world.fetched.length, world.told], [1, []], "the premise: nobody answers");
  world.answers.push({ madeMs: START_MS + 20_000, schedule: RUNNING });
  await pass(10_000);
  await pass(750);
  assert.deepEqual([world.fetched.length, world.replaced, world.told], [2, ["main", ".tabs"], [false]]);
  assert.equal(world.stayed, 0);
  assert.equal(data.schedule.state, "running");
});

test("the start is not put in place of what somebody has typed, and that is said", async (t) => {
  const { world, page, pass } = stage(t);
  world.typed.push(Object.assign(new globalThis.HTMLTextAreaElement(), { value: "typed", defaultValue: "" }));
  world.answers.push({ madeMs: START_MS + 20_000, schedule: RUNNING });
  page.begin((instead) => world.told.push(instead));
  await pass(750);
  assert.deepEqual([world.replaced, world.told, world.stayed], [[".tabs"], [false], 1]);
});

test("a page made just before the start is not taken for the one after it", async (t) => {
  const { world, page, pass } = stage(t);
  world.answers.push({ madeMs: START_MS + 10, schedule: COMING }, { madeMs: START_MS + 800, schedule: RUNNING });
  page.begin((instead) => world.told.push(instead));
  await pass(750);
  assert.deepEqual([world.told, world.replaced], [[], []]);
  await pass(750);
  assert.deepEqual([world.told, world.fetched.length], [[false], 2]);
});

test("a start that was moved meanwhile is taken in, and nothing is asked for until it comes", async (t) => {
  const { world, page, data, pass } = stage(t);
  const moved = { ...COMING, starts_at: "2026-01-01T10:20:00.000Z" };
  world.answers.push({ madeMs: START_MS + 10, schedule: moved });
  page.begin((instead) => world.told.push(instead));
  await pass(750);
  await pass(60_000);
  assert.deepEqual([data.schedule, world.told, world.fetched.length], [moved, [false], 1]);
});
