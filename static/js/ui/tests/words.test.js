/** Numbers and words on pages: the same table is checked against the server's templates. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import * as words from "../words.js";

const table = JSON.parse(readFileSync(new URL("./forms.json", import.meta.url), "utf8"));
const FUNCTIONS = {
  milliseconds: words.milliseconds, kibibytes: words.kibibytes, points: words.points, clock: words.clockText, outcome_word: words.outcomeWord,
  language_name: words.languageName,
};

for (const [name, rows] of Object.entries(table)) {
  test(`${name} is written as the templates write it`, () => {
    for (const [value, text] of rows) assert.equal(FUNCTIONS[name](value), text);
  });
}

test("a verdict goes before the status", () => {
  assert.equal(words.outcomeOf({ verdict: "WA", status: "final" }), "WA");
  assert.equal(words.outcomeOf({ verdict: null, status: "running" }), "running");
});

test("bytes are counted in readable units", () => {
  assert.deepEqual([0, 1023, 1024, 262144].map(words.byteCount), ["0 B", "1023 B", "1 KiB", "256 KiB"]);
});

test("a span of time is told in the largest units that keep it exact to the second, or to the minute when it is long", () => {
  const minute = 60_000;
  const told = [minute, 15 * minute, -15 * minute, 90_000, 119 * minute, 120 * minute, 150 * minute].map(words.span);
  assert.deepEqual(told, ["1 minute", "15 minutes", "15 minutes", "1 min 30 s", "119 minutes", "2 h", "2 h 30 min"]);
});
