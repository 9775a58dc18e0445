// Relay's compiler reads the schema: connections, a list that grows by pages, and a row that is
// fetched again by its global id. What it makes of it is asked of the server.
//
//   node relay.mjs URL SDL_FILE FOLDER NAME_OF_THE_ID

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import compiler from "relay-compiler";

const [url, file, folder, id] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "src"), { recursive: true });
writeFileSync(join(folder, "schema.graphql"), readFileSync(file));
writeFileSync(
  join(folder, "src/albums.js"),
  `
graphql\`query albumsQuery { ...albums_list }\`;
graphql\`
  fragment albums_list on Query
    @argumentDefinitions(first: { type: "Int", defaultValue: 2 }, after: { type: "Cursor" })
    @refetchable(queryName: "albumsPaginationQuery") {
    allAlbums(first: $first, after: $after) @connection(key: "albums_allAlbums") {
      edges { node { ...albums_album } }
    }
  }\`;
graphql\`
  fragment albums_album on Album @refetchable(queryName: "albumsRefetchQuery") {
    title
    artistByArtistId { name }
  }\`;
`,
);
writeFileSync(
  join(folder, "relay.config.json"),
  JSON.stringify({
    src: "./src",
    schema: "./schema.graphql",
    language: "javascript",
    artifactDirectory: "./made",
    persistConfig: { file: "./persisted.json" },
    schemaConfig: { nodeInterfaceIdField: id, nodeInterfaceIdVariableName: id },
  }),
);
mkdirSync(join(folder, "made"));
writeFileSync(join(folder, "persisted.json"), "{}");
try {
  execFileSync(compiler.default ?? compiler, ["relay.config.json"], { cwd: folder });
} catch (error) {
  console.error(String(error.stdout), String(error.stderr));
  process.exit(1);
}
const documents = Object.values(JSON.parse(readFileSync(join(folder, "persisted.json"), "utf8")));
assert.equal(documents.length, 3);
const ask = async (operation, variables) => {
  const query = documents.find((text) => text.startsWith(`query ${operation}`));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
};
const first = (await ask("albumsQuery", {})).allAlbums;
assert.equal(first.edges.length, 2);
const { endCursor } = first.pageInfo;
const next = (await ask("albumsPaginationQuery", { first: 2, after: endCursor })).allAlbums;
assert.notDeepEqual(next.edges[0].node, first.edges[0].node);
const { node } = first.edges[0];
const again = (await ask("albumsRefetchQuery", { [id]: node[id] })).node;
assert.equal(again.title, node.title);
console.log("compiled and answered");
