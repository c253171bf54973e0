/** A browser whose tabs are on pages with the box that asks the jury, over documents made of data. */

import assert from "node:assert/strict";

import { keepQuestion } from "../question_draft.js";
import { fire, h, putPage } from "./fake_page.js";
import { MemoryStorage } from "./fake_storage.js";

export const DAY_MS = 86_400_000;
const { toISOString } = Date.prototype;

/** A browser with tabs on pages of the contest, which hear of what the others have changed in what all share. */
export class Browser {
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
      for (const other of this.pages) if (other !== writer) this.write(other, () => other.hear(event));
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
  /** In the browser's cache. */ #missed = null;

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

  hear(event) { if (this.#missed?.push(event) === undefined) this.tell("storage", event); }
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

  /** Into the browser's cache. */
  sleep() {
    this.browser.act(this, () => this.tell("pagehide"));
    this.#missed = [];
  }

  /** Back out of it: what it has missed comes now. */
  wake() {
    const missed = this.#missed ?? [];
    this.#missed = null;
    this.browser.act(this, () => {
      missed.forEach((event) => this.hear(event));
      this.tell("pageshow", { persisted: true });
    });
    return missed.length;
  }

  type(words) {
    this.text.value = words;
    this.browser.act(this, () => fire(this.text, "input"));
  }
}

/** Each types a question in a tab of its own. */
export function tabsWith(browser, ...texts) {
  const pages = texts.map(() => browser.open());
  pages.forEach((page, at) => page.type(texts[at]));
  return pages;
}
