// Clients of Hasura, with the headers of a role: react-admin's data provider, Apollo Client, urql,
// graphql-request, graphql-ws, subscriptions-transport-ws, and GraphQL Code Generator.
//
//   node hasura.mjs HOST:PORT ADMIN_SECRET
//
// The role `editor` reads, inserts, updates and deletes the articles of author 1.

import assert from "node:assert/strict";
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { WebSocketLink } from "@apollo/client/link/ws";
import { codegen } from "@graphql-codegen/core";
import * as typescript from "@graphql-codegen/typescript";
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { buildClientSchema, getIntrospectionQuery, parse, printSchema } from "graphql";
import { GraphQLClient } from "graphql-request";
import { createClient } from "graphql-ws";
import hasura from "ra-data-hasura";
import { SubscriptionClient } from "subscriptions-transport-ws/dist/client.js";
import WebSocket from "ws";

const [address, secret] = process.argv.slice(2);
const http = `http://${address}/v1/graphql`;
const ws = `ws://${address}/v1/graphql`;
const headers = {
  "x-hasura-admin-secret": secret,
  "x-hasura-role": "editor",
  "x-hasura-user-id": "1",
};
// Hasura takes the headers of a socket from the payload of its first message.
const connectionParams = { headers };

const ARTICLES = `query Articles($rating: Int!) {
  article(where: { rating: { _gte: $rating } }, order_by: { id: asc }) { id title author { name } }
}`;
const RATED = {
  article: [
    { id: 1, title: "a", author: { name: "Ada" } },
    { id: 3, title: "c", author: { name: "Ada" } },
  ],
};
const COUNT = "subscription Count { article_aggregate { aggregate { count } } }";
const INSERT = `mutation Insert($object: article_insert_input!) {
  insert_article_one(object: $object) { id title }
}`;
const DELETE = "mutation Delete($id: Int!) { delete_article_by_pk(id: $id) { id } }";

/// The answer without Apollo's `__typename`.
const plain = (value) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === "__typename" ? undefined : inner)));

const request = new GraphQLClient(http, { headers });
{
  assert.deepEqual(await request.request(ARTICLES, { rating: 2 }), RATED);
  const answer = request.request("{ article { secret } }");
  const refused = await answer.then(assert.fail, (error) => error);
  assert.deepEqual(refused.response.errors, [
    {
      message: "field 'secret' not found in type: 'article'",
      extensions: { path: "$.selectionSet.article.selectionSet.secret", code: "validation-failed" },
    },
  ]);
  const batch = await request.batchRequests([
    { document: ARTICLES, variables: { rating: 2 } },
    { document: "{ author_aggregate { aggregate { count } } }" },
  ]);
  assert.deepEqual(plain(batch), [
    { data: RATED },
    { data: { author_aggregate: { aggregate: { count: 2 } } } },
  ]);
  console.log("graphql-request");
}

/// Subscribes, inserts an article, deletes it, and waits for each count.
async function subscribed(name, subscribe) {
  const counts = [];
  let arrived;
  const wait = () => new Promise((resolve) => (arrived = resolve));
  let next = wait();
  const end = subscribe((data) => {
    counts.push(data.article_aggregate.aggregate.count);
    arrived();
  });
  await next;
  next = wait();
  await request.request(INSERT, { object: { id: 100, title: "new" } });
  await next;
  next = wait();
  await request.request(DELETE, { id: 100 });
  await next;
  assert.deepEqual(counts, [3, 4, 3], name);
  end();
  console.log(name);
}

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

const transport = createClient({
  url: ws,
  connectionParams,
  webSocketImpl: WebSocket,
  retryAttempts: 0,
});
await subscribed("graphql-ws", (next) => transport.subscribe({ query: COUNT }, sink(next)));

const legacy = new SubscriptionClient(ws, { connectionParams }, WebSocket);
await subscribed("subscriptions-transport-ws", (next) => {
  const subscription = legacy.request({ query: COUNT }).subscribe(sink(next));
  return () => subscription.unsubscribe();
});

{
  const link = ApolloLink.split(
    ({ operationType }) => operationType === "subscription",
    new GraphQLWsLink(transport),
    new HttpLink({ uri: http, headers }),
  );
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() });
  const read = await apollo.query({ query: gql(ARTICLES), variables: { rating: 2 } });
  assert.deepEqual(plain(read.data), RATED);
  const variables = { object: { id: 101, title: "apollo" } };
  const made = await apollo.mutate({ mutation: gql(INSERT), variables });
  assert.deepEqual(plain(made.data), { insert_article_one: { id: 101, title: "apollo" } });
  const gone = await apollo.mutate({ mutation: gql(DELETE), variables: { id: 101 } });
  assert.deepEqual(plain(gone.data), { delete_article_by_pk: { id: 101 } });
  const via = (client) => (next) => {
    const observable = client.subscribe({ query: gql(COUNT), fetchPolicy: "no-cache" });
    const subscription = observable.subscribe(sink(next));
    return () => subscription.unsubscribe();
  };
  await subscribed("Apollo Client", via(apollo));
  const older = new ApolloClient({ link: new WebSocketLink(legacy), cache: new InMemoryCache() });
  await subscribed("Apollo Client, subscriptions-transport-ws", via(older));
}

{
  const forwardSubscription = ({ query, variables }) => ({
    subscribe: (observer) => ({
      unsubscribe: transport.subscribe({ query, variables }, observer),
    }),
  });
  const urql = new Client({
    url: http,
    fetchOptions: { headers },
    preferGetMethod: false,
    exchanges: [fetchExchange, subscriptionExchange({ forwardSubscription })],
  });
  const read = await urql.query(ARTICLES, { rating: 2 }).toPromise();
  assert.deepEqual([read.error, read.data], [undefined, RATED]);
  const refused = await urql.mutation(INSERT, { object: { id: 1, title: "twice" } }).toPromise();
  assert.equal(refused.error.graphQLErrors[0].extensions.code, "constraint-violation");
  await subscribed("urql", (next) => {
    const { unsubscribe } = urql.subscription(COUNT, {}).subscribe((result) => {
      assert.equal(result.error, undefined);
      next(result.data);
    });
    return unsubscribe;
  });
}
await transport.dispose();
legacy.close();

{
  const result = await request.request(
    getIntrospectionQuery({
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
    }),
  );
  const schema = parse(printSchema(buildClientSchema(result)));
  // Only what the role has is there.
  const text = await codegen({
    schema,
    documents: [],
    filename: "schema.ts",
    config: {},
    plugins: [{ typescript: {} }],
    pluginMap: { typescript },
  });
  assert.match(text, /export type Article_Set_Input = \{\n {2}rating\?: /);
  assert.doesNotMatch(text, /Author_Insert_Input/);
  console.log("GraphQL Code Generator");
}

{
  const build = hasura.default ?? hasura;
  const provider = await build({ clientOptions: { uri: http, headers } });
  const sort = { field: "id", order: "ASC" };
  const pagination = { page: 1, perPage: 2 };
  const ids = ({ data }) => data.map((one) => one.id);

  const list = await provider.getList("article", { filter: {}, sort, pagination });
  assert.deepEqual([ids(list), list.total], [[1, 2], 3]);
  const second = { page: 2, perPage: 2 };
  const rest = await provider.getList("article", { filter: {}, sort, pagination: second });
  assert.deepEqual([ids(rest), rest.total], [[3], 3]);
  // A filter's key may have an operator, and may be of a related row.
  const filter = { "title@_ilike": "C", "author#name@_eq": "Ada" };
  const found = await provider.getList("article", { filter, sort, pagination });
  assert.deepEqual([ids(found), found.total], [[3], 1]);
  const by = { field: "author.name", order: "DESC" };
  assert.equal((await provider.getList("article", { filter: {}, sort: by, pagination })).total, 3);

  const one = await provider.getOne("article", { id: 3 });
  assert.deepEqual(one.data, { id: 3, title: "c", rating: 2, author_id: 1 });
  assert.deepEqual(ids(await provider.getMany("article", { ids: [3, 1] })).sort(), [1, 3]);
  const reference = { target: "author_id", id: 1, filter: {}, sort, pagination };
  const articles = await provider.getManyReference("article", reference);
  assert.deepEqual([ids(articles), articles.total], [[1, 2], 3]);

  const made = await provider.create("article", { data: { id: 102, title: "x", rating: 4 } });
  assert.equal(made.data.id, 102);
  const data = { id: 102, title: "y", rating: 5 };
  const changed = await provider.update("article", { id: 102, data, previousData: made.data });
  assert.deepEqual([changed.data.title, changed.data.rating], ["y", 5]);
  const many = await provider.updateMany("article", { ids: [1, 102], data: { rating: 7 } });
  assert.deepEqual([...many.data].sort(), [1, 102]);
  const after = await provider.getMany("article", { ids: [1, 102] });
  assert.deepEqual(after.data.map((article) => article.rating), [7, 7]);
  await provider.update("article", { id: 1, data: { rating: 3 }, previousData: after.data[0] });
  const gone = await provider.delete("article", { id: 102, previousData: changed.data });
  assert.equal(gone.data.id, 102);
  await provider.create("article", { data: { id: 103, title: "z" } });
  await provider.create("article", { data: { id: 104, title: "z" } });
  const several = await provider.deleteMany("article", { ids: [103, 104] });
  assert.deepEqual([...several.data].sort(), [103, 104]);
  assert.deepEqual(ids(await provider.getMany("article", { ids: [102, 103, 104] })), []);

  // Articles of others are not there, and authors cannot be changed.
  assert.equal((await provider.getOne("article", { id: 4 })).data, undefined);
  await assert.rejects(provider.create("author", { data: { id: 3, name: "Cy" } }));
  console.log("ra-data-hasura");
}
