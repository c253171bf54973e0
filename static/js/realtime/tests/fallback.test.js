import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { FIVE, Page } from "./page.js";
import { newPage, onEvents, openNames, passAlive, refuseFor, trials } from "./two_ways.js";

test("two refused WebSockets in a row, and all streams go over the event stream together", () => {
  const page = newPage();
  refuseFor(page, 100);
  assert.equal(page.environment.events.length, 0, "one refusal is no habit");
  refuseFor(page, 2_000);
  assert.deepEqual(openNames(page.environment.events), [...FIVE].sort());
  assert.equal(new Set(page.environment.events.map((socket) => socket.bornMs)).size, 1, "not together");
  page.environment.acceptEvents();
  page.pass(0);
  const { state, carrier } = page.link.summary();
  assert.deepEqual([state, carrier], ["live", "events"]);
  assert.deepEqual(page.link.connections().map(({ transport }) => transport), FIVE.map(() => "events"));
});

test("where handshakes hang, the page is on its fallback within 15 s", () => {
  const page = newPage();
  page.pass(15_000);
  assert.ok(page.environment.sockets.length >= 2, "nothing hung");
  assert.ok(page.environment.sockets.every((socket) => socket.frames("welcome").length === 0));
  assert.deepEqual(openNames(page.environment.events), [...FIVE].sort());
});

test("without a second way WebSockets are tried for ever", () => {
  const page = new Page({ streams: FIVE });
  refuseFor(page, 20_000);
  assert.deepEqual(page.link.summary().carrier, "websocket");
});

test("a WebSocket that reaches welcome counts as passing, however it ends", () => {
  const page = newPage({ streams: ["news"] });
  for (let round = 0; round < 4; round += 1) {
    page.pass(2_000);
    page.socket().close(1006);
    page.pass(2_000);
    page.socket().accept({ cursor: at(3) });
    page.socket().close(1006);
  }
  assert.equal(page.environment.events.length, 0);
});

test("a hidden page asks nobody and waits, and takes the fallback when somebody looks at it", () => {
  const page = newPage({ visible: false });
  refuseFor(page, 20_000);
  const tried = page.environment.sockets.length;
  refuseFor(page, 20_000);
  assert.ok(page.environment.sockets.length > tried, "WebSockets are not tried any more");
  assert.deepEqual([page.environment.reaches.length, page.environment.events.length], [0, 0]);
  page.environment.visible = true;
  page.tell("visible");
  refuseFor(page, 2_000);
  assert.deepEqual(openNames(page.environment.events), [...FIVE].sort());
});

test("an offline browser explains refusals for a while, and not for ever: browsers say so wrongly", () => {
  const page = newPage({ offline: true });
  refuseFor(page, 2_000);
  assert.equal(page.environment.events.length, 0);
  refuseFor(page, 20_000);
  assert.ok(page.environment.events.length > 0);
});

test("whoever comes online forgets what was refused before", () => {
  const page = newPage({ streams: ["news"] });
  refuseFor(page, 100);
  page.tell("online");
  page.environment.sockets.at(-1).close(1006);
  page.pass(0);
  assert.equal(page.link.page().circuit.mode, "closed");
  page.pass(1_000);
  assert.equal(page.environment.events.length, 0, "one refusal since then");
});

test("where the other way does not work either the server is away: WebSockets are tried again", () => {
  const page = newPage({ streams: ["news"] });
  refuseFor(page, 2_000);
  const tried = page.environment.sockets.length;
  page.environment.events.at(-1).close(1006);
  page.pass(10_000);
  assert.ok(page.environment.sockets.length > tried);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([page.link.summary().state, page.link.summary().carrier], ["live", "websocket"]);
});

test("a WebSocket is tried every minute, beside the live streams and under another id", () => {
  const page = onEvents();
  const before = page.environment.sockets.length;
  passAlive(page, 57_000);
  assert.equal(page.environment.sockets.length, before);
  passAlive(page, 3_000);
  assert.equal(page.environment.sockets.length, before + 1);
  const trial = page.environment.sockets.at(-1);
  assert.notEqual(trial.url, "/ws/timer", "the timer's stream is worth more than a question");
  trial.close(1006);
  page.pass(0);
  passAlive(page, 57_000);
  assert.equal(page.environment.sockets.length, before + 1);
  assert.equal(page.link.summary().carrier, "events");
  passAlive(page, 5_000);
  assert.equal(page.environment.sockets.length, before + 2);
});

test("a trial that hangs is given up, and no stream hears of it", () => {
  const page = onEvents();
  passAlive(page, 61_000);
  const trial = page.environment.sockets.at(-1);
  trial.open();
  assert.equal(trials(page).length, 1);
  const shown = page.states.length;
  passAlive(page, 6_000);
  assert.ok(trial.retired);
  assert.equal(page.states.length, shown);
});

test("when a WebSocket passes again the streams go back to it by their cursors", () => {
  const page = onEvents({ streams: ["announcements", "timer"] });
  page.environment.events[0].receive(event(4));
  passAlive(page, 61_000);
  const trial = page.environment.sockets.at(-1);
  trial.open();
  trial.receive({ type: "welcome", protocol: 1, server_time: 1, resumed: true, timings: {} });
  page.pass(0);
  assert.ok(trial.retired);
  assert.ok(page.environment.events.every((socket) => socket.retired), "two connections of one stream");
  page.acceptAll();
  page.pass(1_000);
  page.acceptAll();
  assert.deepEqual([page.link.summary().state, page.link.summary().carrier], ["live", "websocket"]);
  assert.deepEqual(page.hello(page.environment.events[0].url.slice(4)).cursor, at(4));
  assert.ok(!page.states.some((state) => state.endsWith("offline")));
});

test("who wants to open while others are on the event stream, opens with all of them", () => {
  const page = onEvents({ streams: ["announcements", "timer"] });
  const before = page.environment.events.length;
  page.open("selftest");
  page.pass(10);
  const opened = page.environment.events.slice(before).map((socket) => socket.url.slice(4)).sort();
  assert.deepEqual(opened, ["announcements", "selftest", "timer"]);
  assert.deepEqual(openNames(page.environment.events), opened, "more than one event stream");
});

test("an answer to a request is no proof that the event stream lives", () => {
  const page = onEvents({ streams: ["news"] });
  const socket = page.environment.events.at(-1);
  const reply = JSON.stringify({ type: "reply", client_seq: 99, ok: true });
  for (let passedMs = 0; passedMs < 50_000; passedMs += 1_000) {
    socket.handlers.onBeside(reply);
    page.pass(1_000);
  }
  assert.equal(page.state("news"), "checking");
  assert.equal(socket.sent.at(-1), "ping");
  page.pass(10_000);
  assert.ok(socket.retired, "a dead event stream was called live");
});

test("an answer to a request takes no credit of the event stream", () => {
  const page = onEvents({ streams: ["news"] });
  const socket = page.environment.events.at(-1);
  page.pass(2_000);
  const [{ frames }] = socket.frames("seen");
  socket.handlers.onBeside(JSON.stringify({ type: "reply", client_seq: 99, ok: true }));
  socket.receive(event(4));
  page.pass(2_000);
  assert.equal(socket.frames("seen").at(-1).frames, frames + 1);
});

test("a page that is hidden says so, gives the event stream back, and takes it up again", () => {
  const page = onEvents({ streams: ["announcements", "timer"] });
  page.environment.visible = false;
  page.tell("hidden");
  page.pass(1_000);
  assert.equal(openNames(page.environment.events).length, 2, "no time for last words");
  page.pass(2_000);
  assert.equal(openNames(page.environment.events).length, 0);
  page.environment.visible = true;
  page.tell("visible");
  page.pass(10);
  assert.deepEqual(openNames(page.environment.events), ["announcements", "timer"]);
});

test("where WebSockets have passed before, a server that is away for a moment is no reason", () => {
  const page = newPage({ streams: ["news"] });
  page.goLive();
  page.socket().close(1006);
  refuseFor(page, 4_900);
  assert.equal(page.environment.events.length, 0);
  refuseFor(page, 7_000);
  assert.equal(page.environment.events.length, 1, "within 15 s");
  page.environment.acceptEvents();
  page.pass(0);
  assert.equal(page.link.summary().carrier, "events");
  const before = page.environment.sockets.length;
  page.pass(2_000);
  assert.equal(page.environment.sockets.length, before + 1, "and one is tried soon");
});

test("streams whose path is dead, and whose response is given up for the timer's reconnect, are lost and called so", () => {
  const page = onEvents({ streams: ["records", "timer"] });
  passAlive(page, 12_000);
  const said = page.states.length;
  page.streams.timer.command("report", {}, { again: false, provesPath: true });
  for (let passed = 0; passed < 60_000 && !page.environment.events[0].retired; passed += 50) page.pass(50);
  const causes = page.inside("records").causes.map(({ cause }) => cause);
  assert.deepEqual([page.environment.events[0].retired, causes.at(-1)], [true, "page"], "the premise: it was taken along");
  page.pass(4_000);
  const words = page.states.slice(said).filter((each) => each.startsWith("records "));
  assert.deepEqual(words, ["records checking", "records reconnecting"]);
});

test("a live stream that is taken along is switching for two seconds, and then reconnecting, as any other that is lost", () => {
  const page = onEvents({ streams: ["timer"] });
  page.open("selftest");
  page.pass(10);
  assert.deepEqual([page.environment.events.length, page.state("timer"), page.state("selftest")], [2 + 1, "switching", "connecting"]);
  page.pass(2_000);
  assert.deepEqual([page.state("timer"), page.state("selftest")], ["reconnecting", "connecting"]);
});

test("a page that was left while it went back to WebSockets has lost nothing when it comes back", () => {
  const page = onEvents({ streams: ["news", "timer"] });
  passAlive(page, 60_000);
  page.environment.sockets.at(-1).accept({});
  page.pass(0);
  assert.deepEqual([page.link.summary().carrier, page.state("news")], ["websocket", "switching"]);
  for (const what of ["leaving", "pageshow"]) page.tell(what);
  page.pass(2_500);
  assert.deepEqual([page.state("news"), page.state("timer")], ["connecting", "connecting"]);
});
