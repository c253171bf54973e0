/** The two ends of the second way cannot drift apart: text of the server's own builders is read, and ours is compared. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { isWelcome } from "../frames.js";
import { FakeServer, later, opened } from "./events_server.js";

const path = new URL("../../../../realtime/tests/golden_frames.json", import.meta.url);
const { client, events: golden, server: frames } = JSON.parse(readFileSync(path, "utf8"));
const hellos = { [golden.first]: JSON.parse(client["first hello"]), [golden.resumed]: JSON.parse(client["hello with a cursor"]) };
const byName = (query) => Object.fromEntries([...new URLSearchParams(query)].map(([name, text]) => [name, text.startsWith("{") ? JSON.parse(text) : text]));

/** A page of two streams, opened as the golden address has it, and a timer. */
async function page(...names) {
  return opened(names, new FakeServer(), { ...hellos, timer: { ...hellos[golden.first], cause: "close" } });
}

test("the address that is asked for is the one that the server reads", async () => {
  const { server } = await page(golden.first, golden.resumed);
  const { pathname, search } = server.gets[0].url;
  assert.equal(pathname, "/rt/cup/events");
  assert.deepEqual(byName(search), byName(golden.address));
});

for (const [name, text] of Object.entries(golden.down)) {
  test(`the server's ${name} arrives as over a WebSocket`, async () => {
    const { server, heard } = await page(golden.resumed, "timer");
    await server.say(golden.comment);
    await server.say(text);
    const [[what, value]] = heard[golden.resumed].concat(heard.timer);
    if (name in frames) assert.deepEqual([what, JSON.parse(value)], ["text", JSON.parse(frames[name])]);
    else if (name === "close") assert.deepEqual([what, value], ["close", 4003]);
    else if (name === "welcome with a fence") assert.ok(what === "text" && isWelcome(value));
    else assert.deepEqual([what, value], ["text", name]);
  });
}

test("a request is what the server reads, and its answer is understood", async () => {
  const { server, lines, heard } = await page(golden.first, golden.resumed, "timer");
  await server.say(golden.down["welcome with a fence"]);
  server.answers = JSON.parse(golden.answer).frames;
  const { frames: said } = JSON.parse(golden.up);
  for (const [name, text] of [[golden.first, client.ack], ["timer", client.report]]) lines[name].send(text);
  await later();
  lines[golden.first].send(client.seen);
  await later();
  assert.deepEqual(server.posts.map(({ body }) => body.client), [golden.client, golden.client]);
  assert.deepEqual(server.posts.flatMap(({ body }) => body.frames), said);
  assert.deepEqual(heard[golden.resumed][0], ["beside", JSON.stringify(JSON.parse(frames.reply))]);
  assert.deepEqual(heard.timer.at(-1), ["close", 4103]);
});
