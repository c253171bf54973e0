import assert from "node:assert/strict";
import test from "node:test";

import { draftOf, exchange, readBook, takeUp, textsBeside, write } from "../draft_book.js";

const minute = (at) => `2026-01-01T00:${String(at).padStart(2, "0")}:00Z`;
const text = (source, stamp) => ({ source, savedAt: minute(stamp.replace(/\D/g, "")), stamp });
const sources = (texts) => texts.map(({ source }) => source);
/** The draft, and the others after it. */
const shown = (book, language = "cpp") => {
  const draft = draftOf(book, language);
  return draft === null ? [] : sources([draft, ...draft.others]);
};

test("each language has its own text, and the one chosen last is chosen again", () => {
  let book = write(readBook(null), "cpp", text("int", "1"), "");
  book = write(book, "python", text("def", "2"), "");
  assert.deepEqual([shown(book, "cpp"), shown(book, "python"), book.language], [["int"], ["def"], "python"]);
});

test("what was written before a language was chosen goes over to it", () => {
  const book = write(write(readBook(null), "", text("def", "1"), ""), "python", text("def", "2"), "");
  assert.deepEqual([shown(book, "python"), shown(book, "")], [["def"], []]);
});

test("what was written before a language was chosen is among the others of one that has its own draft", () => {
  let book = write(readBook(null), "python", text("def", "1"), "");
  book = write(book, "", text("pasted", "2"), "");
  assert.deepEqual(sources(textsBeside(book, "python", "def", "1")), ["pasted"], "also before anything is written");
  book = takeUp(book, "python", draftOf(book, "python"));
  assert.deepEqual([shown(book, "python"), shown(book, ""), book.language], [["def", "pasted"], [], "python"]);
  assert.equal(draftOf(book, "python").savedAt, minute(1), "it is as old as it was");
});

test("typing on overwrites one's own text, and no other is made up", () => {
  let book = write(readBook(null), "cpp", text("a", "1"), "");
  book = write(book, "cpp", text("ab", "2"), "1");
  assert.deepEqual(shown(book), ["ab"]);
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

test("of three tabs that have each written a line none is lost, and bringing back shows all of them in turn", () => {
  let book = write(readBook(null), "cpp", text("A", "a1"), "");
  book = write(book, "cpp", text("B", "b2"), "");
  book = write(book, "cpp", text("C", "c3"), "");
  assert.deepEqual(shown(book), ["C", "B", "A"]);
  for (const expected of [["B", "A", "C"], ["A", "C", "B"], ["C", "B", "A"]]) {
    const draft = draftOf(book, "cpp");
    book = exchange(book, "cpp", text(draft.source, "c4"), draft.others[0], draft.stamp);
    assert.deepEqual(shown(book), expected);
  }
});

test("two tabs that type by turns leave one text each, not every step of it", () => {
  let book = write(readBook(null), "cpp", text("third", "c1"), "");
  for (let at = 2; at < 20; at += 2) {
    book = write(book, "cpp", text(`a${at}`, `a${at}`), at === 2 ? "" : `a${at - 2}`);
    book = write(book, "cpp", text(`b${at}`, `b${at + 1}`), at === 2 ? "" : `b${at - 1}`);
  }
  assert.deepEqual(shown(book), ["b18", "a18", "third"]);
});

test("what was brought back and typed on takes away nothing that was left for it", () => {
  let book = write(write(readBook(null), "cpp", text("old", "1"), ""), "cpp", text("new", "2"), "");
  book = exchange(book, "cpp", text("new", "3"), draftOf(book, "cpp").others[0], "2");
  assert.deepEqual(shown(write(book, "cpp", text("old, typed on", "4"), "3")), ["old, typed on", "new"]);
});

test("of too many others the oldest goes, wherever it stands", () => {
  let book = readBook(null);
  for (let at = 1; at <= 6; at += 1) book = write(book, "cpp", text(`t${at}`, `${at}`), "");
  assert.deepEqual(shown(book), ["t6", "t5", "t4", "t3", "t2", "t1"], "five are kept beside it");
  book = exchange(book, "cpp", text("t6", "7"), draftOf(book, "cpp").others[0], "6");
  assert.deepEqual(shown(book), ["t5", "t4", "t3", "t2", "t1", "t6"]);
  assert.deepEqual(shown(write(book, "cpp", text("t8", "8"), "")), ["t8", "t5", "t4", "t3", "t2", "t6"]);
});

test("the one other text that pages have kept before is still there, and is none of this page's", () => {
  const old = { source: "new", savedAt: minute(2), stamp: "2", other: { source: "old", savedAt: minute(1) } };
  const book = readBook({ language: "cpp", texts: { cpp: old } });
  assert.deepEqual(shown(book), ["new", "old"]);
  assert.deepEqual(shown(write(book, "cpp", text("new, typed on", "3"), "2")), ["new, typed on", "old"]);
  assert.deepEqual(shown(write(book, "cpp", text("the server's", "3"), "")), ["the server's", "new", "old"]);
});

test("bringing the other text back loses neither", () => {
  let book = write(write(readBook(null), "cpp", text("old", "1"), ""), "cpp", text("new", "2"), "");
  book = exchange(book, "cpp", text("new, typed on", "3"), draftOf(book, "cpp").others[0], "2");
  assert.deepEqual(shown(book), ["old", "new, typed on"]);
  book = exchange(book, "cpp", text("", "4"), draftOf(book, "cpp").others[0], "3");
  assert.deepEqual(shown(book), ["new, typed on"], "nothing is kept of an empty text");
});

test("an empty text that another tab has left is nothing to bring back", () => {
  const book = write(write(readBook(null), "cpp", text(" \n", "1"), ""), "cpp", text("x", "2"), "");
  assert.deepEqual(shown(book), ["x"]);
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
  assert.deepEqual([draftOf(book, "python")?.stamp, shown(book, "python"), shown(book, "go")], ["", ["int"], ["int", "int"]]);
});
