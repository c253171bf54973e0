/** How often a page may be sent on for free: two nodes drained after one another are not felt, one that does it again and again is. */

import assert from "node:assert/strict";
import test from "node:test";

import { createStream, stepStream } from "../stream.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { at } from "./fake_environment.js";
import { livePage } from "./page.js";

/** The node gives a token away as soon as the page is synced. */
function sentOn(page) {
  page.socket().accept({ cursor: at(3) });
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
  page.pass(0);
}

test("two changes in a row are free, so that nodes that are drained after one another are not felt", () => {
  const page = livePage();
  const drained = () => {
    page.socket().receive({ type: "drain", leave_in_ms: 0 });
    page.pass(0);
    page.socket().close(4112);
    page.pass(0);
  };
  drained();
  page.socket().accept({ cursor: at(3) });
  page.pass(3_000);
  drained();
  assert.deepEqual([page.state("news"), page.sockets("news").length, page.inside().failures], ["switching", 3, 0]);
});

test("a node that sends on whoever is synced meets the back-off from the third time on, and it is called a loss", () => {
  const page = livePage();
  page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
  page.pass(0);
  sentOn(page);
  assert.deepEqual([page.sockets("news").length, page.state("news"), page.inside().failures], [3, "switching", 0], "twice");
  for (let failures = 1; failures <= 6; failures += 1) {
    const before = page.sockets("news").length;
    sentOn(page);
    const { nextTryMs } = page.inside();
    assert.deepEqual([page.sockets("news").length, page.state("news"), page.inside().failures], [before, "reconnecting", failures]);
    const middle = Math.min(300 * 2 ** (failures - 1), 5_000);
    assert.ok(nextTryMs >= middle / 2 && nextTryMs <= middle * 1.5, `${nextTryMs}`);
    page.pass(nextTryMs);
  }
});

for (const leaveInMs of [-1, 0, 5]) {
  test(`so does one that tells them to leave at once (${leaveInMs}), also if it dies instead of closing in order`, () => {
    const page = livePage();
    const drained = (code) => {
      page.socket().receive({ type: "drain", leave_in_ms: leaveInMs });
      page.pass(Math.max(leaveInMs, 0));
      if (code === 4112) assert.equal(page.socket().frames("leave").length, 1);
      const said = page.state("news");
      page.socket().close(code);
      page.pass(0);
      return said;
    };
    assert.equal(drained(4112), "switching");
    page.socket().accept({ cursor: at(3) });
    assert.equal(drained(4112), "switching");
    page.socket().accept({ cursor: at(3) });
    assert.equal(drained(4112), "reconnecting", "from leave on");
    assert.deepEqual([page.inside().failures, page.inside().nextTryMs >= 150], [1, true]);
    page.pass(450);
    page.socket().accept({ cursor: at(3) });
    page.socket().receive({ type: "drain", leave_in_ms: leaveInMs });
    page.socket().close(1006);
    assert.deepEqual([page.inside().failures, page.inside().nextTryMs >= 300], [2, true]);
  });
}

test("a death after the moment to leave waits as any other", () => {
  const page = livePage();
  page.socket().receive({ type: "drain", leave_in_ms: 0 });
  page.pass(0);
  page.socket().close(1006);
  assert.deepEqual([page.inside().failures, page.inside().nextTryMs >= 150], [1, true]);
});

for (const withFailures of [false, true]) {
  test(`ten seconds of proven life make changes free again${withFailures ? ", and forget the failures" : ""}`, () => {
    const page = livePage();
    page.socket().receive({ type: "token", token: "T", expires_in_ms: 30_000 });
    page.pass(0);
    sentOn(page);
    if (withFailures) {
      sentOn(page);
      page.pass(450);
    }
    page.socket().accept({ cursor: at(3) });
    page.pass(10_000);
    const before = page.sockets("news").length;
    page.socket().receive({ type: "drain", leave_in_ms: 0 });
    page.pass(0);
    assert.equal(page.state("news"), "switching");
    page.socket().close(4112);
    page.pass(0);
    assert.deepEqual([page.sockets("news").length, page.inside().failures], [before + 1, 0]);
  });
}

test("a page that changes its own way, between WebSockets and the fallback, does so for free and uses up no change of node", () => {
  const now = { ms: 0, wallMs: 0, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5 };
  let stream = createStream({ name: "news", url: "/ws/news", client: "c", cursor: at(3), timings: DEFAULT_TIMINGS }, now);
  for (let times = 1; times <= 3; times += 1) {
    [stream] = stepStream(stream, { type: "try", scout: false, withinMs: 10_000, carrier: "websocket", asks: false }, now);
    [stream] = stepStream(stream, { type: "regroup" }, now);
    assert.deepEqual([stream.phase, stream.retry.failures, stream.retry.switches], ["waiting", 0, 0]);
  }
});
