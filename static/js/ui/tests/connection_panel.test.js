/** The panel for looking inside, over a real link and a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { livePage } from "../../realtime/tests/page.js";
import { showConnectionPanel } from "../connection_panel.js";
import { fire, h, putPage } from "./fake_page.js";

const plain = (text) => text.replaceAll("\u00a0", " ");

function panelOnPage(t) {
  const badge = h("details.badge", h("summary", h("span.badge-text"), h("span.badge-age")),
    h("li[data-stream=\"news\"]", h("p.stream-ending"), h("p.stream-life"), h("p.stream-place"), h("p.stream-causes")),
    h("dd.page-clock"), h("dd.page-now"), h("dd.page-windows"), h("dd.page-client"), h("button.copy-report"), h("pre.connection-report[hidden]"));
  const document = putPage(t, badge, h("input.elsewhere"));
  const page = livePage();
  showConnectionPanel(badge, page.link);
  const pass = (ms) => {
    page.pass(ms);
    t.mock.timers.tick(ms);
  };
  const open = (on) => {
    badge.open = on;
    fire(badge, "toggle");
  };
  const find = (place) => document.querySelector(place);
  return { badge, page, pass, open, find, text: (place) => plain(find(place).textContent) };
}

test("it is written while it is open, once a second, and not before or after", (t) => {
  const { page, pass, open, text } = panelOnPage(t);
  page.socket().receive("ping");
  pass(3_000);
  assert.equal(text(".stream-life"), "");
  open(true);
  assert.match(text(".stream-life"), /^last frame 3 s ago · round trip unknown/);
  assert.match(text(".stream-place"), /^at \w+ \d+ · tried once$/);
  assert.equal(text(".page-client"), page.link.client);
  pass(1_000);
  assert.match(text(".stream-life"), /^last frame 4 s ago/);
  open(false);
  pass(5_000);
  assert.match(text(".stream-life"), /^last frame 4 s ago/);
});

test("a loss is in it at once, with its cause", (t) => {
  const { page, open, text } = panelOnPage(t);
  open(true);
  assert.equal(text(".stream-causes"), "");
  page.socket().close(1006);
  assert.equal(text(".stream-causes"), "interrupted: cut off on the way (1006), 0 s ago");
});

test("why a stream has ended stands on its line, also while others of the page go on", (t) => {
  const { page, open, text } = panelOnPage(t);
  page.open("list");
  page.pass(0);
  page.socket("list").accept({ cursor: page.inside("list").cursor });
  open(true);
  assert.equal(text(".stream-ending"), "");
  page.socket("news").receive({ type: "end", code: "finished", message: "This record is final." });
  assert.equal(page.link.summary().state, "live", "the premise: nothing is said of the page");
  assert.equal(text(".stream-ending"), "This record is final.");
});

test("Escape closes it and gives the keyboard back to the badge; another key does not", (t) => {
  const { badge, open, find } = panelOnPage(t);
  open(true);
  fire(find(".copy-report"), "keydown", { key: "a" });
  assert.equal(badge.open, true);
  fire(find(".copy-report"), "keydown", { key: "Escape" });
  assert.deepEqual([badge.open, globalThis.document.activeElement], [false, find("summary")]);
});

test("Escape closes it too for whoever has touched its plain text and has the focus nowhere, not from elsewhere on the page", (t) => {
  const { badge, open, find } = panelOnPage(t);
  open(true);
  fire(find(".elsewhere"), "keydown", { key: "Escape" });
  assert.equal(badge.open, true);
  fire(document.body, "keydown", { key: "Escape" });
  assert.deepEqual([badge.open, globalThis.document.activeElement], [false, find("summary")]);
});

test("the age stands beside the badge while somebody points at it, and ticks", (t) => {
  const { page, pass, find, text } = panelOnPage(t);
  page.socket().receive("ping");
  fire(find("summary"), "mouseenter");
  assert.equal(text(".badge-age"), "last frame 0 s ago");
  pass(2_000);
  assert.equal(text(".badge-age"), "last frame 2 s ago");
  fire(find("summary"), "mouseleave");
  pass(2_000);
  assert.equal(text(".badge-age"), "last frame 2 s ago");
});

test("the mouse that passes over a badge with the focus does not stop its age, nor the other way round", (t) => {
  const { pass, page, find, text } = panelOnPage(t);
  page.socket().receive("ping");
  const badge = find("summary");
  fire(badge, "focus");
  fire(badge, "mouseenter");
  fire(badge, "mouseleave");
  pass(2_000);
  assert.equal(text(".badge-age"), "last frame 2 s ago");
  fire(badge, "mouseenter");
  fire(badge, "blur");
  pass(1_000);
  assert.equal(text(".badge-age"), "last frame 3 s ago");
  fire(badge, "mouseleave");
  pass(2_000);
  assert.equal(text(".badge-age"), "last frame 3 s ago", "nobody is there");
});

test("what is copied is on the screen, and what cannot be copied is selected there", async (t) => {
  const { page, find } = panelOnPage(t);
  const selected = [];
  const getSelection = () => ({ selectAllChildren: (element) => selected.push(element) });
  const browser = { location: { pathname: "/p/" }, navigator: { userAgent: "a browser" }, getSelection };
  for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
  globalThis.document.execCommand = () => false;
  t.after(() => Object.keys(browser).forEach((name) => delete globalThis[name]));
  fire(find(".copy-report"), "click");
  await new Promise((done) => setImmediate(done));
  const report = find(".connection-report");
  assert.deepEqual([report.hidden, selected, find(".copy-report").textContent], [false, [report], "Press Ctrl+C"]);
  assert.ok(report.textContent.includes(`client ${page.link.client}`));
});
