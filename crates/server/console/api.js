// Requests to the server: those of GraphQL, and those for the console's own data.

import { headers, onHeaders } from "./headers.js";
import { parseExact } from "./values.js";

// Beside the page, wherever a proxy has put it.
const page = location.origin + location.pathname;

// An error that the server has explained.
export class Refused extends Error {}

// Data of the console, by its name.
export async function get(name) {
  return (await ask(name, {})).json();
}

export async function post(name, body) {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return (await ask(name, init)).json();
}

async function ask(name, init) {
  const url = new URL(`console/api/${name}`, page);
  const response = await fetch(url, { ...init, headers: { accept: "application/json", ...init.headers, ...headers() } });
  if (response.headers.get("content-type")?.includes("json")) {
    const { errors } = await response.clone().json();
    if (errors) throw new Refused(errors.map(({ message }) => message).join("\n"));
  }
  if (!response.ok) throw new Refused(`${response.status} ${response.statusText}`);
  return response;
}

// Executes an operation of GraphQL; throws its errors.
export async function graphql({ query, variables }) {
  const response = await globalThis.thalweg.send(JSON.stringify({ query, variables }));
  const { data, errors } = parseExact(await response.text());
  if (errors) throw new Refused(errors.map(({ message }) => message).join("\n"));
  return data;
}

let known = {};
onHeaders(forget);

// Forgets what depends on the schema and on the caller.
export function forget() {
  known = {};
}

// The catalog as the caller sees it, read once.
export function catalog() {
  known.catalog ??= get("catalog");
  return known.catalog;
}

const TYPE = "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
const INTROSPECTION = `query IntrospectionQuery { __schema {
  queryType { name } mutationType { name }
  types { kind name enumValues { name }
    fields { name type { ${TYPE} } args { name type { ${TYPE} } } }
    inputFields { name defaultValue type { ${TYPE} } } }
} }`;

// The schema as the caller sees it: types by name, and the fields of the roots.
export function schema() {
  known.schema ??= introspect();
  return known.schema;
}

async function introspect() {
  const response = await fetch(new URL("graphql", page), {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", ...headers() },
    body: JSON.stringify({ query: INTROSPECTION, operationName: "IntrospectionQuery" }),
  });
  const { data, errors } = await response.json();
  if (!data) throw new Refused(errors.map(({ message }) => message).join("\n"));
  const { types, queryType, mutationType } = data.__schema;
  const byName = new Map(types.map((type) => [type.name, type]));
  const fields = (root) => new Map((byName.get(root?.name)?.fields ?? []).map((field) => [field.name, field]));
  return { types: byName, queries: fields(queryType), mutations: fields(mutationType) };
}

// `[Album!]!`
export function typeText(type) {
  if (type.kind === "NON_NULL") return `${typeText(type.ofType)}!`;
  if (type.kind === "LIST") return `[${typeText(type.ofType)}]`;
  return type.name;
}

