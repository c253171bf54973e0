/** Many pages of one person, and many persons at one moment. */

import assert from "node:assert/strict";
import test from "node:test";

import { browserEnvironment } from "../environment.js";
import { at, FakeEnvironment } from "./fake_environment.js";
import { FIVE, Page } from "./page.js";

const open = (pages) => pages.flatMap((page) => page.opened());

function hiddenEnvironment() {
  const environment = new FakeEnvironment();
  environment.visible = false;
  return environment;
}

test("twelve tabs hold sixteen sockets after a minute, and each opened as fast as the first", () => {
  const first = new Page({ streams: FIVE });
  const pages = [first, ...Array.from({ length: 11 }, () => new Page({ streams: FIVE, environment: hiddenEnvironment() }))];
  for (const page of pages) {
    page.acceptAll();
    assert.equal(page.link.summary().state, "live", "nothing but its own handshakes stood before it");
  }
  assert.equal(open(pages).length, 60, "for a moment every tab has all");
  for (const page of pages) page.pass(60_000);
  assert.equal(open(pages).length, 5 + 11);
  const kept = open(pages.slice(1)).map(({ url }) => url);
  assert.deepEqual(new Set(kept), new Set(["/ws/announcements"]));
});

test("the tab that is looked at next has everything again at once, from where it was left", () => {
  const page = new Page({ streams: FIVE, environment: hiddenEnvironment() });
  page.acceptAll();
  page.pass(60_000);
  page.tell("visible");
  page.socket("announcements").receive("pong");
  page.acceptAll();
  assert.equal(page.link.summary().state, "live");
  assert.deepEqual(FIVE.slice(1).map((name) => page.hello(name).cursor), Array(4).fill(at(3)));
});

test("a duplicated tab is a document of its own: its id is made anew and kept nowhere", () => {
  const window = Object.assign(new EventTarget(), {
    document: Object.assign(new EventTarget(), { visibilityState: "visible" }), navigator: {}, performance, location: { protocol: "http:", host: "10.0.0.7:8000" },
    console, crypto: { getRandomValues: (bytes) => globalThis.crypto.getRandomValues(bytes) }, MessageChannel,
  });
  const refuse = { get: () => assert.fail("nothing is stored") };
  for (const store of ["localStorage", "sessionStorage", "indexedDB"]) Object.defineProperty(window, store, refuse);
  assert.equal(window.crypto.randomUUID, undefined, "as on the http:// address of a class-room network");
  const ids = [browserEnvironment(window).newClientId(), browserEnvironment(window).newClientId()];
  assert.notEqual(ids[0], ids[1]);
});

test("a server that comes back is not met by all pages at one moment, nor five times by each", () => {
  const FAILURES = 12;
  const waits = Array.from({ length: 100 }, (_, index) => {
    const page = new Page({ streams: FIVE });
    page.environment.chance = (index * 0.618_033_988) % 1;
    page.acceptAll();
    page.pass(5_000);
    const before = page.environment.sockets.length;
    for (const name of FIVE) page.socket(name).close(1006);
    for (let failed = 0; failed < FAILURES; failed += 1) {
      page.pass(Math.ceil(page.link.summary().nextTryMs) + 1);
      page.socket("timer").close(1006);
    }
    assert.equal(page.environment.sockets.length - before, FAILURES, "one try at a time for all five streams");
    return page.link.summary().nextTryMs;
  });
  assert.ok(Math.max(...waits) - Math.min(...waits) > 5_000, "spread over seconds");
});
