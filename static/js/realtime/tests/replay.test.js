import assert from "node:assert/strict";
import test from "node:test";

import { createStream, stepStream } from "../stream.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { at, event } from "./fake_environment.js";
import { livePage, Page } from "./page.js";

const welcome = { type: "welcome", protocol: 1, node: "n1", server_time: 1, resumed: true, timings: {} };

test("on welcome: waiting commands go out, then subscriptions, then replay is applied", () => {
  const order = [];
  const page = new Page({ handlers: { onEvent: ({ seq }) => order.push(`event ${seq}`) } });
  page.streams.news.standing("watch", () => ({ ids: [1] }));
  page.streams.news.command("ack", {});
  page.socket().open();
  const send = page.socket().sent;
  page.socket().sent = { push: (text) => order.push(JSON.parse(text).name) && send.push(text), filter: (...args) => send.filter(...args) };
  page.socket().receive(welcome);
  page.socket().receive(event(4));
  assert.deepEqual(order, ["ack", "watch", "event 4"]);
});

test("the machine itself answers a welcome in that order", () => {
  const now = { ms: 0, wallMs: 0, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5 };
  const spec = { ref: 1, name: "ack", data: {}, kind: null, expiresMs: 1_000, again: true, patient: true, provesPath: false };
  const given = { name: "news", url: "/", client: "c", cursor: at(3), timings: DEFAULT_TIMINGS };
  let stream = createStream(given, now);
  let effects;
  for (const happened of [
    { type: "command", spec }, { type: "try", scout: true, withinMs: 5_000 }, { type: "opened", socket: 1 },
    { type: "text", socket: 1, text: JSON.stringify(welcome) },
  ]) [stream, effects] = stepStream(stream, happened, now);
  assert.deepEqual(effects.map(({ type }) => type), ["exchange", "send", "sent", "renew"]);
});

test("a subscription goes out anew with every welcome, with what holds then", () => {
  const page = livePage();
  let ids = [1];
  page.streams.news.standing("watch", () => ({ ids }));
  page.streams.news.renew("watch");
  ids = [2];
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual(page.socket().frames("command").map(({ data }) => data.ids), [[2]], "the old one is not repeated");
});

test("duplicates are dropped and counted", () => {
  const page = livePage();
  for (const seq of [4, 4, 3, 5]) page.socket().receive(event(seq));
  assert.deepEqual([page.events, page.inside().duplicates], [[4, 5], 2]);
});

test("a gap drops the connection and resumes from where it is sure", () => {
  const page = livePage();
  page.socket().receive(event(4));
  page.socket().receive(event(6));
  assert.deepEqual([page.events, page.inside().gaps, page.socket().retired], [[4], 1, true]);
  page.pass(300);
  page.socket().open();
  assert.deepEqual([page.hello("news").cause, page.hello("news").cursor, page.hello("news").stats.gaps], ["gap", at(4), 1]);
});

test("an event of a topic that the page has no cursor for cannot be placed: only a snapshot helps", () => {
  const page = livePage();
  page.socket().receive({ ...event(4), topic: "other" });
  assert.deepEqual([page.events, page.inside().gaps], [[], 1]);
  page.pass(300);
  page.socket().open();
  assert.deepEqual([page.hello("news").cause, page.hello("news").cursor], ["gap", undefined]);
});

test("a second welcome on one connection is a fault", () => {
  const page = livePage();
  page.socket().receive(welcome);
  assert.deepEqual([page.inside().causes[0].cause, page.inside().fault.key, page.state("news")], ["fault", "second welcome", "reconnecting"]);
});

test("what the server left out on purpose is no gap", () => {
  const page = livePage();
  page.socket().receive(event(9, 3));
  assert.deepEqual([page.events, page.inside().cursor], [[9], at(9)]);
});

test("a replay whose last frames were lost is noticed by synced, and resumed", () => {
  const page = livePage();
  page.socket().receive(event(4));
  page.socket().receive({ type: "synced", cursor: at(6) });
  assert.deepEqual([page.events, page.inside().gaps, page.socket().retired], [[4], 1, true]);
  page.pass(300);
  page.socket().open();
  assert.deepEqual([page.hello("news").cause, page.hello("news").cursor], ["gap", at(4)]);
});

test("a snapshot replaces everything, cursor included", () => {
  const snapshots = [];
  const page = new Page({ handlers: { onSnapshot: (data) => snapshots.push(data) } });
  page.socket().open();
  page.socket().receive({ ...welcome, resumed: false });
  page.socket().receive({ type: "snapshot", cursor: at(20, "e2"), data: { all: 1 } });
  page.socket().receive({ type: "synced", cursor: at(20, "e2") });
  assert.deepEqual([snapshots, page.inside().cursor, page.state("news")], [[{ all: 1 }], at(20, "e2"), "live"]);
});

for (const [when, cursor, resumed] of [["a page that has none", null, false], ["a page whose cursor is too old", at(3), false], ["a page that has none, told that it resumes,", null, true]]) {
  test(`${when} is not live without the snapshot that it is owed`, () => {
    const snapshots = [];
    const page = new Page({ handlers: { cursor, onSnapshot: (data) => snapshots.push(data) } });
    page.socket().open();
    page.socket().receive({ ...welcome, resumed });
    page.socket().receive({ type: "synced", cursor: at(3) });
    assert.deepEqual([snapshots, page.state("news"), page.inside().causes[0].cause], [[], "reconnecting", "gap"]);
    page.pass(300);
    page.socket().accept({ cursor: at(5), resumed: false, data: { all: 1 } });
    assert.equal("cursor" in page.hello("news"), false, "only a snapshot helps");
    assert.deepEqual([snapshots, page.state("news"), page.inside().cursor], [[{ all: 1 }], "live", at(5)]);
    page.socket().close(1006);
    page.pass(page.link.summary().nextTryMs);
    page.socket().accept({ cursor: at(5) });
    assert.deepEqual([page.hello("news").cursor, page.state("news")], [at(5), "live"], "and from then on it resumes");
  });
}

test("another log in synced without a snapshot: only a snapshot helps", () => {
  const page = new Page();
  page.socket().accept({ cursor: at(3, "e9") });
  page.pass(300);
  page.socket().open();
  assert.equal("cursor" in page.hello("news"), false);
});

test("a snapshot in the middle of a live connection is taken in", () => {
  const page = livePage();
  page.socket().receive({ type: "snapshot", cursor: at(30, "e2"), data: {} });
  page.socket().receive(event(31));
  assert.deepEqual([page.state("news"), page.events, page.inside().cursor], ["live", [31], at(31, "e2")]);
});

test("an event whose handling throws: resume; then a snapshot; then the page says that it is at fault", () => {
  const page = new Page({ handlers: { onEvent: () => { throw new Error("cannot take it"); } } });
  page.goLive();
  const hellos = [];
  for (let round = 0; round < 3; round += 1) {
    page.socket().receive(event(4));
    if (page.state("news") === "ended") break;
    page.pass(page.link.summary().nextTryMs);
    page.socket().accept({ cursor: at(3), resumed: round === 0 });
    hellos.push([page.hello("news").cause, page.hello("news").cursor]);
  }
  assert.deepEqual(hellos, [["fault", at(3)], ["fault", undefined]]);
  assert.deepEqual([page.state("news"), page.inside().ending.code], ["ended", "fault"]);
  assert.equal(page.environment.errors.length, 3);
});

test("a snapshot that cannot be taken in goes on counting where the event began", () => {
  const fail = () => { throw new Error("cannot take it"); };
  const page = new Page({ handlers: { onEvent: fail, onSnapshot: fail } });
  page.goLive();
  for (let round = 0; round < 2; round += 1) {
    page.socket().receive(event(4));
    page.pass(page.link.summary().nextTryMs);
    page.socket().open();
    page.socket().receive(welcome);
  }
  page.socket().receive({ type: "snapshot", cursor: at(9), data: {} });
  assert.equal(page.inside().ending.code, "fault");
});

test("an event that throws once is applied after the reconnect, and forgotten", () => {
  let fails = 1;
  const seen = [];
  const page = new Page({ handlers: { onEvent: ({ seq }) => { if (fails-- > 0) throw new Error("once"); seen.push(seq); } } });
  page.goLive();
  page.socket().receive(event(4));
  page.pass(300);
  page.socket().accept({ cursor: at(4), events: [event(4)] });
  assert.deepEqual([seen, page.inside().fault, page.state("news")], [[4], null, "live"]);
});

test("a fault is forgotten after ten seconds of life: it takes three in a row to end a stream", () => {
  const page = new Page({ handlers: { onEvent: () => { throw new Error("cannot take it"); } } });
  page.goLive();
  for (let round = 0; round < 4; round += 1) {
    page.socket().receive(event(4));
    assert.equal(page.inside().fault.count, 1);
    page.pass(page.link.summary().nextTryMs);
    page.socket().accept({ cursor: at(3) });
    page.pass(9_999);
    page.socket().receive("ping");
    assert.equal(page.inside().fault.count, 1, "not yet");
    page.pass(1);
    page.socket().receive("ping");
    assert.equal(page.inside().fault, null);
  }
  assert.equal(page.state("news"), "live");
});

for (const [what, text] of [["not JSON", "{"], ["no type", "{}"], ["half an event", '{"type":"event","topic":"contest"}']]) {
  test(`a frame that is ${what} is a fault, not a crash`, () => {
    const page = livePage();
    page.socket().receive(text);
    assert.equal(page.inside().causes[0].cause, "fault");
    assert.equal(page.state("news"), "reconnecting");
  });
}

test("a binary frame and frames before welcome are faults, too", () => {
  const page = livePage();
  page.socket().handlers.onBinary();
  page.pass(300);
  page.socket().open();
  page.socket().receive(event(4));
  assert.deepEqual(page.inside().causes.map(({ cause }) => cause), ["fault", "fault"]);
});

test("frames that the library does not know are passed on; their handler may throw", () => {
  const passed = [];
  const page = new Page({ handlers: { onMessage: (frame) => { passed.push(frame.type); throw new Error("in onMessage"); } } });
  page.goLive();
  page.socket().receive({ type: "timer", accumulated_ms: 5 });
  assert.deepEqual([passed, page.state("news")], [["timer"], "live"]);
});

test("what seen counts is bytes, not letters", () => {
  const page = livePage();
  page.pass(2_000);
  const before = page.socket().frames("seen").length;
  page.socket().receive(event(4, 3, { text: "ж".repeat(32_600) }));
  assert.equal(page.socket().frames("seen").length, before, "just under 64 KiB");
  page.socket().receive(event(5, 4, { text: "ж".repeat(400) }));
  assert.equal(page.socket().frames("seen").length, before + 1);
});

test("seen goes out after 32 frames, after 64 KiB or after a second, and not for pings", () => {
  const page = livePage();
  page.pass(2_000);
  const seen = () => page.socket().frames("seen").map(({ frames }) => frames);
  const start = seen().at(-1);
  assert.equal(start, 2, "welcome and synced");
  page.socket().receive("ping");
  page.pass(5_000);
  assert.equal(seen().at(-1), 2);
  page.socket().receive(event(4));
  page.pass(999);
  assert.equal(seen().at(-1), 2);
  page.pass(1);
  assert.equal(seen().at(-1), 3);
  for (let seq = 5; seq < 5 + 32; seq += 1) page.socket().receive(event(seq));
  assert.equal(seen().at(-1), 35);
  page.socket().receive(event(37, 36, { text: "x".repeat(70_000) }));
  assert.equal(seen().at(-1), 36);
});
