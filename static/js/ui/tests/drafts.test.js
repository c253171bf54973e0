/** The drafts of a solution: a language is chosen, a file is, and several tabs write; nothing typed is lost. */

import assert from "node:assert/strict";
import test from "node:test";

import { keepDrafts } from "../drafts.js";
import { guideSubmission } from "../submit_form.js";
import { fire, h, putPage } from "./fake_page.js";
import { MemoryStorage } from "./fake_storage.js";

const KEY = "fathom/draft/1/demo/A";
const FULL = () => { throw new Error("QuotaExceededError"); };
const NOT_KEPT = "This browser keeps no drafts: copy your text before you leave.";
const AND_KEPT = /^Draft of .*\d\d:\d\d:\d\d; what stood here is kept under its language$/;

function withStorage(t) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", { value: new MemoryStorage(), configurable: true, writable: true });
  t.after(() => (before === undefined ? delete globalThis.localStorage : Object.defineProperty(globalThis, "localStorage", before)));
}

/** The problem's page opens in a tab; `text` and `language` are what the server has put into its form. */
function openTab(t, text = "", language = "") {
  const option = (value, extensions) => ({ value, dataset: { extensions } });
  const options = [option("", ""), option("cpp", ".cpp .cc"), option("python", ".py"), option("java", ".java")];
  const select = Object.assign(h("select[name=language]"), { options, value: language });
  const file = Object.assign(h("input[type=file]"), { files: [] });
  const [said, button, fileSaid] = [h("span.draft-said"), h("button.draft-other[hidden]"), h("span#file-said")];
  const form = h('form[data-draft-key="1/demo/A"]', select, said, button, file, fileSaid);
  t.mock.timers.reset();
  putPage(t, form);
  const heard = [];
  globalThis.addEventListener = (name, listener) => name === "storage" && heard.push(listener);
  let [shown, mode, changed] = [text, "", () => undefined];
  /** As the bundled editor does, it tells also of what it is told. */
  const put = (next) => { shown = next; changed(); };
  keepDrafts(form, { text: () => shown, setText: put, setLanguage: (id) => { mode = id; }, onChange: (listener) => { changed = listener; } });
  guideSubmission(form);
  const rest = () => t.mock.timers.tick(400);
  return {
    text: () => shown, said: () => said.textContent, fileSaid: () => fileSaid.textContent, language: () => select.value, mode: () => mode,
    offered: () => (button.hidden ? null : button.textContent), title: () => button.title, submit: () => fire(form, "submit"),
    hear: () => heard.forEach((each) => each({ key: KEY })),
    beginToType: put,
    type(words) {
      put(words);
      rest();
    },
    choose(id) {
      select.value = id;
      fire(select, "change");
      rest();
    },
    bringBack() {
      fire(button, "click");
      rest();
    },
    chooseFile(name) {
      file.files = name === "" ? [] : [{ name }];
      fire(file, "change");
      rest();
    },
  };
}

/** A tab in which nobody has typed yet. */
function openIn(t, language) {
  const page = openTab(t);
  page.choose(language);
  return page;
}

test("each language keeps its text, however often another is chosen, and what was replaced is a click away", (t) => {
  withStorage(t);
  const page = openIn(t, "python");
  page.choose("cpp");
  page.type("A");
  page.choose("python");
  assert.equal(page.text(), "A", "nothing is taken off the screen where the language has no text");
  page.type("P1");
  page.choose("cpp");
  assert.deepEqual([page.text(), page.mode(), page.offered()], ["A", "cpp", "Bring back the other text"]);
  assert.match(page.said(), AND_KEPT);
  page.choose("python");
  assert.equal(page.text(), "P1");
  page.type("P2");
  page.choose("cpp");
  assert.equal(page.text(), "A");
  page.choose("java");
  assert.deepEqual([page.text(), page.offered()], ["A", null], "what is kept under Python is no text of Java");
  page.choose("cpp");
  const next = openTab(t);
  assert.deepEqual([next.language(), next.text()], ["cpp", "A"]);
  next.choose("python");
  assert.equal(next.text(), "P2");
});

test("what was pasted before its language was chosen comes back by the button, and both are kept", (t) => {
  withStorage(t);
  const page = openIn(t, "cpp");
  page.type("old");
  page.choose("python");
  page.type("pasted, and it is C++");
  page.choose("cpp");
  page.type("old, typed on");
  assert.equal(page.offered(), "Bring back the other text", "it stays while one types on");
  page.bringBack();
  assert.equal(page.text(), "pasted, and it is C++");
  assert.match(page.said(), /^The text of /);
  const next = openTab(t);
  assert.equal(next.text(), "pasted, and it is C++");
  next.bringBack();
  assert.equal(next.text(), "old, typed on");
});

test("what was written before any language was chosen is kept beside the draft of the one that is", (t) => {
  withStorage(t);
  openIn(t, "python").type("draft");
  localStorage.removeItem("fathom/language");
  const page = openTab(t, "refused by the server");
  assert.deepEqual([page.language(), page.text()], ["", "refused by the server"]);
  page.choose("python");
  assert.equal(page.text(), "draft");
  assert.match(page.said(), /; what stood here is kept beside it$/);
  assert.equal(page.offered(), "Bring back the other text", "it is one text, kept in two ways");
  const next = openTab(t);
  assert.deepEqual([next.text(), next.offered()], ["draft", "Bring back the other text"]);
  next.bringBack();
  assert.equal(next.text(), "refused by the server");
});

test("a text that the server put into the form goes before its draft, and is kept under its language when another is chosen", (t) => {
  withStorage(t);
  const before = openIn(t, "cpp");
  before.type("draft in C++");
  before.choose("python");
  before.type("draft in Python");
  const page = openTab(t, "refused", "cpp");
  assert.deepEqual([page.text(), page.offered()], ["refused", "Bring back the other text"]);
  page.choose("python");
  assert.equal(page.text(), "draft in Python");
  page.choose("cpp");
  assert.equal(page.text(), "refused");
  page.choose("python");
  page.choose("cpp");
  const seen = [page.text()];
  for (let at = 0; at < 2; at += 1) {
    page.bringBack();
    seen.push(page.text());
  }
  assert.deepEqual(seen, ["refused", "draft in Python", "draft in C++"]);
});

test("where what is on the screen cannot be kept, choosing a language takes nothing off it", (t) => {
  withStorage(t);
  const page = openIn(t, "cpp");
  page.type("in C++");
  page.choose("python");
  page.type("in Python");
  localStorage.setItem = FULL;
  page.type("in Python, and more");
  page.choose("cpp");
  assert.deepEqual([page.text(), page.said(), page.mode()], ["in Python, and more", NOT_KEPT, "cpp"]);
  delete localStorage.setItem;
  page.type("room again");
  assert.equal(page.offered(), "Bring back the other text");
  page.bringBack();
  assert.equal(page.text(), "in C++", "the draft that was not shown is not overwritten unseen");
});

test("what was written before a language was chosen stays kept where there was room for that alone", (t) => {
  withStorage(t);
  t.mock.method(Date.prototype, "toISOString", () => "2026-01-01T00:00:00.000Z"); // all of it within one moment
  openIn(t, "python").type("draft");
  localStorage.removeItem("fathom/language");
  const page = openTab(t, "pasted");
  let room = 1;
  localStorage.setItem = (key, value) => (key === KEY && room-- < 1 ? FULL() : Object.assign(localStorage, { [key]: value }));
  page.choose("python");
  assert.deepEqual([page.text(), page.said()], ["draft", NOT_KEPT]);
  delete localStorage.setItem;
  page.type("draft, typed on");
  const next = openTab(t);
  next.bringBack();
  assert.equal(next.text(), "pasted");
});

test("where there is no room for what is on the screen, no other text takes its place", (t) => {
  withStorage(t);
  const [one, two] = [openIn(t, "cpp"), openIn(t, "cpp")];
  one.type("by one");
  two.type("by two");
  localStorage.setItem = FULL;
  two.type("by two, and more");
  two.bringBack();
  assert.deepEqual([two.text(), two.said()], ["by two, and more", NOT_KEPT]);
});

test("of three tabs that were closed nothing is lost: the button says how many there are, and shows them in turn", (t) => {
  withStorage(t);
  const tabs = ["A", "B", "C"].map((words) => [openIn(t, "cpp"), words]);
  for (const [tab, words] of tabs) {
    tab.type(words);
    assert.equal(tab.said(), "Draft kept in this browser");
  }
  const next = openTab(t);
  assert.deepEqual([next.text(), next.offered()], ["C", "Bring back the other text (2)"]);
  assert.match(next.title(), /^It is of .*; press again for the next$/);
  for (const words of ["B", "A", "C"]) {
    next.bringBack();
    assert.equal(next.text(), words);
  }
});

test("an empty tab that chooses another language leaves the draft that a tab beside it has written", (t) => {
  withStorage(t);
  const [one, two] = [openIn(t, "cpp"), openIn(t, "cpp")];
  two.type("by two");
  one.choose("python");
  one.choose("cpp");
  assert.deepEqual([one.text(), one.offered()], ["by two", null]);
  assert.match(one.said(), /^Draft of [^;]*$/, "nothing stood there");
});

test("what another tab writes in another language is no other text for this one", (t) => {
  withStorage(t);
  const [one, two] = [openIn(t, "cpp"), openIn(t, "python")];
  one.type("in C++");
  two.type("in Python");
  one.beginToType("in C++, on");
  one.hear();
  assert.deepEqual([one.said(), one.offered()], ["Draft kept in this browser", null]);
});

test("a file that is chosen chooses its language as a hand does, and what is sent is said beside it", (t) => {
  withStorage(t);
  const page = openIn(t, "cpp");
  page.type("in C++");
  page.choose("python");
  page.type("in Python");
  page.chooseFile("main.cpp");
  assert.deepEqual([page.language(), page.mode(), page.text(), page.fileSaid()], ["cpp", "cpp", "in C++", "main.cpp will be submitted, not the text"]);
  assert.match(page.said(), AND_KEPT);
  page.type("in C++, on");
  page.chooseFile("");
  assert.equal(page.fileSaid(), "");
  page.choose("python");
  assert.equal(page.text(), "in Python");
  page.choose("cpp");
  assert.equal(page.text(), "in C++, on");
});
