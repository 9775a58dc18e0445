// Every figure, in a table that can be ordered by each column.

/** Of a column: its title, the value it is ordered by, and its text. */
const spreadColumn = (title, kind, spread) => ({
  title,
  value: ({ point }) => spread(point)?.median ?? null,
  text: ({ point }) => withSpread(spread(point), kind),
});
const countColumn = (title, field) => ({
  title,
  value: ({ point }) => point[field],
  text: ({ point }) => figure(point[field]),
});

const KINDS = ["closed", "constant", "burst", "users"];
const loadOrder = ({ load }) => KINDS.indexOf(load.kind) * 1e9
  + (load.connections ?? load.users ?? load.burst_rate ?? load.rate);

const COLUMNS = [
  { title: "Query", value: ({ query }) => query, text: ({ query }) => query },
  { title: "Contestant", value: ({ entry }) => titleOf(entry.contestant), text: ({ entry }) => titleOf(entry.contestant) },
  { title: "Load", value: ({ point }) => loadOrder(point), text: ({ point }) => loadText(point.load) },
  spreadColumn("Requests/s", "rate", (point) => point.requests_per_second),
  ...STATISTICS.slice(0, 5).map(([id, text]) => spreadColumn(`${text}, ms`, "latency", (point) => point[id])),
  ...CPU_PARTS.map(([id, text]) => spreadColumn(`CPU ${text}, ms/1000`, "cpu", (point) => point.cpu[id])),
  spreadColumn("Peak memory, MiB", "memory", (point) => point.peak_memory),
  spreadColumn("Recovery, s", "seconds", (point) => point.recovery_seconds),
  countColumn("Requests", "requests"),
  countColumn("Failures", "failures"),
  countColumn("Compared", "compared"),
  countColumn("Rounds", "rounds"),
  countColumn("Disturbed", "disturbed"),
];

const ordering = { column: 2, falling: false, all: false };

function drawNumbers() {
  const all = html("input", {
    type: "checkbox", checked: ordering.all,
    onchange: (event) => { ordering.all = event.target.checked; drawNumbers(); },
  });
  byId("numbers-controls").replaceChildren(
    html("p", { class: "lead" }, `Medians, and the least and the most of the rounds. ${ordering.all ? "All queries." : `The query ${state.query}.`}`),
    html("label", { class: "check" }, all, "all queries"),
  );
  const queries = ordering.all ? report.queries : [chosenQuery()].filter(Boolean);
  const entries = queries.flatMap(({ suite, query, entries }) => entries
    .filter(({ contestant }) => !state.hidden.has(contestant))
    .map((entry) => ({ suite, query, entry })));
  const rows = entries.flatMap((row) => row.entry.points.map((point) => ({ ...row, point })));
  rows.sort(byColumn(COLUMNS[ordering.column]));
  const missing = entries.filter(({ entry }) => entry.absent);
  const body = rows.map((row) => html("tr", { class: row.point.disturbed > 0 ? "is-disturbed" : null },
    COLUMNS.map((column) => html("td", {}, column.text(row)))));
  const absent = missing.map(({ query, entry }) => html("tr", { class: "is-absent" },
    html("td", {}, query), html("td", {}, titleOf(entry.contestant)),
    html("td", { colspan: COLUMNS.length - 2 }, entry.absent)));
  byId("numbers-table").replaceChildren(
    html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Raw numbers" },
      html("table", { class: "numbers" }, html("thead", {}, html("tr", {}, COLUMNS.map(columnHead))),
        html("tbody", {}, body, absent))));
}

function byColumn({ value }) {
  const sign = ordering.falling ? -1 : 1;
  return (one, other) => {
    const [left, right] = [value(one), value(other)];
    // What is not known comes last in both directions.
    if (left == null || right == null) return (left == null) - (right == null);
    return sign * (typeof left === "string" ? left.localeCompare(right) : left - right);
  };
}

function columnHead({ title }, column) {
  const isChosen = ordering.column === column;
  const order = () => {
    ordering.falling = isChosen ? !ordering.falling : false;
    ordering.column = column;
    drawNumbers();
    byId("numbers-table").querySelectorAll("thead button")[column].focus();
  };
  const arrow = isChosen ? (ordering.falling ? " ↓" : " ↑") : "";
  const sort = isChosen ? (ordering.falling ? "descending" : "ascending") : "none";
  return html("th", { scope: "col", "aria-sort": sort }, html("button", { onclick: order }, title + arrow));
}
