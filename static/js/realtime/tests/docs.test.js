/** docs/client.md names tests as proof: they exist, by exactly these names, and the invariants are all there. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { MUST } from "./world_checks.js";

const HERE = new URL("./", import.meta.url);
const page = readFileSync(new URL("../../../../docs/client.md", HERE), "utf8");
const rows = page.slice(page.indexOf("## Seven classic faults"), page.indexOf("## Promises in seconds")).split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));

/** The names of a file's tests as they stand there; `${…}` stands for anything. */
function namesIn(file) {
  const source = readFileSync(new URL(file, HERE), "utf8");
  const escaped = (text) => text.replace(/[.*+?^()|[\]\\]/g, "\\$&").replace(/\$\{[^}]*\}/g, ".+");
  return [...source.matchAll(/\btest\(\s*(["`])(.*?)\1,/g)].map(([, , name]) => new RegExp(`^${escaped(name)}$`));
}

test("each of the seven faults names the tests that prove its rule, and they exist", () => {
  assert.equal(rows.length, 1 + 7);
  for (const row of rows.slice(1)) {
    const proofs = row.split("|").at(-2).split(/`(\w+\.test\.js)`: /).slice(1);
    assert.ok(proofs.length >= 2, row);
    for (let index = 0; index < proofs.length; index += 2) {
      const names = proofs[index].startsWith("properties") ? Object.values(MUST).map(({ name }) => new RegExp(`^${name}$`)) : namesIn(proofs[index]);
      for (const [, quoted] of proofs[index + 1].matchAll(/"([^"]+)"/g)) {
        assert.ok(names.some((name) => name.test(quoted)), `${proofs[index]} has no test "${quoted}"`);
      }
    }
  }
});

test("the invariants of the property tests are listed by name", () => {
  for (const { name } of Object.values(MUST)) assert.ok(page.includes(name), name);
});
