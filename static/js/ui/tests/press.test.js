/** What is said of a button that was pressed, over a real link: by the proven state, not by what was once opened. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { pressWords, sayPress } from "../press.js";

/** @param {(page: ReturnType<typeof livePage>) => void} before the press */
function pressed(before = () => undefined) {
  const page = livePage();
  before(page);
  const said = [];
  const command = page.streams.news.command("ask", {});
  sayPress(page.streams.news, command, (words) => said.push(words));
  return { page, said, answer: () => page.socket().receive({ type: "reply", client_seq: page.socket().frames("command")[0].client_seq, ok: true, data: {} }) };
}

test("on a live page it is being sent, and is in doubt when the server does not answer", () => {
  const { page, said, answer } = pressed();
  page.pass(10_000);
  assert.deepEqual(said, ["sending …", "not confirmed yet: waiting for the server"]);
  answer();
  page.socket().close(1006);
  assert.equal(said.length, 2, "nothing is said of what was answered");
});

test("not live, it says at once that it waits, and nothing else until the connection is there", () => {
  const { page, said } = pressed((live) => live.socket().close(1006));
  page.pass(10_500); // a try hangs meanwhile
  assert.deepEqual(said, ["not sent yet: waiting for the connection"]);
  page.link.tryNow();
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual(said.slice(1), ["not confirmed yet: waiting for the connection", "not confirmed yet: waiting for the server"], "it went out late, and is long without an answer");
});

test("what a welcome has let out is not called unsent when the path dies during the replay", () => {
  const { page, said } = pressed((live) => live.socket().close(1006));
  page.pass(300);
  page.socket().open();
  assert.deepEqual(said, ["not sent yet: waiting for the connection"], "the handshake alone carries nothing");
  page.socket().receive({ type: "welcome", protocol: 1, node: "n1", server_time: 1, resumed: true, timings: {} });
  assert.deepEqual([page.socket().frames("command").length, page.state("news")], [1, "reconnecting"], "the premise: it went out, and the replay goes on");
  assert.deepEqual(said.slice(1), ["not confirmed yet: waiting for the connection"]);
  page.socket().close(1006);
  assert.equal(said.length, 2);
  page.pass(page.link.summary().nextTryMs);
  page.socket().accept({ cursor: at(3) });
  assert.equal(said.at(-1), "sending …");
});

test("an open socket whose path is in doubt is no proof", () => {
  const { said, page } = pressed((live) => live.tell("visible"));
  assert.equal(page.socket().frames("command").length, 1, "the premise: it was given to the socket");
  page.socket().receive("pong");
  assert.deepEqual(said, ["not confirmed yet: waiting for the connection", "sending …"]);
});

test("a socket that is open, but not welcome yet, carries nothing", () => {
  const { said, page } = pressed((live) => {
    live.socket().close(1006);
    live.pass(300);
    live.socket().open();
  });
  assert.deepEqual(said, ["not sent yet: waiting for the connection"]);
  page.socket().close(1006);
  assert.equal(said.length, 1);
});

test("what has failed at once is not called waiting", () => {
  const { said } = pressed((live) => live.socket().close(4001));
  assert.deepEqual(said, []);
});

test("in every state there are words", () => {
  assert.equal(pressWords("switching", false, false), "not sent yet: waiting for the connection");
  assert.equal(pressWords("paused", true, true), "not confirmed yet: waiting for the connection");
});
