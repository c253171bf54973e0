/** The two ends cannot drift apart: frames written by the server's own builders are read here, and ours are compared. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { CloseCode, endReason, isTerminal } from "../close_codes.js";
import { command, hello, leave, parse, PROTOCOL, seen } from "../frames.js";
import { createStream, stepStream } from "../stream.js";
import { DEFAULT_TIMINGS, withWire } from "../timings.js";

const golden = JSON.parse(readFileSync(new URL("../../../../realtime/tests/golden_frames.json", import.meta.url), "utf8"));

/** A stream that has said hello, with a cursor at which every golden event fits. */
function greeted(after = 133) {
  const now = { ms: 0, wallMs: 0, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5 };
  const topics = ["contest", "me", "jury", "record", "all"];
  const cursor = Object.fromEntries(topics.map((topic) => [topic, { epoch: "5f0c", seq: after }]));
  const begin = createStream({ name: "news", url: "/", client: "c", cursor, timings: DEFAULT_TIMINGS }, now);
  let [stream, effects] = [begin, []];
  const step = (event) => ([stream, effects] = stepStream(stream, event, now));
  step({ type: "try", scout: true, withinMs: 5_000 });
  step({ type: "opened", socket: 1 });
  return { get stream() { return stream; }, take: (text) => step({ type: "text", socket: 1, text }) && effects };
}

test("both ends speak one version and mean the same by every close code", () => {
  assert.equal(golden.protocol, PROTOCOL);
  for (const [name, code] of Object.entries(golden.close_codes)) assert.equal(CloseCode[name], code, name);
  const ours = Object.entries(CloseCode).filter(([, code]) => code >= 4000).map(([name]) => name);
  assert.deepEqual(ours.filter((name) => !(name in golden.close_codes)), []);
  assert.deepEqual(Object.values(golden.close_codes).filter(isTerminal).sort(), [...golden.terminal].sort());
});

test("a terminal code without an end frame is explained in the server's own words", () => {
  const words = [...golden.end_codes, "fault"];
  for (const code of golden.terminal) assert.ok(words.includes(endReason(code)), String(code));
});

for (const [name, text] of Object.entries(golden.server)) {
  test(`the server's ${name} is understood`, () => {
    assert.equal(parse(text).kind, "frame");
    const stream = greeted(name.includes("left out") ? 131 : 133);
    if (name !== "welcome") stream.take(golden.server.welcome);
    const effects = stream.take(text);
    const faults = effects.filter((effect) => effect.type === "down" && ["fault", "gap"].includes(effect.cause));
    if (name !== "synced") assert.deepEqual(faults, []);
    if (text.startsWith('{"type":"event"')) assert.equal(effects.find(({ type }) => type === "deliver")?.frame.name, JSON.parse(text).name);
  });
}

test("the server's own windows are taken over from welcome", () => {
  const { timings } = JSON.parse(golden.server.welcome);
  assert.deepEqual(withWire({ ...DEFAULT_TIMINGS, silenceMs: 1 }, timings).silenceMs, timings.silence_ms);
});

test("what the server expects of a client is what this one sends", () => {
  const told = Object.fromEntries(Object.entries(golden.client).map(([name, text]) => [name, JSON.parse(text)]));
  const full = told["hello with a cursor"];
  assert.deepEqual(JSON.parse(hello({
    client: full.client, tries: full.try, cause: full.cause, gapMs: full.gap_ms, cursor: full.cursor, token: full.token,
    stats: { gaps: full.stats.gaps, duplicates: full.stats.duplicates, rttMs: full.stats.rtt_ms },
  })), full);
  for (const { type, client_seq: seq, name, data } of Object.values(told).filter(({ type }) => type === "command")) {
    assert.deepEqual(JSON.parse(command(seq, name, data)), { type, client_seq: seq, name, data });
  }
  assert.deepEqual([JSON.parse(seen(132)), JSON.parse(leave())], [told.seen, told.leave]);
});

test("the credit that is given back in time is well inside the server's", () => {
  assert.ok(32 < golden.limits.credit_frames && 65_536 * 3 < golden.limits.credit_bytes);
});
