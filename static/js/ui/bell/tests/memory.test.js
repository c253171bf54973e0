/** What a browser remembers of sounds and settings, and pages that live without it. */

import assert from "node:assert/strict";
import test from "node:test";

import { heardMemory, MOST_HEARD, readHeard, withHeard } from "../heard.js";
import { bellSettings, readSettings } from "../settings.js";
import { emptyStorage, fakeWindow, withStorage } from "./fake_window.js";

const item = (version, key = "notice/1") => ({ key, version });
const full = { getItem: () => null, setItem: () => { throw new DOMException("full", "QuotaExceededError"); }, removeItem: () => undefined };

test("what one page has heard all pages of this person in this contest know, and those of nobody else", () => {
  withStorage({ value: emptyStorage() });
  assert.equal(heardMemory("demo", 1).remember([item(2)]), true);
  assert.deepEqual([1, 2, 3].map((version) => heardMemory("demo", 1).look()(item(version))), [true, true, false]);
  assert.equal(heardMemory("demo", 2).look()(item(1)), false);
  assert.equal(heardMemory("other", 1).look()(item(1)), false);
});

test("an older version does not take the place of a newer one", () => {
  assert.deepEqual([...withHeard(new Map([["notice/1", 3]]), [item(2)])], [["notice/1", 3]]);
});

test("it is bounded, and what was longest untouched goes first", () => {
  const many = Array.from({ length: MOST_HEARD }, (_, index) => item(1, `notice/${index}`));
  const heard = withHeard(withHeard(new Map(), many), [item(2, "notice/0"), item(1, "notice/new")]);
  assert.equal(heard.size, MOST_HEARD);
  assert.deepEqual([heard.get("notice/0"), heard.get("notice/1"), heard.get("notice/new")], [2, undefined, 1]);
});

test("what something else has written is nothing, and throws nothing", () => {
  assert.equal(readHeard({ a: 1 }).size, 0);
  assert.deepEqual([...readHeard([["notice/1", 1], null, ["notice/2"], [3, 3], ["notice/4", "x"]])], [["notice/1", 1]]);
});

test("a storage that is full or switched off: the page itself remembers, and knows that others do not", () => {
  for (const how of [{ value: full }, { get() { throw new DOMException("off", "SecurityError"); } }]) {
    withStorage(how);
    const memory = heardMemory("demo", 1);
    assert.equal(memory.remember([item(1)]), false);
    assert.equal(memory.look()(item(1)), true);
    assert.equal(memory.look()(item(2)), false);
  }
});

test("nobody has to switch sound and notifications on", () => {
  for (const kept of [null, 7, "x", {}]) assert.deepEqual(readSettings(kept), { sound: true, notifications: true });
  assert.deepEqual(readSettings({ sound: false, notifications: 1 }), { sound: false, notifications: true });
});

test("a setting holds on all pages at once, and on the next one", () => {
  withStorage({ value: emptyStorage() });
  const [one, other] = [fakeWindow(), fakeWindow()];
  const [here, there] = [bellSettings(one), bellSettings(other)];
  assert.equal(here.change({ sound: false }), true);
  other.dispatchEvent(Object.assign(new Event("storage"), { key: "fathom/bell" }));
  assert.deepEqual([here.get().sound, there.get().sound, bellSettings(fakeWindow()).get().sound], [false, false, false]);
});

test("where nothing is kept a setting holds on this page, and that is said", () => {
  withStorage({ value: full });
  const settings = bellSettings(fakeWindow());
  assert.equal(settings.change({ sound: false }), false);
  assert.equal(settings.get().sound, false);
});
