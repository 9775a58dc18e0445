// Parts of the operations that read and change rows, for all styles of APIs.

import { typeText } from "./api.js";
import { baseType } from "./values.js";

export const fieldsOf = (kinds, table, fields) =>
  table.operations.filter(({ kind }) => kinds.includes(kind)).map(({ field }) => fields.get(field)).filter(Boolean);

export const argument = (field, ...names) => field.args.find(({ name }) => names.includes(name));

export const inputFields = (type, schema) => schema.types.get(baseType(type).name)?.inputFields ?? [];

export const isRequired = ({ type, defaultValue }) => type.kind === "NON_NULL" && defaultValue == null;

export const isScalar = (type, schema) => ["SCALAR", "ENUM"].includes(schema.types.get(baseType(type).name)?.kind);

// The columns that are read: those whose fields have no parts of their own.
export function leaves(table, schema) {
  const fields = new Map(schema.types.get(table.type)?.fields.map((field) => [field.name, field]));
  return table.columns.filter(({ field }) => {
    const found = fields.get(field);
    return found && isScalar(found.type, schema) && !found.args.some(isRequired);
  });
}

// A document with variables: each has a name, a type, and a value; those without one are left out.
export function document(kind, name, variables, body) {
  const given = variables.filter(({ value }) => value !== undefined);
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(", ");
  return {
    query: `${kind} ${name}${declared ? `(${declared})` : ""} {\n${body}\n}`,
    variables: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  };
}

export const given = (pairs) => {
  const present = pairs.filter(([, , value]) => value !== undefined);
  return present.length > 0 ? `(${present.map(([argument, variable]) => `${argument}: $${variable}`).join(", ")})` : "";
};

export const variable = (name, argument, value) => ({ name, type: argument && typeText(argument.type).replace(/!$/, ""), value: argument ? value : undefined });

export const indented = (names, depth) => names.map((name) => `${" ".repeat(depth)}${name}`).join("\n");

// The columns of an object of new values.
export function written(type, table, schema) {
  // A form has no values of columns that are not read, such as intervals and ranges.
  const inputs = new Map(inputFields(type, schema).filter((input) => valueType(input.type, schema)).map((input) => [input.name, input]));
  return leaves(table, schema).filter(({ field, name }) => inputs.has(field) || inputs.has(name)).map((column) => {
    const input = inputs.get(column.field) ?? inputs.get(column.name);
    return { ...column, input: input.name, inputType: valueType(input.type, schema), isSet: !isScalar(input.type, schema), isRequired: isRequired(input) };
  });
}

// The type of the values of an input: its own, or that of `set` in an object of changes of the value.
function valueType(type, schema) {
  if (isScalar(type, schema)) return type;
  const set = isList(type) ? null : inputFields(type, schema).find(({ name }) => name === "set");
  return set && isScalar(set.type, schema) ? set.type : null;
}

const isList = (type) => (type.kind === "NON_NULL" ? type.ofType : type).kind === "LIST";

// The values of a form as those of inputs, by their columns.
export function inputValues(columns, values, ofReference = (value) => value) {
  const by = new Map(columns.map((column) => [column.input, column]));
  return Object.fromEntries(Object.entries(values).map(([name, value]) => {
    const column = by.get(name);
    return [name, column.key ? ofReference(value, column) : column.isSet ? { set: value } : value];
  }));
}

// Relations to one row, as columns with the key of that row, where the API has no column for it.
export function references(table, relationships, schema) {
  const fields = new Map(schema.types.get(table.type)?.fields.map((field) => [field.name, field]));
  return relationships.filter(({ fromTable, toTable, forward }) => {
    const field = fromTable === table && fields.get(forward);
    return field && !isList(field.type) && !field.args.some(isRequired) && baseType(field.type).name === toTable.type
      && primaryKey(toTable)?.length === 1 && primaryKey(toTable)[0];
  }).map(({ toTable, forward }) => {
    const [key] = primaryKey(toTable);
    const { type } = fields.get(forward);
    return {
      name: `${forward}.${key.field}`, field: forward, type: key.type, nullable: type.kind !== "NON_NULL", hasDefault: false,
      key, target: toTable,
    };
  });
}

// What is selected of columns and references.
export const selected = (columns, depth) =>
  indented(columns.flatMap(({ field, key }) => (key ? [`${field} {`, `  ${key.field}`, "}"] : [field])), depth);

// Rows with the keys of the rows to which they refer.
export const withKeys = (rows, columns) => rows.map((row) => ({
  ...row,
  ...Object.fromEntries(columns.filter(({ key }) => key).map(({ field, key }) => [field, row[field]?.[key.field] ?? null])),
}));

// The columns of references in an object of new values; `accepts` finds the type of the key in an input.
export function writtenReferences(type, columns, schema, accepts) {
  const inputs = new Map(inputFields(type, schema).map((input) => [input.name, input]));
  return columns.flatMap((column) => {
    const input = column.key && inputs.get(column.field);
    const inputType = input && !isList(input.type) && accepts(input.type, column);
    return inputType ? [{ ...column, input: input.name, inputType, isRequired: isRequired(input) }] : [];
  });
}

// Several conditions as one, joined by the operator of the API.
export function joined(conditions, and) {
  if (conditions.length < 2) return conditions[0];
  return { [and]: conditions };
}

// Whether a row has all columns of its key: otherwise no operation finds it.
export const hasKey = (key) => (row) => Boolean(key) && key.every(({ field }) => row[field] !== null && row[field] !== undefined);

export const primaryKey = (table) => {
  const key = table.keys.find(({ primary }) => primary) ?? table.keys[0];
  return key && key.columns.map((name) => table.columns.find((column) => column.name === name));
};
