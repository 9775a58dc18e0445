// graphql-js reads the schema by introspection, finds it valid, and it says what the SDL says.
//
//   node introspection.mjs URL SDL_FILE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from "graphql";

const [url, file] = process.argv.slice(2);
const query = getIntrospectionQuery({
  descriptions: true,
  directiveIsRepeatable: true,
  inputValueDeprecation: true,
  schemaDescription: true,
  specifiedByUrl: true,
});
const response = await fetch(url, {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
  body: JSON.stringify({ query }),
});
const { data, errors } = await response.json();
assert.deepEqual([response.status, errors], [200, undefined]);

const read = buildClientSchema(data);
assert.deepEqual(validateSchema(read), []);
const written = buildSchema(readFileSync(file, "utf8"));
assert.deepEqual(validateSchema(written), []);
const text = (schema) => printSchema(lexicographicSortSchema(schema));
assert.equal(text(read), text(written));
console.log(`${data.__schema.types.length} types`);
