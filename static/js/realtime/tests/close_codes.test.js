import assert from "node:assert/strict";
import test from "node:test";

import { causeOfClose, CloseCode, endReason, isTerminal } from "../close_codes.js";

test("1002, 1003, 1007, 1008, 1009 and 4000–4099 are terminal, every other code reconnects", () => {
  for (let code = 1000; code <= 4999; code += 1) {
    const expected = [1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4000 && code < 4100);
    assert.equal(isTerminal(code), expected, String(code));
  }
});

test("every code is named once", () => {
  const codes = Object.values(CloseCode);
  assert.equal(new Set(codes).size, codes.length);
});

for (const [code, reason] of [
  [4000, "bad-request"], [4001, "finished"], [4002, "signed-out"], [4003, "forbidden"], [4004, "not-found"],
  [4005, "old-client"], [4006, "fault"], [4009, "fault"], [1008, "refused"], [4042, "refused"],
]) {
  test(`a stream closed with ${code} has ended: ${reason}`, () => assert.equal(endReason(code), reason));
}

for (const [code, cause] of [[1006, "close"], [1000, "close"], [4100, "slow"], [4103, "superseded"], [4112, "drain"], [4111, "close"]]) {
  test(`after ${code} the next hello says ${cause}`, () => assert.equal(causeOfClose(code), cause));
}
