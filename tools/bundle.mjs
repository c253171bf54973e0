/**
 * Makes what browsers load from what is written here and from node_modules: a bundle for each page in
 * static/bundles, with what pages share in chunks of its own (docs/decisions/0030); the source editor (CodeMirror) and
 * the font of formulas in static/vendor.
 */

import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [pages, bundles, vendor] = [join("static", "js", "pages"), join("static", "bundles"), join("static", "vendor")];
/** @type {import("esbuild").BuildOptions} */
const common = { absWorkingDir: root, bundle: true, format: "esm", target: "es2022", minify: true, logLevel: "warning" };

// Chunks carry their content's hash: those of before would stay for ever.
await rm(join(root, bundles), { recursive: true, force: true });
const names = await readdir(join(root, pages));
await build({
  ...common,
  entryPoints: names.filter((name) => name.endsWith(".js")).map((name) => join(pages, name)),
  outdir: bundles,
  splitting: true,
  chunkNames: "shared-[hash]",
  // Sources are collected too, under their own names: a debugger shows them as they are written.
  sourcemap: "linked",
  sourcesContent: false,
});

await build({
  ...common,
  entryPoints: [join("static", "js", "editor", "editor.js")],
  outfile: join(vendor, "editor.js"),
  legalComments: "eof",
});

const font = "stix-two-math-latin-400-normal.woff2";
await mkdir(join(root, vendor, "fonts"), { recursive: true });
await cp(join(root, "node_modules", "@fontsource", "stix-two-math", "files", font), join(root, vendor, "fonts", font));
