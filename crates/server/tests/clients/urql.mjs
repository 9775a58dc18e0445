// urql with its normalized cache asks, and answers parts of what it knows without asking.
//
//   node urql.mjs URL

import assert from "node:assert/strict";
import { Client, fetchExchange, gql } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";

let asked = 0;
const byNodeId = (data) => data.nodeId ?? null;
const client = new Client({
  url: process.argv[2],
  preferGetMethod: false,
  fetch: (url, init) => {
    asked += 1;
    return fetch(url, init);
  },
  exchanges: [
    cacheExchange({
      keys: { Album: byNodeId, Artist: byNodeId, AlbumsConnection: () => null, AlbumsEdge: () => null },
      resolvers: {
        Query: {
          allAlbums: relayPagination(),
          album: (_, { nodeId }) => ({ __typename: "Album", nodeId }),
        },
      },
    }),
    fetchExchange,
  ],
});
const ALBUMS = gql`
  query ($after: Cursor) {
    allAlbums(first: 2, after: $after) {
      edges { node { nodeId title artistByArtistId { nodeId name } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;
const query = async (document, variables) => {
  const result = await client.query(document, variables).toPromise();
  assert.equal(result.error, undefined);
  return result.data;
};
const first = await query(ALBUMS, {});
const [{ node }] = first.allAlbums.edges;
assert.ok(node.title && node.artistByArtistId.name);
assert.equal(asked, 1);

// A row that a list brought is known by its id.
const ALBUM = gql`query ($nodeId: ID!) { album(nodeId: $nodeId) { nodeId title } }`;
assert.equal((await query(ALBUM, { nodeId: node.nodeId })).album.title, node.title);
assert.equal(asked, 1);

const second = await query(ALBUMS, { after: first.allAlbums.pageInfo.endCursor });
assert.equal(second.allAlbums.edges.length, 4);
assert.equal(asked, 2);

// A query by GET is answered alike.
const get = await client
  .query(gql`{ __typename }`, {}, { preferGetMethod: "force", requestPolicy: "network-only" })
  .toPromise();
assert.deepEqual([get.error, get.data?.__typename], [undefined, "Query"]);
console.log("answered");
