// A subgraph of Apollo Server whose subscriptions send their events by HTTP callback, and a client of
// the gateway over it.
//
//   node callback_subgraph.mjs HOST:PORT_OF_GATEWAY PORT_OF_SUBGRAPH

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ApolloServer } from "@apollo/server";
import { ApolloServerPluginSubscriptionCallback } from "@apollo/server/plugin/subscriptionCallback";
import { startStandaloneServer } from "@apollo/server/standalone";
import { createClient } from "graphql-sse";

const [address, port] = process.argv.slice(2);

let running = 0;

/// Numbers, for ever or up to a last one.
async function* count(_, { to }) {
  running += 1;
  try {
    for (let number = 1; number <= (to ?? Infinity); number += 1) {
      yield { count: number };
      if (number === 2 && to === null) throw new Error("no third one");
      await sleep(50);
    }
  } finally {
    running -= 1;
  }
}

const server = new ApolloServer({
  typeDefs: "type Query { now: Int } type Subscription { count(to: Int): Int! refused: Int }",
  resolvers: {
    Subscription: {
      count: { subscribe: count },
      refused: {
        subscribe() {
          throw new Error("refused");
        },
      },
    },
  },
  plugins: [ApolloServerPluginSubscriptionCallback()],
});
await startStandaloneServer(server, { listen: { port: Number(port), host: "127.0.0.1" } });

const client = createClient({ url: `http://${address}/graphql` });

/// All responses to a subscription.
async function responses(query) {
  const found = [];
  for await (const response of client.iterate({ query })) found.push(response);
  return found;
}

assert.deepEqual(await responses("subscription { count(to: 3) }"), [
  { data: { count: 1 } },
  { data: { count: 2 } },
  { data: { count: 3 } },
]);
console.log("events and the end");

const failed = await responses("subscription { count(to: null) }");
assert.deepEqual(failed.slice(0, 2), [{ data: { count: 1 } }, { data: { count: 2 } }]);
assert.equal(failed.at(-1).errors[0].extensions.code, "SUBGRAPH_ERROR");
console.log("an end with errors");

const [refused] = await responses("subscription { refused }");
assert.equal(refused.errors[0].extensions.code, "SUBGRAPH_ERROR");
console.log("a refusal");

let last = 0;
for await (const { data } of client.iterate({ query: "subscription { count }" })) {
  last = data.count;
  // Longer than two heartbeats.
  if (last === 30) break;
}
assert.equal(last, 30);
console.log("heartbeats");

for (let waited = 0; running > 0; waited += 1) {
  assert.ok(waited < 100, "the subgraph does not learn of the end");
  await sleep(50);
}
console.log("a client that leaves");
process.exit(0);
