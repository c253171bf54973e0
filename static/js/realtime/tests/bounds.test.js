/**
 * The promises in seconds: how soon a fault is noticed by all five streams, and how soon everything
 * is live again. Each is tried with many seeds of chance and moments of the fault, and the worst counts.
 */

import assert from "node:assert/strict";
import test from "node:test";

import { STREAMS, World } from "./world.js";

const ROUNDS = 200;
const REPORT_MS = 10_000;
const LEASE_MS = 30_000;
const STEP_MS = 50;
/** What messages need on their way, and the steps of this measurement. */
const SLACK_MS = 500;
/** A handshake that is given up is followed by one wait of the back-off. */
const FIRST_WAIT_MS = 450;

/** A page with five live streams that reports every ten seconds, at some moment between two reports. */
function reportingPage(seed) {
  const world = new World({ seed, latencyMs: 20 });
  world.reports = [];
  world.executed = (name) => name === "report" && world.reports.push(world.trueNow);
  world.nextReport = REPORT_MS;
  go(world, 20_000 + Math.floor(world.random() * REPORT_MS));
  assert.ok(allLive(world), "everything is live to begin with");
  return world;
}

/** Time passes on the page, reports and all, until `reached`. @returns {number} ms */
function go(world, ms, reached = () => false) {
  const start = world.trueNow;
  while (world.trueNow - start < ms && !reached(world)) {
    if (world.trueNow >= world.nextReport) {
      world.guarded(() => world.command("clock", "report"));
      world.nextReport += REPORT_MS;
    }
    world.pass(STEP_MS);
  }
  return world.trueNow - start;
}

const allLive = (world) => STREAMS.every((name) => world.page[name].shown === "live");
const sockets = (world) => STREAMS.map((name) => world.current[name]);

/** @param {World} world @param {string} [said] what the browser says of it */
function halfOpen(world, said) {
  const before = sockets(world);
  world.setNetwork(false, false, "hang");
  assert.ok(allLive(world), "nobody has said anything");
  if (said !== undefined) world.pageEvent(said);
  return go(world, 60_000, () => before.every((connection, index) => world.current[STREAMS[index]] !== connection));
}

function worst(t, what, measure) {
  let most = 0;
  for (let seed = 1; seed <= ROUNDS; seed += 1) most = Math.max(most, measure(seed * 7_919));
  t.diagnostic(`${what}: at worst ${most} ms`);
  return most;
}

/** Its path is there again after up to 90 s without a word. */
function backAfterOutage(seed) {
  const world = reportingPage(seed);
  halfOpen(world);
  go(world, Math.floor(world.random() * 90_000));
  assert.ok(!allLive(world));
  world.setNetwork(true, true, "ok");
  return world;
}

test("a half-open path is noticed by all five streams within 21 s", (t) => {
  const most = worst(t, "noticed", (seed) => halfOpen(reportingPage(seed)));
  assert.ok(most <= 21_000 + STEP_MS, `${most} ms`);
  assert.ok(most > 18_000, "it was a fault of which nothing but the report's silence told");
});

test("a cut of which the browser tells is noticed by all five streams within 3 s", (t) => {
  const most = worst(t, "noticed", (seed) => halfOpen(reportingPage(seed), "offline"));
  assert.ok(most <= 3_000 + STEP_MS, `${most} ms`);
});

test("everything is live again 13 s after a dead path is back, even if no handshake of before ever ends", (t) => {
  const most = worst(t, "live again", (seed) => {
    const world = backAfterOutage(seed);
    return go(world, 60_000, allLive);
  });
  assert.ok(most <= 13_000 + SLACK_MS, `${most} ms`);
});

test("everything is live again 13 s after a dead path is back, over the fallback, too", (t) => {
  const most = worst(t, "live again, over the fallback", (seed) => {
    const world = new World({ seed, latencyMs: 20, twoWays: true, upgrades: "refuse" });
    Object.assign(world, { reports: [], nextReport: REPORT_MS });
    go(world, 40_000);
    assert.ok(allLive(world) && STREAMS.every((name) => world.current[name].byEvents), "live over it to begin with");
    world.setNetwork(false, false, "hang");
    go(world, Math.floor(world.random() * 90_000), () => !allLive(world));
    go(world, Math.floor(world.random() * 90_000));
    assert.ok(!allLive(world));
    world.setNetwork(true, true, "ok");
    const took = go(world, 60_000, allLive);
    assert.ok(STREAMS.every((name) => world.current[name].byEvents));
    return took;
  });
  assert.ok(most <= 13_000 + SLACK_MS, `${most} ms`);
});

for (const what of ["online", "visible"]) {
  test(`everything is live again 2 s after ${what}, when the path is back by then`, (t) => {
    const most = worst(t, "live again", (seed) => {
      const world = backAfterOutage(seed);
      world.pageEvent(what);
      return go(world, 60_000, allLive);
    });
    assert.ok(most <= 2_000, `${most} ms`);
  });
}

test("an outage shorter than 8 s replaces no connection and costs no report", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const world = reportingPage(seed * 7_919);
    const before = sockets(world);
    world.setNetwork(false, false, "hang");
    go(world, Math.floor(world.random() * 7_900));
    world.setNetwork(true, true, "ok");
    go(world, 30_000);
    assert.deepEqual(sockets(world), before);
    assertLeaseKept(world);
  }
});

for (const [words, silently, connect] of [["with a close", false, "refuse"], ["without a word", true, "refuse"], ["and leaves handshakes hanging", false, "hang"]]) {
  test(`a server that goes away ${words} for 10 s costs no lease`, (t) => {
    const most = worst(t, "between two reports", (seed) => {
      const world = reportingPage(seed);
      world.server.restart(silently);
      world.setNetwork(true, true, connect);
      go(world, 10_000);
      assert.ok(silently || !allLive(world), "it was away");
      world.setNetwork(true, true, "ok");
      go(world, 40_000);
      return assertLeaseKept(world);
    });
    assert.ok(most < LEASE_MS, `${most} ms`);
  });
}

function assertLeaseKept({ reports }) {
  const gaps = reports.slice(1).map((at, index) => at - reports[index]);
  assert.ok(Math.max(...gaps) < LEASE_MS, `reports at ${reports}`);
  return Math.max(...gaps);
}

for (let which = 1; which <= STREAMS.length; which += 1) {
  test(`handshake number ${which} hangs: nothing else is held up for more than 5 s`, (t) => {
    const most = worst(t, "the others are live", (seed) => {
      let opens = 0;
      let hanging = null;
      const world = new (class extends World {
        open(stream, handlers) {
          opens += 1;
          this.network.connect = opens === which ? "hang" : "ok";
          if (opens === which) hanging = stream;
          return super.open(stream, handlers);
        }
      })({ seed, latencyMs: 20 });
      const needed = go(world, 30_000, () => hanging !== null && STREAMS.every((name) => name === hanging || world.page[name].shown === "live"));
      return needed;
    });
    assert.ok(most <= 5_000 + FIRST_WAIT_MS + SLACK_MS, `${most} ms`);
    assert.ok(which === STREAMS.length || most >= 5_000, "it did hang");
  });
}
