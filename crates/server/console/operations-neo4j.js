// Neo4j's library: lists with `where`, and with `limit`, `offset` and `sort` as arguments (version 7) or in
// `options` (version 3); changes by `where`, of which one with a unique property finds one node.

import { typeText } from "./api.js";
import { argument, document, fieldsOf, given, inputFields, inputValues, isScalar, joined, leaves, variable, withKeys, written } from "./operation-parts.js";
import { baseType } from "./values.js";

// Ends of names of conditions in version 3.
const OPERATORS = ["NOT", "IN", "NOT_IN", "LT", "LTE", "GT", "GTE", "CONTAINS", "NOT_CONTAINS", "STARTS_WITH", "NOT_STARTS_WITH", "ENDS_WITH", "NOT_ENDS_WITH", "INCLUDES", "NOT_INCLUDES", "MATCHES"];

export function neo4j(table, schema) {
  const list = fieldsOf(["list"], table, schema.queries).find((field) => argument(field, "limit") || argument(field, "options"));
  if (!list) return null;
  const columns = leaves(table, schema);
  const [where, options] = [argument(list, "where"), argument(list, "options")];
  const sort = options ? inputFields(options.type, schema).find(({ name }) => name === "sort") : argument(list, "sort");
  const conditions = new Map(where ? inputFields(where.type, schema).map((input) => [input.name, input]) : []);
  const sorts = new Set(sort ? inputFields(sort.type, schema).map(({ name }) => name) : []);
  const connection = fieldsOf(["connection"], table, schema.queries).find((field) => schema.types.get(baseType(field.type).name)?.fields.some(({ name }) => name === "totalCount"));
  const nameOf = (column, operator) => (operator === "eq" ? column.field : `${column.field}_${operator}`);
  const isNested = (column) => schema.types.get(baseType(conditions.get(column.field)?.type ?? {}).name)?.kind === "INPUT_OBJECT";
  const operators = (column) => {
    if (isNested(column)) {
      return inputFields(conditions.get(column.field).type, schema).filter(({ type }) => isScalar(type, schema)).map(({ name, type }) => ({ name, type }));
    }
    return ["eq", ...OPERATORS].filter((operator) => conditions.has(nameOf(column, operator)))
      .map((operator) => ({ name: operator, type: conditions.get(nameOf(column, operator)).type }));
  };
  const condition = ({ column, operator, value }) =>
    (isNested(column) ? { [column.field]: { [operator]: value } } : { [nameOf(column, operator)]: value });
  const key = table.keys.filter((one) => one.columns.length === 1).map((one) => columns.find(({ name }) => name === one.columns[0]))
    .find((column) => column && operators(column).some(({ name }) => name === "eq"));
  const read = ({ page, size, ordered, filtered }) => {
    const filter = joined(filtered.map(condition), "AND");
    // Pages would have nodes twice if nodes with equal values had no order.
    const last = key && sorts.has(key.field) && key.field !== ordered?.column.field ? [{ [key.field]: "ASC" }] : [];
    const orders = [...(ordered ? [{ [ordered.column.field]: ordered.direction.toUpperCase() }] : []), ...last];
    const pages = { limit: size, offset: page * size, ...(orders.length > 0 && { sort: orders }) };
    const paged = options ? [variable("options", options, pages)]
      : Object.entries(pages).map(([name, value]) => variable(name, argument(list, name), value));
    const variables = [variable("where", where, filter), ...paged];
    const pairs = variables.map(({ name, value }) => [name, name, value]);
    const counted = connection ? `\n  total: ${connection.name}${given([["where", "where", filter]])} {\n    totalCount\n  }` : "";
    return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${columns.map(({ field }) => `    ${field}`).join("\n")}\n  }${counted}`);
  };
  const finds = (row) => condition({ column: key, operator: "eq", value: row[key.field] });
  return {
    columns, read, operators,
    order: (column, direction) => (sorts.has(column.field) ? direction : undefined),
    rows: ({ rows }) => withKeys(rows, columns),
    total: ({ total }) => total?.totalCount ?? null,
    canFind: (row) => Boolean(key) && row[key.field] !== null && row[key.field] !== undefined,
    ...changes(table, schema, key && finds),
  };
}

function changes(table, schema, finds) {
  const find = (kind, ...names) => fieldsOf([kind], table, schema.mutations).find((field) => names.every((name) => argument(field, name)));
  const [create, update, remove] = [find("insert", "input"), find("updateMany", "where", "update"), find("deleteMany", "where")];
  const change = (field, values) => {
    const variables = Object.entries(values).map(([name, value]) => ({ name, type: typeText(argument(field, name).type), value }));
    return document("mutation", `Change${table.type}`, variables, `  ${field.name}${given(variables.map(({ name, value }) => [name, name, value]))} {\n    __typename\n  }`);
  };
  const columnsOf = (field, name) => written(argument(field, name).type, table, schema);
  return {
    insert: create ? {
      columns: columnsOf(create, "input"),
      make: (values) => change(create, { input: [inputValues(columnsOf(create, "input"), values)] }),
    } : null,
    update: update && finds ? {
      columns: columnsOf(update, "update"),
      make: (row, values) => change(update, { where: finds(row), update: inputValues(columnsOf(update, "update"), values) }),
    } : null,
    remove: remove && finds ? { make: (row) => change(remove, { where: finds(row) }) } : null,
  };
}
