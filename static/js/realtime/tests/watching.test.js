import assert from "node:assert/strict";
import test from "node:test";

import { at } from "./fake_environment.js";
import { FIVE, livePage } from "./page.js";

const SILENCE_MS = 120_000;

/** The server answers pings on every socket that is open, as long as the path carries. */
function answerPings(page, names) {
  for (const name of names) {
    const socket = page.socket(name);
    const asked = socket.sent.filter((text) => text === "ping").length;
    if (asked > (socket.answered ?? 0)) socket.receive("pong");
    socket.answered = asked;
  }
}

test("ping is answered with pong at once", () => {
  const page = livePage();
  page.socket().sent.length = 0;
  page.socket().receive("ping");
  assert.deepEqual(page.socket().sent, ["pong"]);
});

test("the client sends no heartbeat of its own while the server's come", () => {
  const page = livePage();
  page.pass(2_000);
  page.socket().sent.length = 0;
  for (let round = 0; round < 100; round += 1) {
    page.pass(40_000);
    page.socket().receive("ping");
  }
  assert.deepEqual([...new Set(page.socket().sent)], ["pong"]);
  assert.equal(page.state("news"), "live");
});

test("after the silence window it asks; any frame makes it live again", () => {
  const page = livePage();
  page.pass(SILENCE_MS);
  assert.equal(page.state("news"), "checking");
  assert.equal(page.socket().sent.at(-1), "ping");
  page.pass(9_000);
  page.socket().receive("ping");
  assert.equal(page.state("news"), "live");
});

test("a half-open path, of which the browser says nothing, is given up after silence and probe", () => {
  const page = livePage();
  page.socket().receive("ping");
  page.pass(SILENCE_MS + 9_999);
  assert.equal(page.socket().retired, false);
  assert.equal(page.socket().state, 1, "the browser still says OPEN");
  page.pass(1);
  assert.equal(page.socket().retired, true);
  assert.equal(page.inside().causes[0].cause, "probe-timeout");
  assert.equal(page.state("news"), "reconnecting");
});

test("an answer that is waiting to be read when the deadline passes saves the connection", () => {
  const page = livePage();
  page.pass(SILENCE_MS);
  const { environment } = page;
  environment.sleep(10_000);
  environment.timers.splice(0).forEach((timer) => timer.atMs <= environment.monoMs && timer.run());
  page.socket().receive("pong");
  environment.runTurns();
  assert.equal(page.socket().retired, false);
  assert.equal(page.state("news"), "live");
});

test("a turn of the event loop that was asked for by one stream is not enough for another", () => {
  const page = livePage({ streams: ["news", "list", "item"] });
  const { environment } = page;
  page.tell("online");
  page.socket("item").receive("pong");
  environment.sleep(3_000);
  page.socket("list").receive("pong");
  const [first] = environment.turns.splice(0);
  environment.turns.push(() => page.socket("news").receive("pong"));
  assert.equal(page.inside("news").probe.dueInMs, 0, "the deadline of the first has passed");
  page.streams.list.command("report", {}, { again: false, provesPath: true });
  environment.sleep(8_000);
  page.socket("item").receive("ping");
  assert.equal(page.inside("list").probe.dueInMs, 0, "and the second's, in a later step");
  first();
  assert.equal(page.socket("list").retired, false, "its own turn has not come");
});

test("deadlines are looked at with every frame: a throttled timer is not needed", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").receive("ping");
  page.environment.timers.length = 0;
  page.environment.sleep(100_000);
  page.socket("list").receive("ping");
  page.environment.runTurns();
  page.environment.sleep(9_000);
  page.socket("list").receive("pong");
  page.environment.sleep(1_000);
  page.socket("list").receive("ping");
  page.environment.runTurns();
  assert.equal(page.socket("news").retired, true);
  assert.equal(page.state("list"), "checking", "the trouble of one is a reason to ask the other");
});

test("a dead path that one stream has noticed is known to all five within three seconds more", () => {
  const page = livePage({ streams: FIVE });
  page.pass(5_000);
  page.streams.timer.command("report", {}, { again: false, provesPath: true });
  assert.equal(page.socket("timer").sent.at(-1), "ping", "the report is followed by a ping");
  page.pass(7_999);
  assert.equal(page.link.summary().state, "live", "nobody doubts anything yet");
  page.pass(1);
  assert.equal(page.inside("timer").causes[0].cause, "report-timeout");
  assert.equal(page.state("records"), "checking");
  page.pass(2_999);
  assert.equal(page.socket("records").retired, false);
  page.pass(1);
  for (const name of FIVE) assert.equal(page.sockets(name)[0].retired, true, name);
});

test("a stalled database is not taken for a dead path: pong is enough", () => {
  const page = livePage();
  page.streams.news.command("report", {}, { again: false, provesPath: true });
  page.socket().receive("pong");
  page.pass(20_000);
  assert.equal(page.socket().retired, false);
  assert.equal(page.state("news"), "live");
});

test("trouble of one stream alone is answered by the others, and only it is replaced", () => {
  const page = livePage({ streams: FIVE });
  page.socket("records").failsToSend = true;
  page.streams.records.command("watch", {});
  answerPings(page, FIVE.filter((name) => name !== "records"));
  page.pass(300);
  assert.deepEqual(FIVE.map((name) => page.sockets(name).length), [1, 2, 1, 1, 1]);
});

test("a handshake that hangs makes the live streams probe, too", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").close(1006);
  page.pass(300);
  page.pass(10_000);
  assert.equal(page.inside("list").causes.at(-1).cause, "handshake-timeout");
  assert.equal(page.state("news"), "checking");
});

test("a send that throws makes all others ask, with three seconds", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").failsToSend = true;
  page.streams.list.command("ack", {});
  assert.equal(page.inside("list").causes[0].cause, "send-error");
  assert.deepEqual([page.state("news"), page.inside("news").probe.dueInMs], ["checking", 3_000]);
});

test("a probe without an answer makes all others ask, however lately they were heard", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.pass(119_000);
  page.socket("news").receive("ping");
  page.pass(1_000);
  assert.equal(page.state("list"), "checking", "the premise");
  page.pass(page.inside("list").probe.dueInMs - 1);
  assert.deepEqual([page.state("list"), page.state("news")], ["checking", "live"]);
  page.pass(1);
  assert.equal(page.inside("list").causes[0].cause, "probe-timeout");
  assert.equal(page.state("news"), "checking");
  assert.equal(page.inside("news").probe.dueInMs, 3_000);
});

test("the server's windows are taken over from welcome", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3), timings: { silence_ms: 3_000, probe_ms: 1_000 } });
  page.pass(3_000);
  assert.equal(page.state("news"), "checking");
  page.pass(1_000);
  assert.equal(page.state("news"), "reconnecting");
});

test("the windows of the newest welcome hold for the whole page", () => {
  const page = livePage({ streams: ["news", "list"] });
  page.socket("list").close(1006);
  page.pass(300);
  page.socket("list").accept({ cursor: at(3), timings: { probe_ms: 2_000 } });
  page.tell("online");
  page.pass(599);
  assert.equal(page.socket("news").retired, false);
  page.pass(1);
  assert.equal(page.socket("news").retired, true, "three tenths of the probe's time");
});

test("replay that stops in the middle is not waited for for ever", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.socket().open();
  page.socket().receive({ type: "welcome", protocol: 1, server_time: 1, resumed: true, timings: {} });
  page.pass(19_999);
  assert.equal(page.socket().retired, false);
  page.pass(1);
  assert.equal(page.socket().retired, true);
});
