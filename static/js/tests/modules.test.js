/** The site's modules are served as they are, with hashed names: what that asks of their imports. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
/** Hashing renames a module when one of its imports was renamed; it makes this many rounds. */
const LONGEST_CHAIN = 7;

const files = readdirSync(HERE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  // The editor is bundled with its packages; tests are not served.
  .filter((file) => !/\/(tests|editor)\//.test(file));
const sources = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
const name = (file) => relative(HERE, file);

/** Modules that `file` loads, without those named in comments. */
function importsOf(file) {
  const code = sources.get(file).replace(/\/\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(/^(?:import|export)\s(?:[^"';]*\sfrom\s)?"([^"]+)";/gm)].map(([, path]) => path);
}

function chainFrom(file, above = []) {
  assert.ok(!above.includes(file), `a cycle: ${[...above, file].map(name).join(" → ")}`);
  const chains = importsOf(file).filter((path) => path.startsWith(".")).map((path) => chainFrom(resolve(dirname(file), path), [...above, file]));
  return [file, ...chains.reduce((longest, chain) => (chain.length > longest.length ? chain : longest), [])];
}

test("imports are relative, exist, and have no cycles and no chains of more than seven modules", () => {
  assert.ok(files.length > 20, "the modules were found");
  for (const file of files) {
    for (const path of importsOf(file)) {
      assert.match(path, /^\.\.?\//, `${name(file)} imports ${path}`);
      assert.ok(sources.has(resolve(dirname(file), path)), `${name(file)} imports ${path}, which is not there`);
    }
    const chain = chainFrom(file);
    assert.ok(chain.length <= LONGEST_CHAIN, chain.map(name).join(" → "));
  }
});

test("import statements end with semicolons, and types are not imported in a way that hashing takes for one", () => {
  for (const [file, source] of sources) {
    assert.doesNotMatch(source, /import\(\s*["'`]/, name(file));
    assert.doesNotMatch(source, /^(?:import|export)\b[^;]*from "[^"]*"(?!;)/m, name(file));
  }
});

test("no module is longer than 300 lines", () => {
  for (const [file, source] of sources) assert.ok(source.split("\n").length <= 300, name(file));
});
