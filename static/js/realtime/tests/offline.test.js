import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { FIVE, livePage, openNames, Page } from "./page.js";

test("offline is a flag, no teardown: the path is asked, and what is heard on it is believed", () => {
  const names = ["news", "list"];
  const page = livePage({ streams: names });
  page.tell("offline");
  for (const name of names) assert.deepEqual([page.socket(name).sent.at(-1), page.state(name)], ["ping", "checking"]);
  page.pass(2_999);
  for (const name of names) page.socket(name).receive("pong");
  assert.equal(page.state("news"), "live");
  page.pass(60_000);
  page.socket().receive(event(4));
  assert.deepEqual([page.state("news"), page.events], ["live", [4]]);
});

test("a cut that the browser tells of is known to all streams in three seconds", () => {
  const page = livePage({ streams: FIVE });
  page.tell("offline");
  page.pass(2_999);
  assert.deepEqual(openNames(page), FIVE);
  page.pass(1);
  page.pass(0);
  for (const name of FIVE) {
    assert.deepEqual([page.sockets(name)[0].retired, page.state(name)], [true, "reconnecting"]);
  }
  page.pass(450);
  page.socket("timer").open();
  assert.equal(page.hello("timer").cause, "offline", "which is why time was not counted");
});

test("offline skips no wait: there is nothing to hurry for", () => {
  const page = livePage();
  page.socket().close(1006);
  page.tell("offline");
  assert.equal(page.sockets("news").length, 1);
});

test("offline is shown when the browser says so and the last try failed, and it goes on trying", () => {
  const page = livePage();
  page.tell("offline");
  page.socket().close(1006);
  assert.equal(page.state("news"), "reconnecting");
  page.pass(300);
  page.socket().close(1006);
  assert.equal(page.state("news"), "offline");
  page.pass(120_000);
  assert.ok(page.sockets("news").length > 5);
  if (page.socket().retired) page.pass(page.link.summary().nextTryMs);
  page.socket().open();
  assert.equal(page.hello("news").cause, "offline");
});

test("when the one that tries for all has failed all of them are offline, until one lives", () => {
  const page = livePage({ streams: FIVE });
  page.tell("offline");
  for (const name of FIVE) page.socket(name).close(1006);
  assert.deepEqual(FIVE.map(page.state, page), FIVE.map(() => "reconnecting"), "no try has failed yet");
  page.pass(300);
  page.socket("timer").close(1006);
  assert.deepEqual(FIVE.map(page.state, page), FIVE.map(() => "offline"));
  page.pass(page.link.summary().nextTryMs);
  page.socket("timer").accept({ cursor: at(3) });
  assert.deepEqual([page.state("timer"), page.state("records")], ["live", "reconnecting"]);
});

for (const what of ["online", "visible", "resume", "pageshow"]) {
  test(`${what} skips the wait, and asks what is connected with three seconds`, () => {
    const page = livePage({ streams: ["news", "list"] });
    for (let round = 0; round < 5; round += 1) {
      page.socket("list").close(1006);
      page.pass(round < 4 ? 10_000 : 0);
    }
    const before = page.sockets("list").length;
    page.tell(what);
    assert.equal(page.sockets("list").length, before + 1);
    assert.equal(page.state("news"), "checking");
    page.pass(3_000);
    assert.equal(page.sockets("news")[0].retired, true);
  });
}

test("a handshake that was hanging when the network came back is replaced at once, a young one a second later", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.pass(900);
  page.tell("online");
  assert.equal(page.sockets("news").length, 2, "it is not a second old");
  page.pass(200);
  page.tell("online");
  assert.equal(page.sockets("news").length, 3);
  assert.equal(page.sockets("news")[1].retired, true);
  page.tell("online");
  page.pass(999);
  assert.equal(page.sockets("news").length, 3, "a lost first packet is sent again after a second");
  page.pass(1);
  page.pass(0);
  assert.equal(page.sockets("news").length, 4, "and if that did not help, it is given up");
  assert.deepEqual([page.inside().causes.at(-1).cause, page.inside().failures], ["page", 1], "which is nobody's failure");
  page.pass(4_999);
  assert.equal(page.socket("news").retired, false, "its successor has its full time");
});

test("replay that is under way when the network comes back goes on", () => {
  const page = new Page();
  page.socket().open();
  page.socket().receive({ type: "welcome", protocol: 1, server_time: 1, resumed: true, timings: {} });
  page.pass(2_000);
  page.tell("online");
  assert.equal(page.socket().retired, false);
  assert.equal(page.socket().sent.at(-1), "ping");
  page.socket().receive({ type: "synced", cursor: at(3) });
  assert.equal(page.state("news"), "live");
});
