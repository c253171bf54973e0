/** A page of which something was lost while it loaded: it reloads when the site answers, ever more slowly, and never over typed text. */

import assert from "node:assert/strict";
import test from "node:test";

class Script {
  constructor(src) { this.src = src; }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const SITE = "https://contest.example";
const UNREADABLE = Object.defineProperty({}, "cssRules", { get() { throw new Error("SecurityError"); } });
let pages = 0;

class Words {
  hidden = false;
}

class Link extends EventTarget {
  copies = [];
  rel = "stylesheet";
  constructor(href, sheet) { Object.assign(super(), { href, sheet }); }
  cloneNode() { return new Link(this.href, null); }
  replaceWith(copy) { this.copies.push(copy); }
}

/** The page after its own script was lost; or something else of it. */
async function load(t, { lost = "script", sheet = { cssRules: [] }, kept = new Map(), fields = [], status = 200, canKeep = true, mayReload = true } = {}) {
  const window = new EventTarget();
  const said = { classes: [], classList: { add: (name) => said.classes.push(name) } };
  const link = new Link(`${SITE}/static/base.css`, sheet);
  const [late, promised] = [new Words(), Object.assign(new Words(), { hidden: true })];
  const page = { kept, fields, status, link, asked: [], reloads: 0, stops: 0, nowMs: 1_000_000, said: said.classes, window, late, promised };
  const words = { ".scripts-late": said, ".when-late": late, ".when-lost": promised, ".comes-back": mayReload ? new Words() : null };
  const links = [Object.assign(new Link(`${SITE}/static/icon.svg`, null), { rel: "icon" }), new Link("https://elsewhere.example/fonts.css", UNREADABLE), link];
  const storage = {
    getItem: (key) => kept.get(key) ?? null, removeItem: (key) => kept.delete(key),
    setItem: (key, value) => { if (!canKeep) throw new Error("full"); kept.set(key, value); },
  };
  const globals = {
    HTMLScriptElement: Script, HTMLElement: Words, sessionStorage: storage, window: { stop: () => { page.stops += 1; } },
    document: { querySelectorAll: (selector) => (selector === "link" ? links : page.fields), querySelector: (selector) => words[selector] ?? null },
    location: { href: `${SITE}/contests/demo/`, origin: SITE, reload: () => { page.reloads += 1; } }, addEventListener: window.addEventListener.bind(window),
    fetch: async (address, { method }) => {
      page.asked.push([method, address]);
      page.meanwhile?.();
      if (page.status === null) throw new TypeError("no network");
      return { status: page.status };
    },
  };
  Object.assign(globalThis, globals);
  t.mock.method(Math, "random", () => 0.5);
  t.mock.method(performance, "now", () => page.nowMs);
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await import(`../../pages/reload_lost.js?page=${pages += 1}`);
  if (lost === "script") say(window, "error", new Script(`${SITE}/static/bundles/contest.js`));
  say(window, "load", {});
  page.pass = async (ms) => {
    page.nowMs += ms;
    t.mock.timers.tick(ms);
    await turn();
  };
  return page;
}

function say(window, name, target) {
  window.dispatchEvent(Object.defineProperty(new Event(name), "target", { value: target }));
}

test("a page that lost its script says so and reloads once the site has answered", async (t) => {
  const page = await load(t);
  assert.deepEqual([page.said, page.late.hidden, page.promised.hidden], [["lost"], true, false]);
  await page.pass(999);
  assert.deepEqual([page.asked, page.reloads], [[], 0]);
  await page.pass(1);
  assert.deepEqual([page.asked, page.reloads], [[["HEAD", `${SITE}/contests/demo/`]], 1]);
  await page.pass(19_000);
  assert.equal(page.reloads, 1, "it is leaving");
});

test("a style sheet that was lost is asked for in its place until it is there, and nothing is reloaded", async (t) => {
  for (const sheet of [UNREADABLE, null]) {
    const page = await load(t, { lost: "style sheet", sheet });
    let { link } = page;
    for (const [seconds, outcome] of [[1, "error"], [2, "error"], [4, "load"], [8, null]]) {
      await page.pass(seconds * 1_000 - 1);
      assert.equal(link.copies.length, 0, `before ${seconds} s`);
      await page.pass(1);
      assert.equal(link.copies.length, outcome === null ? 0 : 1, `after ${seconds} s`);
      if (outcome === null) continue;
      assert.equal(link.copies[0].href, page.link.href);
      link = link.copies[0];
      link.dispatchEvent(new Event(outcome));
      await turn();
    }
    assert.deepEqual([page.said, page.asked, page.reloads], [[], [], 0]);
  }
});

test("a page that lost nothing does nothing, and ends the row of those that did", async (t) => {
  const page = await load(t, { lost: "nothing", kept: new Map([["fathom.lost-loads", "3"]]) });
  for (const target of [{}, new Script("extension://other/tracker.js"), new Script("")]) say(page.window, "error", target);
  await page.pass(600_000);
  assert.deepEqual([page.late.hidden, page.promised.hidden], [false, true], "it may only be slow");
  assert.deepEqual([page.said, page.asked, page.reloads, page.kept.size, page.link.copies.length], [[], [], 0, 0, 0], "also of a picture, an exception, or what is not the site's");
});

test("each load in a row waits twice as long, up to half a minute, whatever stands in the storage", async (t) => {
  const kept = new Map();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    const page = await load(t, { kept });
    await page.pass(seconds * 1_000 - 1);
    assert.equal(page.reloads, 0, `${seconds} s`);
    await page.pass(1);
    assert.equal(page.reloads, 1, `${seconds} s`);
  }
  for (const spoilt of ["", "many", "-9", "Infinity"]) {
    const page = await load(t, { kept: new Map([["fathom.lost-loads", spoilt]]) });
    await page.pass(900);
    assert.equal(page.reloads, 0);
    await page.pass(29_100);
    assert.equal(page.reloads, 1, spoilt);
  }
});

test("while the site does not answer the page stays, and is back at once with the network", async (t) => {
  for (const status of [null, 502]) {
    const page = await load(t, { status });
    for (const seconds of [1, 2, 4, 8, 16, 30]) await page.pass(seconds * 1_000);
    assert.deepEqual([page.asked.length, page.reloads], [6, 0]);
    page.status = 404; // a server with other files than the page's: a reload brings its page
    say(page.window, "online", {});
    await turn();
    assert.equal(page.reloads, 1);
  }
});

test("text that a person has typed is not thrown away, and neither is what came while the site was asked", async (t) => {
  const field = { value: "", defaultValue: "" };
  const page = await load(t, { fields: [field] });
  field.value = "int main";
  await page.pass(1_000);
  assert.deepEqual([page.asked, page.reloads], [[], 0]);
  field.value = "";
  page.meanwhile = () => { field.value = "int"; };
  await page.pass(2_000);
  assert.deepEqual([page.asked.length, page.reloads], [1, 0]);
  [field.value, page.meanwhile] = ["", undefined];
  await page.pass(4_000);
  assert.equal(page.reloads, 1, "taken back, it stands in nobody's way");
});

test("a browser that keeps nothing loads no page over and over", async (t) => {
  const page = await load(t, { canKeep: false });
  await page.pass(600_000);
  assert.deepEqual([page.asked.length, page.reloads, page.said], [1, 0, ["lost"]]);
});

test("whoever types while the next page is on its way keeps this one", async (t) => {
  const field = { value: "", defaultValue: "" };
  const page = await load(t, { fields: [field] });
  await page.pass(1_000);
  assert.deepEqual([page.reloads, page.stops], [1, 0]);
  field.value = "i";
  say(page.window, "input", field);
  await page.pass(600_000);
  assert.deepEqual([page.reloads, page.stops], [1, 1]);
});

test("a click or a form that is on its way to another page is not overtaken; after a download it goes on", async (t) => {
  const page = await load(t);
  say(page.window, "beforeunload", {});
  for (const seconds of [1, 2, 4, 8]) await page.pass(seconds * 1_000);
  assert.deepEqual([page.asked, page.reloads], [[], 0]);
  await page.pass(16_000);
  assert.equal(page.reloads, 1);
});

test("a reload of which nothing came is tried again", async (t) => {
  const page = await load(t);
  await page.pass(1_000);
  say(page.window, "beforeunload", {});
  await page.pass(20_000);
  say(page.window, "input", {});
  assert.equal(page.stops, 0, "nothing is on its way that typing should stop");
  await page.pass(2_000);
  assert.deepEqual([page.reloads, page.kept.get("fathom.lost-loads")], [2, "2"]);
});

test("the answer to a form, which a reload would take away, stays", async (t) => {
  const page = await load(t, { mayReload: false });
  await page.pass(600_000);
  assert.deepEqual([page.said, page.asked, page.reloads], [["lost"], [], 0]);
});
