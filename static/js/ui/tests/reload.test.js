/** Loading a page anew by itself: spread over a moment, never over typed text, never while nobody would answer. */

import assert from "node:assert/strict";
import test from "node:test";

import { Page } from "../../realtime/tests/page.js";
import { isTyped, PROVEN_MS, RELOAD_JITTER_MS, reloader, standingOf } from "../reload.js";

function stage(t, { random = 0.5, standing = "proven", typed = false } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = { standing, typed, reloads: 0, stayed: [] };
  const soon = reloader({ standing: () => page.standing, isTyped: () => page.typed, reload: () => { page.reloads += 1; }, random: () => random });
  soon((instead) => page.stayed.push(instead));
  return { page, pass: (ms) => t.mock.timers.tick(ms) };
}

test("pages reload each at its own moment within three seconds", (t) => {
  assert.equal(RELOAD_JITTER_MS, 3_000);
  assert.ok(PROVEN_MS > RELOAD_JITTER_MS + 1_000, "what told of the boundary still proves the server at everybody's moment");
  for (const random of [0.001, 0.25, 0.999]) {
    t.mock.timers.reset();
    const { page, pass } = stage(t, { random });
    pass(random * 3_000 - 1);
    assert.equal(page.reloads, 0);
    pass(1);
    assert.equal(page.reloads, 1);
  }
});

test("what a person has typed is not thrown away", (t) => {
  const { page, pass } = stage(t);
  page.typed = true; // while it waits for its moment
  pass(60_000);
  assert.deepEqual([page.reloads, page.stayed], [0, [true]]);
});

test("a page whose server is away stays, and reloads when it is back, not all at one moment", (t) => {
  const { page, pass } = stage(t, { standing: "away" });
  pass(600_000);
  assert.deepEqual([page.reloads, page.stayed], [0, []]);
  page.standing = "proven";
  pass(1_000);
  assert.equal(page.reloads, 0, "the jitter again");
  pass(1_500);
  assert.equal(page.reloads, 1);
});

test("a page that is live but has heard nothing just now waits for a sign of life", (t) => {
  const { page, pass } = stage(t, { standing: "quiet", random: 0 });
  pass(30_000);
  assert.equal(page.reloads, 0);
  page.standing = "proven";
  pass(1_000);
  assert.equal(page.reloads, 1);
});

test("a reload that came to nothing leaves the page its parts", (t) => {
  const { page, pass } = stage(t, { random: 0 });
  pass(0);
  pass(20_000);
  assert.deepEqual([page.reloads, page.stayed], [1, [true]]);
});

test("over the real link: proven by a frame of the last seconds, away without a connection", () => {
  const real = new Page({ streams: ["announcements", "timer"] });
  assert.equal(standingOf(real.link), "away");
  real.goLive();
  assert.equal(standingOf(real.link), "proven");
  real.pass(5_001);
  assert.equal(real.link.summary().state, "live", "the premise: it still counts as live");
  assert.equal(standingOf(real.link), "quiet");
  real.socket("timer").receive("pong");
  assert.equal(standingOf(real.link), "proven");
  real.socket("timer").close(1006);
  real.socket("announcements").close(1006);
  assert.equal(standingOf(real.link), "away");
});

test("a changed text and a filled line are typed; hidden fields, kept values and boxes are not", (t) => {
  class Area { tag = "textarea"; constructor(value, defaultValue = "") { Object.assign(this, { value, defaultValue }); } }
  class Input { tag = "input"; constructor(fields) { Object.assign(this, { type: "text", value: "", defaultValue: "", checked: false, defaultChecked: false }, fields); } }
  Object.assign(globalThis, { HTMLTextAreaElement: Area, HTMLInputElement: Input });
  let fields = [];
  globalThis.document = { querySelectorAll: (selector) => fields.filter(({ tag }) => selector.split(", ").includes(tag)) };
  t.after(() => { for (const name of ["document", "HTMLTextAreaElement", "HTMLInputElement"]) delete globalThis[name]; });
  const typed = (...found) => {
    fields = found;
    return isTyped();
  };
  assert.equal(typed(), false);
  assert.equal(typed(new Area("kept", "kept"), new Input({ value: "15", defaultValue: "15" })), false);
  assert.equal(typed(new Input({ type: "hidden", value: "7" })), false);
  assert.equal(typed(new Area("new")), true);
  assert.equal(typed(new Input({ value: "new" })), true);
  assert.equal(typed(new Input({ type: "checkbox", value: "on", checked: true })), false, "the choice of a sound, say");
});
