// Apollo Client asks, keeps rows by their global ids, and answers again from its cache.
//
//   node apollo.mjs URL

import assert from "node:assert/strict";
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { relayStylePagination } from "@apollo/client/utilities";

let asked = 0;
const client = new ApolloClient({
  link: new HttpLink({
    uri: process.argv[2],
    fetch: (url, init) => {
      asked += 1;
      return fetch(url, init);
    },
  }),
  cache: new InMemoryCache({
    // What `nodeId` is the id of is known without asking.
    dataIdFromObject: ({ __typename, nodeId }) => (nodeId ? `${__typename}:${nodeId}` : undefined),
    typePolicies: { Query: { fields: { allAlbums: relayStylePagination() } } },
  }),
});
const ALBUMS = gql`
  query Albums($after: Cursor) {
    allAlbums(first: 2, after: $after) {
      edges { cursor node { nodeId title artistByArtistId { nodeId name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const { data } = await client.query({ query: ALBUMS });
const [{ node }] = data.allAlbums.edges;
assert.ok(node.title && node.artistByArtistId.name);
assert.equal(asked, 1);

// A row that is known, by its id.
const ref = client.cache.identify(node);
const fragment = gql`fragment Title on Album { title }`;
assert.equal(client.cache.readFragment({ id: ref, fragment }).title, node.title);
await client.query({ query: ALBUMS });
assert.equal(asked, 1);

// The next page goes after the first.
const watched = client.watchQuery({ query: ALBUMS });
const subscription = watched.subscribe(() => {});
await watched.fetchMore({ variables: { after: data.allAlbums.pageInfo.endCursor } });
assert.equal(client.readQuery({ query: ALBUMS }).allAlbums.edges.length, 4);
assert.equal(asked, 2);
subscription.unsubscribe();

// An error of the document has its code.
const failed = await client.query({ query: gql`{ nothing }`, errorPolicy: "all" });
assert.equal(failed.error.errors[0].extensions.code, "GRAPHQL_VALIDATION_FAILED");
console.log("answered");
client.stop();
