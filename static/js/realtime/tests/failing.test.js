import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { livePage, Page } from "./page.js";

const NEVER = 3_600_000;

for (const code of [1000, 1001, 1005, 1006, 1011, 1012, 1013, 4101, 4102, 4103, 4111, 4113, 4129]) {
  test(`close ${code} reconnects with back-off from where it was left`, () => {
    const page = livePage();
    page.socket().receive(event(4));
    page.socket().close(code);
    assert.equal(page.state("news"), "reconnecting");
    assert.equal(page.link.summary().nextTryMs, 300);
    page.pass(300);
    page.socket().open();
    assert.deepEqual(page.hello("news").cursor, at(4));
  });
}

for (const [code, reason] of [[1002, "refused"], [1008, "refused"], [4000, "bad-request"], [4001, "finished"], [4002, "signed-out"], [4003, "forbidden"], [4004, "not-found"], [4005, "old-client"], [4006, "fault"], [4009, "fault"]]) {
  test(`close ${code} ends the stream for good: ${reason}`, () => {
    const page = livePage();
    page.socket().close(code);
    page.pass(NEVER);
    page.tell("online");
    page.tell("visible");
    page.link.tryNow();
    page.pass(NEVER);
    assert.equal(page.environment.sockets.length, 1);
    assert.deepEqual([page.state("news"), page.inside().ending.code], ["ended", reason]);
  });
}

test("an end frame tells the reason in words, whatever the code that follows", () => {
  const page = livePage();
  page.socket().receive({ type: "end", code: "finished", message: "This record is final." });
  page.socket().close(1006);
  page.pass(NEVER);
  assert.equal(page.environment.sockets.length, 1);
  assert.deepEqual(page.link.summary().reason, { code: "finished", message: "This record is final." });
});

test("a stream at its natural end does not darken the page, one that was signed out does", () => {
  const page = livePage({ streams: ["news", "record"] });
  page.socket("record").close(4001);
  assert.deepEqual([page.state("record"), page.link.summary().state], ["ended", "live"]);
  page.socket("news").close(4002);
  assert.deepEqual([page.link.summary().state, page.link.summary().reason.code], ["ended", "signed-out"]);
});

for (const [how, end] of [
  ["the contest was archived", (page) => page.socket("record").receive({ type: "end", code: "archived", message: "" })],
  ["the page needs it no more", (page) => page.streams.record.close()],
]) {
  test(`a stream that ended because ${how} does not darken the page either, unless nothing else is left`, () => {
    const page = livePage({ streams: ["news", "record"] });
    end(page);
    assert.deepEqual([page.state("record"), page.link.summary().state], ["ended", "live"]);
    page.streams.news.close();
    assert.equal(page.link.summary().state, "ended");
  });
}

test("the retired socket is closed, and whatever it says later changes nothing", () => {
  const page = livePage();
  const old = page.socket();
  old.close(1006);
  assert.equal(old.retired, true);
  const before = page.inside();
  old.close(4002);
  old.handlers.onError();
  old.receive({ type: "end", code: "forbidden" });
  old.receive(event(9));
  assert.deepEqual(page.inside(), before);
  assert.deepEqual(page.events, []);
});

test("error and close of one socket are one failure", () => {
  const page = livePage();
  page.socket().handlers.onError();
  page.socket().close(1006);
  assert.deepEqual(page.inside().causes.map(({ cause }) => cause), ["error"]);
  assert.equal(page.inside().failures, 1);
});

test("in order: retired, queue settled, told; and a callback that throws changes no decision", () => {
  const order = [];
  const page = new Page({ handlers: { onDown: ({ cause }) => { order.push(`down ${cause} ${page.socket().retired}`); throw new Error("in onDown"); } } });
  page.goLive();
  page.streams.news.command("report", {}, { again: false }).onSettled(({ code }) => { order.push(`settled ${code}`); throw new Error("in onSettled"); });
  page.socket().close(1006);
  assert.deepEqual(order, ["settled lost", "down close true"]);
  assert.equal(page.environment.errors.length, 2);
  page.pass(300);
  assert.equal(page.environment.sockets.length, 2, "exactly one next try");
});

test("a page whose every callback throws loses, regains, leaves and returns like any other", () => {
  const thrower = (name) => () => { throw new Error(`in ${name}`); };
  const names = ["onMessage", "onState", "onReply", "onSynced", "onDown", "onPage"];
  const page = new Page({ handlers: Object.fromEntries(names.map((name) => [name, thrower(name)])) });
  page.link.subscribe(({ state }) => { if (state !== "connecting") throw new Error("in a listener"); });
  page.streams.news.standing("watch", thrower("produce"));
  page.goLive();
  page.streams.news.command("ask", {}).onSettled(thrower("onSettled")).onUnconfirmed(thrower("onUnconfirmed"));
  page.pass(10_000);
  page.socket().receive({ type: "reply", client_seq: 1, ok: true });
  page.socket().receive({ type: "timer" });
  page.socket().close(1006);
  page.pass(300);
  page.acceptAll();
  page.tell("leaving");
  page.tell("pageshow");
  page.acceptAll();
  page.socket().receive(event(4));
  assert.deepEqual([page.state("news"), page.events, page.sockets("news").length], ["live", [4], 3]);
  const thrown = new Set(page.environment.errors.map(({ message }) => message.replace("in ", "")));
  assert.deepEqual(thrown, new Set([...names, "a listener", "produce", "onSettled", "onUnconfirmed"]), "each of them did throw");
});

test("a send that throws is a failure like any other", () => {
  const page = livePage();
  page.socket().failsToSend = true;
  page.streams.news.command("ack", {});
  assert.equal(page.inside().causes[0].cause, "send-error");
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.equal(page.socket().frames("command").length, 1, "and the command goes out on the next socket");
});

test("back-off grows while sockets are accepted and closed at once, and is forgotten after ten seconds of life only", () => {
  const page = livePage();
  const waits = [];
  for (let round = 0; round < 4; round += 1) {
    page.socket().close(1006);
    waits.push(page.link.summary().nextTryMs);
    page.pass(waits.at(-1));
    page.socket().accept({ cursor: at(3) });
    page.pass(9_000);
    page.socket().receive("ping");
  }
  assert.deepEqual(waits, [300, 600, 1_200, 2_400]);
  page.pass(1_000);
  page.socket().receive("ping");
  page.socket().close(1006);
  assert.equal(page.link.summary().nextTryMs, 300);
});

test("waiting alone proves no life: a socket that said nothing for ten seconds keeps the back-off", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  page.pass(60_000);
  page.socket().close(1006);
  assert.equal(page.link.summary().nextTryMs, 600);
});

test("closed for being slow: at once if it had lived for ten seconds, else with back-off", () => {
  const page = livePage();
  page.pass(11_000);
  page.socket().receive("ping");
  page.socket().close(4100);
  page.pass(0);
  assert.equal(page.environment.sockets.length, 2);
  page.socket().accept({ cursor: at(3) });
  page.socket().close(4100);
  page.pass(0);
  assert.equal(page.environment.sockets.length, 2);
  assert.ok(page.link.summary().nextTryMs > 0);
});

test("the next hello says how often, why and how long it was blind", () => {
  const page = livePage();
  page.pass(5_000);
  page.socket().close(4103);
  page.pass(300);
  page.socket().close(1006);
  page.pass(600);
  page.socket().open();
  const { try: tries, cause, gap_ms: gapMs } = page.hello("news");
  assert.deepEqual([tries, cause, gapMs], [0, "close", 6_200], "the second socket never came to say hello");
});

test("losing and regaining the connection is told to the page", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  const told = page.states.filter((state, index) => state !== page.states[index - 1]);
  assert.deepEqual(told, ["news connecting", "news live", "news reconnecting", "news live"]);
});
