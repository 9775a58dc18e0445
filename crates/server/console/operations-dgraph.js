// Dgraph: lists with `filter` by operators, `order`, `first` and `offset`; changes by filters, of which one
// with a key finds one row.

import { typeText } from "./api.js";
import {
  argument, document, fieldsOf, given, inputFields, inputValues, isScalar, joined, leaves, references, selected, variable, withKeys, written, writtenReferences,
} from "./operation-parts.js";
import { baseType } from "./values.js";

export function dgraph(table, schema, relationships) {
  const list = fieldsOf(["list"], table, schema.queries).find((field) => argument(field, "first") && argument(field, "offset"));
  if (!list) return null;
  const columns = [...leaves(table, schema), ...references(table, relationships, schema)];
  const [filter, order] = [argument(list, "filter"), argument(list, "order")];
  const conditions = new Map(filter ? inputFields(filter.type, schema).map((input) => [input.name, input]) : []);
  const ascending = order && inputFields(order.type, schema).find(({ name }) => name === "asc");
  const ordered = new Set(schema.types.get(ascending && baseType(ascending.type).name)?.enumValues?.map(({ name }) => name));
  const aggregate = fieldsOf(["aggregate"], table, schema.queries)[0];
  const operators = (column) => {
    const input = column.key ? undefined : conditions.get(column.field);
    if (!input) return [];
    // Ids are a list, and booleans a value of their own.
    if (input.type.kind === "LIST") return [{ name: "eq", type: input.type.ofType }, { name: "in", type: input.type }];
    if (isScalar(input.type, schema)) return [{ name: "eq", type: input.type }];
    return inputFields(input.type, schema).filter(({ type }) => isScalar(type, schema)).map(({ name, type }) => ({ name, type }));
  };
  const condition = ({ column, operator, value }) => {
    const { type } = conditions.get(column.field);
    if (type.kind === "LIST") return { [column.field]: operator === "in" ? value : [value] };
    return { [column.field]: isScalar(type, schema) ? value : { [operator]: value } };
  };
  const read = ({ page, size, ordered: chosen, filtered }) => {
    const where = joined(filtered.map(condition), "and");
    const variables = [
      { name: "first", type: "Int", value: size },
      { name: "offset", type: "Int", value: page * size },
      variable("filter", filter, where),
      variable("order", order, chosen ? { [chosen.direction]: chosen.column.field } : undefined),
    ];
    const pairs = variables.map(({ name, value }) => [name, name, value]);
    const counted = aggregate ? `\n  total: ${aggregate.name}${given([["filter", "filter", where]])} {\n    count\n  }` : "";
    return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${selected(columns, 4)}\n  }${counted}`);
  };
  // The key by which a filter finds one row: the id, or else a column that is unique.
  const key = [...table.keys].sort((one, other) => other.primary - one.primary).filter((one) => one.columns.length === 1)
    .map((one) => columns.find(({ name }) => name === one.columns[0]))
    .find((column) => column && operators(column).some(({ name }) => name === "eq"));
  const finds = (row) => condition({ column: key, operator: "eq", value: row[key.field] });
  return {
    columns, read, operators,
    order: (column, direction) => (ordered.has(column.field) ? direction : undefined),
    rows: ({ rows }) => withKeys(rows, columns),
    total: ({ total }) => total?.count ?? null,
    canFind: (row) => Boolean(key) && row[key.field] !== null && row[key.field] !== undefined,
    ...changes(table, schema, columns, key && finds),
  };
}

function changes(table, schema, columns, finds) {
  const find = (kind, name) => fieldsOf([kind], table, schema.mutations).find((field) => argument(field, name));
  const [add, update, remove] = [find("insert", "input"), find("updateMany", "input"), find("deleteMany", "filter")];
  const set = update && inputFields(argument(update, "input").type, schema).find(({ name }) => name === "set");
  // A reference has the key of the other row.
  const reference = (type, column) => inputFields(type, schema).find(({ name }) => name === column.key.field)?.type;
  const columnsOf = (type) => [...written(type, table, schema), ...writtenReferences(type, columns, schema, reference)];
  const linked = (value, column) => ({ [column.key.field]: value });
  const change = (field, name, value) => {
    const variables = [{ name, type: typeText(argument(field, name).type), value }];
    return document("mutation", `Change${table.type}`, variables, `  ${field.name}(${name}: $${name}) {\n    numUids\n  }`);
  };
  const present = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  // `set` adds to a list, so a form has none.
  const changed = set ? columnsOf(set.type).filter(({ inputType }) => inputType.kind !== "LIST") : [];
  return {
    insert: add ? {
      columns: columnsOf(argument(add, "input").type),
      make: (values) => change(add, "input", [inputValues(columnsOf(argument(add, "input").type), present(values), linked)]),
    } : null,
    update: set && finds ? {
      columns: changed,
      // A null in `set` changes nothing: `remove` deletes values and links.
      make: (row, values) => {
        const removed = Object.entries(values).filter(([, value]) => value === null);
        const given = Object.entries(values).filter(([, value]) => value !== null);
        return change(update, "input", {
          filter: finds(row),
          ...(given.length > 0 && { set: inputValues(changed, Object.fromEntries(given), linked) }),
          ...(removed.length > 0 && { remove: Object.fromEntries(removed) }),
        });
      },
    } : null,
    remove: remove && finds ? { make: (row) => change(remove, "filter", finds(row)) } : null,
  };
}
