// Values of the console's forms: what the server sends, what a person reads and writes, what is sent back.
//
//   node console-values.mjs FILE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// Node.js takes a file of this name for a script of another kind.
const module = `data:text/javascript;base64,${readFileSync(process.argv[2]).toString("base64")}`;
const { parseExact, setJsonTexts, stringify, textOf, valueOf } = await import(module);

const scalar = (name) => ({ kind: "SCALAR", name });
const list = (name) => ({ kind: "LIST", ofType: scalar(name) });
const sent = (text, type) => stringify({ value: valueOf(text, type, "column") });

// No digit is lost, within JSON neither.
const row = parseExact('{"id":9007199254740993,"size":1.50,"text":"9007199254740993, \\"1e5",' +
  '"document":{"a":1.0,"b":[12345678901234567890,-0,0.1]},"large":1e400}');
assert.deepEqual([row.id, row.size, row.text, row.large].map((one) => textOf(one)),
  ["9007199254740993", "1.50", '9007199254740993, "1e5', "1e400"]);
assert.equal(stringify([row.id, row.size, row.text]), '["9007199254740993",1.5,"9007199254740993, \\"1e5"]');
assert.equal(textOf(row.document, scalar("jsonb")), '{"a":1.0,"b":[12345678901234567890,-0,0.1]}');

// JSON is sent as it was written: the server keeps all digits.
assert.equal(sent('{"a": 1.0, "b": 9007199254740993}', scalar("jsonb")), '{"value":{"a": 1.0, "b": 9007199254740993}}');
assert.equal(sent('{"a": 0.12345678901234567890123}', scalar("jsonb")), '{"value":{"a": 0.12345678901234567890123}}');
assert.equal(sent("[18446744073709551616]", scalar("jsonb")), '{"value":[18446744073709551616]}');
assert.equal(sent("[[1.00000000000000000001]]", list("jsonb")), '{"value":[[1.00000000000000000001]]}');
assert.throws(() => sent("{", scalar("json")), /not JSON/);
// A text in JSON stays one.
assert.equal(textOf("1", scalar("jsonb")), '"1"');
assert.equal(sent('"1"', scalar("jsonb")), '{"value":"1"}');
assert.equal(textOf(1, { kind: "NON_NULL", ofType: scalar("jsonb") }), "1");

for (const [text, type, expected] of [
  ["12", "Int", "12"],
  ["1.", "Float", "1"],
  ["+.5e1", "Float", "5"],
  ["12", "bigint", "12"],
  ["1.10", "numeric", '"1.10"'],
  ["1e999", "numeric", '"1e999"'],
  ["9007199254740993", "bigint", '"9007199254740993"'],
]) assert.equal(sent(text, scalar(type)), `{"value":${expected}}`);
for (const text of ["1e999", "Infinity", "NaN", "0x10", "", " "]) assert.throws(() => sent(text, scalar("Float")), /number/, text);

assert.equal(sent("", list("String")), '{"value":[]}');
assert.equal(sent('a, "b, c" ,d"e', list("String")), '{"value":["a","b, c","d\\"e"]}');
assert.equal(sent("1, 2", list("Int")), '{"value":[1,2]}');
assert.equal(sent("[9007199254740993, 2]", list("bigint")), '{"value":["9007199254740993",2]}');
assert.equal(sent('[{"a": 9007199254740993}]', list("jsonb")), '{"value":[{"a": 9007199254740993}]}');
assert.equal(textOf(parseExact("[9007199254740993,null]"), list("bigint")), "[9007199254740993,null]");

// The form of PostGraphile: JSON is a string that holds JSON.
setJsonTexts(true);
assert.equal(textOf('{"a":1.0}', scalar("JSON")), '{"a":1.0}');
assert.equal(sent('{"a": 1.0}', scalar("JSON")), '{"value":"{\\"a\\": 1.0}"}');
console.log("kept");
