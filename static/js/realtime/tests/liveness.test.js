import assert from "node:assert/strict";
import test from "node:test";

import { afterTurn, doubted, heard, isLive, look, nextLookMs, probed, probedAfresh } from "../liveness.js";
import { DEFAULT_TIMINGS } from "../timings.js";

const SILENCE = 120_000;
const at = (ms, more = {}) => ({ ms, wallMs: 1_000_000 + ms, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5, ...more });
const probe = (sentMs, withinMs, more = {}) => ({ sentMs, byMs: sentMs + withinMs, cause: "probe-timeout", quiet: false, ...more });
const live = (life) => ({ phase: "live", life, timings: DEFAULT_TIMINGS });

test("silence is asked about at its end, not before", () => {
  const life = heard(at(0));
  assert.equal(look(life, at(SILENCE - 1), SILENCE).act, "none");
  assert.equal(look(life, at(SILENCE), SILENCE).act, "probe");
  assert.equal(nextLookMs(life, SILENCE), SILENCE);
});

test("a probe without an answer is death, after one turn of the event loop", () => {
  const asked = probed(heard(at(0)), probe(SILENCE, 10_000));
  assert.equal(look(asked, at(SILENCE + 9_999), SILENCE).act, "none");
  const { life, act } = look(asked, at(SILENCE + 10_000), SILENCE);
  assert.deepEqual([act, afterTurn(life)], ["turn", "dead"]);
});

test("any frame ends probe and doubt", () => {
  const life = heard(at(130_000));
  assert.deepEqual([life.probe, life.doubt, afterTurn(life)], [null, null, "none"]);
});

test("a late look never kills: one turn, then a fresh probe with a fresh deadline", () => {
  const asked = probed(heard(at(0)), probe(SILENCE, 10_000));
  const { life, act } = look(asked, at(SILENCE + 10_000 + 10_001), SILENCE);
  assert.deepEqual([act, afterTurn(life)], ["turn", "probe"]);
  const fresh = probedAfresh(life, at(SILENCE + 20_002), 10_000);
  assert.equal(fresh.probe.byMs, SILENCE + 30_002);
});

test("a late look at a silence that nobody has asked about is a doubt, too", () => {
  assert.equal(afterTurn(look(heard(at(0)), at(SILENCE + 10_001), SILENCE).life), "probe");
});

test("while a turn is awaited nothing else is asked for", () => {
  const life = doubted(heard(at(0)), "late");
  assert.equal(look(life, at(1_000_000), SILENCE).act, "none");
  assert.equal(nextLookMs(life, SILENCE), Infinity);
});

for (const [clock, moment] of [["monotonic", at(50_000, { back: true })], ["wall", at(50_000, { wallMs: 999_999 })]]) {
  test(`a ${clock} clock that went back restarts the window from now: it neither kills nor stalls`, () => {
    const { life, act } = look(heard(at(0)), moment, SILENCE);
    assert.equal(act, "none");
    assert.equal(nextLookMs(life, SILENCE), 50_000 + SILENCE);
    assert.equal(life.heardMs, 0, "the last frame did not become younger");
    assert.equal(look(life, at(50_001, { wallMs: moment.wallMs + 1 }), SILENCE).life, life, "once");
  });
}

test("a second question only shortens the first", () => {
  const long = probed(heard(at(0)), probe(100, 10_000));
  assert.equal(probed(long, probe(200, 3_000)).probe.byMs, 3_200);
  assert.equal(probed(probed(heard(at(0)), probe(100, 3_000)), probe(200, 10_000)).probe.byMs, 3_100);
});

test("a question that rides along with a report is not shown, until somebody really asks", () => {
  const quiet = probed(heard(at(0)), probe(0, 8_000, { quiet: true, cause: "report-timeout" }));
  assert.equal(isLive(live(quiet), at(1)), true);
  const loud = probed(quiet, probe(1, 3_000));
  assert.equal(isLive(live(loud), at(1)), false);
  assert.equal(loud.probe.cause, "probe-timeout", "the cause is that of the deadline that fires first");
});

test("live is only what is synced, proven and not in doubt", () => {
  const life = heard(at(0));
  assert.equal(isLive(live(life), at(SILENCE)), true);
  assert.equal(isLive(live(life), at(SILENCE + 1)), false);
  assert.equal(isLive(live(doubted(life, "late")), at(1)), false);
  assert.equal(isLive({ ...live(life), phase: "syncing" }, at(1)), false);
});
