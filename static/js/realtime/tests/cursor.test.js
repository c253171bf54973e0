import assert from "node:assert/strict";
import test from "node:test";

import { advance, isAhead, isOtherLog, place } from "../cursor.js";

const cursor = { contest: { epoch: "a", seq: 10 } };

for (const [after, seq, verdict] of [
  [10, 11, "apply"], [9, 11, "apply"], [10, 15, "apply"], [3, 11, "apply"],
  [9, 10, "duplicate"], [0, 1, "duplicate"], [10, 10, "duplicate"],
  [11, 12, "gap"], [14, 20, "gap"],
]) {
  test(`at 10, an event after ${after} with number ${seq} is to be treated as: ${verdict}`, () => {
    assert.equal(place(cursor, { topic: "contest", after, seq }), verdict);
  });
}

test("a topic that the cursor does not know is a gap", () => assert.equal(place(cursor, { topic: "me", after: 0, seq: 1 }), "gap"));

test("a cursor only moves forward, topic by topic", () => {
  assert.deepEqual(advance(cursor, "contest", 12), { contest: { epoch: "a", seq: 12 } });
  assert.equal(advance(cursor, "contest", 9), cursor);
});

test("another epoch or another topic is another log", () => {
  assert.equal(isOtherLog(cursor, { contest: { epoch: "a", seq: 99 } }), false);
  assert.equal(isOtherLog(cursor, { contest: { epoch: "b", seq: 10 } }), true);
  assert.equal(isOtherLog(cursor, { me: { epoch: "a", seq: 1 } }), true);
});

test("a cursor is ahead if it is in any topic", () => {
  const both = { ...cursor, me: { epoch: "b", seq: 5 } };
  assert.equal(isAhead({ contest: { epoch: "a", seq: 9 }, me: { epoch: "b", seq: 5 } }, both), false);
  assert.equal(isAhead({ contest: { epoch: "a", seq: 9 }, me: { epoch: "b", seq: 6 } }, both), true);
});
