import type { TypedDocumentString } from "../gql/graphql";

/** Sends an operation from the server of the pages; browsers never reach the API. */
export async function request<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(process.env.GRAPHQL_URL ?? "http://127.0.0.1:4000/graphql", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: document, variables }),
    cache: "no-store",
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}
