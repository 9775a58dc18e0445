// Prisma: lists with `where`, `orderBy` by an enum, `skip` and `first`; changes of one row by `where` with
// a unique field. Names of conditions are those of fields with the operator at the end.

import { typeText } from "./api.js";
import {
  argument, document, fieldsOf, given, inputFields, inputValues, joined, leaves, primaryKey, references, selected, variable, withKeys, written,
  writtenReferences,
} from "./operation-parts.js";
import { baseType } from "./values.js";

const OPERATORS = ["not", "in", "not_in", "lt", "lte", "gt", "gte", "contains", "not_contains", "starts_with", "not_starts_with", "ends_with", "not_ends_with"];

export function prisma(table, schema, relationships) {
  const list = fieldsOf(["list"], table, schema.queries).find((field) => argument(field, "where") && argument(field, "first") && argument(field, "skip"));
  if (!list) return null;
  const columns = [...leaves(table, schema), ...references(table, relationships, schema)];
  const [where, orderBy] = [argument(list, "where"), argument(list, "orderBy")];
  const conditions = new Map(inputFields(where.type, schema).map((input) => [input.name, input]));
  const orders = new Set(schema.types.get(orderBy && baseType(orderBy.type).name)?.enumValues?.map(({ name }) => name));
  const connection = fieldsOf(["connection"], table, schema.queries).find((field) => argument(field, "where"));
  const nameOf = (column, operator) => (operator === "equals" ? column.field : `${column.field}_${operator}`);
  const order = (column, direction) => {
    const name = `${column.field}_${direction.toUpperCase()}`;
    return orders.has(name) ? name : undefined;
  };
  const read = ({ page, size, ordered, filtered }) => {
    const condition = joined(filtered.map(({ column, operator, value }) => ({ [nameOf(column, operator)]: value })), "AND");
    const variables = [
      { name: "first", type: "Int", value: size },
      { name: "skip", type: "Int", value: page * size },
      variable("where", where, condition),
      variable("orderBy", orderBy, ordered ? order(ordered.column, ordered.direction) : undefined),
    ];
    const pairs = variables.map(({ name, value }) => [name, name, value]);
    const counted = connection ? `\n  total: ${connection.name}${given([["where", "where", condition]])} {\n    aggregate {\n      count\n    }\n  }` : "";
    return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${selected(columns, 4)}\n  }${counted}`);
  };
  return {
    columns, read, order,
    operators: (column) => (column.key ? [] : ["equals", ...OPERATORS].filter((operator) => conditions.has(nameOf(column, operator)))
      .map((operator) => ({ name: operator, type: conditions.get(nameOf(column, operator)).type }))),
    rows: ({ rows }) => withKeys(rows, columns),
    total: ({ total }) => total?.aggregate.count ?? null,
    ...changes(table, schema, columns),
  };
}

function changes(table, schema, columns) {
  const find = (kind, ...names) => fieldsOf([kind], table, schema.mutations)
    .find((field) => field.args.length === names.length && names.every((name) => argument(field, name)));
  const [create, update, remove] = [find("insert", "data"), find("update", "data", "where"), find("delete", "where")];
  // The key by which a row is found: the first one that `where` has.
  const finder = update ?? remove;
  const uniques = new Set(finder ? inputFields(argument(finder, "where").type, schema).map(({ name }) => name) : []);
  const key = [primaryKey(table)?.length === 1 ? primaryKey(table)[0] : null, ...table.keys.filter((one) => one.columns.length === 1)
    .map((one) => columns.find(({ name }) => name === one.columns[0]))].find((column) => column && uniques.has(column.field));
  // `connect` has the unique fields of the other row.
  const reference = (type, column) => {
    const connect = inputFields(type, schema).find(({ name }) => name === "connect");
    return connect && inputFields(connect.type, schema).find(({ name }) => name === column.key.field)?.type;
  };
  const columnsOf = (field) => {
    const { type } = argument(field, "data");
    return [...written(type, table, schema), ...writtenReferences(type, columns, schema, reference)];
  };
  const linked = (value, column) => (value === null ? { disconnect: true } : { connect: { [column.key.field]: value } });
  const change = (field, row, data) => {
    const variables = [
      { name: "data", type: argument(field, "data") && typeText(argument(field, "data").type), value: data },
      { name: "where", type: row && typeText(argument(field, "where").type), value: row ? { [key.field]: row[key.field] } : undefined },
    ];
    return document("mutation", `Change${table.type}`, variables, `  ${field.name}${given(variables.map(({ name, value }) => [name, name, value]))} {\n    __typename\n  }`);
  };
  return {
    canFind: (row) => Boolean(key) && row[key.field] !== null && row[key.field] !== undefined,
    insert: create ? {
      columns: columnsOf(create),
      // A new row is linked to nothing where a reference is null.
      make: (values) => change(create, null, inputValues(columnsOf(create), withoutNull(values, columns), linked)),
    } : null,
    update: update && key ? {
      columns: columnsOf(update),
      make: (row, values) => change(update, row, inputValues(columnsOf(update), values, linked)),
    } : null,
    remove: remove && key ? { make: (row) => change(remove, row, undefined) } : null,
  };
}

const withoutNull = (values, columns) =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null || !columns.some(({ field, key }) => key && field === name)));
