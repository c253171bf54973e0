import assert from "node:assert/strict";
import test from "node:test";

import { at } from "./fake_environment.js";
import { FIVE, livePage, Page } from "./page.js";

const refuseAll = (page) => page.opened().filter((socket) => socket.state === 0).forEach((socket) => socket.close(1006));

test("a stream is connecting until it is synced, not until the socket says open", () => {
  const page = new Page();
  assert.equal(page.state("news"), "connecting");
  page.socket().open();
  assert.equal(page.state("news"), "connecting");
  page.socket().receive({ type: "welcome", protocol: 1, server_time: 1, resumed: true, timings: {} });
  assert.equal(page.state("news"), "connecting");
  page.socket().receive({ type: "synced", cursor: at(3) });
  assert.equal(page.state("news"), "live");
});

test("the first frame is hello, with the page's cursor and the document's id", () => {
  const page = new Page();
  assert.deepEqual(page.socket().sent, [], "nothing is sent before the socket is open");
  page.socket().open();
  const hello = JSON.parse(page.socket().sent[0]);
  assert.deepEqual([hello.type, hello.protocol, hello.client, hello.try, hello.cause, hello.cursor], ["hello", 1, page.link.client, 0, "first", at(3)]);
});

test("at first only the scout tries; the others follow when it is synced", () => {
  const page = new Page({ streams: FIVE });
  assert.deepEqual(page.environment.sockets.map((socket) => socket.url), ["/ws/timer"]);
  page.socket("timer").accept({ cursor: at(3) });
  page.acceptAll();
  assert.equal(page.environment.sockets.length, 5, "on the first load at once");
  assert.equal(page.link.summary().state, "live");
});

test("one handshake at a time: the next stream begins when the one before it is open", () => {
  const page = new Page({ streams: FIVE });
  page.socket("timer").accept({ cursor: at(3) });
  for (let open = 2; open <= 5; open += 1) {
    page.pass(0);
    assert.equal(page.environment.sockets.length, open, "a browser would only let it wait");
    page.environment.sockets.at(-1).open();
  }
});

test("a follower's handshake that hangs holds up the others for five seconds, counted from its own begin", () => {
  const page = new Page({ streams: FIVE });
  page.socket("timer").accept({ cursor: at(3) });
  page.pass(0);
  const hanging = page.environment.sockets.at(-1);
  page.pass(4_999);
  assert.deepEqual([page.environment.sockets.length, hanging.retired], [2, false], "the others waited for it");
  page.pass(1);
  page.socket("timer").receive("pong");
  assert.deepEqual([page.environment.sockets.length, hanging.retired], [3, true], "once the path is proven to be good");
  page.acceptAll();
  assert.equal(page.link.connections().filter(({ state }) => state === "live").length, 4, "only the hanging one is late");
});

test("a handshake that has hung alone for long makes way at once for the next stream", () => {
  const page = livePage({ streams: ["news", "list", "item"] });
  page.socket("list").close(1006);
  page.pass(300);
  page.pass(7_000);
  assert.equal(page.socket("list").retired, false, "alone it has ten seconds");
  page.socket("item").close(1006);
  page.pass(0);
  assert.equal(page.sockets("list")[1].retired, true);
  page.socket("news").receive("pong");
  page.pass(300);
  assert.equal(page.sockets("item").length, 2);
});

test("a hanging handshake of the scout holds up the page for five seconds", () => {
  const page = new Page({ streams: FIVE });
  page.pass(4_999);
  assert.equal(page.environment.sockets.length, 1, "the others waited for it");
  page.pass(1);
  assert.equal(page.socket("timer").retired, true);
  assert.equal(page.inside("timer").causes[0].cause, "handshake-timeout");
  page.pass(300);
  assert.equal(page.sockets("timer").length, 2, "and it tries again");
});

test("the handshake counts until welcome: an open socket without one is given up, too", () => {
  for (const openMs of [0, 4_000]) {
    const page = new Page();
    page.pass(openMs);
    page.socket().open();
    page.pass(5_000 - openMs);
    assert.equal(page.sockets("news")[0].retired, true, "open is no new beginning");
  }
});

test("a single stream beside live ones has ten seconds for its handshake", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").close(1006);
  page.pass(300);
  page.pass(9_999);
  assert.equal(page.socket("list").retired, false);
  page.pass(1);
  assert.equal(page.socket("list").retired, true);
});

test("after a common failure one stream tries, the others follow within 300 ms of its synced", () => {
  const page = livePage({ streams: FIVE });
  const before = page.environment.sockets.length;
  page.environment.chance = 0.99;
  for (const name of FIVE) page.socket(name).close(1006);
  page.pass(3_000);
  assert.deepEqual(page.environment.sockets.slice(before).map((socket) => socket.url), ["/ws/timer"]);
  page.socket("timer").accept({ cursor: at(3) });
  page.pass(290);
  assert.equal(page.environment.sockets.length, before + 1, "not all at one moment with other pages");
  page.pass(10);
  page.acceptAll();
  assert.equal(page.environment.sockets.length, before + 5);
});

test("the seconds on the badge are those of the page's next try; while one is under way there are none", () => {
  const page = livePage({ streams: FIVE });
  page.pass(5_000);
  for (const name of FIVE) page.socket(name).close(1006);
  for (let failed = 0; failed < 3; failed += 1) {
    page.pass(page.link.summary().nextTryMs);
    assert.equal(page.link.summary().nextTryMs, null, "the scout is trying");
    page.socket("timer").open();
    assert.equal(page.link.summary().nextTryMs, null, "and has no answer yet");
    page.socket("timer").close(1006);
  }
  assert.deepEqual([page.link.summary().nextTryMs, page.inside("records").nextTryMs], [2_400, 2_400], "the others do not promise what they will not do");
});

test("a scout that is answered and turned away passes its role on, with the page's back-off", () => {
  const page = new Page({ streams: ["timer", "news"] });
  page.socket("timer").open();
  page.socket("timer").close(4111);
  assert.equal(page.sockets("news").length, 0, "not at once");
  page.pass(300);
  assert.equal(page.sockets("news").length, 1);
  assert.equal(page.sockets("timer").length, 1, "one at a time");
  page.socket("news").accept({ cursor: at(3) });
  page.pass(300);
  assert.equal(page.state("news"), "live");
  assert.equal(page.sockets("timer").length, 2);
});

test("a scout that is cut without an answer keeps its role", () => {
  const page = new Page({ streams: ["timer", "news"] });
  for (let round = 0; round < 3; round += 1) {
    refuseAll(page);
    page.pass(5_000);
  }
  assert.equal(page.sockets("news").length, 0);
  assert.ok(page.sockets("timer").length >= 3);
});

test("when the scout's stream ends for good, another one tries", () => {
  const page = new Page({ streams: ["timer", "news"] });
  page.socket("timer").close(4003);
  page.pass(0);
  assert.equal(page.state("timer"), "ended");
  assert.equal(page.sockets("news").length, 1);
});

test("six failures in a row pause the page; the badge says when the next try comes", () => {
  const page = new Page();
  for (let tries = 0; tries < 6; tries += 1) {
    refuseAll(page);
    if (tries < 5) page.pass(page.link.summary().nextTryMs);
  }
  assert.equal(page.environment.sockets.length, 6);
  const { state, nextTryMs } = page.link.summary();
  assert.equal(state, "paused");
  assert.ok(nextTryMs >= 4_000 && nextTryMs <= 6_000, `${nextTryMs} ms`);
  page.pass(nextTryMs - 1);
  assert.equal(page.environment.sockets.length, 6);
  page.pass(1);
  assert.equal(page.environment.sockets.length, 7);
});

test("the circuit counts the scout's tries only: streams that follow it do not outvote its failures", () => {
  const page = new Page({ streams: FIVE });
  for (let round = 0; round < 2; round += 1) {
    page.acceptAll();
    page.pass(300);
    page.acceptAll();
    assert.equal(page.link.summary().state, "live");
    page.pass(2_000);
    for (const name of FIVE) page.socket(name).close(1006);
    page.pass(page.link.summary().nextTryMs);
  }
  for (let failed = 1; failed <= 4; failed += 1) {
    assert.notEqual(page.link.summary().state, "paused");
    page.socket("timer").close(1006);
    if (failed < 4) page.pass(page.link.summary().nextTryMs);
  }
  assert.equal(page.link.summary().state, "paused", "four of the scout's six tries have failed");
});

test("a person may try at once, also while the page is paused", () => {
  const page = new Page();
  for (let tries = 0; tries < 6; tries += 1) {
    refuseAll(page);
    if (tries < 5) page.pass(page.link.summary().nextTryMs);
  }
  assert.equal(page.link.summary().state, "paused");
  page.link.tryNow();
  assert.equal(page.environment.sockets.length, 7);
  refuseAll(page);
  page.pass(500);
  assert.equal(page.environment.sockets.length, 7, "one try, not many");
});

test("hinted refusals do not open the circuit", () => {
  const page = new Page();
  for (let tries = 0; tries < 12; tries += 1) {
    page.socket().open();
    page.socket().receive({ type: "retry", code: "overloaded", message: "", retry_after_ms: 700 });
    assert.equal(page.link.summary().state, "reconnecting");
    assert.equal(page.link.summary().nextTryMs, 700, "the hint replaces the back-off");
    page.pass(700);
  }
  assert.equal(page.environment.sockets.length, 13);
});

test("a stream that the server asked to wait does not follow the scout before that", () => {
  const page = livePage({ streams: FIVE });
  page.socket("records").receive({ type: "retry", code: "overloaded", message: "", retry_after_ms: 5_000 });
  for (const name of FIVE) page.socket(name).close(1006);
  page.pass(300);
  page.socket("timer").accept({ cursor: at(3) });
  page.pass(300);
  page.acceptAll();
  page.pass(4_399);
  page.acceptAll();
  assert.deepEqual(FIVE.map((name) => page.sockets(name).length), [2, 1, 2, 2, 2], "all others followed");
  page.pass(1);
  assert.equal(page.sockets("records").length, 2);
});

test("a page event ends that, too: afterwards the stream follows like any other", () => {
  const page = livePage({ streams: ["timer", "news"] });
  page.socket("news").receive({ type: "retry", code: "overloaded", message: "", retry_after_ms: 60_000 });
  for (let failed = 0; failed < 3; failed += 1) {
    page.socket("timer").close(1006);
    page.pass(page.inside("timer").nextTryMs);
  }
  page.tell("online");
  page.socket("timer").open();
  page.socket("timer").close(4111);
  assert.equal(page.inside("news").nextTryMs, 2_400, "the premise: it has a long back-off again, the page's and not the server's");
  page.open("fresh", { preferred: true });
  page.pass(0);
  page.socket("fresh").accept({ cursor: at(3) });
  page.pass(300);
  page.acceptAll();
  assert.equal(page.state("news"), "live");
});

test("a page makes at most five attempts a second, whatever happens", () => {
  const page = new Page();
  for (let round = 0; round < 60; round += 1) {
    refuseAll(page);
    page.tell("online");
    page.pass(50);
  }
  const times = page.environment.sockets.map((socket) => socket.bornMs);
  assert.ok(times.length >= 15, "there was a storm");
  for (let index = 5; index < times.length; index += 1) assert.ok(times[index] - times[index - 5] >= 1_000, String(times));
});

test("a constructor that throws is a failed try like any other", () => {
  const page = new Page();
  const { transport } = page.environment;
  Object.defineProperty(page.environment, "transport", { value: { open: () => { throw new Error("mixed content"); } }, configurable: true });
  page.socket().close(1006);
  page.pass(300);
  assert.equal(page.environment.errors.length, 1);
  assert.equal(page.state("news"), "reconnecting");
  Object.defineProperty(page.environment, "transport", { value: transport });
  page.pass(600);
  assert.equal(page.environment.sockets.length, 2);
});
