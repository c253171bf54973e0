import assert from "node:assert/strict";
import test from "node:test";

import { Driver } from "../driver.js";
import { at, FakeEnvironment } from "./fake_environment.js";
import { livePage, Page } from "./page.js";

const DAY_MS = 86_400_000;

/** A machine that only does what it is told. */
function scripted(environment, effectsOf, hooks = {}) {
  const seen = [];
  const step = (state, event) => {
    seen.push(event);
    return [state, effectsOf(event) ?? []];
  };
  return { seen, driver: new Driver(step, {}, environment, { deliver: () => {}, tell: () => {}, ...hooks }) };
}

test("a timer further away than 24.8 days is split, not fired at once", () => {
  const environment = new FakeEnvironment();
  const { seen, driver } = scripted(environment, (event) => (event.type === "context" ? [{ type: "arm", inMs: 60 * DAY_MS }] : []));
  driver.dispatch({ type: "context" });
  assert.equal(environment.timers[0].ms, 2_147_483_647);
  environment.pass(1_000);
  assert.equal(seen.length, 1);
});

test("there is one timer: arming anew replaces the old one", () => {
  const environment = new FakeEnvironment();
  const { driver } = scripted(environment, () => [{ type: "arm", inMs: 50 }]);
  driver.dispatch({ type: "context" });
  driver.dispatch({ type: "context" });
  assert.equal(environment.timers.length, 1);
});

test("events that arise meanwhile wait for their turn, but the outcome of a delivery goes first", () => {
  const environment = new FakeEnvironment();
  const parts = scripted(
    environment,
    (event) => (event.type === "context" ? [{ type: "deliver", stream: "news", socket: 1, frame: {} }, { type: "summary" }] : []),
    { deliver: () => parts.driver.dispatch({ type: "try-now" }), tell: () => parts.driver.dispatch({ type: "turn" }) },
  );
  parts.driver.dispatch({ type: "context" });
  assert.deepEqual(parts.seen.map(({ type, event }) => event?.type ?? type), ["context", "handled", "try-now", "turn"]);
});

test("a step that throws is reported, changes nothing, and is followed by another look", () => {
  const environment = new FakeEnvironment();
  const { seen, driver } = scripted(environment, (event) => {
    if (event.type === "context") throw new Error("in a step");
    return [];
  });
  driver.dispatch({ type: "context" });
  driver.dispatch({ type: "try-now" });
  environment.pass(1_000);
  assert.deepEqual([environment.errors.length, seen.map(({ type }) => type)], [1, ["context", "try-now", "tick"]]);
});

test("a listener that throws stops nobody else and is reported", () => {
  const page = new Page();
  page.link.subscribe(({ state }) => { if (state === "live") throw new Error("in a badge"); });
  const heard = [];
  page.link.subscribe(({ state }) => heard.push(state));
  page.goLive();
  assert.equal(heard.at(-1), "live");
  assert.equal(page.environment.errors.length, 1);
});

test("the badge hears the state, the streams, the next try and the reason; not any more after leaving", () => {
  const page = new Page();
  const heard = [];
  const leave = page.link.subscribe((summary) => heard.push(summary));
  page.goLive();
  leave();
  page.socket().close(1006);
  assert.deepEqual(heard.map(({ state }) => state), ["connecting", "live"]);
  assert.deepEqual(heard.at(-1), {
    state: "live", streams: { news: "live" }, nextTryMs: null, reason: null, carrier: "websocket",
  });
});

test("whoever looks inside sees state, ready state, age, tries, causes, round trip and cursor", () => {
  const page = livePage();
  page.pass(700);
  const [inside] = page.environment.inside.connections();
  const shared = page.environment.inside.page();
  assert.deepEqual([shared.client, shared.visible, shared.circuit.mode], [page.link.client, true, "closed"]);
  assert.deepEqual(
    [inside.name, inside.state, inside.readyState, inside.lastFrameAgeMs, inside.tries, inside.causes, inside.cursor, inside.transport],
    ["news", "live", 1, 1_000, 0, [], at(3), "fake"],
  );
  assert.deepEqual([inside.syncedForMs, inside.handshakeForMs, inside.nextTryMs, inside.rttMs, inside.queued], [1_000, null, null, null, []]);
});

test("the round trip is known after a probe, and why a connection went after it has gone", () => {
  const page = livePage();
  page.tell("online");
  page.environment.sleep(40);
  page.socket().receive("pong");
  assert.equal(page.inside().rttMs, 40);
  page.pass(1_000);
  page.streams.news.command("ask", {});
  page.socket().close(4111);
  page.pass(100);
  const { causes, state, readyState, nextTryMs, lastFrameAgeMs, queued } = page.inside();
  assert.deepEqual([causes, state, readyState, lastFrameAgeMs], [[{ cause: "close", code: 4111, agoMs: 100 }], "reconnecting", null, 1_100]);
  assert.deepEqual([nextTryMs, queued], [200, [{ name: "ask", clientSeq: 1, sent: false, unconfirmed: false }]]);
  page.pass(200);
  assert.deepEqual([page.inside().handshakeForMs, page.inside().nextTryMs, page.inside().readyState], [0, null, 0]);
});

test("what the streams share can be looked at, too: the page, the circuit and the clock", () => {
  const page = livePage();
  page.tell("hidden");
  page.pass(500);
  const { client, visible, hiddenForMs, circuit, clock } = page.link.page();
  assert.deepEqual([client, visible, hiddenForMs, circuit], [page.link.client, false, 500, { mode: "closed", opensInMs: 0 }]);
  assert.ok(clock.errorMs < 1_000);
});

test("the server's clock is known from welcome on, and right after a reply", () => {
  const page = new Page();
  assert.equal(page.link.serverNow(), null);
  page.socket().accept({ cursor: at(3), serverTime: 2_000 });
  page.pass(500);
  assert.equal(page.link.serverNow().serverMs, 2_000_500);
});

test("opening a stream anew ends the old one and goes on with its numbers", () => {
  const page = livePage();
  page.streams.news.command("ack", {});
  const again = page.open("news");
  page.pass(0);
  page.socket().accept({ cursor: at(3) });
  again.command("ack", {});
  assert.deepEqual([page.sockets("news")[0].retired, page.socket().frames("command")[0].client_seq], [true, 2]);
});

test("closing the link ends all streams and listens to the page no more", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.link.close();
  assert.deepEqual([page.link.summary().state, page.environment.tellPage], ["ended", null]);
  page.pass(3_600_000);
  assert.equal(page.environment.sockets.length, 2);
});
