// Apollo Client names documents by their hashes: the server asks for one that it does not know,
// once for all clients.
//
//   node persisted.mjs URL

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

function connect(options) {
  const sent = [];
  const http = new HttpLink({
    uri: process.argv[2],
    fetch: (url, init) => {
      const text = init.body ?? decodeURIComponent(String(url));
      sent.push(`${init.method} ${text.includes("allAlbums") ? "document" : "hash"}`);
      return fetch(url, init);
    },
  });
  const link = ApolloLink.from([new PersistedQueryLink({ sha256, ...options }), http]);
  return { client: new ApolloClient({ link, cache: new InMemoryCache() }), sent };
}

async function ask({ client }) {
  const query = gql`query Albums { allAlbums(first: 1) { nodes { title } } }`;
  const { data, error } = await client.query({ query, fetchPolicy: "network-only" });
  assert.equal(error, undefined);
  assert.ok(data.allAlbums.nodes[0].title);
  client.stop();
}

const first = connect({});
await ask(first);
assert.deepEqual(first.sent, ["POST hash", "POST document"]);
const second = connect({});
await ask(second);
assert.deepEqual(second.sent, ["POST hash"]);
const cached = connect({ useGETForHashedQueries: true });
await ask(cached);
assert.deepEqual(cached.sent, ["GET hash"]);
console.log("answered");
