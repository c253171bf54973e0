/** A planned change of node: told so, left at one's own moment, and anew at once where the balancer leads. */

import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { FIVE, livePage, Page } from "./page.js";

const retry = { type: "retry", code: "draining", message: "", retry_after_ms: 500 };

/** A page that has left its node: the drain came, leave went out, the node has closed. */
function leftPage() {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.socket().close(4112);
  page.pass(0);
  return page;
}

test("without a token: closed with 4112, and at once anew from its cursor, without a failure", () => {
  const page = leftPage();
  assert.equal(page.sockets("news")[0].frames("leave").length, 1);
  assert.equal(page.sockets("news").length, 2, "at once");
  page.socket().open();
  assert.deepEqual([page.hello("news").cause, page.hello("news").cursor, page.hello("news").try], ["drain", at(3), 0]);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([page.state("news"), page.inside().failures, page.link.page().circuit.mode], ["live", 0, "closed"]);
  assert.deepEqual(page.states.slice(-3), ["news live", "news switching", "news live"]);
});

test("a switch is called so for two seconds, then it is a loss, and the badge hears of it without any other event", () => {
  const page = leftPage();
  page.pass(1_999);
  assert.equal(page.summaries.at(-1).state, "switching");
  page.pass(1);
  assert.equal(page.summaries.at(-1).state, "reconnecting");
  page.socket().accept({ cursor: at(3) });
  assert.equal(page.state("news"), "live");
});

test("whatever fails meanwhile, a switch is called so until two seconds are over", () => {
  const page = leftPage();
  page.socket().open();
  page.socket().receive(retry);
  assert.deepEqual([page.state("news"), page.inside().nextTryMs], ["switching", 500]);
  page.pass(500);
  page.socket().close(1006);
  assert.equal(page.state("news"), "switching");
  page.pass(1_499);
  assert.equal(page.state("news"), "switching");
  page.pass(1);
  assert.equal(page.state("news"), "reconnecting");
});

test("a leave without an answer is called a switch for two seconds only", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 100 });
  page.pass(100);
  page.pass(1_999);
  assert.equal(page.state("news"), "switching");
  page.pass(1);
  assert.deepEqual([page.state("news"), page.sockets("news").length], ["reconnecting", 1]);
  page.pass(8_000);
  assert.deepEqual([page.state("news"), page.sockets("news").length], ["reconnecting", 2], "nor once more when it is given up");
});

test("a page that was too late to say leave is closed, and that is the same switch", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 5_000 });
  page.socket().close(4112);
  page.pass(0);
  assert.deepEqual([page.state("news"), page.sockets("news").length, page.inside().failures], ["switching", 2, 0]);
});

test("a switch that came to its end excuses no later loss", () => {
  const page = leftPage();
  page.socket().accept({ cursor: at(3) });
  page.socket().close(1006);
  assert.equal(page.state("news"), "reconnecting");
});

test("all five streams of a page change over without one failed try or a word worse than switching", () => {
  const page = new Page({ streams: FIVE }).goLive();
  page.pass(1_000);
  const before = page.states.length;
  FIVE.forEach((name, index) => page.sockets(name)[0].receive({ type: "drain", leave_in_ms: 2 * index }));
  for (const name of FIVE) {
    page.pass(2);
    assert.equal(page.sockets(name)[0].frames("leave").length, 1);
    page.sockets(name)[0].close(4112);
    page.acceptAll();
  }
  assert.deepEqual(FIVE.map((name) => page.sockets(name).length), [2, 2, 2, 2, 2]);
  assert.deepEqual(new Set(FIVE.map((name) => page.state(name))), new Set(["live"]));
  const said = page.states.slice(before).map((each) => each.split(" ")[1]);
  assert.deepEqual(new Set(said), new Set(["switching", "live"]));
  assert.ok(page.link.connections().every((stream) => stream.failures === 0));
});

test("a drain: live until its own moment, then leave, token, and at once to another node", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 1_834 });
  page.pass(1_833);
  assert.equal(page.state("news"), "live");
  page.pass(1);
  assert.equal(page.state("news"), "switching");
  assert.equal(page.socket().frames("leave").length, 1);
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
  assert.equal(page.sockets("news").length, 2, "at once");
  assert.equal(page.state("news"), "switching");
  page.socket().open();
  assert.deepEqual([page.hello("news").token, page.hello("news").cause], ["T", "drain"]);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([page.state("news"), page.inside().failures], ["live", 0]);
});

test("a token is used once", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
  page.socket().accept({ cursor: at(3) });
  page.socket().close(1006);
  page.pass(300);
  page.socket().open();
  assert.deepEqual([page.sockets("news").length, "token" in page.hello("news")], [3, false]);
});

test("a token is not used after its time", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 1_000 });
  page.socket().close(1006);
  page.pass(1_001);
  page.socket().open();
  assert.equal("token" in page.hello("news"), false);
});

test("a leave without an answer is not waited for for ever", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.socket().receive("ping");
  page.pass(10_000);
  assert.equal(page.sockets("news").length, 2);
});

test("an event in the page's hands when a deadline passes is applied once, and its place is kept", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.environment.sleep(10_000);
  page.socket().receive(event(4));
  page.pass(0);
  assert.equal(page.sockets("news")[0].retired, true, "the deadline for the answer to leave had passed");
  page.socket().open();
  assert.deepEqual([page.events, page.hello("news").cursor], [[4], at(4)]);
});

test("commands given while leaving wait for the other node", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.streams.news.command("ack", {});
  assert.equal(page.socket().frames("command").length, 0);
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
  page.socket().accept({ cursor: at(3) });
  assert.equal(page.socket().frames("command").length, 1);
});

test("a node that dies before the moment it had named: clients come back at that moment, spread", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 1_500 });
  page.socket().close(1006);
  page.pass(1_499);
  assert.equal(page.sockets("news").length, 1);
  page.pass(1);
  assert.equal(page.sockets("news").length, 2);
});

test("drained without a drain frame: at once after ten seconds of life, with back-off for a node that does it again and again", () => {
  const page = livePage();
  page.pass(10_000);
  page.socket().receive("ping");
  page.socket().close(4112);
  assert.equal(page.state("news"), "switching");
  assert.equal(page.sockets("news").length, 2);
  page.socket().open();
  page.socket().close(4112);
  page.pass(0);
  assert.equal(page.sockets("news").length, 2);
  assert.equal(page.inside().failures, 1);
});

test("nodes that send a page on before it was synced: no repetition stretches the switch", () => {
  const page = leftPage();
  for (let again = 0; again < 4; again += 1) {
    page.socket().open();
    page.socket().receive({ type: "welcome", protocol: 1, node: "n", server_time: 1, resumed: true, timings: {} });
    page.socket().receive({ type: "drain", leave_in_ms: 0 });
    page.pass(500);
    page.socket().close(4112);
    page.pass(0);
  }
  assert.equal(page.state("news"), "reconnecting");
});

test("a page that is sent on while it is not synced for longer than two seconds does not call that a switch again", () => {
  const page = leftPage();
  page.pass(2_000);
  page.socket().open();
  page.socket().receive({ type: "welcome", protocol: 1, node: "n", server_time: 1, resumed: true, timings: {} });
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  assert.equal(page.state("news"), "reconnecting");
  page.socket().close(4112);
  page.pass(0);
  assert.deepEqual([page.state("news"), page.sockets("news").length], ["reconnecting", 3]);
});
