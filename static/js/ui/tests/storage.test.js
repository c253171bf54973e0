/** What a browser remembers, and that a page lives without it. */

import assert from "node:assert/strict";
import test from "node:test";

import { keep, recall } from "../storage.js";

/** @param {PropertyDescriptor} how */
function withStorage(how) {
  Object.defineProperty(globalThis, "localStorage", { configurable: true, ...how });
}

function emptyStorage() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  return {
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value),
    removeItem: (/** @type {string} */ key) => void kept.delete(key),
  };
}

test("what is kept is recalled, until nothing is to be kept", () => {
  withStorage({ value: emptyStorage() });
  assert.equal(recall("seen"), null);
  assert.equal(keep("seen", { ids: [1, 2] }), true);
  assert.deepEqual(recall("seen"), { ids: [1, 2] });
  assert.equal(keep("seen", null), true);
  assert.equal(recall("seen"), null);
});

test("what some other page wrote is nothing", () => {
  const storage = emptyStorage();
  storage.setItem("seen", "{no JSON");
  withStorage({ value: storage });
  assert.equal(recall("seen"), null);
});

test("a full storage, and one that may not even be looked at, keep nothing and stop nobody", () => {
  withStorage({ value: { ...emptyStorage(), setItem: () => { throw new Error("QuotaExceededError"); } } });
  assert.equal(keep("seen", 1), false);
  withStorage({ get: () => { throw new Error("SecurityError"); } });
  assert.throws(() => globalThis.localStorage, "the premise");
  assert.equal(keep("seen", 1), false);
  assert.equal(recall("seen"), null);
});
