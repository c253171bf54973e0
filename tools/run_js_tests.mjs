/**
 * Runs the tests of the browser modules, two files at a time, so that both halves of the property
 * tests work at once. Usage: node tools/run_js_tests.mjs [part of a file's name]
 *
 * FATHOM_SCHEDULES: how many random lives of a page (5000); FATHOM_SEED: where chance begins. The
 * seed is printed, and the same one brings the same schedules.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { dot } from "node:test/reporters";

const FOLDER = "static/js";
const TOGETHER = 2;

process.env.FATHOM_SCHEDULES ??= "5000";
process.env.FATHOM_SEED ??= String(Math.floor(Math.random() * 2 ** 30));
process.stdout.write(`FATHOM_SCHEDULES=${process.env.FATHOM_SCHEDULES} FATHOM_SEED=${process.env.FATHOM_SEED}\n`);

const words = process.argv[2] ?? "";
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.js") && name.includes(words))
  // The long ones first: the rest fills the gaps.
  .sort((a, b) => Number(b.includes("properties")) - Number(a.includes("properties")))
  .map((name) => join(FOLDER, name));

const results = run({ files, concurrency: TOGETHER });
results.on("test:fail", () => (process.exitCode = 1));
results.compose(dot).pipe(process.stdout);
