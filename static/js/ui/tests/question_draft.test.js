/** What was typed to the jury is offered on the next page, until the jury has it; no tab's draft is lost over another's. */

import assert from "node:assert/strict";
import test from "node:test";

import { keepQuestion } from "../question_draft.js";
import { fire, h, putPage } from "./fake_page.js";
import { MemoryStorage } from "./fake_storage.js";

const DAY_MS = 86_400_000;
const { toISOString } = Date.prototype;
const full = () => Object.defineProperty(new MemoryStorage(), "setItem", { value: () => { throw new Error("QuotaExceededError"); } });

/** A browser with tabs on pages of the contest, which hear of what the others have changed in what all share. */
class Browser {
  /** @type {Set<Page>} */ pages = new Set();
  /** What was changed, by which page, that the others have not heard of yet. */
  #news = [];
  #acting = null;
  nowMs = Date.now() - DAY_MS;

  constructor(t, shared = new MemoryStorage()) {
    this.t = t;
    const note = (key, newValue) => this.#news.push({ page: this.#acting, key, newValue });
    this.shared = new Proxy(shared, {
      set: (target, key, value) => (target[key] !== value && note(key, value), Reflect.set(target, key, value)),
      deleteProperty: (target, key) => (key in target && note(key, null), Reflect.deleteProperty(target, key)),
    });
    t.mock.method(Date.prototype, "toISOString", () => toISOString.call(new Date(this.nowMs += 1_000)));
    for (const name of ["localStorage", "sessionStorage"]) t.after(() => Reflect.deleteProperty(globalThis, name));
  }

  /** A page opens, in a tab of its own or in the one given. */
  open({ tab = new MemoryStorage(), asked = [], given = "" } = {}) {
    const page = new Page(this, tab, given);
    this.pages.add(page);
    this.act(page, () => page.start(asked));
    return page;
  }

  /** The page does something, and then all others hear of it. */
  act(page, what) {
    this.write(page, what);
    let heard = 0;
    for (let news = this.#news.shift(); news !== undefined; news = this.#news.shift()) {
      assert.ok((heard += 1) < 100, "tabs answer each other for ever");
      const { page: writer, ...event } = news;
      for (const other of this.pages) if (other !== writer) this.write(other, () => other.tell("storage", event));
    }
  }

  write(page, what) {
    this.#acting = page;
    for (const [name, value] of [["localStorage", this.shared], ["sessionStorage", page.tab]]) Object.defineProperty(globalThis, name, { value, configurable: true });
    what();
  }

  /** Killed, and opened anew with empty tabs. */
  crash() {
    this.pages.clear();
    return this;
  }

  kept() {
    return Object.values(this.shared).map((value) => JSON.parse(value).text).sort();
  }
}

class Page {
  #listeners = [];

  constructor(browser, tab, given) {
    this.browser = browser;
    this.tab = tab;
    this.text = Object.assign(h("textarea#ask-text[name=\"text\"]"), { value: given });
    this.button = h("button#ask-other[hidden]");
    this.form = h("form#ask-form[data-draft-key=\"demo\"]", this.text, h("p.ask-kept"), this.button);
    this.panel = h("details.ask", h("span.ask-draft[hidden]"), this.form);
  }

  start(asked) {
    this.browser.t.mock.timers.reset();
    putPage(this.browser.t, this.panel);
    globalThis.addEventListener = (name, listener) => this.#listeners.push([name, listener]);
    this.draft = keepQuestion(this.panel, this.form, new Set(asked));
  }

  tell(name, event) { this.#listeners.forEach(([each, listener]) => each === name && listener(event)); }
  said() { return this.panel.querySelector(".ask-kept").textContent; }
  isMarked() { return !this.panel.querySelector(".ask-draft").hidden; }
  isOffered() { return !this.button.hidden; }
  forget(sent) { this.browser.act(this, () => this.draft.forget(sent)); }
  bringBack() { this.browser.act(this, () => fire(this.button, "click")); }
  leave() {
    this.browser.act(this, () => this.tell("pagehide"));
    this.browser.pages.delete(this);
  }
  type(words) {
    this.text.value = words;
    this.browser.act(this, () => fire(this.text, "input"));
  }
}

/** Each types a question in a tab of its own. */
function tabsWith(browser, ...texts) {
  const pages = texts.map(() => browser.open());
  pages.forEach((page, at) => page.type(texts[at]));
  return pages;
}

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
