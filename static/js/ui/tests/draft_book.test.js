import assert from "node:assert/strict";
import test from "node:test";

import { draftOf, exchange, readBook, write } from "../draft_book.js";

const text = (source, stamp) => ({ source, savedAt: `at ${stamp}`, stamp });
const shown = (book, language = "cpp") => {
  const draft = draftOf(book, language);
  return [draft?.source ?? null, draft?.other?.source ?? null];
};

test("each language has its own text, and the one chosen last is chosen again", () => {
  let book = write(readBook(null), "cpp", text("int", "1"), "");
  book = write(book, "python", text("def", "2"), "");
  assert.deepEqual([shown(book, "cpp"), shown(book, "python"), book.language], [["int", null], ["def", null], "python"]);
});

test("what was written before a language was chosen goes over to it", () => {
  const book = write(write(readBook(null), "", text("def", "1"), ""), "python", text("def", "2"), "");
  assert.deepEqual([shown(book, "python"), shown(book, "")], [["def", null], [null, null]]);
});

test("typing on overwrites one's own text, and no other is made up", () => {
  let book = write(readBook(null), "cpp", text("a", "1"), "");
  book = write(book, "cpp", text("ab", "2"), "1");
  assert.deepEqual(shown(book), ["ab", null]);
});

test("the newest of two tabs wins, and the text of the other is kept beside it", () => {
  let book = write(readBook(null), "cpp", text("start", "a1"), "");
  book = write(book, "cpp", text("by b", "b1"), "a1");
  book = write(book, "cpp", text("by a", "a2"), "a1");
  assert.deepEqual(shown(book), ["by a", "by b"]);
  book = write(book, "cpp", text("by a, on", "a3"), "a2");
  assert.deepEqual(shown(book), ["by a, on", "by b"], "it stays while one types on");
  book = write(book, "cpp", text("by b", "b2"), "b1");
  assert.deepEqual(shown(book), ["by b", "by a, on"], "the newest again, and no text twice");
});

test("bringing the other text back loses neither", () => {
  let book = write(write(readBook(null), "cpp", text("old", "1"), ""), "cpp", text("new", "2"), "");
  book = exchange(book, "cpp", text("new, typed on", "3"), draftOf(book, "cpp").other);
  assert.deepEqual(shown(book), ["old", "new, typed on"]);
  book = exchange(book, "cpp", text("", "4"), draftOf(book, "cpp").other);
  assert.deepEqual(shown(book), ["new, typed on", null], "nothing is kept of an empty text");
});

test("an empty text that another tab has left is nothing to bring back", () => {
  const book = write(write(readBook(null), "cpp", text(" \n", "1"), ""), "cpp", text("x", "2"), "");
  assert.deepEqual(shown(book), ["x", null]);
});

test("what lies in the storage and is no book is an empty one", () => {
  for (const kept of [null, 5, "x", []]) assert.deepEqual(readBook(kept), { language: "", texts: {} });
});

test("what another version or a hand has left in the storage breaks nothing, and what can be read of it is kept", () => {
  const good = { source: "int", savedAt: "2026-01-01T00:00:00Z", stamp: "1" };
  for (const kept of [null, 5, "x", [1, 2], { texts: null }, { texts: "abc", language: 7 }, { texts: { cpp: "x", "": null } }]) {
    const book = readBook(kept);
    assert.deepEqual([book.language, draftOf(book, "cpp"), draftOf(book, "")], ["", null, null]);
  }
  const spoilt = { cpp: { ...good, source: 5 }, java: { ...good, savedAt: "yesterday" }, python: { ...good, stamp: 1, other: { source: "x" } } };
  const book = readBook({ language: "go", texts: { ...spoilt, go: { ...good, other: good } } });
  assert.deepEqual(Object.keys(book.texts), ["python", "go"]);
  assert.deepEqual([draftOf(book, "python")?.stamp, shown(book, "python"), shown(book, "go")], ["", ["int", null], ["int", "int"]]);
});
