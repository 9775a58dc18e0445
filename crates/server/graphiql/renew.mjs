// Writes `vendor/` from the packages that `npm ci` installed: the files as they were published,
// compressed, and the licences of all that is in them.
//
//   node renew.mjs FOLDER_WITH_NODE_MODULES

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const modules = join(process.argv[2], "node_modules");
const vendor = new URL("vendor/", import.meta.url).pathname;

const FILES = [
  ["graphiql", "graphiql.min.js"],
  ["graphiql", "graphiql.min.css"],
  ["react", "umd/react.production.min.js"],
  ["react-dom", "umd/react-dom.production.min.js"],
];

const manifest = (name) => JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));

rmSync(vendor, { recursive: true, force: true });
mkdirSync(vendor);

const sums = [];
for (const [name, path] of FILES) {
  const text = readFileSync(join(modules, name, path));
  const file = path.split("/").pop();
  const kind = file.split(".").pop();
  const named = `${name}-${manifest(name).version}.min.${kind}`;
  writeFileSync(join(vendor, `${named}.gz`), gzipSync(text, { level: 9 }));
  sums.push(`${createHash("sha256").update(text).digest("hex")}  ${named}`);
}
writeFileSync(join(vendor, "SHA256SUMS"), `${sums.join("\n")}\n`);

// The source map names the files that were bundled, and so the packages.
const map = JSON.parse(readFileSync(join(modules, "graphiql/graphiql.min.js.map"), "utf8"));
const bundled = map.sources
  .filter((source) => source.includes("node_modules/"))
  .map((source) => source.split("node_modules/").pop().match(/^(@[^/]+\/[^/]+|[^/]+)/)[0]);
const own = ["graphiql", "react", "react-dom", "scheduler", "codemirror-graphql"];
const names = [...new Set([...own, ...bundled])].sort();

const blocks = new Map();
for (const name of names) {
  const folder = join(modules, name);
  // The rest of the map are parts of the project itself, under its own licence.
  if (!existsSync(folder)) continue;
  const { license } = manifest(name);
  const found = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  const text = found ? readFileSync(join(folder, found), "utf8").trim() : `Licence: ${license}`;
  const block = blocks.get(text) ?? [];
  block.push(name);
  blocks.set(text, block);
}
blocks.set(
  "Fira Code: Copyright 2014-2020 The Fira Code Project Authors, SIL Open Font License 1.1\n" +
    "(https://scripts.sil.org/OFL).\n" +
    "Roboto: Copyright 2011 Google Inc., Apache License 2.0\n" +
    "(https://www.apache.org/licenses/LICENSE-2.0).",
  ["the fonts in graphiql's style sheet"],
);
const line = "=".repeat(80);
const licences = [...blocks].map(([text, who]) => `${who.join("\n")}\n\n${text}\n`);
writeFileSync(join(vendor, "LICENSES.txt"), licences.join(`\n${line}\n\n`).replace(/\r\n/g, "\n"));
