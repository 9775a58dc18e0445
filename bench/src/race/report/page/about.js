// Which run this is, what to know of it, and how it was made.

function drawHeader() {
  const { machine, settings } = run;
  const started = run.started.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
  byId("subtitle").append([
    `Run ${report.name}`, started, machine.processor, `${machine.cores} cores`,
    `${figure(Math.round(machine.memory / 2 ** 30))} GiB`, machine.system,
  ].join(" · "));
  const notes = [];
  if (!run.ended) notes.push("The run has not ended: what is missing may come.");
  if (settings.quick) notes.push("A quick run: short loads, larger spread.");
  for (const { title, missing } of contestants) {
    if (missing) notes.push(`${title} took no part: ${missing}.`);
  }
  const points = report.queries.flatMap(({ entries }) => entries.flatMap((entry) => entry.points));
  const disturbed = points.reduce((sum, point) => sum + point.disturbed, 0);
  if (disturbed > 0) {
    notes.push(`${disturbed} measurements were disturbed by something else on the machine, however often they were repeated; they are marked.`);
  }
  notes.push(...report.notes);
  byId("notes").append(
    ...notes.map((note) => html("li", {}, note)),
    ...partsLeftOut().map((note) => html("li", { class: "plain" }, note)),
  );
}

/** Who has no part in some suites or queries: a line for those that have no part in the same. */
function partsLeftOut() {
  const parts = new Map();
  const add = (id, what, reason) => {
    const key = `${titleOf(id)} (${reason})`;
    if (!contestantOf.get(id)?.missing) parts.set(key, [...(parts.get(key) ?? []), what]);
  };
  for (const { suite, contestant, reason } of report.absences) {
    add(contestant, suiteOf(suite).title, reason);
  }
  for (const { suite, query, entries } of report.queries) {
    for (const { contestant, absent } of entries) {
      if (absent && !absenceOf(suite, contestant)) add(contestant, query, absent);
    }
  }
  const lines = new Map();
  for (const [who, what] of parts) {
    const key = what.join(", ");
    lines.set(key, [...(lines.get(key) ?? []), who]);
  }
  return [...lines].map(([what, who]) => `Without figures for ${what}: ${who.join("; ")}.`);
}

function drawAbout() {
  const { settings, machine } = run;
  const loops = settings.connections.join(", ");
  const limit = figure(settings.latency_limit / 1000);
  const users = figure(settings.users_latency_limit / 1000);
  const facts = (title, rows) => html("div", {}, html("h3", {}, title), html("dl", {},
    rows.flatMap(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])));
  byId("about-text").append(
    html("p", {}, "docs/benchmark.md of the project describes the method and the figures."),
    html("div", { class: "columns" },
      facts("Machine", [
        ["Processor", machine.processor], ["Cores", String(machine.cores)],
        ["Memory", `${figure(Math.round(machine.memory / 2 ** 30))} GiB`], ["System", machine.system],
      ]),
      facts("Versions", Object.entries(run.versions)),
      facts("Settings", [
        ["Started", run.started], ["Ended", run.ended ?? "not yet"], ["Quick", settings.quick ? "yes" : "no"],
        ["Rounds", String(settings.rounds)], ["Seconds of a closed loop", String(settings.seconds)],
        ["Connections of closed loops", loops],
        ["Connections to the database", String(settings.database_connections)],
        ["Limit of p95", `${limit} ms, for users ${users} ms`],
      ])),
    html("h3", {}, "Contestants"),
    html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Contestants" },
      html("table", { class: "numbers text" },
        html("thead", {}, html("tr", {}, ["Contestant", "Part", "Version", "Started by"].map((text) => html("th", { scope: "col" }, text)))),
        html("tbody", {}, contestants.map((one) => html("tr", {},
          html("td", {}, swatch(one), one.title), html("td", {}, PARTS[one.role]), html("td", {}, one.version || NONE),
          html("td", {}, one.missing ? `missing: ${one.missing}` : html("code", {}, one.command))))))),
  );
}

const PARTS = {
  thalweg: "whom the run is about", yardstick: "compared with", server: "shown beside", floor: "floor",
};
