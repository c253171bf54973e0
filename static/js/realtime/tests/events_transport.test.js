import assert from "node:assert/strict";
import test from "node:test";

import { eventsTransport } from "../events_transport.js";
import { FakeServer, HELLO, later, opened } from "./events_server.js";

const ack = (line, client_seq) => line.send(JSON.stringify({ type: "command", client_seq, name: "ack", data: {} }));

test("streams opened in one turn share one response, with their cursors in the address", async () => {
  const { server } = await opened(["news", "timer"]);
  assert.equal(server.gets.length, 1);
  const given = server.gets[0].url.searchParams;
  assert.deepEqual([given.get("streams"), given.get("client")], ["news,timer", "c1"]);
  assert.deepEqual(JSON.parse(given.get("cursor")).timer, HELLO.cursor);
  assert.deepEqual(JSON.parse(given.get("hello")).news, { try: 0, cause: "close", gap_ms: 5, stats: {}, user: 17 });
});

test("frames go to their streams as a socket would bring them, wherever the bytes are cut", async () => {
  const { server, heard } = await opened(["news", "timer"]);
  const text = `:\n\ndata: ${JSON.stringify({ stream: "timer", type: "welcome", fence: 3, server_time: 1 })}\n\n`;
  await server.say(text.slice(0, 30));
  await server.say(text.slice(30));
  await server.frame({ stream: "news", type: "ping" });
  await server.say(":\n\n");
  assert.deepEqual(heard.timer, [["text", '{"type":"welcome","fence":3,"server_time":1}'], ["text", "pong"]]);
  assert.deepEqual(heard.news, [["text", "ping"]], "a comment proves nothing of what was not welcomed");
});

test("a close is its stream's alone, and an end of the response is a cut for the others", async () => {
  const { server, heard } = await opened(["news", "timer"]);
  await server.frame({ stream: "news", type: "close", code: 4003 });
  assert.deepEqual([heard.news, heard.timer], [[["close", 4003]], []]);
  await server.gets[0].writer.close();
  await later();
  assert.deepEqual([heard.news.length, heard.timer], [1, [["close", 1006]]]);
});

test("a browser that ends the response before the page hears that it is left takes no last words", async () => {
  const { server, lines, heard } = await opened(["news"]);
  await server.frame({ stream: "news", type: "welcome", fence: null });
  const sent = server.posts.length;
  heard.news.length = 0;
  void server.gets[0].writer.abort(new TypeError("network error"));
  for (let turns = 0; turns < 20; turns += 1) await null;
  assert.deepEqual(heard.news, [], "the page is not told within the browser's own task");
  lines.news.send(JSON.stringify({ type: "command", client_seq: 1, name: "report", data: { foreground: false } }));
  lines.news.retire(true);
  await later();
  assert.equal(server.posts.length, sent + 1);
});

test("the response goes with its last stream, and a retired stream hears nothing", async () => {
  const { server, lines, heard } = await opened(["news", "timer"]);
  lines.news.retire();
  await server.frame({ stream: "news", type: "ping" });
  assert.equal(server.gets[0].init.signal.aborted, false);
  lines.timer.retire();
  await later();
  assert.equal(server.gets[0].init.signal.aborted, true);
  assert.deepEqual(heard, { news: [], timer: [] });
});

test("what comes up in one turn goes in one request, a report with its fence and, once, its cause", async () => {
  const { server, lines, heard } = await opened(["news", "timer"]);
  await server.frame({ stream: "timer", type: "welcome", fence: 3 });
  const report = { type: "command", client_seq: 1, name: "report", data: {} };
  server.answers = [{ stream: "timer", type: "reply", client_seq: 1, ok: true }];
  lines.timer.send(JSON.stringify(report));
  lines.news.send(JSON.stringify({ ...report, name: "ack" }));
  await later();
  assert.equal(server.posts.length, 1);
  const [{ body, init }] = server.posts;
  assert.deepEqual(body.frames, [
    { stream: "timer", ...report, fence: 3, cause: "close" }, { stream: "news", ...report, name: "ack" },
  ]);
  assert.deepEqual([init.headers["X-CSRFToken"], body.client, body.user], ["token", "c1", 17]);
  assert.deepEqual(heard.timer.at(-1), ["beside", '{"type":"reply","client_seq":1,"ok":true}']);
  lines.timer.send(JSON.stringify(report));
  await later();
  assert.equal("cause" in server.posts[1].body.frames[0], false);
});

test("words and credit do not wait for commands, and commands keep their order", async () => {
  const { server, lines } = await opened(["news"]);
  server.answers = ["held"];
  for (const client_seq of [1, 2]) {
    lines.news.send(JSON.stringify({ type: "command", client_seq, name: "ack", data: {} }));
    await later();
  }
  lines.news.send("ping");
  await later();
  const sent = server.posts.map(({ body }) => body.frames.map((frame) => frame.client_seq ?? frame.type));
  assert.deepEqual(sent, [[1], ["ping"]]);
});

test("a request that is refused closes the streams whose frames it carried", async () => {
  const { server, lines, heard } = await opened(["news", "timer"]);
  server.status = 503;
  lines.news.send("pong");
  await later();
  assert.deepEqual(heard, { news: [["close", 1006]], timer: [] });
});

test("an address that is not there closes all streams", async () => {
  const server = new FakeServer();
  server.status = 404;
  const { heard } = await opened(["news", "timer"], server);
  assert.deepEqual(heard, { news: [["close", 1006]], timer: [["close", 1006]] });
});

test("whether the server is there is asked where commands go, without any", async () => {
  const server = new FakeServer();
  const ask = () => new Promise((tell) => eventsTransport(server.options).reach(5_000, tell));
  assert.equal(await ask(), true);
  const [{ url, body, withinMs, init }] = server.posts;
  assert.deepEqual([url, body.frames, withinMs, init.headers["X-CSRFToken"]], ["/rt/cup/commands", [], 5_000, "token"]);
  server.answers = undefined;
  assert.equal(await ask(), false, "a page of somebody in between");
  server.status = 403;
  assert.equal(await ask(), false);
  server.options.request = () => Promise.reject(new TypeError("no network"));
  assert.equal(await ask(), false);
});

test("the last words of a page that is left go out at once, whatever is under way", async () => {
  const { server, lines } = await opened(["news"]);
  const said = () => server.posts.map(({ body }) => body.frames.map((frame) => frame.client_seq));
  server.answers = ["held"];
  ack(lines.news, 1);
  await later();
  ack(lines.news, 2);
  await later();
  assert.deepEqual(said(), [[1]], "the second one waits");
  ack(lines.news, 3);
  lines.news.retire(true);
  await later();
  assert.deepEqual(said(), [[1], [1, 2, 3]], "the first one, too: the browser ends it with the page");
  assert.deepEqual(server.posts.map(({ init }) => init.keepalive), [false, true], "only these outlive the page");
});

test("last words that need two requests wait for no answer between them", async () => {
  const { server, lines } = await opened(["news"]);
  server.answers = ["held"];
  lines.news.send(JSON.stringify({ type: "command", client_seq: 1, name: "run", data: { source: "a".repeat(40_000) } }));
  ack(lines.news, 2);
  lines.news.retire(true);
  await later();
  assert.deepEqual(server.posts.map(({ body }) => body.frames.map((frame) => frame.client_seq)), [[1], [2]]);
});

test("a report that was sent just before a page is left goes once more, though nothing is said any more", async () => {
  const { server, lines } = await opened(["news"]);
  server.answers = ["held"];
  ack(lines.news, 1);
  await later();
  lines.news.retire(true);
  await later();
  const [first, again] = server.posts;
  assert.deepEqual([again.body.frames, again.init.keepalive], [first.body.frames, true]);
  assert.equal(server.posts.length, 2);
});

test("requests without an answer go with the last stream: on a dead path they would hold all of the browser's connections", async () => {
  const { server, lines } = await opened(["news", "timer"]);
  server.answers = ["held"];
  ack(lines.news, 1);
  await later();
  lines.news.send("ping");
  await later();
  lines.news.retire();
  assert.deepEqual(server.posts.map(({ init }) => init.signal.aborted), [false, false], "the timer's may be answered");
  lines.timer.retire();
  await later();
  assert.deepEqual(server.posts.map(({ init }) => [init.signal.aborted, init.keepalive]), [[true, false], [true, false]]);
});

test("a request without an answer goes again after a probe's time, and is lost with the third", async () => {
  const { server, lines, heard } = await opened(["news"]);
  await server.frame({ stream: "news", type: "welcome", timings: { probe_ms: 2_000 } });
  server.answers = ["silent"];
  ack(lines.news, 1);
  lines.news.send("ping");
  await later();
  const said = server.posts.map(({ body }) => body.frames.map((frame) => frame.client_seq ?? frame.type));
  assert.deepEqual(said.filter(([what]) => what === 1), [[1], [1], [1]]);
  assert.deepEqual(said.filter(([what]) => what === "ping"), [["ping"], ["ping"], ["ping"]]);
  for (const { withinMs } of server.posts) assert.ok(withinMs >= 2_000 && withinMs < 2_100, `${withinMs} ms`);
  assert.deepEqual(heard.news.at(-1), ["close", 1006]);
});

test("an answer to the second one is an answer, and those that have waited for it follow", async () => {
  const { server, lines, heard } = await opened(["news"]);
  server.answers = ["silent"];
  server.onPost = () => (server.answers = server.posts.length === 1 ? ["silent"] : []);
  ack(lines.news, 1);
  await later();
  ack(lines.news, 2);
  await later();
  assert.deepEqual(server.posts.map(({ body }) => body.frames[0].client_seq), [1, 1, 2]);
  assert.deepEqual(heard.news, []);
});

test("a large request has the time that a slow line needs for it", async () => {
  const { server, lines } = await opened(["news"]);
  lines.news.send(JSON.stringify({ type: "command", client_seq: 1, name: "run", data: { source: "ä".repeat(40_000) } }));
  await later();
  assert.ok(server.posts[0].withinMs >= 20_000, `${server.posts[0].withinMs} ms`);
});

test("what still waited when the streams went away is not said any more: they say it again, elsewhere", async () => {
  const { server, lines } = await opened(["news"]);
  const sent = [];
  let answer = () => {};
  server.options.request = (_, { body }) => {
    sent.push(JSON.parse(body).frames.map((frame) => frame.client_seq));
    return new Promise((resolve) => (answer = () => resolve({ ok: true, json: async () => ({ frames: [] }) })));
  };
  for (const client_seq of [1, 2]) {
    lines.news.send(JSON.stringify({ type: "command", client_seq, name: "watch", data: {} }));
    await later();
  }
  lines.news.retire();
  answer();
  await later();
  assert.deepEqual(sent, [[1]]);
});
