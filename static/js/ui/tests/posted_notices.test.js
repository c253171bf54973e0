/** The notices on the jury's console ask the server for what is new, and for nothing else. */

import assert from "node:assert/strict";
import test from "node:test";

import { followPostedNotices } from "../posted_notices.js";
import { h, putPage } from "./fake_page.js";

function consoleOnPage(t) {
  const document = putPage(t, h("section#posted-notices"));
  const listeners = [];
  document.addEventListener = (name, listener) => name === "visibilitychange" && listeners.push(listener);
  globalThis.location = { pathname: "/staff/contests/demo/" };
  t.after(() => { delete globalThis.location; });
  document.getElementById = () => null;
  globalThis.DOMParser = class { parseFromString() { return Object.assign(h("html"), { getElementById: () => null }); } };
  t.mock.method(globalThis, "fetch", async () => ({ ok: true, status: 200, text: async () => "" }));
  let tell;
  followPostedNotices(/** @type {any} */ ({ onReset: () => undefined, onAnnouncement: (listener) => { tell = listener; } }));
  return {
    tell: (name) => tell({ name }), fetched: () => fetch.mock.callCount(),
    async pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        t.mock.timers.tick(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    show(isVisible) {
      document.visibilityState = isVisible ? "visible" : "hidden";
      listeners.forEach((listener) => listener());
    },
  };
}

test("going to another tab and back fetches nothing where nothing has come", async (t) => {
  const { show, pass, fetched } = consoleOnPage(t);
  for (const isVisible of [false, true, false, true]) show(isVisible);
  await pass(60);
  assert.equal(fetched(), 0);
});

test("what came while nobody looked is fetched once somebody does, once", async (t) => {
  const { show, pass, fetched, tell } = consoleOnPage(t);
  show(false);
  tell("ledger.changed");
  tell("ledger.changed");
  await pass(60);
  assert.equal(fetched(), 0, "nobody looks");
  show(true);
  await pass(10);
  assert.equal(fetched(), 1);
  show(false);
  show(true);
  await pass(60);
  assert.equal(fetched(), 1);
});

test("receipts by the hundred are one page, and what comes later is another", async (t) => {
  const { pass, fetched, tell } = consoleOnPage(t);
  for (let receipt = 0; receipt < 100; receipt += 1) tell("ledger.changed");
  await pass(10);
  assert.equal(fetched(), 1);
  tell("ledger.changed");
  await pass(10);
  assert.equal(fetched(), 2);
});
