/**
 * Fills static/vendor from node_modules: the source editor (CodeMirror), bundled, and the font of
 * formulas. Everything else that browsers load is served as it is written.
 */

import { cp, mkdir } from "node:fs/promises";
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

const font = "stix-two-math-latin-400-normal.woff2";
await mkdir(join(root, "static", "vendor", "fonts"), { recursive: true });
await cp(join(root, "node_modules", "@fontsource", "stix-two-math", "files", font), join(root, "static", "vendor", "fonts", font));
