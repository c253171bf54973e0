/** The input of a self-test in two tabs of one problem: neither takes the other's away. */

import assert from "node:assert/strict";
import test from "node:test";

import { keepInput } from "../input_draft.js";
import { fire, h, putPage } from "./fake_page.js";
import { MemoryStorage } from "./fake_storage.js";

const SAMPLE = "1 2\n";

function withStorage(t) {
  const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
  Object.defineProperty(globalThis, "localStorage", { value: new MemoryStorage(), configurable: true, writable: true });
  t.after(() => (before === undefined ? delete globalThis.localStorage : Object.defineProperty(globalThis, "localStorage", before)));
}

/** The problem's page opens in a tab; the sample is there first. */
function openTab(t, text = SAMPLE) {
  const input = Object.assign(h("textarea#selftest-input"), { defaultValue: SAMPLE, value: text });
  const panel = h("section#selftest", h("p", h("span.draft-said"), h("button.draft-other[hidden]")), input);
  t.mock.timers.reset();
  putPage(t, panel);
  const others = [];
  globalThis.addEventListener = (name, listener) => name === "storage" && others.push(listener);
  keepInput("1/demo/A");
  const button = panel.querySelector(".draft-other");
  return {
    text: () => input.value, said: () => panel.querySelector(".draft-said").textContent, isOffered: () => !button.hidden,
    bringBack: () => fire(button, "click"), hear: () => others.forEach((each) => each({ key: "fathom/input/1/demo/A" })),
    type(words) {
      input.value = words;
      fire(input, "input");
      t.mock.timers.tick(400);
    },
  };
}

test("what is typed is there on the next page, also if it is nothing, and the sample is none of it", (t) => {
  withStorage(t);
  const page = openTab(t);
  assert.deepEqual([page.text(), page.said(), page.isOffered()], [SAMPLE, "", false]);
  page.type("7 8");
  const next = openTab(t);
  assert.deepEqual([next.text(), next.said().slice(0, 8), next.isOffered()], ["7 8", "Draft of", false]);
  next.type("");
  assert.equal(openTab(t).text(), "");
  next.type(SAMPLE);
  const again = openTab(t);
  assert.deepEqual([again.text(), again.said()], [SAMPLE, ""]);
});

test("of two tabs the newest input wins, and the other one is a click away in both directions", (t) => {
  withStorage(t);
  const [one, two] = [openTab(t), openTab(t)];
  one.type("by one");
  two.hear();
  assert.deepEqual([two.text(), two.said(), two.isOffered()], [SAMPLE, "Another tab of yours has another input for this problem.", true]);
  two.type("by two");
  const next = openTab(t);
  assert.deepEqual([next.text(), next.isOffered()], ["by two", true]);
  next.bringBack();
  assert.deepEqual([next.text(), next.said().slice(0, 12)], ["by one", "The input of"]);
  next.bringBack();
  assert.equal(next.text(), "by two");
});

test("an input that the browser has put back into a reloaded page is no other than its draft", (t) => {
  withStorage(t);
  openTab(t).type("typed");
  const reloaded = openTab(t, "typed");
  reloaded.type("typed on");
  assert.deepEqual([reloaded.text(), reloaded.isOffered()], ["typed on", false]);
  assert.equal(openTab(t, "not saved in time").isOffered(), true, "another one is kept");
});

test("where the browser keeps nothing it is said beside the input", (t) => {
  withStorage(t);
  globalThis.localStorage.setItem = () => { throw new Error("QuotaExceededError"); };
  const page = openTab(t);
  page.type("7 8");
  assert.equal(page.said(), "This browser keeps no drafts: copy your text before you leave.");
});
