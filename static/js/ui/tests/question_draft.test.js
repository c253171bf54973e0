/** What was typed to the jury is offered on the next page, until the jury has it. */

import assert from "node:assert/strict";
import test from "node:test";

import { keepQuestion } from "../question_draft.js";
import { fire, h, putPage } from "./fake_page.js";

const emptyStorage = () => {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) };
};

/** A page of the contest in the same tab, or with `tab` in another one. */
function pageOf(t, storages, asked = []) {
  const form = h("form#ask-form[data-draft-key=\"demo\"]", h("textarea#ask-text[name=\"text\"]"), h("p.ask-kept"));
  const panel = h("details.ask", h("span.ask-draft[hidden]"), form);
  putPage(t, panel);
  const [leaving, others] = [[], []];
  globalThis.addEventListener = (name, listener) => (name === "pagehide" ? leaving : name === "storage" ? others : []).push(listener);
  for (const [name, value] of Object.entries(storages)) Object.defineProperty(globalThis, name, { value, configurable: true });
  const draft = keepQuestion(panel, form, new Set(asked));
  const text = form.querySelector("#ask-text");
  return {
    draft, text, said: () => panel.querySelector(".ask-kept").textContent, isMarked: () => !panel.querySelector(".ask-draft").hidden, leave: () => leaving.forEach((each) => each()),
    /** Another tab has changed what all share. */
    hear: (newValue, key = "fathom/question/demo") => others.forEach((each) => each({ key, newValue })),
    type(words) {
      text.value = words;
      fire(text, "input");
    },
  };
}

test("what is typed is offered on the next page, in another tab too, and marked", (t) => {
  const storages = { sessionStorage: emptyStorage(), localStorage: emptyStorage() };
  pageOf(t, storages).type("Is N at most 5?");
  t.mock.timers.reset();
  const next = pageOf(t, storages);
  assert.deepEqual([next.text.value, next.isMarked()], ["Is N at most 5?", true]);
  t.mock.timers.reset();
  assert.equal(pageOf(t, { ...storages, sessionStorage: emptyStorage() }).text.value, "Is N at most 5?", "of a tab that has crashed");
});

test("what is in the form when the page is left is kept, also if nothing was typed since", (t) => {
  const storages = { sessionStorage: emptyStorage(), localStorage: emptyStorage() };
  const page = pageOf(t, storages);
  page.text.value = "Given back by a command that could not be sent";
  page.leave();
  t.mock.timers.reset();
  assert.equal(pageOf(t, storages).text.value, "Given back by a command that could not be sent");
});

test("where the browser keeps nothing it is said beside the question, and where either storage keeps it nothing is said", (t) => {
  const full = () => ({ ...emptyStorage(), setItem: () => { throw new Error("QuotaExceededError"); } });
  const page = pageOf(t, { sessionStorage: full(), localStorage: full() });
  assert.equal(page.said(), "");
  page.type("Is N at most 5?");
  assert.equal(page.said(), "This browser keeps no drafts: copy your text before you leave.");
  page.type("");
  assert.equal(page.said(), "", "there is nothing to lose");
  t.mock.timers.reset();
  const half = pageOf(t, { sessionStorage: emptyStorage(), localStorage: full() });
  half.type("Is N at most 5?");
  assert.equal(half.said(), "");
});

test("once the jury has it, nobody is offered it again; what was typed meanwhile stays", (t) => {
  const storages = { sessionStorage: emptyStorage(), localStorage: emptyStorage() };
  const page = pageOf(t, storages);
  page.type("First?");
  page.draft.forget("First?");
  assert.equal(page.text.value, "");
  page.type("Second?");
  page.draft.forget("First?");
  assert.equal(page.text.value, "Second?");
  t.mock.timers.reset();
  assert.equal(pageOf(t, storages, ["Second?"]).text.value, "", "it went the form's usual way");
});

test("a question that another tab has asked takes away its own draft only, and this one puts its own back", (t) => {
  const shared = emptyStorage();
  const first = pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared });
  first.type("A long one");
  t.mock.timers.reset();
  const second = pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared });
  second.type("Another one");
  assert.equal(JSON.parse(shared.getItem("fathom/question/demo")).text, "Another one", "the premise");
  second.draft.forget("Another one");
  assert.equal(shared.getItem("fathom/question/demo"), null);
  first.hear(null, "fathom/other");
  first.hear("{}");
  assert.equal(shared.getItem("fathom/question/demo"), null, "nothing of it has gone");
  first.hear(null);
  second.hear(null);
  assert.equal(JSON.parse(shared.getItem("fathom/question/demo")).text, "A long one", "of whoever still has one");
  second.type("A third");
  first.type("A long one, still");
  second.draft.forget("A third");
  assert.equal(JSON.parse(shared.getItem("fathom/question/demo")).text, "A long one, still", "it was not the second one's");
  t.mock.timers.reset();
  assert.equal(pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared }).text.value, "A long one, still", "the first one has crashed");
});

test("a question that went the form's usual way takes away its own draft only", (t) => {
  const [shared, own] = [emptyStorage(), emptyStorage()];
  pageOf(t, { sessionStorage: own, localStorage: shared }).type("Asked");
  t.mock.timers.reset();
  pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared }).type("Of another tab");
  t.mock.timers.reset();
  const next = pageOf(t, { sessionStorage: own, localStorage: shared }, ["Asked"]);
  assert.deepEqual([next.text.value, own.getItem("fathom/question/demo")], ["", null]);
  assert.equal(JSON.parse(shared.getItem("fathom/question/demo")).text, "Of another tab");
});

test("a draft that was found and is cleared goes", (t) => {
  const shared = emptyStorage();
  pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared }).type("Left behind");
  t.mock.timers.reset();
  const page = pageOf(t, { sessionStorage: emptyStorage(), localStorage: shared });
  assert.equal(page.text.value, "Left behind", "the premise");
  page.type("");
  assert.equal(shared.getItem("fathom/question/demo"), null);
});
