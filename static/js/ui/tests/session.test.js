/** Whose session it is: the page goes on for the same person, and stops for good when it is another's. */

import assert from "node:assert/strict";
import test from "node:test";

import { SessionWatch } from "../session.js";
import { fire, h, putPage } from "./fake_page.js";

const ALICE = { id: 2, name: "alice" };
const BOB = { id: 3, name: "bob" };
const AWAY = { id: 0, name: "nobody answers" };
const settle = () => new Promise((done) => { setImmediate(done); });

/** @param {({ id: number, name: string } | null)[]} answers who is signed in, in turn */
function watchOnPage(t, answers) {
  const form = h("form", h("input[name=\"csrfmiddlewaretoken\"][value=\"old\"]"), h("textarea"));
  const document = putPage(t, h("div#session-said[hidden]", h("p#session-words"), h("a#session-sign-in"), h("button#session-reload")), form);
  t.mock.method(globalThis, "fetch", async () => {
    const user = answers.shift() ?? null;
    if (user === AWAY) throw new TypeError("Failed to fetch");
    return { ok: true, json: async () => ({ user, csrf: "new" }) };
  });
  const did = [];
  const link = {
    timings: { probeMs: 10_000 }, subscribe: (listener) => { link.tell = listener; },
    changeContext: () => did.push("context"), close: () => did.push("close"), revive: (reason) => did.push(`revive ${reason}`),
  };
  const watch = new SessionWatch(link, ALICE);
  const heard = [];
  watch.subscribe((who) => heard.push(who));
  const end = async () => {
    link.tell({ state: "ended", reason: { code: "signed-out", message: "" } });
    await settle();
  };
  return { document, watch, did, heard, end, find: (place) => document.querySelector(place), send: () => fire(form, "submit", { stopImmediatePropagation: () => undefined }) };
}

test("when another person is signed in, nothing waits for the old one and the page ends", async (t) => {
  const { did, heard, end, find } = watchOnPage(t, [BOB]);
  await end();
  assert.deepEqual([did, heard], [["context", "close"], ["other"]]);
  assert.match(find("#session-words").textContent, /now signed in as bob .* belongs to alice/);
  assert.deepEqual([find("#session-reload").hidden, find("#session-sign-in").hidden], [false, true]);
});

test("when the same person is back, the streams go on and forms carry the new session's token", async (t) => {
  const { did, heard, end, find } = watchOnPage(t, [null, ALICE]);
  await end();
  assert.deepEqual([did, heard, find("#session-said").hidden, find("#session-sign-in").hidden], [[], ["out"], false, false]);
  t.mock.timers.tick(10_000);
  await settle();
  assert.deepEqual([did, heard.at(-1), find("#session-said").hidden], [["revive signed-out"], "same", true]);
  assert.equal(find("input").value, "new");
});

test("while it is not known whose session it is, no form leaves the page with what was typed", async (t) => {
  const { end, send } = watchOnPage(t, [null]);
  assert.equal(send().defaultPrevented, false);
  await end();
  assert.equal(send().defaultPrevented, true);
});

test("what waits for an answer is asked again, also when a form has asked meanwhile and nobody answers", async (t) => {
  const { watch, heard } = watchOnPage(t, [AWAY, AWAY, ALICE]);
  void watch.ask();
  await settle();
  assert.equal(await watch.check(), null, "the premise: the form has no answer either");
  t.mock.timers.tick(1_000);
  await settle();
  assert.deepEqual(heard, ["same"]);
});

test("a form that has no answer makes nobody ask again", async (t) => {
  const { watch } = watchOnPage(t, [AWAY]);
  await watch.check();
  t.mock.timers.tick(60_000);
  await settle();
  assert.equal(fetch.mock.callCount(), 1);
});

test("streams are revived once, and not for somebody who is signed out by then", async (t) => {
  const { watch, did, end } = watchOnPage(t, [ALICE, ALICE, ALICE, null]);
  for (let time = 0; time < 3; time += 1) await watch.check();
  assert.deepEqual(did, ["revive signed-out"], "the premise: not again within five seconds");
  await end();
  t.mock.timers.tick(5_000);
  assert.deepEqual(did, ["revive signed-out"]);
});

test("what is not the site's own answer is none", async (t) => {
  const { watch, heard } = watchOnPage(t, []);
  for (const strange of [{}, [], "x", null, { user: ALICE }, { user: { id: "2" }, csrf: "new" }]) {
    fetch.mock.mockImplementation(async () => ({ ok: true, json: async () => strange }));
    assert.equal(await watch.check(), null, JSON.stringify(strange));
  }
  assert.deepEqual(heard, []);
});
