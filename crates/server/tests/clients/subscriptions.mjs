// Clients of subscriptions: graphql-ws, subscriptions-transport-ws, graphql-sse, Apollo Client, urql,
// Relay, each over the protocols that it supports.
//
//   node subscriptions.mjs HOST:PORT SDL_FILE FOLDER

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { createClient as createSseClient } from "graphql-sse";
import { createClient } from "graphql-ws";
import relayCompiler from "relay-compiler";
import relay from "relay-runtime";
import { SubscriptionClient } from "subscriptions-transport-ws/dist/client.js";
import WebSocket from "ws";

const [address, schema, folder] = process.argv.slice(2);
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

function viaApollo(link) {
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() });
  return (next) => {
    const observable = apollo.subscribe({ query: gql(COUNT), fetchPolicy: "no-cache" });
    const subscription = observable.subscribe(sink(next));
    return () => subscription.unsubscribe();
  };
}
await check("Apollo Client", viaApollo(new GraphQLWsLink(transport)));
await check("Apollo Client, multipart", viaApollo(new HttpLink({ uri: http })));

function viaUrql(options, ...exchanges) {
  const urql = new Client({ url: http, exchanges, preferGetMethod: false, ...options });
  return (next) => {
    const { unsubscribe } = urql.subscription(COUNT, {}).subscribe((result) => {
      assert.equal(result.error, undefined);
      next(result.data);
    });
    return unsubscribe;
  };
}
const forward = ({ query, variables }) => ({
  subscribe: (observer) => ({ unsubscribe: transport.subscribe({ query, variables }, observer) }),
});
await check(
  "urql",
  viaUrql({}, subscriptionExchange({ forwardSubscription: forward }), fetchExchange),
);
await check("urql, stream", viaUrql({ fetchSubscriptions: true }, fetchExchange));

/// The subscription as Relay's compiler makes it.
function compiled() {
  mkdirSync(join(folder, "src"), { recursive: true });
  mkdirSync(join(folder, "made"));
  writeFileSync(join(folder, "schema.graphql"), readFileSync(schema));
  const source = COUNT.replace("subscription", "subscription countSubscription");
  writeFileSync(join(folder, "src/count.js"), `graphql\`${source}\`;\n`);
  const config = {
    src: "./src",
    schema: "./schema.graphql",
    language: "javascript",
    artifactDirectory: "./made",
  };
  writeFileSync(join(folder, "relay.config.json"), JSON.stringify(config));
  const compiler = relayCompiler.default ?? relayCompiler;
  execFileSync(compiler, ["relay.config.json"], { cwd: folder, stdio: "pipe" });
  return createRequire(import.meta.url)(join(folder, "made/countSubscription.graphql.js"));
}
const environment = new relay.Environment({
  network: relay.Network.create(
    () => assert.fail("a query"),
    ({ text, name }, variables) =>
      relay.Observable.create((observer) =>
        transport.subscribe({ query: text, operationName: name, variables }, observer),
      ),
  ),
  store: new relay.Store(new relay.RecordSource()),
});
await check("Relay", (next) => {
  const config = {
    subscription: compiled(),
    variables: {},
    onNext: next,
    onError: (error) => {
      throw error;
    },
  };
  const subscription = relay.requestSubscription(environment, config);
  return () => subscription.dispose();
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

const single = createSseClient({ url: http, singleConnection: true, retryAttempts: 0 });
// It keeps the stream for what follows.
const keep = single.subscribe({ query: COUNT }, sink(() => {}));
await check("graphql-sse, single connection", (next) =>
  single.subscribe({ query: COUNT }, sink(next)),
);
const once = new Promise((resolve) =>
  single.subscribe({ query: "{ __typename }" }, { ...sink(resolve), complete: () => {} }),
);
assert.deepEqual(await once, { __typename: "Query" });
// The client ends each operation by a request, and then its stream.
keep();
