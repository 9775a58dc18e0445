// Values of columns: from texts that people write to those of GraphQL, and back.

const NUMBERS = new Set(["Int", "Float", "smallint", "int2", "real", "float4", "float8"]);
// Numbers that are also accepted as texts, which keep all of their digits.
const LONG_NUMBERS = new Set(["bigint", "int8", "numeric"]);
const JSONS = new Set(["JSON", "Json", "json", "jsonb", "JSONObject"]);

// The named type below lists and non-null types.
export function baseType(type) {
  return type.ofType ? baseType(type.ofType) : type;
}

// Parses JSON without changing numbers that a browser cannot represent: these are texts.
export function parseExact(text) {
  return JSON.parse(text, (_, value, context) => {
    if (typeof value !== "number" || !context) return value;
    const isExact = /^-?\d+$/.test(context.source) ? Number.isSafeInteger(value) : context.source.replace(/\D/g, "").length < 16;
    return isExact ? value : context.source;
  });
}

// The value that a text means for a type; throws if it is none.
export function valueOf(text, type, name) {
  const inner = type.kind === "NON_NULL" ? type.ofType : type;
  if (inner.kind === "LIST") return listOf(text, inner.ofType, name);
  const base = baseType(type).name;
  if (base === "Boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new Error(`${name}: a boolean is true or false`);
  }
  if (NUMBERS.has(base) || LONG_NUMBERS.has(base)) {
    const number = Number(text);
    if (text.trim() === "" || Number.isNaN(number)) throw new Error(`${name}: “${text}” is no number`);
    return LONG_NUMBERS.has(base) && text.replace(/\D/g, "").length > 15 ? text.trim() : number;
  }
  if (JSONS.has(base)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${name}: this is not JSON: ${error.message}`);
    }
  }
  return text;
}

// A JSON array, or values that commas separate.
function listOf(text, type, name) {
  if (text.trim().startsWith("[")) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Error(`${name}: this is not JSON: ${error.message}`);
    }
  }
  return text.split(",").map((one) => valueOf(one.trim(), type, name));
}

// A value as a person reads and writes it.
export function textOf(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
