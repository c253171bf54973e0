/**
 * Switches off one rule of the library after the other and asks whether the tests notice.
 * Usage: node static/js/realtime/tests/mutations.mjs [part of a rule's name] [number of the first rule]
 *
 * Rules and tests are copied to a temporary folder; first the tests must pass there as they are.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { MUTATIONS } from "./mutation_list.mjs";

const LIBRARY = dirname(dirname(fileURLToPath(import.meta.url)));
const REPOSITORY = resolve(LIBRARY, "../../..");
/** Asked only if the others have not noticed anything. */
const LONG = ["properties_1", "properties_2", "bounds", "long_contest", "many_pages"];
const SCHEDULES = "4000";
/** A mutant that hangs is noticed, too: it takes this many times as long as the tests do without it. */
const PATIENCE = 8;
const patienceMs = new Map();

const folder = mkdtempSync(join(tmpdir(), "mutations-"));
const copy = join(folder, "static/js/realtime");

function prepare() {
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(LIBRARY, copy, { recursive: true });
  for (const shared of ["node_modules", "realtime", "docs"]) symlinkSync(join(REPOSITORY, shared), join(folder, shared));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const names = readdirSync(join(copy, "tests")).filter((name) => name.endsWith(".test.js"));
  const isLong = (name) => LONG.includes(name.replace(".test.js", ""));
  for (const [file, chosen] of [["quick.mjs", names.filter((name) => !isLong(name))], ["long.mjs", names.filter(isLong)]]) {
    writeFileSync(join(copy, "tests", file), chosen.map((name) => `import "./${name}";\n`).join(""));
  }
}

/** @returns {string | null} the first test that failed, or what else went wrong; null: none did */
function firstFailure(file) {
  const environment = { ...process.env, FATHOM_SCHEDULES: SCHEDULES, FATHOM_SEED: "1" };
  const { status, stdout } = spawnSync("node", ["--test-reporter=tap", join(copy, "tests", file)], { env: environment, encoding: "utf8", timeout: patienceMs.get(file) ?? 0, maxBuffer: 1e9 });
  if (status === 0) return null;
  return /^\s*not ok \d+ - (.*)$/m.exec(stdout)?.[1] ?? (status === null ? "(it hangs)" : "(it does not load)");
}

function noticedBy([, module, from, to]) {
  const file = join(copy, module);
  const source = readFileSync(file, "utf8");
  if (source.split(from).length !== 2) throw new Error(`${module} does not hold this exactly once: ${from}`);
  writeFileSync(file, source.replace(from, () => to));
  try {
    return firstFailure("quick.mjs") ?? firstFailure("long.mjs");
  } finally {
    writeFileSync(file, source);
  }
}

/** With all rules in place the tests pass, and that takes its time. */
function proveAndMeasure(file) {
  const startedMs = performance.now();
  const failure = firstFailure(file);
  if (failure !== null) throw new Error(`the tests fail with all rules in place: ${failure}`);
  patienceMs.set(file, Math.round(PATIENCE * (performance.now() - startedMs)));
}

function main([words = "", first = "0"]) {
  const chosen = MUTATIONS.slice(Number(first)).filter(([rule]) => rule.includes(words));
  for (const file of ["quick.mjs", "long.mjs"]) proveAndMeasure(file);
  let survivors = 0;
  for (const mutation of chosen) {
    const test = noticedBy(mutation);
    if (test === null) survivors += 1;
    process.stdout.write(test === null ? `SURVIVED without: ${mutation[0]}\n` : `noticed  without: ${mutation[0]} — by: ${test}\n`);
  }
  process.stdout.write(`${chosen.length - survivors} of ${chosen.length} noticed\n`);
  return survivors === 0 ? 0 : 1;
}

try {
  prepare();
  process.exitCode = main(process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true });
}
