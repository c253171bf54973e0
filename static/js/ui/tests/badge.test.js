/** The badge over a real link and a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { showBadge } from "../badge.js";
import { fire, h, putPage } from "./fake_page.js";

function badgeOnPage(t, owner = null) {
  const badge = h("details.badge[hidden]", h("summary", h("span.badge-text")), h("p.badge-reason"), h("li[data-stream=\"news\"]", h("span.stream-state")),
    h("button.try-now[hidden]"), h("button.reload-page[hidden]"), h("a.sign-in-again[hidden]"));
  const document = putPage(t, badge, h("p#connection-said"));
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const page = livePage();
  showBadge(page.link, owner);
  // The badge looks at a clock of its own; both go on together.
  const pass = (ms) => {
    for (let passed = 0; passed < ms; passed += 100) {
      nowMs += 100;
      page.pass(100);
      t.mock.timers.tick(100);
    }
  };
  const find = (place) => document.querySelector(place);
  return { page, pass, find, text: (place) => find(place).textContent };
}

test("a loss is said after two seconds, and that the page is live again", (t) => {
  const { page, pass, find, text } = badgeOnPage(t);
  assert.deepEqual([find(".badge").hidden, text(".badge-text"), text("#connection-said")], [false, "live", ""]);
  page.socket().close(1006);
  assert.deepEqual([find(".badge").dataset.shown, find("li").dataset.state], ["unproven", "reconnecting"], "the lamp goes out, and who looks inside sees it");
  pass(1_900);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["live", ""], "nothing flashes");
  pass(700);
  assert.match(text(".badge-text"), /^not live: reconnecting/);
  assert.match(text("#connection-said"), /is lost/);
  page.link.tryNow();
  page.socket().accept({ cursor: at(3) });
  pass(100);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["live", "The page is live again."]);
});

test("while the page is not live, whoever does not want to wait need not", (t) => {
  const { page, find } = badgeOnPage(t);
  assert.equal(find(".try-now").hidden, true);
  page.socket().close(1006);
  assert.equal(find(".try-now").hidden, false);
  const before = page.environment.sockets.length;
  fire(find(".try-now"), "click");
  assert.equal(page.environment.sockets.length, before + 1);
});

test("nothing flashes when the browser is offline for a moment, nor when somebody comes back to the page", (t) => {
  const { page, pass, text } = badgeOnPage(t);
  page.tell("offline");
  page.socket().close(1006);
  pass(400);
  page.socket().close(1006); // the try that followed
  assert.equal(page.link.summary().state, "offline", "the premise");
  pass(1_200);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["live", ""]);
  page.tell("online");
  page.socket().accept({ cursor: at(3) });
  page.tell("visible");
  assert.equal(page.link.summary().state, "checking", "the premise");
  pass(1_500);
  assert.equal(text(".badge-text"), "live");
  page.socket().receive("pong");
  pass(3_000);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["live", ""]);
});

test("offline for longer, and a check that takes longer, are called so", (t) => {
  const { page, pass, text } = badgeOnPage(t);
  page.tell("visible");
  pass(2_600);
  assert.equal(text(".badge-text"), "checking the connection");
  page.tell("offline");
  page.socket().close(1006);
  pass(400);
  page.socket().close(1006);
  pass(2_500);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["not live: offline", "The live connection is lost. Reconnecting."]);
});

for (const [code, words] of [[4005, "not live: out of date, reload"], [4006, "not live: a fault of this page, reload"], [4000, "not live: refused, reload"]]) {
  test(`a page that is closed with ${code} says why and offers to be loaded anew`, (t) => {
    const { page, find, text } = badgeOnPage(t);
    let reloads = 0;
    globalThis.location = { reload: () => { reloads += 1; } };
    t.after(() => { delete globalThis.location; });
    assert.equal(find(".reload-page").hidden, true);
    page.socket().receive({ type: "end", code: { 4000: "bad-request", 4005: "old-client", 4006: "fault" }[code], message: "In the server's words." });
    assert.deepEqual([text(".badge-text").replaceAll("\u00a0", " "), text(".badge-reason"), find(".reload-page").hidden], [words, "In the server's words.", false]);
    assert.equal(text("#connection-said"), "Live updates of this page have ended. In the server's words.");
    fire(find(".reload-page"), "click");
    assert.equal(reloads, 1);
  });
}

test("who was signed out is led to sign in, nobody else is", (t) => {
  const { page, find } = badgeOnPage(t);
  assert.equal(find(".sign-in-again").hidden, true);
  page.socket().close(4002);
  assert.deepEqual([find(".sign-in-again").hidden, find(".try-now").hidden, find(".reload-page").hidden], [false, true, true]);
});

test("a page whose browser is another's now says whose", (t) => {
  const owner = { who: "same", words: "", subscribe: (listener) => { owner.tell = listener; } };
  const { page, find, text } = badgeOnPage(t, owner);
  Object.assign(owner, { who: "other", words: "You are now signed in as bob." });
  page.link.close();
  page.pass(0);
  assert.deepEqual([text(".badge-reason"), find(".reload-page").hidden], ["You are now signed in as bob.", false]);
  owner.words = "You are signed in as alice again.";
  owner.tell();
  assert.deepEqual([text(".badge-reason"), text(".badge-text").replaceAll("\u00a0", " ")], ["You are signed in as alice again.", "not live: another signed in, reload"]);
});
