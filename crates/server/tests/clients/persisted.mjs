// Apollo Client sends hashes of documents first, and several requests in one body.
//
//   node persisted.mjs URL URL-WITHOUT-PERSISTED-QUERIES

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { BatchHttpLink } from "@apollo/client/link/batch-http";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";

const [url, urlWithout] = process.argv.slice(2);
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
let sent = [];
const watched = (address, init) => {
  sent.push({ method: init.method, address: String(address), body: init.body });
  return fetch(address, init);
};
const open = (uri, useGETForHashedQueries) =>
  new ApolloClient({
    link: ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri, fetch: watched }),
    ]),
    cache: new InMemoryCache(),
    defaultOptions: { query: { fetchPolicy: "network-only" } },
  });
const holdsDocument = ({ address, body }) =>
  (body ?? "").includes('"query"') || new URL(address).searchParams.has("query");

for (const [useGet, name] of [[true, "Get"], [false, "Post"]]) {
  const query = gql`query ${name} { artistById(id: 127) { id name } }`;
  const ask = async () => {
    sent = [];
    const { data } = await open(url, useGet).query({ query });
    assert.equal(data.artistById.id, 127);
    return sent.map(holdsDocument);
  };
  // Nobody knows the hash, so the document follows; then the hash is enough.
  assert.deepEqual(await ask(), [false, true]);
  assert.deepEqual(await ask(), [false]);
  assert.equal(sent[0].method, useGet ? "GET" : "POST");
}

// A server that knows no hashes says so, and is sent documents from then on.
const query = gql`query Without { artistById(id: 127) { id } }`;
const client = open(urlWithout, false);
sent = [];
await client.query({ query });
await client.query({ query });
assert.deepEqual(sent.map(holdsDocument), [false, true, true]);

// Two queries of one moment are one request.
const batching = new ApolloClient({
  link: new BatchHttpLink({ uri: url, fetch: watched, batchInterval: 20 }),
  cache: new InMemoryCache(),
});
sent = [];
const ids = [1, 2].map((id) =>
  batching.query({ query: gql`query Of($id: Int!) { artistById(id: $id) { id } }`, variables: { id } }),
);
assert.deepEqual((await Promise.all(ids)).map(({ data }) => data.artistById.id), [1, 2]);
assert.equal(sent.length, 1);
console.log("answered");
[client, batching].forEach((each) => each.stop());
process.exit(0);
