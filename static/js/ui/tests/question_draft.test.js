/** What was typed to the jury is offered on the next page, until the jury has it; no tab's draft is lost over another's. */

import assert from "node:assert/strict";
import test from "node:test";

import { MemoryStorage } from "./fake_storage.js";
import { Browser, DAY_MS, tabsWith } from "./question_tabs.js";

const full = () => Object.defineProperty(new MemoryStorage(), "setItem", { value: () => { throw new Error("QuotaExceededError"); } });

test("what is typed is offered on the next page, in another tab too, and marked", (t) => {
  const browser = new Browser(t);
  const page = browser.open();
  page.type("Is N at most 5?");
  page.leave();
  const next = browser.open({ tab: page.tab });
  assert.deepEqual([next.text.value, next.isMarked(), next.isOffered()], ["Is N at most 5?", true, false]);
  assert.equal(browser.crash().open().text.value, "Is N at most 5?", "of a tab that has crashed");
});

test("what is in the form when the page is left is kept, also if nothing was typed since", (t) => {
  const browser = new Browser(t);
  const page = browser.open();
  page.text.value = "Given back by a command that could not be sent";
  page.leave();
  assert.equal(browser.open({ tab: page.tab }).text.value, "Given back by a command that could not be sent");
});

test("where the browser keeps nothing it is said beside the question, and where either storage keeps it nothing is said", (t) => {
  const page = new Browser(t, full()).open({ tab: full() });
  assert.equal(page.said(), "");
  page.type("Is N at most 5?");
  assert.equal(page.said(), "This browser keeps no drafts: copy your text before you leave.");
  page.type("");
  assert.equal(page.said(), "", "there is nothing to lose");
  const half = new Browser(t, full()).open();
  half.type("Is N at most 5?");
  assert.equal(half.said(), "");
});

test("once the jury has it, nobody is offered it again; what was typed meanwhile stays", (t) => {
  const browser = new Browser(t);
  const page = browser.open();
  page.type("First?");
  page.forget("First?");
  assert.deepEqual([page.text.value, browser.kept()], ["", []]);
  page.type("Second?");
  page.forget("First?");
  assert.equal(page.text.value, "Second?");
  page.leave();
  assert.equal(browser.open({ tab: page.tab, asked: ["Second?"] }).text.value, "", "it went the form's usual way");
  assert.deepEqual(browser.kept(), []);
});

test("a question that another tab has asked takes away its own draft only", (t) => {
  const browser = new Browser(t);
  const [first, second] = tabsWith(browser, "A long one", "Another one");
  assert.deepEqual(browser.kept(), ["A long one", "Another one"], "the premise");
  second.forget("Another one");
  assert.deepEqual([first.text.value, browser.kept()], ["A long one", ["A long one"]]);
  const third = browser.open();
  assert.equal(third.text.value, "A long one", "the newest is offered in another tab");
  third.forget("A long one");
  assert.deepEqual([first.text.value, browser.kept()], ["A long one", ["A long one"]], "of whoever still has it on the screen");
  first.leave();
  assert.equal(browser.open({ tab: first.tab, asked: ["A long one"] }).text.value, "");
});

test("a tab that is offered another's draft and writes on takes nothing of it away", (t) => {
  const browser = new Browser(t);
  const first = browser.open();
  first.type("Is N at most 5?");
  const second = browser.open();
  assert.equal(second.text.value, "Is N at most 5?", "the premise");
  second.type("Something else");
  assert.deepEqual(browser.kept(), ["Is N at most 5?", "Something else"]);
  first.type("Is N at most 6?");
  assert.deepEqual(browser.kept(), ["Is N at most 6?", "Something else"], "each writes its own from there on");
  assert.deepEqual([first.isOffered(), second.isOffered()], [false, false], "both are on a screen");
});

test("a draft that was put back is as old as it was", (t) => {
  const browser = new Browser(t);
  browser.open().type("Older");
  browser.open().type("Newer");
  assert.deepEqual(browser.kept(), ["Newer", "Older"], "the premise: it was displaced, and put back");
  assert.equal(browser.crash().open().text.value, "Newer");
});

test("a tab that was duplicated has a draft of its own", (t) => {
  const browser = new Browser(t);
  const first = browser.open();
  first.type("Start");
  const second = browser.open({ tab: Object.assign(new MemoryStorage(), first.tab) });
  second.type("Start, one way");
  first.type("Start, another way");
  assert.deepEqual(browser.kept(), ["Start, another way", "Start, one way"]);
});

test("of tabs that have crashed the newest draft is in the box, and the others come back by the button, round and round", (t) => {
  const browser = new Browser(t);
  tabsWith(browser, "One?", "Two?", "Three?");
  const page = browser.crash().open();
  assert.deepEqual([page.text.value, page.isOffered()], ["Three?", true]);
  const seen = [1, 2, 3].map(() => {
    page.bringBack();
    return page.text.value;
  });
  assert.deepEqual(seen, ["Two?", "One?", "Three?"]);
  page.type("Three, written on?");
  page.bringBack();
  assert.deepEqual([page.text.value, browser.kept()], ["Two?", ["One?", "Three, written on?", "Two?"]], "nothing is lost by it");
  page.forget("Two?");
  assert.deepEqual([page.text.value, page.isOffered(), browser.kept()], ["", true, ["One?", "Three, written on?"]]);
});

test("a question that was typed in two tabs is asked once, and neither tab's is offered after that", (t) => {
  const browser = new Browser(t);
  tabsWith(browser, "Is N at most 5?", "Is N at most 5?");
  const page = browser.crash().open();
  assert.deepEqual(browser.kept(), ["Is N at most 5?", "Is N at most 5?"], "the premise");
  page.forget("Is N at most 5?");
  assert.deepEqual([page.isOffered(), browser.kept()], [false, []]);
});

test("what is on the screen of another tab is not offered as unsent, until that tab is gone", (t) => {
  const browser = new Browser(t);
  const [first, second] = tabsWith(browser, "One?", "Two?");
  first.leave();
  const next = browser.open({ tab: first.tab });
  assert.deepEqual([next.text.value, next.isOffered(), second.isOffered()], ["One?", false, false]);
  browser.pages.delete(second);
  next.leave();
  const last = browser.open({ tab: first.tab });
  assert.deepEqual([last.text.value, last.isOffered()], ["One?", true]);
  last.bringBack();
  assert.equal(last.text.value, "Two?");
});

test("a page that loads while another one asks who is there is known a moment later", (t) => {
  const browser = new Browser(t);
  const [first, second] = tabsWith(browser, "One?", "Two?");
  [first, second].forEach((page) => page.leave());
  const one = browser.open({ tab: first.tab });
  assert.equal(one.isOffered(), true, "the premise: nobody answers for the other tab");
  browser.open({ tab: second.tab });
  assert.equal(one.isOffered(), false);
});

test("what the server put into the form goes before a draft, and the draft stays a click away", (t) => {
  const browser = new Browser(t);
  browser.open().type("The draft");
  const page = browser.crash().open({ given: "Refused" });
  assert.deepEqual([page.text.value, page.isOffered()], ["Refused", true]);
  page.bringBack();
  assert.deepEqual([page.text.value, browser.kept()], ["The draft", ["Refused", "The draft"]]);
});

test("a question that went the form's usual way takes away its own draft only", (t) => {
  const browser = new Browser(t);
  const [first] = tabsWith(browser, "Asked", "Of another tab");
  const next = browser.crash().open({ tab: first.tab, asked: ["Asked"] });
  assert.deepEqual([next.text.value, next.tab.getItem("fathom/question/demo")], ["", null]);
  assert.deepEqual([browser.kept(), next.isOffered()], [["Of another tab"], true]);
});

test("a draft that was found and is cleared goes", (t) => {
  const browser = new Browser(t);
  browser.open().type("Left behind");
  const page = browser.crash().open();
  assert.equal(page.text.value, "Left behind", "the premise");
  page.type("");
  assert.deepEqual(browser.kept(), []);
});

test("where there is no room for what is in the box it stays there", (t) => {
  const browser = new Browser(t);
  tabsWith(browser, "One?", "Two?");
  const page = browser.crash().open();
  t.mock.method(MemoryStorage.prototype, "setItem", () => { throw new Error("QuotaExceededError"); });
  page.text.value = "Two, and more?";
  page.bringBack();
  assert.deepEqual([page.text.value, page.said()], ["Two, and more?", "This browser keeps no drafts: copy your text before you leave."]);
});

test("drafts of tabs that are gone are kept for a month, and the eight newest of them", (t) => {
  const browser = new Browser(t);
  const leave = (...days) => {
    const pages = days.map(() => browser.open());
    for (const [at, page] of pages.entries()) {
      browser.nowMs = Date.now() - days[at] * DAY_MS;
      page.type(`day ${days[at]}`);
    }
    browser.crash().open();
    return browser.crash().kept();
  };
  assert.deepEqual(leave(29, 31), ["day 29"]);
  assert.deepEqual(leave(9, 8, 7, 6, 5, 4, 3, 2, 1), [1, 2, 3, 4, 5, 6, 7, 8].map((day) => `day ${day}`));
});

test("back on a page that the browser kept, the box has what the tab's last page has left of it", (t) => {
  const browser = new Browser(t);
  const page = browser.open();
  page.type("Is N at most 5?");
  page.sleep();
  const next = browser.open({ tab: page.tab });
  assert.equal(next.text.value, "Is N at most 5?", "the premise");
  next.forget("Is N at most 5?");
  assert.ok(page.wake() > 0, "the premise: it hears that its slot is empty before it is shown");
  assert.deepEqual([page.text.value, page.isMarked(), browser.kept()], ["", false, []], "it was sent there");
  page.sleep();
  browser.open({ tab: page.tab }).type("And M?");
  page.wake();
  assert.deepEqual([page.text.value, page.isMarked()], ["And M?", true], "it was typed there");
});

test("back on a page whose browser keeps nothing, the box has what it had", (t) => {
  const page = new Browser(t, full()).open({ tab: full() });
  page.type("Is N at most 5?");
  page.sleep();
  page.wake();
  assert.equal(page.text.value, "Is N at most 5?");
});
