import assert from "node:assert/strict";
import test from "node:test";

import { checkMs, DEFAULT_TIMINGS, evidenceMs, replyMs, scoutMs, withWire } from "../timings.js";

test("the defaults keep their inequalities, and a report, its deadline and a handshake fit into a lease", () => {
  const { heartbeatMs, silenceMs, probeMs, reportMs, leaseMs, handshakeMs } = DEFAULT_TIMINGS;
  assert.ok(heartbeatMs * 3 <= silenceMs && probeMs < silenceMs && reportMs < leaseMs);
  assert.ok(reportMs + replyMs(DEFAULT_TIMINGS) + handshakeMs < leaseMs);
  assert.ok(reportMs + replyMs(DEFAULT_TIMINGS) + evidenceMs(DEFAULT_TIMINGS) <= 21_000, "a dead path is known to all within 21 s");
});

test("the server's values count, nonsense does not, the handshake follows the probe unless named", () => {
  const short = withWire(DEFAULT_TIMINGS, { silence_ms: 3_000, probe_ms: 500, lease_ms: -1, report_ms: "x", other: 1 });
  assert.deepEqual(short, { ...DEFAULT_TIMINGS, silenceMs: 3_000, probeMs: 500, handshakeMs: 500 });
  assert.equal(withWire(DEFAULT_TIMINGS, { probe_ms: 500, handshake_ms: 900 }).handshakeMs, 900);
  assert.equal(withWire(DEFAULT_TIMINGS, null), DEFAULT_TIMINGS);
});

test("no window is longer than ten minutes: the page keeps what it had", () => {
  assert.equal(withWire(DEFAULT_TIMINGS, { silence_ms: 600_000 }).silenceMs, 600_000);
  for (const silence_ms of [600_001, 1e300, Infinity, NaN]) assert.deepEqual(withWire(DEFAULT_TIMINGS, { silence_ms }), DEFAULT_TIMINGS);
});

test("deadlines follow from the windows, the check gets denser but never under a second", () => {
  assert.deepEqual([evidenceMs, replyMs, scoutMs].map((derive) => derive(DEFAULT_TIMINGS)), [3_000, 8_000, 5_000]);
  const check = (probeMs, visible = true) => checkMs({ ...DEFAULT_TIMINGS, probeMs }, visible);
  assert.deepEqual([check(10_000), check(2_000), check(200), check(60_000)], [10_000, 2_000, 1_000, 10_000]);
  assert.equal(check(10_000, false), 60_000, "timers of hidden pages run once a minute");
});
