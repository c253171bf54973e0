/** The library stands alone: it imports nothing from outside, knows no contest, and only one module touches the browser. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const FOLDER = new URL("../", import.meta.url);
/** What the streams of this site carry; the library must not know any of it. */
const CONTEST_WORDS = /\b(contests?|announce(ments?|d)|notices?\b(?! that)|participa\w*|standings|clarifications?|submissions?|jury|problems?|selftests?|contestants?)\b/i;
/** Sources of time, chance and input: given to the machine, never taken. */
const BROWSER = /\b(window|document|navigator|location|localStorage|sessionStorage|WebSocket|setTimeout|setInterval|Date|performance|crypto|console|fetch|globalThis)\b|Math\.random/;
const TOUCHES_THE_BROWSER = "environment.js";

const sources = new Map(readdirSync(FOLDER).filter((name) => name.endsWith(".js")).map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]));
const withoutComments = (source) => source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

test("the library was found", () => assert.ok(sources.size > 25 && sources.has("index.js")));

test("the library imports nothing but itself", () => {
  for (const [name, source] of sources) {
    for (const [, path] of withoutComments(source).matchAll(/\bfrom\s*"([^"]+)"|import\s*"([^"]+)"|import\(/g)) {
      assert.ok(path !== undefined && /^\.\/\w+\.js$/.test(path) && sources.has(path.slice(2)), `${name} imports ${path}`);
    }
  }
});

test("the library has no knowledge of contests, not even in its comments", () => {
  for (const [name, source] of sources) assert.doesNotMatch(source, CONTEST_WORDS, name);
});

test("time, chance and the browser are given to it: one module touches them", () => {
  assert.match(withoutComments(sources.get(TOUCHES_THE_BROWSER)), BROWSER, "the words are the right ones");
  for (const [name, source] of sources) {
    const code = withoutComments(source).replace(/"[^"]*"/g, '""');
    if (name !== TOUCHES_THE_BROWSER) assert.doesNotMatch(code, BROWSER, name);
  }
});
