// Time and memory of starts, by the number of tables.

function drawStarts() {
  if (report.starts.length === 0) return;
  byId("starts").hidden = false;
  const sources = [...new Set(report.starts.map(({ source }) => source))];
  const names = { postgres: "PostgreSQL", sqlite: "SQLite" };
  for (const source of sources) {
    const own = report.starts.filter((start) => start.source === source);
    byId("start-panels").append(
      html("h3", {}, names[source] ?? source),
      html("div", { class: "columns" },
        startPlot(own, "start-time", "Time to the first answer", "seconds", "first_answer_seconds"),
        startPlot(own, "start-memory", "Memory after it", "memory", "memory")),
    );
  }
  byId("start-panels").append(startTable());
}

// A contestant of another run may be unknown to this one.
const starter = (id) => contestantOf.get(id) ?? { id, title: id, place: 5, look: "look-5", role: "server" };

function startPlot(starts, id, title, kind, field) {
  const series = starts.map(({ contestant, points }) => ({
    contestant: starter(contestant),
    label: starter(contestant).title,
    style: "closed",
    points: points.filter((point) => point[field]).map((point) => {
      const { median, least, most } = point[field];
      return {
        x: point.tables, y: inUnit(median, kind), low: inUnit(least, kind), high: inUnit(most, kind),
        text: [
          `${figure(point.tables)} tables`,
          `first answer ${withSpread(point.first_answer_seconds, "seconds")} s`,
          `CPU ${withSpread(point.cpu_seconds, "seconds")} s`,
          `memory ${withSpread(point.memory, "memory")} MiB`,
        ],
      };
    }),
  })).filter(({ points }) => points.length > 0);
  const box = panel(id, title);
  const sizes = [...new Set(starts.flatMap(({ points }) => points.map(({ tables }) => tables)))];
  plot(box, {
    title: `${title} by the number of tables; arrow keys lead from point to point`,
    series,
    x: { label: "tables", kind: "log", ticks: sizes.sort((one, other) => one - other) },
    y: { label: UNITS[kind].unit, kind: "log" },
  });
  return box;
}

function startTable() {
  const head = ["Source", "Contestant", "Tables", "First answer, s", "CPU, s", "Memory, MiB", "KiB a table"];
  const rows = report.starts.flatMap(({ source, contestant, points, memory_per_table: bytes }) =>
    points.map((point) => [
      source, starter(contestant).title, figure(point.tables),
      ...(point.missing ? [point.missing, NONE, NONE] : [
        withSpread(point.first_answer_seconds, "seconds"),
        withSpread(point.cpu_seconds, "seconds"), withSpread(point.memory, "memory"),
      ]),
      figure(bytes == null ? null : bytes / 1024),
    ]));
  return html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Starts" },
    html("table", { class: "numbers" },
      html("thead", {}, html("tr", {}, head.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, rows.map((row) => html("tr", {}, row.map((text) => html("td", {}, text)))))));
}
