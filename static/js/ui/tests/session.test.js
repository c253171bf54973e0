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
  t.after(() => { delete globalThis.localStorage; });
  const listeners = [];
  globalThis.addEventListener = (type, listener) => { if (type === "storage") listeners.push(listener); };
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
  /** Another tab of this browser has opened a page, made for this person. */
  const hint = async ({ id } = { id: "" }) => {
    globalThis.localStorage = { getItem: () => JSON.stringify({ user: String(id), at: 0 }) };
    for (const listener of listeners) listener({ key: "fathom/opened-by" });
    await settle();
  };
  return { document, watch, did, heard, end, hint, find: (place) => document.querySelector(place), send: () => fire(form, "submit", { stopImmediatePropagation: () => undefined }) };
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

test("a page that was stopped says who is signed in by now, and stays stopped also when its own person is back", async (t) => {
  const { watch, did, heard, end, hint, find, send } = watchOnPage(t, [BOB, null, AWAY, ALICE, BOB]);
  const said = () => [find("#session-words").textContent, find("#session-said").hidden, find("#session-sign-in").hidden, find("#session-reload").hidden];
  await end();
  await hint();
  assert.deepEqual([said()[0].slice(0, 26), ...said().slice(1)], ["Nobody is signed in in thi", false, false, false]);
  await hint(ALICE);
  t.mock.timers.tick(1_000);
  await settle();
  assert.match(said()[0], /^You are signed in as alice again\. .* Reload to go on\.$/);
  assert.deepEqual(said().slice(1), [false, true, false]);
  assert.deepEqual([watch.who, heard, did], ["other", ["other", "other", "other"], ["context", "close"]], "it is stopped once, and for good");
  assert.equal(send().defaultPrevented, true);
  assert.equal(find("input").value, "old", "it sends nothing, so it needs no token");
  const asked = fetch.mock.callCount();
  assert.equal(await watch.check(), "other");
  assert.equal(fetch.mock.callCount(), asked, "a form has nothing to ask");
  await hint(BOB);
  assert.match(said()[0], /^You are now signed in as bob/);
  t.mock.timers.tick(60_000);
  await settle();
  assert.equal(fetch.mock.callCount(), asked + 1, "it does not go on asking by itself");
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
