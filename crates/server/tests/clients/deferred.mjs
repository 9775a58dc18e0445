// Clients receive a deferred fragment after the rest of the response.
//
//   node deferred.mjs ADDRESS [FIELD]

import assert from "node:assert/strict";
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { Defer20220824Handler, GraphQL17Alpha9Handler } from "@apollo/client/incremental";
import { Client, fetchExchange } from "@urql/core";
import { createClient as createSseClient } from "graphql-sse";
import { createClient as createWsClient } from "graphql-ws";
import WebSocket from "ws";

const [address, field = "product(upc: 1)"] = process.argv.slice(2);
const url = `http://${address}/graphql`;
const QUERY = `{
  ${field} { __typename upc name ... @defer(label: "stock") { inStock } }
}`;
const INITIAL = { __typename: "Product", upc: "1", name: "Product 1" };
const WHOLE = { ...INITIAL, inStock: true };

async function apollo(incrementalHandler) {
  const link = new HttpLink({ uri: url });
  const client = new ApolloClient({ link, cache: new InMemoryCache(), incrementalHandler });
  const seen = [];
  await new Promise((resolve, reject) => {
    client.watchQuery({ query: gql(QUERY) }).subscribe({
      next: (result) => {
        if (result.error) {
          reject(result.error);
        }
        if (result.data?.product) {
          seen.push([result.dataState, result.data.product]);
        }
        if (result.dataState === "complete") {
          resolve();
        }
      },
      error: reject,
    });
  });
  assert.deepEqual(seen, [["streaming", INITIAL], ["complete", WHOLE]]);
  client.stop();
}

async function urql() {
  const client = new Client({ url, preferGetMethod: false, exchanges: [fetchExchange] });
  const seen = [];
  await new Promise((resolve) => {
    client.query(QUERY, {}).subscribe(({ data, error, hasNext }) => {
      assert.equal(error, undefined);
      seen.push(structuredClone(data.product));
      if (!hasNext) {
        resolve();
      }
    });
  });
  assert.deepEqual(seen, [INITIAL, WHOLE]);
}

/** Payloads of a client that does not merge them. */
async function payloads(client) {
  const seen = [];
  for await (const payload of client.iterate({ query: QUERY })) {
    seen.push(payload);
  }
  assert.deepEqual(seen, [
    {
      data: { product: INITIAL },
      pending: [{ id: "0", path: ["product"], label: "stock" }],
      hasNext: true,
    },
    {
      incremental: [{ id: "0", data: { inStock: true } }],
      completed: [{ id: "0" }],
      hasNext: false,
    },
  ]);
  client.dispose();
}

await apollo(new Defer20220824Handler());
console.log("Apollo Client, 20220824");
await apollo(new GraphQL17Alpha9Handler());
console.log("Apollo Client, v0.2");
await urql();
console.log("urql");
await payloads(createWsClient({ url: `ws://${address}/graphql`, webSocketImpl: WebSocket }));
console.log("graphql-ws");
await payloads(createSseClient({ url }));
console.log("graphql-sse");
await payloads(createSseClient({ url, singleConnection: true }));
console.log("graphql-sse, single connection");
