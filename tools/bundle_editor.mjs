/**
 * Bundles the source editor (CodeMirror, from node_modules) into static/vendor/editor.js. Everything
 * else that browsers load is served as it is written.
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await build({
  absWorkingDir: root,
  entryPoints: [join("static", "js", "editor", "editor.js")],
  outfile: join("static", "vendor", "editor.js"),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "eof",
  logLevel: "warning",
});
