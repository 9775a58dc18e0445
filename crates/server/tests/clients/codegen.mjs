// graphql-codegen makes types of the schema and of operations, and TypeScript finds that they fit
// a program that uses them, and do not fit one that misuses them.
//
//   node codegen.mjs SDL_FILE FOLDER

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as operations from "@graphql-codegen/typescript-operations";
import * as typescript from "@graphql-codegen/typescript";
import { buildSchema, parse, printSchema } from "graphql";

const [file, folder] = process.argv.slice(2);
const document = parse(`
  query Albums($first: Int!, $condition: AlbumCondition, $after: Cursor) {
    allAlbums(first: $first, condition: $condition, after: $after, orderBy: [TITLE_ASC]) {
      totalCount
      nodes { nodeId albumId title artistByArtistId { ...Name } }
      pageInfo { hasNextPage endCursor }
    }
  }
  fragment Name on Artist { id name }
`);
const schema = buildSchema(readFileSync(file, "utf8"));
const generate = (plugin, name, config) =>
  codegen({
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [{ location: "albums.graphql", document }],
    filename: name,
    config,
    plugins: [{ [plugin]: {} }],
    pluginMap: { typescript, operations },
  });

mkdirSync(folder, { recursive: true });
const write = (name, text) => writeFileSync(join(folder, name), text);
write("schema.ts", await generate("typescript", "schema.ts", { scalars: {} }));
write("operations.ts", await generate("operations", "operations.ts", {}));

const program = (use) => `
import type { Album, AlbumsOrderBy, Query } from "./schema";
import type { AlbumsQuery, AlbumsQueryVariables } from "./operations";

const variables: AlbumsQueryVariables = { first: 3, condition: { artistId: 1 } };
const order: AlbumsOrderBy = "TITLE_ASC" as AlbumsOrderBy;
export function titles(data: AlbumsQuery, album: Album, query: Query): string[] {
  const nodes = data.allAlbums?.nodes ?? [];
  const names: (string | undefined)[] = nodes.map((node) => node?.artistByArtistId?.name ?? undefined);
  ${use}
  return [...nodes.map((node) => node?.title ?? ""), String(album.albumId), order,
    ...names.map(String), String(variables.first), String(query.allAlbums?.totalCount)];
}
`;
const compile = (use) => {
  write("program.ts", program(use));
  const tsc = new URL("node_modules/typescript/bin/tsc", import.meta.url).pathname;
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"];
  try {
    execFileSync(process.execPath, [tsc, ...options, join(folder, "program.ts")]);
    return "";
  } catch (error) {
    return String(error.stdout);
  }
};
assert.equal(compile(""), "");
const misused = compile("const count: string = data.allAlbums?.totalCount; void count;");
assert.match(misused, /error TS2322/);
console.log("compiled");
