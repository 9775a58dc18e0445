// Clients of subscriptions: graphql-ws, subscriptions-transport-ws, graphql-sse, Apollo Client.
//
//   node subscriptions.mjs HOST:PORT

import assert from "node:assert/strict";
import { ApolloClient, InMemoryCache, gql } from "@apollo/client/core";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { createClient as createSseClient } from "graphql-sse";
import { createClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws/dist/client.js";
import WebSocket from "ws";

const [, , address] = process.argv;
const http = `http://${address}/graphql`;
const ws = `ws://${address}/graphql`;
const COUNT = "subscription { aggregateNote { count } }";

async function add() {
  const query = 'mutation { addNote(input: [{ text: "a" }]) { numUids } }';
  const response = await fetch(http, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  assert.deepEqual(await response.json(), { data: { addNote: { numUids: 1 } } });
}

let notes = 0;

/// Subscribes, adds a note, and waits for both counts; `subscribe` calls its argument with each result,
/// and returns a function that ends the subscription.
async function check(name, subscribe) {
  const counts = [];
  let arrived;
  const wait = () => new Promise((resolve) => (arrived = resolve));
  let next = wait();
  const end = subscribe((data) => {
    counts.push(data.aggregateNote.count);
    arrived();
  });
  await next;
  next = wait();
  await add();
  await next;
  assert.deepEqual(counts, [notes, notes + 1], name);
  notes += 1;
  end();
  console.log(name);
}

/// A sink of the clients with one `subscribe` function.
function sink(next) {
  return {
    next: (result) => {
      assert.equal(result.errors, undefined);
      next(result.data);
    },
    error: (error) => {
      throw error;
    },
    complete: () => {},
  };
}

const transport = createClient({ url: ws, webSocketImpl: WebSocket, retryAttempts: 0 });
await check("graphql-ws", (next) => transport.subscribe({ query: COUNT }, sink(next)));
const results = [];
for await (const result of transport.iterate({ query: "{ __typename }" })) {
  results.push(result);
}
assert.deepEqual(results, [{ data: { __typename: "Query" } }]);
await assert.rejects(async () => {
  for await (const result of transport.iterate({ query: "{ nothing }" })) {
    assert.fail(JSON.stringify(result));
  }
}, (errors) => errors[0].extensions.code === "GRAPHQL_VALIDATION_FAILED");

const apollo = new ApolloClient({ link: new GraphQLWsLink(transport), cache: new InMemoryCache() });
await check("Apollo Client", (next) => {
  const observable = apollo.subscribe({ query: gql(COUNT), fetchPolicy: "no-cache" });
  const subscription = observable.subscribe(sink(next));
  return () => subscription.unsubscribe();
});
await transport.dispose();

const legacy = new SubscriptionClient(ws, {}, WebSocket);
await check("subscriptions-transport-ws", (next) => {
  const subscription = legacy.request({ query: COUNT }).subscribe(sink(next));
  return () => subscription.unsubscribe();
});
legacy.close();

const sse = createSseClient({ url: http, retryAttempts: 0 });
await check("graphql-sse", (next) => sse.subscribe({ query: COUNT }, sink(next)));
sse.dispose();
