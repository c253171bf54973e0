import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { byteLength, command, hello, isCursor, leave, parse, seen } from "../frames.js";

test("the bare words are words", () => assert.deepEqual([parse("ping"), parse("pong")], [{ kind: "ping" }, { kind: "pong" }]));

for (const text of [
  "", "hello", "[]", "null", "3", "{}", '{"type":5}', '{"type":"event","topic":"x","after":-1,"seq":2,"name":"n"}',
  '{"type":"event","topic":"x","after":0.5,"seq":2,"name":"n"}', '{"type":"snapshot","cursor":{"a":{"epoch":1,"seq":2}}}',
  '{"type":"welcome"}', '{"type":"synced"}', '{"type":"retry","code":"overloaded"}', '{"type":"reply","client_seq":1}',
  '{"type":"drain","leave_in_ms":"5"}', '{"type":"token","token":7,"expires_in_ms":5}', '{"type":"end"}',
]) {
  test(`malformed: ${text}`, () => assert.equal(parse(text).kind, "malformed"));
}

test("a type that the library does not know is a frame all the same", () => {
  assert.deepEqual(parse('{"type":"toString","x":1}'), { kind: "frame", frame: { type: "toString", x: 1 } });
});

test("no text at all makes the parser throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => assert.ok(parse(text).kind)));
});

test("hello leaves out what there is not", () => {
  const stats = { gaps: 1, duplicates: 2, rttMs: 40.6 };
  const bare = JSON.parse(hello({ client: "c", tries: 0, cause: "first", gapMs: 0, stats: { ...stats, rttMs: null }, cursor: null, token: null }));
  assert.deepEqual(bare, { type: "hello", protocol: 1, client: "c", try: 0, cause: "first", gap_ms: 0, stats: { gaps: 1, duplicates: 2 } });
  const full = JSON.parse(hello({ client: "c", tries: 3, cause: "gap", gapMs: 12.4, stats, cursor: { me: { epoch: "e", seq: 4 } }, token: "t" }));
  assert.deepEqual([full.try, full.gap_ms, full.stats.rtt_ms, full.cursor, full.token], [3, 12, 41, { me: { epoch: "e", seq: 4 } }, "t"]);
});

test("the other frames are as the protocol has them", () => {
  assert.deepEqual(JSON.parse(command(7, "ack", { notices: [] })), { type: "command", client_seq: 7, name: "ack", data: { notices: [] } });
  assert.deepEqual([seen(132), leave()], ['{"type":"seen","frames":132}', '{"type":"leave"}']);
});

test("cursors and lengths", () => {
  assert.equal(isCursor({ a: { epoch: "e", seq: 0 } }), true);
  assert.equal(isCursor([]), false);
  assert.equal(byteLength("한🙂"), 7);
});
