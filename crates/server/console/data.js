// The rows of a table, read and changed by the GraphQL API with the headers of the page: whoever sends
// them sees and changes what the API lets them.

import { graphql, schema as readSchema } from "./api.js";
import { button, element, heading, labelled, present, select, status } from "./elements.js";
import { operationsOf } from "./operations.js";
import { confirmOperation, openForm, shownOperation } from "./row-form.js";
import { tablesOf } from "./schema.js";
import { textOf, valueOf } from "./values.js";

const SIZES = [10, 25, 50, 100];

const nameOf = ({ schema, name }) => (schema && schema !== "public" ? `${schema}.${name}` : name);

export async function open({ rest, query }) {
  const [{ tables, relationships, dialect }, schema] = await Promise.all([tablesOf(), readSchema()]);
  const readable = tables.filter((table) => table.operations.length > 0);
  const table = readable.find(({ type }) => type === rest[0]) ?? readable[0];
  if (!table) return { nodes: [heading("Data"), status("Your role can read no table: choose other headers.")] };
  const operations = operationsOf(table, schema, { dialect, relationships });
  const content = operations
    ? browser(table, operations, schema, relationships, query)
    : [status(`The console cannot read ${nameOf(table)}: the API has no list of its rows that needs no arguments. Use Explore.`)];
  return { nodes: [element("div", { class: "c-split c-data" }, tableList(readable, table), element("div", { class: "c-fill c-column" }, content))] };
}

function tableList(tables, chosen) {
  const list = element("ul", { class: "c-list", "aria-label": "Tables" });
  const render = (words) => {
    const found = tables.filter((table) => nameOf(table).toLowerCase().includes(words));
    list.replaceChildren(...found.slice(0, 500).map((table) => element("li", {}, element("a", {
      href: `#/data/${encodeURIComponent(table.type)}`, "aria-current": table === chosen ? "page" : null,
    }, nameOf(table)))));
  };
  render("");
  const search = element("input", { type: "search", placeholder: "Table", "aria-label": "Search a table", input: () => render(search.value.toLowerCase()) });
  return element("div", { class: "c-side" }, search, list);
}

function browser(table, operations, schema, relationships, query) {
  const enums = (name) => schema.types.get(name)?.enumValues?.map(({ name }) => name);
  const column = (field) => operations.columns.find((one) => one.field === field);
  const state = { page: 0, size: 25, ordered: null, filters: readFilters(query, column) };
  const note = element("p", { class: "c-muted", role: "status" });
  const problem = element("div");
  const shown = element("div", { class: "c-scroll", tabindex: "0", role: "region", "aria-label": `Rows of ${nameOf(table)}` });
  const details = element("details", { class: "c-details-operation" }, element("summary", {}, "Operation"));
  const previous = button("Previous", () => { state.page -= 1; load(); });
  const next = button("Next", () => { state.page += 1; load(); });
  let latest = 0;

  const load = async () => {
    const current = ++latest;
    problem.replaceChildren();
    try {
      // An empty value is a filter only in a link: a row may refer to the empty text.
      const filtered = state.filters.filter(({ isOn }) => isOn).map(({ field, operator, value }) => {
        const own = column(field);
        const { type } = operations.operators(own).find(({ name }) => name === operator);
        return { column: own, operator, value: valueOf(value, type, own.name) };
      });
      const operation = operations.read({ page: state.page, size: state.size, ordered: state.ordered, filtered });
      details.replaceChildren(details.firstChild, shownOperation(operation));
      const data = await graphql(operation);
      if (current !== latest) return;
      const rows = operations.rows(data) ?? [];
      const total = operations.total(data);
      shown.replaceChildren(grid(rows));
      const first = state.page * state.size;
      const range = rows.length === 0 ? "No rows" : `Rows ${first + 1} to ${first + rows.length}`;
      note.textContent = total === null ? range : `${range} of ${total}`;
      previous.disabled = state.page === 0;
      next.disabled = operations.hasPages === false || (total === null ? rows.length < state.size : first + rows.length >= total);
    } catch (error) {
      if (current === latest) problem.replaceChildren(status(error.message, "error"));
    }
  };

  const grid = (rows) => {
    const header = operations.columns.map((one) => {
      const direction = state.ordered?.column === one ? state.ordered.direction : null;
      const sort = () => {
        state.ordered = { column: one, direction: direction === "asc" ? "desc" : "asc" };
        state.page = 0;
        load().then(() => shown.querySelector(`[data-sort="${one.field}"]`)?.focus());
      };
      const label = [one.name, direction && element("span", { "aria-hidden": "true" }, direction === "asc" ? " ↑" : " ↓")];
      const canSort = operations.order(one, "asc");
      return element("th", { scope: "col", "aria-sort": direction && `${direction}ending`, title: one.type },
        canSort ? element("button", { type: "button", class: "c-sort", "data-sort": one.field, click: sort }, label) : label);
    });
    const canChange = operations.update || operations.remove;
    return element("table", { class: "c-grid c-rows" },
      element("thead", {}, element("tr", {}, canChange && element("th", { scope: "col" }, element("span", { class: "c-hidden" }, "Change")), header)),
      element("tbody", {}, rows.map((row, index) => element("tr", {},
        canChange && element("td", { class: "c-row-actions" },
          operations.canFind(row) && operations.update && button("Edit", (event) => edit(row, event.target), { "aria-label": `Edit row ${index + 1}` }),
          operations.canFind(row) && operations.remove && button("Delete", (event) => remove(row, event.target), { "aria-label": `Delete row ${index + 1}` })),
        operations.columns.map((one) => element("td", {}, cell(one, row)))))));
  };

  const cell = (one, row) => {
    const value = row[one.field];
    if (value === null || value === undefined) return element("span", { class: "c-nothing" }, "null");
    const text = textOf(value);
    const shortened = text.length > 120 ? `${text.slice(0, 120)}…` : text;
    const reference = referenceOf(one);
    if (!reference) return element("span", { title: text.length > 120 ? text.slice(0, 2000) : null }, shortened);
    const where = encodeURIComponent(JSON.stringify([reference.key.field, "=", text]));
    return element("a", { href: `#/data/${encodeURIComponent(reference.target.type)}?where=${where}`, title: `The row of ${nameOf(reference.target)}` }, shortened);
  };

  // The table and its column to which a column refers.
  const referenceOf = (one) => {
    if (one.key) return one;
    const found = relationships.find(({ fromTable, fromColumns }) => fromTable === table && fromColumns.length === 1 && fromColumns[0] === one.name);
    const key = found?.toTable.columns.find(({ name }) => name === found.toColumns[0]);
    return key && found.toTable.operations.length > 0 ? { key, target: found.toTable } : null;
  };

  const edit = (row, opener) => openForm({
    title: `Edit a row of ${nameOf(table)}`, columns: operations.update.columns, row, enums, opener, done: load,
    make: (values) => operations.update.make(row, values),
  });
  const remove = (row, opener) => confirmOperation({
    title: `Delete this row of ${nameOf(table)}?`, label: "Delete", operation: operations.remove.make(row), opener, done: load,
  });
  const insert = operations.insert && button("Insert a row", (event) => openForm({
    title: `Insert a row of ${nameOf(table)}`, columns: operations.insert.columns, row: null, enums, opener: event.target, done: load,
    make: operations.insert.make,
  }), { class: "c-button c-primary" });

  const filterable = operations.columns.filter((one) => operations.operators(one).length > 0);
  const filters = element("div", { class: "c-filters" });
  const renderFilters = () => {
    filters.replaceChildren(...state.filters.map((filter) => {
      const operators = operations.operators(column(filter.field)).map(({ name }) => [name, name]);
      const value = element("input", { "aria-label": "Value", value: filter.value, spellcheck: "false", change: () => { filter.value = value.value; filter.isOn = value.value !== ""; state.page = 0; load(); } });
      return element("div", { class: "c-row" },
        select(filterable.map(({ field, name }) => [field, name]), filter.field, (field) => {
          filter.field = field;
          filter.operator = operations.operators(column(field))[0].name;
          state.page = 0;
          renderFilters();
          load();
        }, { "aria-label": "Column" }),
        select(operators, filter.operator, (operator) => { filter.operator = operator; state.page = 0; load(); }, { "aria-label": "Operator" }),
        value,
        button("Remove", () => { state.filters.splice(state.filters.indexOf(filter), 1); state.page = 0; renderFilters(); load(); }, { "aria-label": `Remove the filter on ${filter.field}` }));
    }));
  };
  // `=` of a link is the operator of equality of this API.
  for (const filter of state.filters) {
    const names = operations.operators(column(filter.field)).map(({ name }) => name);
    filter.operator = ["equalTo", "_eq", "eq", "equals"].find((name) => names.includes(name)) ?? names[0];
  }
  state.filters = state.filters.filter(({ operator }) => operator);
  renderFilters();
  const add = filterable.length > 0 && button("Add a filter", () => {
    const [first] = filterable;
    state.filters.push({ field: first.field, operator: operations.operators(first)[0].name, value: "", isOn: false });
    renderFilters();
    filters.lastChild.querySelector("select").focus();
  });
  load();
  const lacks = lackOf(operations);
  return present([
    heading(nameOf(table), element("a", { href: `#/schema/${encodeURIComponent(table.type)}` }, "Schema"), insert, add),
    lacks && element("p", { class: "c-muted" }, lacks),
    filters,
    problem,
    shown,
    element("footer", { class: "c-pages" }, previous, next,
      labelled("Rows", select(SIZES.map((size) => [String(size), String(size)]), "25", (size) => { state.size = Number(size); state.page = 0; load(); })),
      note),
    details,
  ]);
}

function readFilters(query, column) {
  return query.getAll("where").flatMap((text) => {
    try {
      const [field, operator, value] = JSON.parse(text);
      return column(field) ? [{ field, operator, value: String(value), isOn: true }] : [];
    } catch {
      return [];
    }
  });
}

// What the API does not offer here.
function lackOf({ isPlain, insert, update, remove }) {
  if (isPlain) return "The console only reads these rows, because it does not know the arguments of their fields: filters, orders and changes are under Explore.";
  const lacking = [[insert, "insert"], [update, "edit"], [remove, "delete"]].filter(([there]) => !there).map(([, name]) => name);
  if (lacking.length === 0) return null;
  return `The API does not let your role ${lacking.join(", ")} rows here by a key.`;
}
