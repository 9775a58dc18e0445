// What Relay's compiler persisted is asked by its ids, and nothing else is answered.
//
//   node trusted.mjs URL PERSISTED_FILE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [url, file] = process.argv.slice(2);
const documents = JSON.parse(readFileSync(file, "utf8"));
const ask = async (request) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  return { status: response.status, ...(await response.json()) };
};
const [documentId] = Object.entries(documents).find(([, text]) => text.startsWith("query albumsQuery"));
const known = await ask({ documentId, variables: {} });
assert.equal(known.errors, undefined);
assert.equal(known.data.allAlbums.edges.length, 2);
const unknown = await ask({ query: "{ allAlbums { totalCount } }" });
assert.equal(unknown.errors[0].extensions.code, "OPERATION_NOT_TRUSTED");
console.log(`${Object.keys(documents).length} documents`);
