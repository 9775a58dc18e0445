// Clients send files, and read them back.
//
//   node uploads.mjs URL

import assert from "node:assert/strict";
import { ApolloClient, InMemoryCache, gql as apolloGql } from "@apollo/client";
import { Client, fetchExchange, gql } from "@urql/core";
import UploadHttpLink from "apollo-upload-client/UploadHttpLink.mjs";

const url = process.argv[2];
const content = Uint8Array.from([0, 255, 13, 10, 45, 45, 137]);
const hexadecimal = "\\x" + Buffer.from(content).toString("hex");
const file = (type) => new File([content], "a.png", { type });

const CREATE = `
  mutation ($photo: PhotoInput!) {
    createPhoto(input: { photo: $photo }) { photo { title content } }
  }
`;
const UPDATE = `
  mutation ($id: Int!, $content: Upload!) {
    updatePhotoById(input: { id: $id, photoPatch: { content: $content } }) { photo { content } }
  }
`;

const urql = new Client({
  url,
  preferGetMethod: false,
  exchanges: [fetchExchange],
  fetchOptions: { headers: { "GraphQL-Preflight": "1" } },
});
const created = await urql
  .mutation(gql(CREATE), { photo: { id: 20, title: "urql", content: file("image/png") } })
  .toPromise();
assert.equal(created.error, undefined);
assert.deepEqual({ ...created.data.createPhoto.photo, __typename: undefined }, {
  __typename: undefined,
  title: "urql",
  content: hexadecimal,
});
console.log("urql");

const apollo = new ApolloClient({
  cache: new InMemoryCache(),
  link: new UploadHttpLink({ uri: url, headers: { "Apollo-Require-Preflight": "true" } }),
});
const updated = await apollo.mutate({
  mutation: apolloGql(UPDATE),
  variables: { id: 1, content: file("image/png") },
});
assert.equal(updated.data.updatePhotoById.photo.content, hexadecimal);
console.log("Apollo Client");

// The form that the specification shows, by FormData.
const form = new FormData();
const variables = { id: 1, content: null };
form.set("operations", JSON.stringify({ query: UPDATE, variables }));
form.set("map", JSON.stringify({ 0: ["variables.content"] }));
form.set("0", new Blob(["text"]));
const headers = { "GraphQL-Preflight": "1" };
const answer = await (await fetch(url, { method: "POST", headers, body: form })).json();
assert.equal(answer.data.updatePhotoById.photo.content, "\\x74657874");
console.log("FormData");
