/** A page that has nothing to ask for still keeps the server's clock, and asks no more than it must. */

import assert from "node:assert/strict";
import test from "node:test";

import { livePage, Page } from "./page.js";

const SERVER_S = 1_790_000_000;
const timeCommand = { name: "delivered", data: { notices: [] } };
const asked = (page) => page.socket().frames("command").filter(({ name }) => name === "delivered");

function clockedPage(more = {}) {
  return livePage({ handlers: { timeCommand, ...more } });
}

/** The server's answer to the newest question. */
function answer(page, serverTime) {
  const { client_seq: seq } = asked(page).at(-1);
  page.socket().receive({ type: "reply", client_seq: seq, ok: true, data: {}, server_time: serverTime, held_ms: 0 });
}

/** The server's heartbeat, so that nothing but the clock is at stake. */
function quietMinutes(page, minutes) {
  for (let passed = 0; passed < minutes * 2; passed += 1) {
    page.pass(30_000);
    page.socket().receive("ping");
  }
}

test("the clock is asked for four minutes after it was last told, and not before", () => {
  const page = clockedPage();
  quietMinutes(page, 3.5);
  assert.equal(asked(page).length, 0);
  quietMinutes(page, 0.5);
  assert.equal(asked(page).length, 1);
  answer(page, SERVER_S + 240);
  quietMinutes(page, 3.5);
  assert.equal(asked(page).length, 1);
});

test("an unanswered question is asked again after half a minute, and nobody is told of it", () => {
  const page = clockedPage();
  quietMinutes(page, 4);
  page.pass(29_000);
  assert.equal(asked(page).length, 1);
  page.pass(1_000);
  assert.equal(asked(page).length, 2);
  assert.deepEqual(page.environment.errors, []);
});

test("after a sleep the clock is not synchronised until it was asked for, which is at once", () => {
  const page = clockedPage();
  page.environment.sleep(3_600_000, { monotonicStops: true });
  for (let tenths = 0; tenths < 110 && asked(page).length === 0; tenths += 1) page.pass(100);
  assert.equal(page.link.serverNow(), null, "the sleep was noticed by the next check");
  answer(page, SERVER_S + 3_610);
  assert.equal(page.link.serverNow().serverMs, (SERVER_S + 3_610) * 1000);
});

test("a wall clock that was set makes a page without reports ask, and it is right again", () => {
  const page = clockedPage();
  page.environment.wallMs += 7_200_000;
  page.pass(0);
  page.socket().receive("ping");
  page.pass(0);
  page.socket().receive("pong");
  assert.equal(page.link.serverNow(), null);
  assert.equal(asked(page).length, 1);
  answer(page, SERVER_S + 50);
  assert.equal(page.link.serverNow().serverMs, (SERVER_S + 50) * 1000);
});

test("a page that reports never asks besides", () => {
  const page = clockedPage();
  for (let report = 1; report <= 60; report += 1) {
    page.streams.news.command("report", {}, { kind: "report", again: false });
    page.socket().receive({ type: "reply", client_seq: report, ok: true, server_time: SERVER_S + report * 10, held_ms: 0 });
    page.pass(10_000);
  }
  assert.equal(asked(page).length, 0);
});

test("a hidden page does not ask; when somebody looks again, it does", () => {
  const page = clockedPage({ keepHidden: true });
  page.tell("hidden");
  quietMinutes(page, 10);
  assert.equal(asked(page).length, 0);
  page.tell("visible");
  assert.equal(asked(page).length, 1);
});

test("without a stream that was given a command for it nobody asks", () => {
  const page = new Page().goLive();
  quietMinutes(page, 10);
  assert.equal(page.socket().frames("command").length, 0);
});
