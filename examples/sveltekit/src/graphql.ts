import { initGraphQLTada, type TadaDocumentNode } from "gql.tada";
import { print } from "graphql";
import type { introspection } from "./graphql-env";

/** Documents whose types follow from the schema, as they are written. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { BigFloat: string; BigInt: string; Cursor: string; Date: string; Datetime: string };
}>();

const url = process.env.GRAPHQL_URL ?? "http://127.0.0.1:4000/graphql";

/** Sends an operation from the server of the pages; browsers never reach the API. */
export async function request<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}
