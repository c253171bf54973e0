/** Fetching a part of a page anew: one fetch at a time, none forgotten, and a failure is tried again. */

import assert from "node:assert/strict";
import test from "node:test";

import { fetchPage, refresher } from "../server_html.js";

/** Answers that are awaited, and the time that passes between them. */
function stage(t) {
  const waiting = [];
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(globalThis, "fetch", () => new Promise((resolve, reject) => waiting.push({ resolve, reject })));
  const pageOf = (id) => ({ querySelector: () => null, getElementById: () => (id === 0 ? null : { textContent: JSON.stringify({ user: id < 0 ? null : { id } }) }) });
  globalThis.document = pageOf(1);
  globalThis.DOMParser = class { parseFromString(html) { return pageOf(Number(html || 1)); } };
  t.after(() => { delete globalThis.document; delete globalThis.DOMParser; });
  const settle = () => new Promise((resolve) => { setImmediate(resolve); });
  return {
    fetched: () => fetch.mock.callCount(),
    pass: (ms) => t.mock.timers.tick(ms),
    async answer(owner = "") { waiting.shift().resolve({ ok: true, text: async () => owner }); await settle(); },
    async fail() { waiting.shift().reject(new Error("offline")); await settle(); },
  };
}

test("asking many times is one fetch, and asking while it runs is one more", async (t) => {
  const { fetched, pass, answer } = stage(t);
  const ask = refresher("/part/", "#part");
  for (let time = 0; time < 5; time += 1) ask();
  assert.equal(fetched(), 0, "pages do not all come at the same moment");
  pass(1_500);
  assert.equal(fetched(), 1);
  ask();
  ask();
  pass(5_000);
  assert.equal(fetched(), 1, "the first is still on its way");
  await answer();
  pass(1_500);
  assert.equal(fetched(), 2, "what happened meanwhile may not be in the first answer");
  await answer();
  pass(60_000);
  assert.equal(fetched(), 2);
});

test("a failed fetch is tried again without being asked", async (t) => {
  const { fetched, pass, fail, answer } = stage(t);
  refresher("/part/", "#part")();
  pass(1_500);
  await fail();
  pass(9_999);
  assert.equal(fetched(), 1);
  pass(1);
  pass(1_500);
  assert.equal(fetched(), 2);
  await answer();
  pass(60_000);
  assert.equal(fetched(), 2);
});

test("over a dead path it is given up after 10 s, and tried again", async (t) => {
  const { fetched, pass } = stage(t);
  const deadlines = [];
  t.mock.method(AbortSignal, "timeout", (ms) => {
    const dead = new AbortController();
    deadlines.push({ ms, pass: () => dead.abort(new DOMException("no answer", "TimeoutError")) });
    return dead.signal;
  });
  fetch.mock.mockImplementation((_, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  }));
  refresher("/part/", "#part")();
  pass(1_500);
  assert.deepEqual([fetched(), deadlines[0].ms], [1, 10_000]);
  deadlines[0].pass();
  await new Promise((resolve) => { setImmediate(resolve); });
  pass(10_000);
  pass(1_500);
  assert.equal(fetched(), 2);
});

test("the page of whoever has signed in meanwhile has no place in this one", async (t) => {
  const { answer } = stage(t);
  const hers = fetchPage("/part/");
  await answer("1");
  assert.ok(await hers);
  const his = assert.rejects(fetchPage("/part/"), /not the page of the same person/);
  await answer("2");
  await his;
  const nobodys = assert.rejects(fetchPage("/part/"), /not the page of the same person/);
  await answer("-1");
  await nobodys;
  const shared = fetchPage("/standings/table/");
  await answer("0");
  assert.ok(await shared, "what is rendered once for all is nobody's");
});
