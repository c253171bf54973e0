/** What the standings say of themselves: live while they are, and else of when they are. */

import assert from "node:assert/strict";
import test from "node:test";

import { askSeldom, askWhenTold } from "../standings.js";
import { h, putPage } from "./fake_page.js";

const parts = (words, at) => [
  h("span#standings-state", words), h("span#standings-live[hidden]", "Follows live."), h("span#standings-age", Object.assign(h("time", at), { dateTime: `2026-05-01T${at}.000Z` })),
  h("span#standings-silent[hidden]", "Newer standings could not be had."), h("div#standings[data-source=\"/table/\"]", h("table", "Alice")),
];
const shownOn = (document) => ["live", "age", "silent"].filter((name) => !document.querySelector(`#standings-${name}`).hidden);

function boardOnPage(t) {
  const document = Object.assign(putPage(t, ...parts("", "12:44:40")), { getElementById: () => null });
  const world = { ms: 1_000, answers: [], fetched: 0 };
  t.mock.method(performance, "now", () => world.ms);
  t.mock.method(Math, "random", () => 0);
  t.mock.method(globalThis, "fetch", async () => {
    world.fetched += 1;
    const answer = world.answers.shift();
    if (answer === undefined) throw new TypeError("no answer");
    world.page = Object.assign(h("html", ...answer), { getElementById: () => null });
    return { ok: true, text: async () => "" };
  });
  globalThis.DOMParser = class { parseFromString() { return world.page; } };
  const pass = async (ms) => {
    for (let passed = 0; passed < ms; passed += 500) {
      world.ms += 500;
      t.mock.timers.tick(500);
      for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
    }
  };
  const age = () => document.querySelector("#standings-age").textContent;
  const look = (state) => {
    document.visibilityState = state;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  return { document, world, pass, age, look };
}

test("without a link the standings are asked for every 15 s, and say of when they are and that the site does not answer", async (t) => {
  const { document, world, pass, age } = boardOnPage(t);
  askSeldom("/table/");
  const table = document.querySelector("table");
  world.answers.push(parts("", "12:44:55"));
  await pass(14_500);
  assert.deepEqual([world.fetched, age()], [0, "12:44:40"]);
  await pass(1_000);
  assert.deepEqual([world.fetched, age(), shownOn(document)], [1, "12:44:55", ["age"]]);
  assert.equal(document.querySelector("table"), table, "what is the same stays");
  await pass(15_000);
  assert.deepEqual([world.fetched, age(), shownOn(document)], [2, "12:44:55", ["age", "silent"]]);
  world.answers.push(parts("Frozen", "12:45:20"));
  await pass(10_500);
  assert.deepEqual([age(), shownOn(document)], ["12:45:20", ["age"]], "a failure is tried again");
  assert.equal(document.querySelector("#standings-state").textContent, "Frozen");
});

test("nobody asks for a page that nobody looks at, and whoever comes back to it asks at once", async (t) => {
  const { world, pass, age, look } = boardOnPage(t);
  askSeldom("/table/");
  look("hidden");
  await pass(60_000);
  assert.equal(world.fetched, 0);
  world.answers.push(parts("", "12:46:00"));
  look("visible");
  await pass(500);
  assert.deepEqual([world.fetched, age()], [1, "12:46:00"]);
  look("hidden");
  look("visible");
  await pass(500);
  assert.equal(world.fetched, 1, "it is young enough");
});

/** A page whose link is in `state`, and was last told anything at 12:50:05. */
function followingBoard(t) {
  const board = boardOnPage(t);
  let [state, listener] = ["connecting", () => undefined];
  const ask = askWhenTold("/table/", {
    subscribe: (told) => { listener = told; told(); },
    summary: () => ({ state }), serverNow: () => ({ serverMs: Date.parse("2026-05-01T12:50:09.000Z"), errorMs: 5 }),
    connections: () => [{ name: "timer", lastFrameAgeMs: 0 }, { name: "announcements", lastFrameAgeMs: 4_000 }],
  });
  const said = () => [...shownOn(board.document), board.age()];
  const become = (next) => {
    state = next;
    listener();
    return said();
  };
  return { ...board, ask, said, become };
}

test("a page with a link follows live while it is live, and else says when it was last told anything", (t) => {
  const { said, become } = followingBoard(t);
  assert.deepEqual(said(), ["age", "12:44:40"], "as the server has made it");
  assert.deepEqual(become("live"), ["live", "12:44:40"]);
  assert.deepEqual(become("checking"), ["age", "12:50:05"]);
  assert.deepEqual(become("reconnecting"), ["age", "12:50:05"]);
  assert.deepEqual(become("live").slice(0, 1), ["live"]);
});

test("a live page that cannot have the newer standings says of when the old ones are until it has them", async (t) => {
  const { world, pass, ask, said, become } = followingBoard(t);
  assert.deepEqual(become("live"), ["live", "12:44:40"]);
  ask();
  await pass(500);
  assert.deepEqual([world.fetched, ...said()], [1, "age", "silent", "12:44:40"], "the fetch has failed");
  await pass(10_000);
  assert.deepEqual([world.fetched, ...said()], [2, "age", "silent", "12:44:40"], "and again");
  world.answers.push(parts("", "12:49:30"));
  await pass(10_000);
  assert.deepEqual([world.fetched, ...said()], [3, "live", "12:49:30"]);
  ask();
  await pass(500);
  assert.deepEqual([world.fetched, ...said()], [4, "age", "silent", "12:49:30"]);
});

test("a link that is lost and found makes old standings no newer", async (t) => {
  const { pass, ask, said, become } = followingBoard(t);
  become("live");
  ask();
  become("reconnecting");
  assert.deepEqual(said(), ["age", "12:50:05"], "the premise: what it was told of is on its way");
  await pass(500);
  assert.deepEqual(said(), ["age", "silent", "12:44:40"]);
  for (const state of ["live", "reconnecting"]) assert.deepEqual(become(state), ["age", "silent", "12:44:40"], state);
});

test("what is no standings page at all is no answer", async (t) => {
  const { document, world, pass, ask, said, become } = followingBoard(t);
  become("live");
  world.answers.push([h("form#sign-in")]);
  ask();
  await pass(500);
  assert.deepEqual([world.fetched, ...said()], [1, "age", "silent", "12:44:40"]);
  assert.equal(document.querySelector("table").textContent, "Alice");
});
