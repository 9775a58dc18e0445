// Requests to the server: those of GraphQL, and those for the console's own data.

import { headers, onHeaders } from "./headers.js";
import { parseExact, setJsonTexts, stringify } from "./values.js";

// Beside the page, wherever a proxy has put it.
const page = location.origin + location.pathname;

// An error that the server has explained, perhaps with more in the body of its response.
export class Refused extends Error {
  constructor(message, body = {}) {
    super(message);
    this.body = body;
  }
}

const messages = (errors) => errors.map(({ message }) => message).join("\n");

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
    const body = await response.clone().json();
    if (body.errors) throw new Refused(messages(body.errors), body);
  }
  if (!response.ok) throw new Refused(`${response.status} ${response.statusText}`);
  return response;
}

// Executes an operation of GraphQL; throws its errors.
export async function graphql({ query, variables }) {
  const response = await globalThis.thalweg.send(stringify({ query, variables }));
  const { data, errors } = parseExact(await response.text());
  if (errors) throw new Refused(messages(errors));
  return data;
}

let known = {};
onHeaders(forget);

// Forgets what depends on the schema and on the caller.
export function forget() {
  known = {};
}

// Keeps what has been read; after a failure, it is read again.
function once(name, read) {
  const own = known;
  own[name] ??= read().catch((error) => {
    delete own[name];
    throw error;
  });
  return own[name];
}

// The catalog as the caller sees it, read once.
export function catalog() {
  return once("catalog", () => get("catalog"));
}

const TYPE = "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
const INTROSPECTION = `query IntrospectionQuery { __schema {
  queryType { name } mutationType { name }
  types { kind name enumValues { name }
    fields { name type { ${TYPE} } args { name type { ${TYPE} } } }
    inputFields { name defaultValue type { ${TYPE} } } }
} json: __type(name: "JSON") { description } }`;

// The schema as the caller sees it: types by name, and the fields of the roots.
export function schema() {
  return once("schema", introspect);
}

async function introspect() {
  const response = await fetch(new URL("graphql", page), {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json", ...headers() },
    body: JSON.stringify({ query: INTROSPECTION, operationName: "IntrospectionQuery" }),
  });
  const { data, errors } = await response.json();
  if (!data) throw new Refused(messages(errors));
  // PostGraphile's description tells its two forms of JSON apart.
  setJsonTexts(/encoded in the JSON format/.test(data.json?.description));
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

