/** A page of which something was lost while it loaded: it reloads when the site answers, ever more slowly, and never over typed text. */

import assert from "node:assert/strict";
import test from "node:test";

class Script {
  constructor(src) { this.src = src; }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const SITE = "https://contest.example";
const UNREADABLE = Object.defineProperty({}, "cssRules", { get() { throw new Error("SecurityError"); } });
const LOST_SHEETS = { "style in Chromium": UNREADABLE, "style elsewhere": null };
let pages = 0;

/** The page after its own script was lost, or anything else of `page` was so. */
async function load(t, { lost = "script", kept = new Map(), fields = [], status = 200, canKeep = true } = {}) {
  const window = new EventTarget();
  const said = { classes: [], classList: { add: (name) => said.classes.push(name) } };
  const page = { kept, fields, status, asked: [], reloads: 0, said: said.classes, window };
  const links = [
    { rel: "icon", href: `${SITE}/static/icon.svg`, sheet: null },
    { rel: "stylesheet", href: "https://elsewhere.example/fonts.css", sheet: UNREADABLE },
    { rel: "stylesheet", href: `${SITE}/static/base.css`, sheet: lost in LOST_SHEETS ? LOST_SHEETS[lost] : { cssRules: [] } },
  ];
  const found = { link: links, ".scripts-late": [said] };
  const storage = {
    getItem: (key) => kept.get(key) ?? null, removeItem: (key) => kept.delete(key),
    setItem: (key, value) => { if (!canKeep) throw new Error("full"); kept.set(key, value); },
  };
  const globals = {
    HTMLScriptElement: Script, document: { querySelectorAll: (selector) => found[selector] ?? page.fields }, sessionStorage: storage,
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
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await import(`../../pages/reload_lost.js?page=${pages += 1}`);
  if (lost === "script") say(window, "error", new Script(`${SITE}/static/js/pages/contest.js`));
  say(window, "load", {});
  page.pass = async (ms) => {
    t.mock.timers.tick(ms);
    await turn();
  };
  return page;
}

function say(window, name, target) {
  window.dispatchEvent(Object.defineProperty(new Event(name), "target", { value: target }));
}

test("a page that lost its script or a style sheet says so and reloads once the site has answered", async (t) => {
  for (const lost of ["script", ...Object.keys(LOST_SHEETS)]) {
    const page = await load(t, { lost });
    assert.deepEqual(page.said, ["lost"]);
    await page.pass(999);
    assert.deepEqual([page.asked, page.reloads], [[], 0]);
    await page.pass(1);
    assert.deepEqual([page.asked, page.reloads], [[["HEAD", `${SITE}/contests/demo/`]], 1]);
    await page.pass(600_000);
    assert.equal(page.reloads, 1, "it is leaving");
  }
});

test("a page that lost nothing does nothing, and ends the row of those that did", async (t) => {
  const page = await load(t, { lost: "nothing", kept: new Map([["fathom.lost-loads", "3"]]) });
  for (const target of [{}, new Script("extension://other/tracker.js"), new Script("")]) say(page.window, "error", target);
  await page.pass(600_000);
  assert.deepEqual([page.said, page.asked, page.reloads, page.kept.size], [[], [], 0, 0], "also of a picture, an exception, or what is not the site's");
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
