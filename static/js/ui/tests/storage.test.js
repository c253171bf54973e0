/** What a browser remembers, and that a page lives without it. */

import assert from "node:assert/strict";
import test from "node:test";

import { readIds } from "../answers.js";
import { readBook } from "../draft_book.js";
import { readTimes } from "../changed_times.js";
import { readHeard } from "../bell/heard.js";
import { readSettings } from "../bell/settings.js";
import { readRun } from "../own_runs.js";
import { readQuestion } from "../question_draft.js";
import { readUser } from "../session_hint.js";
import { keep, readString, recall } from "../storage.js";

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

/** Even to be made a string or a number it refuses. */
const BAD = { toString: 1, valueOf: 1 };

test("no reader stumbles over what another version or a hand wrote, and none lets anything of another type in", () => {
  const storage = emptyStorage();
  withStorage({ value: storage });
  assert.throws(() => String(BAD), "the premise");
  const found = (/** @type {unknown} */ kept, /** @type {any} */ read) => {
    storage.setItem("seen", JSON.stringify(kept));
    return recall("seen", read);
  };
  for (const kept of [BAD, [BAD], 5, "x"]) {
    assert.deepEqual([readRun, readUser, readTimes, readQuestion].map((read) => found(kept, read)), [null, null, null, null]);
    assert.deepEqual([readHeard, readBook, readSettings].map((read) => found(kept, read)), [readHeard, readBook, readSettings].map((read) => read(null)));
  }
  assert.deepEqual(found({ text: "x", problem: BAD, slot: BAD, savedAt: BAD }, readQuestion), { text: "x", problem: "", slot: "", savedAt: "" });
  assert.deepEqual([found(BAD, readString), found("go", readString)], [null, "go"]);
  assert.deepEqual([found({ id: 5, problem: BAD }, readRun), found({ id: 5, problem: "A" }, readRun)], [null, { id: 5, problem: "A" }]);
  assert.deepEqual([found({ user: BAD }, readUser), found({ user: "" }, readUser), found({ user: "7" }, readUser)], [null, null, 7]);
  assert.deepEqual([found([1, BAD, "2"], readIds), found(BAD, readIds)], [[1], null]);
  assert.equal(found(BAD, (/** @type {any} */ kept) => (kept === null ? "nothing" : String(kept))), "nothing", "what a reader stumbles over");
});

test("a full storage, and one that may not even be looked at, keep nothing and stop nobody", () => {
  withStorage({ value: { ...emptyStorage(), setItem: () => { throw new Error("QuotaExceededError"); } } });
  assert.equal(keep("seen", 1), false);
  withStorage({ get: () => { throw new Error("SecurityError"); } });
  assert.throws(() => globalThis.localStorage, "the premise");
  assert.equal(keep("seen", 1), false);
  assert.equal(recall("seen"), null);
});
