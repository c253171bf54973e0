/** Rules that are to be switched off are there: a text that was written anew takes its line in the list along. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { MUTATIONS } from "../realtime/tests/mutation_list.mjs";
import { PAGE_MUTATIONS } from "./mutation_list.mjs";

const lists = [["../realtime/", MUTATIONS, "realtime/tests/mutation_list.mjs"], ["../", PAGE_MUTATIONS, "tests/mutation_list.mjs"]];

for (const [folder, list, name] of lists) {
  test(`each rule in ${name} stands in its module exactly once, and has a name of its own`, () => {
    for (const [rule, module, from] of list) {
      const source = readFileSync(new URL(`${folder}${module}`, import.meta.url), "utf8");
      assert.equal(source.split(from).length - 1, 1, `"${rule}": ${module} has to hold this once: ${from}`);
    }
    assert.equal(new Set(list.map(([rule]) => rule)).size, list.length);
  });
}
