// Values of columns: from texts that people write to those of GraphQL, and back.

const NUMBERS = new Set(["Int", "Float", "smallint", "int2", "real", "float4", "float8"]);
// Numbers that are also accepted as texts, which keep all of their digits.
const LONG_NUMBERS = new Set(["bigint", "int8", "numeric", "Long", "Int64", "BigInt"]);
const JSONS = new Set(["JSON", "Json", "json", "jsonb", "JSONObject"]);

const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
// The strings and numbers of a JSON text.
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
// The beginning of strings that stand for something else for a moment: no value of a server begins so.
const MARK = Math.random().toString(36).slice(2);

// Whether the API has JSON as strings that hold JSON, as PostGraphile does by default.
let hasJsonTexts = false;

export function setJsonTexts(are) {
  hasJsonTexts = are;
}

// A number whose text is not what the browser would write for it.
class Digits {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }

  // As a value of its own: a text if the browser's number would be another one.
  toJSON() {
    return isExact(this.text) ? Number(this.text) : this.text;
  }
}

// JSON that is sent as it was written.
class Source {
  constructor(text) {
    this.text = text;
  }
}

function isExact(text) {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && text.replace(/e.*/i, "").replace(/\D/g, "").length < 16;
}

// The named type below lists and non-null types.
export function baseType(type) {
  return type.ofType ? baseType(type.ofType) : type;
}

const withoutNull = (type) => (type.kind === "NON_NULL" ? type.ofType : type);

// Parses JSON with the digits of all numbers, whatever the browser makes of them.
export function parseExact(text) {
  const marked = text.replace(TOKENS, (token) => (token[0] === '"' || String(Number(token)) === token ? token : `"${MARK}${token}"`));
  return JSON.parse(marked, (_, value) =>
    (typeof value === "string" && value.startsWith(MARK) ? new Digits(value.slice(MARK.length)) : value));
}

// JSON for the server, with the sources of JSON values as they were written.
export function stringify(value, indent) {
  return printed(value, (one) => one instanceof Source, indent);
}

function printed(value, isWritten, indent) {
  const kept = [];
  const text = JSON.stringify(value, function (key, given) {
    const original = this[key];
    return isWritten(original) ? `${MARK}${kept.push(original.text) - 1}` : given;
  }, indent);
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, "g"), (_, index) => kept[index]);
}

// The value that a text means for a type; throws if it is none.
export function valueOf(text, type, name) {
  const inner = withoutNull(type);
  if (inner.kind === "LIST") return listOf(text, inner.ofType, name);
  const base = baseType(type).name;
  if (base === "Boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new Error(`${name}: a boolean is true or false`);
  }
  if (NUMBERS.has(base) || LONG_NUMBERS.has(base)) return numberOf(text.trim(), LONG_NUMBERS.has(base), name);
  if (JSONS.has(base)) return jsonOf(text, name);
  return text;
}

function numberOf(text, isLong, name) {
  if (!NUMBER.test(text)) throw new Error(`${name}: “${text}” is no number`);
  // The text keeps the digits and the places after the point.
  if (isLong && !/^-?\d{1,15}$/.test(text)) return text.replace(/^\+/, "");
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${name}: “${text}” is too large for a number`);
  return number;
}

function jsonOf(text, name) {
  checkJson(text, name);
  if (hasJsonTexts) return text;
  return new Source(text);
}

function checkJson(text, name) {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: this is not JSON: ${error.message}`);
  }
}

// A JSON array, or values that commas separate; those with commas are in double quotes.
function listOf(text, type, name) {
  if (text.trim().startsWith("[")) {
    checkJson(text, name);
    if (!JSONS.has(baseType(type).name) || hasJsonTexts) return parseExact(text);
      return new Source(text);
  }
  if (text.trim() === "") return [];
  return elements(text).map((one) => valueOf(one, type, name));
}

function elements(text) {
  const found = [];
  const next = /\s*(?:("(?:[^"\\]|\\.)*")\s*|([^,]*))(,|$)/y;
  for (;;) {
    const [, quoted, plain, end] = next.exec(text);
    found.push(quoted === undefined ? plain.trim() : unquoted(quoted));
    if (end === "") return found;
  }
}

function unquoted(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// A value as a person reads it, and for a type also as `valueOf` reads it.
export function textOf(value, type) {
  if (value === null || value === undefined) return "";
  if (value instanceof Digits) return value.text;
  const inner = type && withoutNull(type);
  const isJson = inner && inner.kind !== "LIST" && JSONS.has(inner.name) && !hasJsonTexts;
  return isJson || typeof value === "object" ? printed(value, (one) => one instanceof Digits) : String(value);
}
