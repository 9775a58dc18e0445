// GraphQL operations that read and change the rows of a table, by what the schema offers. Each dialect
// has arguments of its own; what it or a table lacks is missing here, too.

import { typeText } from "./api.js";
import { argument, document, fieldsOf, given, hasKey, indented, inputFields, isRequired, leaves, primaryKey, variable, written } from "./operation-parts.js";
import { dgraph } from "./operations-dgraph.js";
import { neo4j } from "./operations-neo4j.js";
import { prisma } from "./operations-prisma.js";
import { baseType } from "./values.js";

// The operations of a table: `read`, and `insert`, `update` and `remove`, each null if it is not there.
// `null`: no operation reads its rows without arguments that must be given.
export function operationsOf(table, schema, { dialect, relationships }) {
  return STYLES[dialect]?.(table, schema, relationships) ?? plain(table, schema);
}

const STYLES = { postgraphile, hasura, phrag, prisma, dgraph, neo4j };

// PostGraphile: connections or lists with `orderBy` by an enum, `condition`, and perhaps `filter`.
function postgraphile(table, schema) {
  const lists = fieldsOf(["connection", "list"], table, schema.queries);
  const list = lists.find((field) => argument(field, "first") && argument(field, "offset") && argument(field, "orderBy"));
  if (!list) return null;
  const columns = leaves(table, schema);
  const isConnection = baseType(list.type).name !== table.type;
  const [orderBy, condition, filter] = ["orderBy", "condition", "filter"].map((name) => argument(list, name));
  const orders = new Map();
  const names = new Set(schema.types.get(baseType(orderBy.type).name)?.enumValues?.map(({ name }) => name));
  for (const name of names) {
    const match = /^(.+)_(ASC|DESC)$/.exec(name);
    if (match) orders.set(`${match[1].replaceAll("_", "").toLowerCase()} ${match[2].toLowerCase()}`, name);
  }
  // The field in constant case; names with digits or underscores are compared without these.
  const order = (column, direction) => {
    const exact = `${column.field.replace(/([a-z0-9])([A-Z])/g, "$1_$2")}_${direction}`.toUpperCase();
    return names.has(exact) ? exact : orders.get(`${column.field.replaceAll("_", "").toLowerCase()} ${direction}`);
  };
  const conditions = new Map(condition ? inputFields(condition.type, schema).map((input) => [input.name, input]) : []);
  const filters = new Map(filter ? inputFields(filter.type, schema).map((input) => [input.name, input]) : []);
  const operators = (column) => {
    const input = filters.get(column.field);
    if (input) return inputFields(input.type, schema).map(({ name, type }) => ({ name, type }));
    const simple = conditions.get(column.field);
    return simple ? [{ name: "equalTo", type: simple.type }] : [];
  };
  const read = ({ page, size, ordered, filtered }) => {
    const value = filtered.length === 0 ? undefined : {};
    for (const { column, operator, value: wanted } of filtered) {
      if (filters.has(column.field)) (value[column.field] ??= {})[operator] = wanted;
      else value[column.field] = wanted;
    }
    const where = filters.size > 0 ? filter : condition;
    const variables = [
      { name: "first", type: "Int", value: size },
      { name: "offset", type: "Int", value: page * size },
      variable("orderBy", orderBy, ordered && order(ordered.column, ordered.direction) && [order(ordered.column, ordered.direction)]),
      variable("where", where, value),
    ];
    const pairs = [["first", "first", size], ["offset", "offset", page * size], ["orderBy", "orderBy", variables[2].value],
      [where?.name, "where", variables[3].value]];
    const fields = columns.map(({ field }) => field);
    const body = isConnection
      ? `  rows: ${list.name}${given(pairs)} {\n    totalCount\n    nodes {\n${indented(fields, 6)}\n    }\n  }`
      : `  rows: ${list.name}${given(pairs)} {\n${indented(fields, 4)}\n  }`;
    return document("query", `RowsOf${table.type}`, variables, body);
  };
  return {
    columns, read, operators, order,
    rows: ({ rows }) => (isConnection ? rows.nodes : rows),
    total: ({ rows }) => (isConnection ? rows.totalCount : null),
    ...inPayload(table, schema),
  };
}

// Changes whose only argument is `input`, as Relay has them.
function inPayload(table, schema) {
  const key = primaryKey(table);
  const inputOf = (field) => inputFields(argument(field, "input")?.type ?? {}, schema);
  const objectIn = (field) => inputOf(field).find(({ type }) => schema.types.get(baseType(type).name)?.kind === "INPUT_OBJECT" && written(type, table, schema).length > 0);
  const change = (field, input) => document("mutation", `Change${table.type}`, [{ name: "input", type: typeText(argument(field, "input").type), value: input }],
    `  ${field.name}(input: $input) {\n    clientMutationId\n  }`);
  // The field that finds a row by the primary key.
  const byKey = (kind) => key && fieldsOf([kind], table, schema.mutations).find((field) => {
    const names = inputOf(field).map(({ name }) => name);
    return key.every(({ field }) => names.includes(field));
  });
  const keyOf = (row) => Object.fromEntries(key.map(({ field }) => [field, row[field]]));
  const [create, update, remove] = [fieldsOf(["insert"], table, schema.mutations).find(objectIn), byKey("update"), byKey("delete")];
  const patch = update && objectIn(update);
  return {
    canFind: hasKey(key),
    insert: create ? {
      columns: written(objectIn(create).type, table, schema),
      make: (values) => change(create, { [objectIn(create).name]: values }),
    } : null,
    update: patch ? {
      columns: written(patch.type, table, schema),
      make: (row, values) => change(update, { ...keyOf(row), [patch.name]: values }),
    } : null,
    remove: remove ? { make: (row) => change(remove, keyOf(row)) } : null,
  };
}

// Hasura: lists with `where` by operators, `order_by`, `limit` and `offset`; changes by primary keys.
function hasura(table, schema) {
  const list = fieldsOf(["list"], table, schema.queries).find((field) => argument(field, "where") && argument(field, "order_by", "orderBy") && argument(field, "limit"));
  if (!list) return null;
  const columns = leaves(table, schema);
  const [where, orderBy] = [argument(list, "where"), argument(list, "order_by", "orderBy")];
  const conditions = new Map(inputFields(where.type, schema).map((input) => [input.name, input]));
  const orders = new Map(inputFields(orderBy.type, schema).map((input) => [input.name, input]));
  const aggregate = [`${list.name}_aggregate`, `${list.name}Aggregate`].map((name) => schema.queries.get(name)).find(Boolean);
  const key = primaryKey(table);
  const operators = (column) => inputFields(conditions.get(column.field)?.type ?? {}, schema)
    .filter(({ type }) => schema.types.get(baseType(type).name)?.kind !== "INPUT_OBJECT").map(({ name, type }) => ({ name, type }));
  const directions = (column) => {
    const values = schema.types.get(baseType(orders.get(column.field)?.type ?? {}).name)?.enumValues?.map(({ name }) => name) ?? [];
    return Object.fromEntries(values.map((name) => [name.toLowerCase(), name]));
  };
  const read = ({ page, size, ordered, filtered }) => {
    const value = filtered.length === 0 ? undefined : {};
    for (const { column, operator, value: wanted } of filtered) (value[column.field] ??= {})[operator] = wanted;
    // Pages would have rows twice if rows with equal values had no order.
    const last = (key ?? []).filter((column) => column.field !== ordered?.column.field && directions(column).asc);
    const wanted = [...(ordered ? [ordered] : []), ...last.map((column) => ({ column, direction: "asc" }))];
    const sorted = wanted.map(({ column, direction }) => ({ [column.field]: directions(column)[direction] }));
    const orderValue = sorted.length > 0 ? sorted : undefined;
    const variables = [
      { name: "limit", type: "Int", value: size },
      { name: "offset", type: "Int", value: page * size },
      variable("where", where, value),
      variable("orderBy", orderBy, orderValue),
    ];
    const pairs = [["limit", "limit", size], ["offset", "offset", page * size], ["where", "where", value], [orderBy.name, "orderBy", orderValue]];
    const counted = aggregate ? `\n  total: ${aggregate.name}${given([["where", "where", value]])} {\n    aggregate {\n      count\n    }\n  }` : "";
    return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${indented(columns.map(({ field }) => field), 4)}\n  }${counted}`);
  };
  const find = (kind, accepts) => fieldsOf([kind], table, schema.mutations).find(accepts);
  const create = find("insert", (field) => argument(field, "object"));
  const update = find("update", (field) => argument(field, "pk_columns", "pkColumns"));
  const remove = key && find("delete", (field) => field.args.length === key.length && key.every((column) => argument(field, column.field)));
  const named = key?.[0] ? `\n    ${key[0].field}\n  ` : "\n    __typename\n  ";
  const keyOf = (row) => Object.fromEntries(key.map(({ field }) => [field, row[field]]));
  return {
    columns, read, operators,
    canFind: hasKey(key),
    order: (column, direction) => directions(column)[direction],
    rows: ({ rows }) => rows,
    total: ({ total }) => total?.aggregate.count ?? null,
    insert: create ? {
      columns: written(argument(create, "object").type, table, schema),
      make: (object) => document("mutation", `Change${table.type}`, [{ name: "object", type: typeText(argument(create, "object").type), value: object }],
        `  ${create.name}(object: $object) {${named}}`),
    } : null,
    update: update && key ? {
      columns: written(argument(update, "_set").type, table, schema),
      make: (row, values) => {
        const [pk, set] = [argument(update, "pk_columns", "pkColumns"), argument(update, "_set")];
        const variables = [{ name: "key", type: typeText(pk.type), value: keyOf(row) }, { name: "set", type: typeText(set.type), value: values }];
        return document("mutation", `Change${table.type}`, variables, `  ${update.name}(${pk.name}: $key, _set: $set) {${named}}`);
      },
    } : null,
    remove: remove ? {
      make: (row) => {
        const variables = remove.args.map(({ name, type }) => ({ name, type: typeText(type), value: row[name] }));
        return document("mutation", `Change${table.type}`, variables, `  ${remove.name}(${remove.args.map(({ name }) => `${name}: $${name}`).join(", ")}) {${named}}`);
      },
    } : null,
  };
}

// Phrag: lists with `where` by operators, `sort`, `limit` and `offset`; columns are arguments of changes.
function phrag(table, schema) {
  const list = fieldsOf(["list"], table, schema.queries).find((field) => argument(field, "where") && argument(field, "sort") && argument(field, "limit"));
  if (!list) return null;
  const columns = leaves(table, schema);
  const [where, sort] = [argument(list, "where"), argument(list, "sort")];
  const conditions = new Map(inputFields(where.type, schema).map((input) => [input.name, input]));
  const sorts = new Set(inputFields(sort.type, schema).map(({ name }) => name));
  const aggregate = schema.queries.get(`${list.name}_aggregate`);
  const read = ({ page, size, ordered, filtered }) => {
    const value = filtered.length === 0 ? undefined : {};
    for (const { column, operator, value: wanted } of filtered) (value[column.field] ??= {})[operator] = wanted;
    const sortValue = ordered && { [ordered.column.field]: ordered.direction };
    const variables = [
      { name: "limit", type: "Int", value: size },
      { name: "offset", type: "Int", value: page * size },
      variable("where", where, value),
      variable("sort", sort, sortValue ?? undefined),
    ];
    const pairs = [["limit", "limit", size], ["offset", "offset", page * size], ["where", "where", value], ["sort", "sort", sortValue ?? undefined]];
    const counted = aggregate ? `\n  total: ${aggregate.name}${given([["where", "where", value]])} {\n    count\n  }` : "";
    return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${indented(columns.map(({ field }) => field), 4)}\n  }${counted}`);
  };
  const key = primaryKey(table);
  const find = (kind) => fieldsOf([kind], table, schema.mutations)[0];
  const keyOf = (field) => argument(field, "pk_columns");
  const [create, update, remove] = [find("insert"), find("update"), find("delete")];
  const change = (field, row, values) => {
    const columnValues = field.args.filter(({ name }) => name in values).map(({ name, type }) => ({ name, type: typeText(type), value: values[name] }));
    const byKey = row ? [{ name: "pk_columns", type: typeText(keyOf(field).type), value: Object.fromEntries(key.map(({ field }) => [field, row[field]])) }] : [];
    const variables = [...byKey, ...columnValues];
    const selection = row ? "result" : key?.[0]?.field ?? "__typename";
    return document("mutation", `Change${table.type}`, variables, `  ${field.name}${given(variables.map(({ name }) => [name, name, true]))} {\n    ${selection}\n  }`);
  };
  const columnsOf = (field) => columns.filter((column) => argument(field, column.field)).map((column) => {
    const { name, type } = argument(field, column.field);
    return { ...column, input: name, inputType: type, isRequired: false };
  });
  return {
    columns, read,
    canFind: hasKey(key),
    operators: (column) => inputFields(conditions.get(column.field)?.type ?? {}, schema).map(({ name, type }) => ({ name, type })),
    order: (column, direction) => (sorts.has(column.field) ? direction : undefined),
    rows: ({ rows }) => rows,
    total: ({ total }) => total?.count ?? null,
    insert: create ? { columns: columnsOf(create), make: (values) => change(create, null, values) } : null,
    update: update && key ? { columns: columnsOf(update), make: (row, values) => change(update, row, values) } : null,
    remove: remove && key ? { make: (row) => change(remove, row, {}) } : null,
  };
}

// Any other list: its pages, without filters, orders and changes.
function plain(table, schema) {
  const list = fieldsOf(["list", "connection"], table, schema.queries).find((field) => !field.args.some(isRequired) && baseType(field.type).name === table.type);
  if (!list) return null;
  const columns = leaves(table, schema);
  const size = argument(list, "limit", "first");
  const skip = argument(list, "offset", "skip");
  return {
    columns,
    isPlain: true,
    hasPages: Boolean(size && skip),
    operators: () => [],
    order: () => undefined,
    read: ({ page, size: wanted }) => {
      const variables = [variable("size", size, wanted), variable("skip", skip, page * wanted)];
      const pairs = [[size?.name, "size", variables[0].value], [skip?.name, "skip", variables[1].value]];
      return document("query", `RowsOf${table.type}`, variables, `  rows: ${list.name}${given(pairs)} {\n${indented(columns.map(({ field }) => field), 4)}\n  }`);
    },
    rows: ({ rows }) => rows,
    total: () => null,
    insert: null,
    update: null,
    remove: null,
  };
}
