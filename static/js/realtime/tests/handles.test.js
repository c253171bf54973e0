import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "./fake_environment.js";
import { livePage, Page } from "./page.js";

const reply = (seq, more = {}) => ({ type: "reply", client_seq: seq, ok: true, data: {}, server_time: 1, held_ms: 0, ...more });

test("a command can be awaited for its reply", async () => {
  const page = livePage();
  const command = page.streams.news.command("ack", { notices: [] });
  page.socket().receive(reply(1, { data: { done: 1 } }));
  assert.deepEqual((await command).data, { done: 1 });
});

test("a command knows whether a connection has taken it: from the welcome on, once, and whatever comes then", () => {
  const page = livePage();
  assert.equal(page.streams.news.command("ack", {}).isSent, true);
  page.socket().close(1006);
  const told = [];
  const command = page.streams.news.command("ask", {}).onSent(() => told.push(page.state("news")));
  page.pass(300);
  page.socket().open();
  assert.deepEqual([command.isSent, told], [false, []]);
  page.socket().receive({ type: "welcome", protocol: 1, node: "n1", server_time: 1, resumed: true, timings: {} });
  assert.equal(command.isSent, true);
  page.socket().close(1006);
  page.pass(page.link.summary().nextTryMs);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([command.isSent, told], [true, ["reconnecting"]], "the second time is no news");
});

test("any number of parts may watch what is shown of a stream, at once and until they have seen enough", () => {
  const page = livePage();
  const [first, second] = [[], []];
  page.streams.news.watch(({ state }) => first.push(state));
  const stop = page.streams.news.watch(({ state }) => second.push(state));
  assert.deepEqual([first, second], [["live"], ["live"]]);
  page.socket().close(1006);
  stop();
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([first.filter((state, index) => state !== first[index - 1]), second], [["live", "reconnecting", "live"], ["live", "reconnecting"]]);
  assert.ok(page.states.includes("news reconnecting"), "and its own handler is told as ever");
});

test("a watcher that throws keeps nothing from the others", () => {
  const page = livePage();
  const seen = [];
  page.streams.news.watch(({ state }) => { if (state !== "live") throw new Error("no"); });
  page.streams.news.watch(({ state }) => seen.push(state));
  page.socket().close(1006);
  assert.deepEqual([seen, page.environment.errors.length], [["live", "reconnecting"], 1]);
});

test("a command that fails before any answer rejects with the reason", async () => {
  const page = livePage();
  const command = page.streams.news.command("ask", {}, { expiresMs: 5_000 });
  page.pass(5_000);
  await assert.rejects(async () => command, { code: "expired" });
});

test("a refusal is an answer, not a failure", async () => {
  const page = livePage();
  const command = page.streams.news.command("run", {});
  page.socket().receive(reply(1, { ok: false, error: { code: "forbidden", message: "no" } }));
  assert.equal((await command).error.code, "forbidden");
});

test("without a reply for ten seconds the command is shown as not confirmed, and may still be answered", () => {
  const page = livePage();
  let doubted = 0;
  const command = page.streams.news.command("ack", {}).onUnconfirmed(() => (doubted += 1));
  page.pass(10_000);
  assert.deepEqual([doubted, command.unconfirmed, command.outcome], [1, true, null]);
  page.socket().receive(reply(1));
  assert.equal(command.outcome.kind, "reply");
});

test("what was given while not live goes out with welcome; a lost answer is asked for again under the same number", () => {
  const page = new Page();
  const command = page.streams.news.command("ask", {});
  page.socket().accept({ cursor: at(3) });
  assert.equal(page.socket().frames("command")[0].client_seq, 1);
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.equal(page.socket().frames("command")[0].client_seq, 1);
  page.socket().receive(reply(1));
  page.socket().receive(reply(1));
  assert.equal(command.outcome.kind, "reply");
});

test("fifty wait, the next one is told that there is no room", () => {
  const page = new Page();
  const handles = Array.from({ length: 51 }, () => page.streams.news.command("ask", {}));
  assert.deepEqual(handles.map(({ outcome }) => outcome?.code ?? null), [...Array(50).fill(null), "full"]);
});

test("a frame that the server would refuse for its size is refused here, and the connection lives", () => {
  const page = livePage();
  const command = page.streams.news.command("run", { source: "한".repeat(22_000) });
  assert.deepEqual([command.outcome.code, page.state("news")], ["too-large", "live"]);
});

test("after the end nothing is taken in any more, and everybody waiting is told", () => {
  const page = livePage();
  const waiting = page.streams.news.command("ask", {});
  page.socket().close(4002);
  assert.deepEqual([waiting.outcome.code, page.streams.news.command("ask", {}).outcome.code], ["ended", "ended"]);
});

test("onReply hears every answer with its command", () => {
  const heard = [];
  const page = new Page({ handlers: { onReply: ({ ok }, { name, data }) => heard.push([ok, name, data]) } });
  page.goLive();
  page.streams.news.command("watch", { ids: [1] });
  page.socket().receive(reply(1));
  assert.deepEqual(heard, [[true, "watch", { ids: [1] }]]);
});

test("a stream that is opened anew from within a callback still answers the old one's commands", () => {
  const page = livePage();
  const outcomes = [];
  const old = page.streams.news;
  const hear = (handle, name) => handle.onSettled(({ kind, code }) => outcomes.push(`${name} ${code ?? kind}`));
  hear(old.command("ask", {}), "old");
  page.streams.news.handlers.onEvent = () => {
    page.streams.news = page.open("news");
    hear(page.streams.news.command("ask", {}), "new");
    hear(old.command("ask", {}), "too late");
  };
  page.socket().receive(event(4));
  assert.deepEqual(outcomes, ["too late ended", "old ended"], "the new one waits for its own answer");
  page.pass(0);
  page.socket().accept({ cursor: at(3) });
  page.socket().receive(reply(page.socket().frames("command")[0].client_seq));
  assert.equal(outcomes.at(-1), "new reply");
});

test("a standing command with nothing to say sends nothing", () => {
  const page = livePage();
  page.streams.news.standing("watch", () => null);
  assert.deepEqual([page.streams.news.renew("watch"), page.streams.news.renew("other")], [null, null]);
});

test("an answer that comes after the next report was sent is heard, too: a slow server still tells the time", () => {
  const heard = [];
  const page = new Page({ handlers: { onReply: ({ data }, { name }) => heard.push([name, data.total]) } });
  page.goLive();
  page.streams.news.standing("report", () => ({}), { kind: "report", expiresMs: 30_000, patient: false });
  for (let period = 1; period <= 5; period += 1) {
    page.streams.news.renew("report");
    page.pass(1_000);
    if (period > 1) page.socket().receive(reply(period - 1, { data: { total: period - 1 } }));
    page.pass(9_000);
    page.socket().receive("pong");
  }
  assert.deepEqual(heard, [["report", 1], ["report", 2], ["report", 3], ["report", 4]], "each took eleven seconds");
});

test("a report that waited for the connection is not sent beside the fresh one that welcome brings", () => {
  const page = livePage();
  const asked = { now: 0 };
  page.streams.news.standing("report", () => ({ at: asked.now }), { kind: "report" });
  page.socket().close(1006);
  asked.now = 1;
  const outcomes = [];
  page.streams.news.renew("report").onSettled(({ code }) => outcomes.push(code));
  asked.now = 2;
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual(page.socket().frames("command").map((frame) => frame.data.at), [2]);
  assert.deepEqual(outcomes, ["replaced"]);
});
