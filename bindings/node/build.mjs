// Copies the library that Cargo has built to the name by which Node.js loads it.
//
//   node build.mjs [FOLDER_OF_CARGO]

import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const built = process.argv[2] ?? join(here, "../../target/release");
const names = { darwin: "libthalweg_node.dylib", win32: "thalweg_node.dll" };
const name = names[process.platform] ?? "libthalweg_node.so";
copyFileSync(join(built, name), join(here, "thalweg.node"));
