// The tables with their columns and relationships: as a diagram, and as a list.

import { catalog } from "./api.js";
import { diagram } from "./diagram.js";
import { counted, element, heading, labelled, present, status, tabs } from "./elements.js";

// More tables than this are drawn only around those that are searched for.
const MOST_DRAWN = 120;

const nameOf = ({ schema, name }) => (schema ? `${schema}.${name}` : name);

// The catalog with tables in the places of their numbers.
export async function tablesOf() {
  const { tables, relationships, dialect } = await catalog();
  const linked = relationships.map((one) => ({ ...one, fromTable: tables[one.from], toTable: tables[one.to] }));
  return { tables, relationships: linked, dialect };
}

export async function open({ rest }) {
  const { tables, relationships } = await tablesOf();
  if (tables.length === 0) return { nodes: [heading("Schema"), status("Your role sees no table.")] };
  const content = element("div", { class: "c-fill" });
  const details = element("aside", { class: "c-details", "aria-label": "Table", tabindex: "-1" });
  const note = element("p", { class: "c-muted", role: "status" });
  let form = "Diagram";
  let shown = () => {};
  let drawn = null;
  const choose = (table) => {
    details.replaceChildren(...describe(table, relationships, (other) => {
      drawn?.mark(other);
      choose(other);
      details.focus();
    }));
    details.hidden = false;
  };
  const render = () => {
    const words = search.value.trim().toLowerCase();
    const found = tables.filter((table) => matches(table, words));
    drawn = null;
    if (form === "List") {
      note.textContent = `${found.length} of ${counted(tables.length, "table")}`;
      content.replaceChildren(element("div", { class: "c-scroll c-panels", tabindex: "0", role: "region", "aria-label": "Tables" },
        found.map((table) => element("section", { class: "c-panel" }, describe(table, relationships, choose)))));
      details.hidden = true;
      return;
    }
    const parts = drawnTables(tables, found, relationships, words);
    note.textContent = parts.length < tables.length
      ? `${parts.length} of ${counted(tables.length, "table")}: those that are found, and their neighbours`
      : `${counted(tables.length, "table")}, ${counted(relationships.length, "relationship")}`;
    const kept = new Set(parts);
    drawn = diagram(parts, relationships.filter((one) => kept.has(one.fromTable) && kept.has(one.toTable)), choose);
    content.replaceChildren(drawn.node);
    shown = drawn.fit;
    requestAnimationFrame(drawn.fit);
  };
  const search = element("input", { type: "search", placeholder: "Table or column", input: render });
  const bar = tabs("Form", ["Diagram", "List"], form, (name) => {
    form = name;
    if (content.isConnected) render();
  });
  render();
  details.hidden = true;
  const wanted = tables.find(({ type }) => type === rest[0]);
  if (wanted) {
    drawn.mark(wanted);
    choose(wanted);
  }
  return {
    nodes: [heading("Schema", bar, labelled("Search", search), note), element("div", { class: "c-split c-wide" }, content, details)],
    shown: () => shown(),
  };
}

function matches(table, words) {
  return words === "" || nameOf(table).toLowerCase().includes(words)
    || table.type.toLowerCase().includes(words)
    || table.columns.some(({ name }) => name.toLowerCase().includes(words));
}

function drawnTables(tables, found, relationships, words) {
  if (words === "" && tables.length <= MOST_DRAWN) return tables;
  const kept = new Set(found.slice(0, MOST_DRAWN));
  const first = new Set(kept);
  for (const { fromTable, toTable } of relationships) {
    if (words === "" || kept.size >= MOST_DRAWN) break;
    if (first.has(fromTable)) kept.add(toTable);
    if (first.has(toTable)) kept.add(fromTable);
  }
  return tables.filter((table) => kept.has(table));
}

// A table in full.
function describe(table, relationships, onChoose) {
  const primary = new Set(table.keys.find(({ primary }) => primary)?.columns);
  const others = table.keys.filter(({ primary }) => !primary);
  const facts = ({ name, nullable, hasDefault, generated }) => [
    primary.has(name) && "primary key",
    others.some(({ columns }) => columns.length === 1 && columns[0] === name) && "unique",
    !nullable && !primary.has(name) && "not null",
    generated && "generated",
    hasDefault && !generated && "default",
  ].filter(Boolean).join(", ");
  const outgoing = relationships.filter(({ fromTable }) => fromTable === table);
  const incoming = relationships.filter(({ toTable }) => toTable === table);
  const link = (other) => element("button", { type: "button", class: "c-link", click: () => onChoose(other) }, nameOf(other));
  return present([
    element("h2", {}, nameOf(table), element("span", { class: "c-muted" }, ` ${table.kind}`)),
    table.description && element("p", {}, table.description),
    element("p", {}, "Type ", element("code", {}, table.type), " · ", element("a", { href: `#/data/${encodeURIComponent(table.type)}` }, "Browse rows")),
    element("table", { class: "c-grid" },
      element("thead", {}, element("tr", {}, ["Column", "Field", "Type", ""].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, table.columns.map((column) => element("tr", {},
        element("th", { scope: "row", title: column.description }, column.name),
        element("td", {}, element("code", {}, column.field)),
        element("td", {}, element("code", {}, column.type)),
        element("td", { class: "c-muted" }, facts(column)))))),
    others.some(({ columns }) => columns.length > 1)
      && element("p", { class: "c-muted" }, "Unique: ", others.filter(({ columns }) => columns.length > 1).map(({ columns }) => `(${columns.join(", ")})`).join(", ")),
    outgoing.length + incoming.length > 0 && element("h3", {}, "Relationships"),
    element("ul", { class: "c-notes" },
      outgoing.map((one) => element("li", {}, one.fromColumns.join(", "), " → ", link(one.toTable), one.forward && [" as ", element("code", {}, one.forward)], one.enforced ? "" : ", declared")),
      incoming.map((one) => element("li", {}, "from ", link(one.fromTable), ` (${one.fromColumns.join(", ")})`, one.backward && [" as ", element("code", {}, one.backward)]))),
    table.operations.length > 0 && element("h3", {}, "Root fields"),
    element("p", { class: "c-fields" }, table.operations.map(({ field }) => element("code", {}, field))),
  ]);
}
