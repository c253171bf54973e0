/**
 * A server that is away is no reason for the fallback: a contest that came back over it all at once would
 * cost the server twice what it costs over WebSockets. And where WebSockets alone do not pass, it is taken.
 */

import assert from "node:assert/strict";
import test from "node:test";

import { createRoute, decidesAtOnce, inVain } from "../route.js";
import { newPage, refuseFor } from "./two_ways.js";
import { STREAMS, World } from "./world.js";

const ROUNDS = 200;
const STEP_MS = 50;
const WITHIN_MS = 15_000;

/** Everything goes on until `reached`. @returns {number} ms */
function go(world, ms, reached = () => false) {
  const start = world.trueNow;
  while (world.trueNow - start < ms && !reached(world)) world.pass(STEP_MS);
  return world.trueNow - start;
}

const allLive = (world) => STREAMS.every((name) => world.page[name].shown === "live");
const onEvents = (world) => STREAMS.filter((name) => world.current[name]?.byEvents).length;

/** A page with a second way that is live over WebSockets, on a network as slow as that. */
function livePage(seed, latencyMs = 20) {
  const world = new World({ seed, latencyMs, twoWays: true });
  world.tookFallback = 0;
  const { openEvents } = world;
  world.openEvents = (...given) => ((world.tookFallback += 1), openEvents.apply(world, given));
  go(world, 12_000);
  assert.ok(allLive(world) && onEvents(world) === 0, "live over WebSockets to begin with");
  return world;
}

const AWAY = {
  "refuses connections": (world) => (world.server.restart(false), world.setNetwork(true, true, "refuse")),
  "lets handshakes hang": (world) => (world.server.restart(false), world.setNetwork(true, true, "hang")),
  "is gone without a word": (world) => (world.server.restart(true), world.setNetwork(false, false, "hang")),
};

for (const [words, leave] of Object.entries(AWAY)) {
  test(`a server that ${words} for up to a minute and comes back at any moment pushes nobody onto the fallback`, () => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const world = livePage(seed * 7_919, [5, 20, 150][seed % 3]);
      leave(world);
      go(world, Math.floor(world.random() * 60_000));
      world.setNetwork(true, true, "ok");
      go(world, 200_000, allLive);
      go(world, 5_000);
      assert.ok(allLive(world), `seed ${seed}`);
      assert.equal(world.tookFallback, 0, `seed ${seed}`);
    }
  });
}

for (const how of ["refuse", "hang"]) {
  test(`a page whose WebSockets are cut and do not pass any more (${how}) is live over its fallback within 15 s`, (t) => {
    let most = 0;
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const world = livePage(seed * 7_919, [5, 20, 150][seed % 3]);
      world.upgrades = how;
      world.server.restart(false);
      go(world, 1_000, () => !allLive(world));
      most = Math.max(most, go(world, 60_000, () => allLive(world)));
      assert.equal(onEvents(world), STREAMS.length);
    }
    t.diagnostic(`at worst ${most} ms`);
    assert.ok(most <= WITHIN_MS, `${most} ms`);
  });
}

test("while plain requests are not answered either, no event stream is tried, and WebSockets are", () => {
  for (const reachable of [false, null]) {
    const page = newPage();
    page.environment.reachable = reachable;
    refuseFor(page, 60_000);
    assert.ok(page.environment.reaches.length >= 2, "nobody was asked");
    assert.equal(page.environment.events.length, 0);
    const tried = page.environment.sockets.length;
    page.environment.reachable = true;
    refuseFor(page, 60_000);
    assert.ok(page.environment.sockets.length > tried);
    assert.ok(page.environment.events.length > 0, "the question was not put again");
  }
});

test("a server that answers after a long absence ends the pause: where WebSockets do not pass, no second one is sat out", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const page = newPage();
    page.environment.reachable = false;
    refuseFor(page, 60_000 + seed * 1_700);
    assert.equal(page.link.summary().state, "paused", "tries have gone on without a pause");
    page.environment.reachable = true;
    const asked = page.environment.reaches.length;
    while (page.environment.events.length === 0) refuseFor(page, 50);
    const answeredMs = page.environment.reaches[asked].atMs;
    assert.ok(page.environment.events[0].bornMs - answeredMs <= 1_000, `${page.environment.events[0].bornMs - answeredMs} ms`);
  }
});

for (const wasLive of [true, false]) {
  test(`a server that answers requests, but takes no connection in either way, is left its pauses (${wasLive ? "live before" : "a new page"})`, () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const page = newPage();
      const { environment } = page;
      if (wasLive) page.goLive();
      for (const socket of environment.sockets) if (socket.state === 1) socket.close(1006);
      const before = environment.sockets.length;
      for (let ms = 0; ms < 120_000; ms += 50) {
        for (const socket of [...environment.sockets, ...environment.events]) if (socket.state === 0) socket.close(1006);
        environment.chance = (seed * 0.618 + ms * 0.000_137) % 1;
        page.pass(50);
      }
      assert.ok(environment.reaches.length > 1 && environment.events.length > 0, "it answered, and the other way was tried");
      const tried = environment.sockets.length - before + environment.events.length;
      // Without the other way there are six rounds of five within the first 20 s, and then one in half a minute.
      assert.ok(tried <= 80, `seed ${seed}: ${tried} connections in two minutes`);
    }
  });
}

test("nobody asks for a way that was in vain for 5 s, 10 s, up to a minute, and for 5 s after it had carried the page", () => {
  let route = createRoute(true);
  const pausesMs = [5_000, 10_000, 20_000, 40_000, 60_000, 60_000];
  for (const pauseMs of pausesMs) {
    route = inVain({ ...route, carriesMs: 100_000 }, { ms: 109_999, random: () => 0 });
    assert.equal(route.askFromMs - 109_999, pauseMs);
  }
  assert.equal(inVain({ ...route, carriesMs: null }, { ms: 110_000, random: () => 0 }).askFromMs, 170_000, "it has carried nobody");
  assert.equal(inVain({ ...route, carriesMs: 100_000 }, { ms: 110_000, random: () => 0 }).askFromMs, 115_000);
  assert.equal(inVain({ ...route, carriesMs: 100_000 }, { ms: 110_000, random: () => 0.9 }).askFromMs, 115_900, "all at once");
});

test("a page that was driven from the fallback asks as soon as that while is over, and the next WebSocket decides at once", () => {
  const page = newPage({ streams: ["news"] });
  const { environment } = page;
  refuseFor(page, 2_000);
  environment.acceptEvents();
  page.pass(0);
  assert.equal(page.link.summary().state, "live");
  environment.events.at(-1).close(1006);
  environment.reachable = true;
  const asked = environment.reaches.length;
  while (environment.events.length < 2) page.pass(50);
  environment.events.at(-1).close(1006);
  const drivenMs = environment.monoMs;
  while (environment.reaches.length === asked) refuseFor(page, 50);
  const askedMs = environment.monoMs;
  assert.ok(askedMs - drivenMs >= 5_000 && askedMs - drivenMs <= 6_100, `${askedMs - drivenMs} ms`);
  refuseFor(page, 150);
  assert.equal(environment.events.length, 3, "back on the fallback");
});

test("where WebSockets have passed the one that decides takes the back-off", () => {
  const route = { ...createRoute(true), vains: 1 };
  assert.deepEqual([decidesAtOnce(route), decidesAtOnce({ ...route, passed: true }), decidesAtOnce(createRoute(true))], [true, false, false]);
});

/** A page whose WebSockets are refused, until it has asked for the other way so often. @returns {number[]} ms between these questions */
function pausesOf(page, times) {
  const { environment } = page;
  while (environment.reaches.length < times) refuseFor(page, 50);
  const atMs = environment.reaches.map((reach) => reach.atMs);
  return atMs.slice(1).map((ms, index) => ms - atMs[index]);
}

test("a fallback whose handshakes hang for long has carried nobody, so the pauses grow", () => {
  const page = newPage({ streams: ["news"], timings: { probe_ms: 30_000 } });
  const pausesMs = pausesOf(page, 5);
  const { events, sockets } = page.environment;
  const hungMs = events.map(({ bornMs }) => sockets.find((socket) => socket.bornMs > bornMs).bornMs - bornMs);
  assert.ok(events.length >= 4 && Math.min(...hungMs) > 10_000, `the premise: each hung for longer than what counts as carried: ${hungMs}`);
  assert.ok(pausesMs.at(-1) >= pausesMs[0] + 25_000, `${pausesMs}`);
});

test("a fallback that was welcomed and went on for ten seconds is asked for again after five", () => {
  const page = newPage({ streams: ["news"] });
  const pausesMs = pausesOf(page, 4);
  assert.ok(pausesMs.at(-1) > pausesMs[0], "the premise: the pauses grow");
  while (!page.environment.events.some((socket) => socket.state === 0)) refuseFor(page, 50);
  page.environment.acceptEvents();
  for (let second = 0; second < 11; second += 1) {
    for (const socket of page.environment.events) if (!socket.retired) socket.receive("pong");
    refuseFor(page, 1_000);
  }
  const asked = page.environment.reaches.length;
  const goneMs = page.environment.monoMs;
  for (const socket of page.environment.events) if (!socket.retired) socket.close(1006);
  while (page.environment.reaches.length === asked) {
    for (const socket of page.environment.events) if (socket.state === 0) socket.close(1006);
    refuseFor(page, 50);
  }
  assert.ok(page.environment.reaches[asked].atMs - goneMs <= 12_000, `${page.environment.reaches[asked].atMs - goneMs} ms`);
});

test("a WebSocket that was begun before the answer proves nothing, unless it hangs for three seconds more", () => {
  for (const [hungMs, comesOver] of [[2_900, false], [3_000, true]]) {
    const page = newPage({ streams: ["news"] });
    page.environment.reachable = null;
    refuseFor(page, 1);
    page.pass(400);
    assert.equal(page.environment.sockets.length, 2, "the second one is under way");
    page.environment.reaches[0].tell(true);
    page.pass(hungMs);
    page.socket().close(1006);
    page.pass(0);
    assert.equal(page.environment.events.length > 0, comesOver, `${hungMs} ms`);
  }
});

test("an answer of before the last refusal proves nothing", () => {
  const page = newPage({ streams: ["news"] }).goLive();
  page.socket().close(1006);
  refuseFor(page, 3_500);
  assert.equal(page.environment.reaches.length, 1, "answered by now");
  page.environment.reachable = null;
  refuseFor(page, 20_000);
  assert.ok(page.environment.reaches.length > 1);
  assert.equal(page.environment.events.length, 0);
});

test("a handshake that ran out of time while the page slept accuses no WebSocket", () => {
  const page = newPage({ streams: ["news"] });
  refuseFor(page, 1);
  page.pass(400);
  assert.deepEqual([page.environment.sockets.length, page.environment.reaches.length], [2, 1], "the deciding one");
  for (let nap = 0; nap < 2; nap += 1) {
    page.environment.sleep(60_000);
    page.pass(100);
  }
  assert.ok(page.socket().retired || page.environment.sockets.length > 2, "it was not given up");
  assert.equal(page.environment.events.length, 0);
});

test("a page that is hidden when it comes to know waits until it is looked at", () => {
  const page = newPage({ streams: ["news"] });
  refuseFor(page, 1);
  assert.equal(page.environment.reaches.length, 1, "asked while it was looked at");
  page.environment.visible = false;
  page.tell("hidden");
  refuseFor(page, 20_000);
  assert.ok(page.environment.sockets.length > 2);
  assert.equal(page.environment.events.length, 0);
});

test("a page on which WebSockets have passed asks nobody within the first second", () => {
  const page = newPage({ streams: ["news"] }).goLive();
  page.socket().close(1006);
  const failedMs = page.environment.monoMs;
  refuseFor(page, 3_000);
  const [first] = page.environment.reaches;
  const begun = page.environment.sockets.find((socket) => socket.bornMs > failedMs);
  assert.ok(first.atMs - begun.bornMs >= 1_000, `${first.atMs - begun.bornMs} ms`);
});

test("a question without an answer is given up after five seconds, and its late answer counts for nothing", () => {
  const page = newPage({ streams: ["news"] });
  page.environment.reachable = null;
  refuseFor(page, 4_900);
  assert.equal(page.environment.reaches.length, 1, "one at a time");
  refuseFor(page, 15_000);
  assert.ok(page.environment.reaches.length > 1);
  page.environment.reaches[0].tell(true);
  page.environment.reachable = false;
  refuseFor(page, 10_000);
  assert.equal(page.environment.events.length, 0);
});

test("a server that is slow to welcome, but answers ping, is no network that lets no WebSocket pass", () => {
  const page = newPage({ streams: ["news"] });
  for (let passedMs = 0; passedMs < 60_000; passedMs += 50) {
    const socket = page.socket();
    if (socket.state === 0) socket.open();
    if (socket.sent.includes("ping") && !socket.answered) {
      socket.answered = true;
      socket.receive("pong");
    }
    page.pass(50);
  }
  assert.ok(page.environment.sockets.length > 4, "it was never given up");
  assert.equal(page.environment.events.length, 0);
  const [first, second] = page.environment.sockets;
  assert.deepEqual([first.sent.includes("ping"), second.sent.includes("ping")], [false, true], "asked in doubt only");
});
