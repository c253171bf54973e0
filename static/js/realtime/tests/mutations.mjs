/**
 * Switches off one rule after the other, of the library and of the pages, and asks whether the tests notice.
 * Usage: node static/js/realtime/tests/mutations.mjs [parts of rules' names, | between them] [number of the first rule]
 *
 * Modules and tests are copied to a temporary folder; first the tests must pass there as they are.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { PAGE_MUTATIONS } from "../../tests/mutation_list.mjs";
import { MUTATIONS } from "./mutation_list.mjs";

const MODULES = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const REPOSITORY = resolve(MODULES, "../..");
/** Asked only if the others have not noticed anything. */
const LONG = ["properties_1", "properties_2", "bounds", "long_contest", "many_pages"];
const SCHEDULES = "4000";
/** A mutant that hangs is noticed, too: it takes this many times as long as the tests do without it. */
const PATIENCE = 8;
const patienceMs = new Map();

const folder = mkdtempSync(join(tmpdir(), "mutations-"));
const copy = join(folder, "static/js");
/** What is run, in order: the library's tests within one process each time, the pages' each in its own, for they put up documents. */
const LIBRARY_TESTS = ["realtime/tests/quick.mjs", "realtime/tests/long.mjs"];
const PAGE_TESTS = ["ui/tests/*", "stores/tests/*"];
const BELL_TESTS = ["ui/bell/tests/*"];
const RULES = [
  ...MUTATIONS.map(([rule, module, from, to]) => ({ rule, module: `realtime/${module}`, from, to, tests: LIBRARY_TESTS })),
  ...PAGE_MUTATIONS.map(([rule, module, from, to]) => ({ rule, module, from, to, tests: module.startsWith("ui/bell/") ? BELL_TESTS : PAGE_TESTS })),
];

function prepare() {
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(MODULES, copy, { recursive: true });
  for (const shared of ["node_modules", "realtime", "docs"]) symlinkSync(join(REPOSITORY, shared), join(folder, shared));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const isLong = (name) => LONG.includes(name.replace(".test.js", ""));
  const [quick, long] = LIBRARY_TESTS;
  write(quick, testsIn("realtime/tests").filter((name) => !isLong(name)));
  write(long, testsIn("realtime/tests").filter(isLong));
}

function testsIn(place) {
  return readdirSync(join(copy, place)).filter((name) => name.endsWith(".test.js"));
}

function write(file, names) {
  writeFileSync(join(copy, file), names.map((name) => `import "./${name}";\n`).join(""));
}

/** How node is told to run them. */
function argumentsFor(tests) {
  const place = tests.replace("*", "");
  return place === tests ? [join(copy, tests)] : ["--test", ...testsIn(place).map((name) => join(copy, place, name))];
}

/** @returns {string | null} the first test that failed, or what else went wrong; null: none did */
function firstFailure(file) {
  const environment = { ...process.env, FATHOM_SCHEDULES: SCHEDULES, FATHOM_SEED: "1" };
  const { status, stdout } = spawnSync("node", ["--test-reporter=tap", ...argumentsFor(file)], { env: environment, encoding: "utf8", timeout: patienceMs.get(file) ?? 0, maxBuffer: 1e9 });
  if (status === 0) return null;
  return /^\s*not ok \d+ - (.*)$/m.exec(stdout)?.[1] ?? (status === null ? "(it hangs)" : "(it does not load)");
}

function noticedBy({ module, from, to, tests }) {
  const file = join(copy, module);
  const source = readFileSync(file, "utf8");
  if (source.split(from).length !== 2) throw new Error(`${module} does not hold this exactly once: ${from}`);
  writeFileSync(file, source.replace(from, () => to));
  try {
    // A module that no longer loads proves nothing of the tests.
    if (spawnSync("node", ["--check", file]).status !== 0) throw new Error(`${module} is no module without this: ${from}`);
    return tests.reduce((failure, each) => failure ?? firstFailure(each), null);
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
  const chosen = RULES.slice(Number(first)).filter(({ rule }) => words.split("|").some((part) => rule.includes(part)));
  for (const file of new Set(chosen.flatMap(({ tests }) => tests))) proveAndMeasure(file);
  let survivors = 0;
  for (const each of chosen) {
    const test = noticedBy(each);
    if (test === null) survivors += 1;
    process.stdout.write(test === null ? `SURVIVED without: ${each.rule}\n` : `noticed  without: ${each.rule} — by: ${test}\n`);
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
