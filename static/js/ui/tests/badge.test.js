/** The badge over a real link and a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { showBadge } from "../badge.js";
import { h, putPage } from "./fake_page.js";

function badgeOnPage(t) {
  const badge = h("details.badge[hidden]", h("summary", h("span.badge-text")), h("p.badge-reason"), h("li[data-stream=\"news\"]", h("span.stream-state")),
    h("button.try-now[hidden]"), h("a.sign-in-again[hidden]"));
  const document = putPage(t, badge, h("p#connection-said"));
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const page = livePage();
  showBadge(page.link);
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
  assert.doesNotMatch(text(".badge-text"), /^live/, "it only stops being called live");
  pass(1_900);
  assert.equal(text("#connection-said"), "");
  pass(700);
  assert.match(text(".badge-text"), /^not live: reconnecting/);
  assert.match(text("#connection-said"), /is lost/);
  page.link.tryNow();
  page.socket().accept({ cursor: at(3) });
  pass(100);
  assert.deepEqual([text(".badge-text"), text("#connection-said")], ["live", "The page is live again."]);
});

test("who was signed out is led to sign in, nobody else is", (t) => {
  const { page, find } = badgeOnPage(t);
  assert.equal(find(".sign-in-again").hidden, true);
  page.socket().close(4002);
  assert.deepEqual([find(".sign-in-again").hidden, find(".try-now").hidden], [false, true]);
});
