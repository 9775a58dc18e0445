// One query: latency against throughput, CPU, memory, rates, bursts, users.

const CPU_PARTS = [
  ["server", "server"], ["database", "database"], ["load", "load generator"], ["other", "everything else"],
];

function drawControls(changed) {
  const set = (name) => (value) => changed({ [name]: value });
  const titles = suites.map(({ id, title }) => [id, title]);
  const queries = queriesOf(state.suite).map(({ query }) => [query, query]);
  const connections = run.settings.connections.map((count) => [String(count), String(count)]);
  byId("controls").replaceChildren(
    select("Suite", titles, state.suite, set("suite")),
    select("Query", queries, state.query, set("query")),
    choice("Statistic", STATISTICS, state.statistic, set("statistic")),
    choice("Axes", [["log", "log"], ["linear", "linear"]], state.scale, set("scale")),
    choice("Connections of the bars", connections, String(state.connections),
      (value) => changed({ connections: Number(value) })),
    drawToggles(changed),
  );
}

function drawToggles(changed) {
  const entries = chosenQuery()?.entries ?? [];
  const able = entries.filter(({ contestant: id }) =>
    !absenceOf(state.suite, id) || contestantOf.get(id).missing);
  const toggles = able.map(({ contestant: id, absent }) => {
    const contestant = contestantOf.get(id);
    const toggle = () => {
      const hidden = new Set(state.hidden);
      if (!hidden.delete(id)) hidden.add(id);
      changed({ hidden });
    };
    return html("button", {
      class: "toggle", "aria-pressed": String(!state.hidden.has(id)), onclick: toggle,
      "data-key": id, title: absent,
    }, swatch(contestant), contestant.title, absent ? html("em", {}, " missing") : null);
  });
  return html("div", { class: "control wide" }, html("span", { class: "label" }, "Contestants"),
    html("div", { class: "toggles", role: "group", "aria-label": "Contestants" }, toggles));
}

function drawPanels() {
  const rows = shownEntries();
  const panels = [drawCurve(rows), html("div", { class: "columns" }, drawCpu(rows), drawMemory(rows),
    drawHighest(rows), drawUsers(rows), drawBursts(rows))];
  byId("panels").replaceChildren(...panels, drawTexts());
}

/** What a point says when it is pointed at. */
function pointText(point) {
  const lines = [loadText(point.load), `${withSpread(point.requests_per_second, "rate")} requests/s`];
  for (const [id, text] of STATISTICS.slice(0, 5)) {
    lines.push(`${text} ${withSpread(point[id], "latency")} ms`);
  }
  if (point.failures > 0) lines.push(`${figure(point.failures)} of ${figure(point.requests)} failed`);
  if (point.disturbed > 0) lines.push(`${point.disturbed} of ${point.rounds} rounds disturbed`);
  return lines;
}

function drawCurve(rows) {
  const isRate = state.statistic === "requests_per_second";
  const series = rows.flatMap(({ entry, contestant }) => {
    const asPoint = (point) => {
      const spread = point[state.statistic];
      const scaled = (value) => (isRate ? value : inUnit(value, "latency"));
      const { load } = point;
      const asked = load.connections ?? load.rate;
      return spread && point.requests_per_second && {
        x: isRate ? asked : point.requests_per_second.median,
        y: scaled(spread.median), low: scaled(spread.least), high: scaled(spread.most),
        mark: load.kind === "closed" && !isRate ? String(load.connections) : null,
        failed: point.failures > 0, disturbed: point.disturbed > 0, text: pointText(point),
      };
    };
    const line = (kind, label) => ({
      contestant, label, style: kind, points: pointsOf(entry, kind).map(asPoint).filter(Boolean),
    });
    const closed = line("closed", contestant.title);
    if (isRate) return [closed];
    return [line("constant", closed.points.length > 0 ? null : contestant.title), closed];
  }).filter(({ points }) => points.length > 0);
  const statistic = STATISTICS.find(([id]) => id === state.statistic)[1];
  const title = isRate ? "Throughput" : "Latency against throughput";
  const text = isRate
    ? "Requests answered in a second, by the connections that ask without a pause. Higher is better."
    : "Lower and further to the right is better. Filled points: closed loops, with their number of connections where there is room. Hollow points: constant arrival rates, whose latency counts from when a request was due.";
  const box = panel("curve", `${title}: ${state.query}`, text);
  if (series.length === 0) {
    box.append(html("p", { class: "absent" }, "There is nothing to draw: no contestant that is shown has figures."));
    return box;
  }
  const limit = run.settings.latency_limit / 1000;
  plot(box, {
    title: `${title} of ${state.query}; arrow keys lead from point to point`,
    series,
    x: isRate
      ? { label: "connections", kind: "log", ticks: run.settings.connections }
      : { label: "requests/s answered", kind: state.scale },
    y: { label: isRate ? "requests/s" : `${statistic}, ms`, kind: state.scale },
    limit: state.statistic === "p95" ? { value: limit, text: `limit ${figure(limit)} ms` } : null,
  });
  const points = series.flatMap((one) => one.points);
  const signs = [];
  if (points.some(({ failed }) => failed)) signs.push("× some requests failed.");
  if (points.some(({ disturbed }) => disturbed)) signs.push("Dotted ring: something else ran on the machine.");
  signs.push(...chosenQuery().entries.filter(({ absent }) => absent)
    .map(({ contestant, absent }) => `${titleOf(contestant)}: ${absent}.`));
  if (signs.length > 0) box.append(html("p", { class: "signs" }, signs.join(" ")));
  return box;
}

/** Said where a floor was asked with other connections than the rest. */
function ofOther(point) {
  const { connections } = point.load;
  return connections === state.connections ? "" : ` (${loadText(point.load)})`;
}

const atConnections = () => `at ${loadText({ kind: "closed", connections: state.connections })}`;

function drawCpu(rows) {
  const list = rows.map((row) => {
    const { entry, contestant } = row;
    const point = closedOf(row);
    if (!point) return { contestant, note: entry.absent ?? NONE };
    const parts = CPU_PARTS.map(([name]) => [`cpu-${name}`, point.cpu[name]?.median ?? 0]);
    return { contestant, parts, text: withUnit(point.cpu.work?.median, "cpu") + ofOther(point) };
  });
  const legend = html("p", { class: "legend" }, CPU_PARTS.map(([name, text]) =>
    html("span", {}, html("i", { class: `cpu-${name}` }), text)));
  return panel("cpu", "CPU per 1000 requests", `The figure is that of server and database together, ${atConnections()}. Less is better.`,
    legend, bars("CPU per 1000 requests", list));
}

function drawMemory(rows) {
  const servers = rows.filter(({ contestant }) => contestant.role !== "floor");
  return panel("memory", "Peak memory", `Of the server's processes, ${atConnections()}. Less is better.`,
    wholeBars("Peak memory", servers, "memory",
      (entry, contestant) => closedOf({ entry, contestant })?.peak_memory));
}

const atLeast = (field) => (median, kind, entry) => {
  const { is_reached: isReached, lowest_tried: lowest } = entry[field];
  if (median === 0) return `< ${withUnit(lowest, kind)}`;
  return `${isReached ? "" : "≥ "}${withUnit(median, kind)}`;
};

function drawHighest(rows) {
  const some = rows.filter(({ entry }) => entry.highest_rate || entry.absent);
  if (!some.some(({ entry }) => entry.highest_rate)) return null;
  const limit = figure(run.settings.latency_limit / 1000);
  return panel("highest", `Highest rate with p95 < ${limit} ms`,
    "Of constant arrival rates, without a failed request. More is better; ≥ where no rate that was tried was too much.",
    wholeBars("Highest rate", some, "rate", (entry) => entry.highest_rate?.value, atLeast("highest_rate")));
}

function drawUsers(rows) {
  const some = rows.filter(({ entry }) => entry.most_users || entry.absent);
  if (!some.some(({ entry }) => entry.most_users)) return null;
  const limit = figure(run.settings.users_latency_limit / 1000);
  return panel("users", `Users within p95 < ${limit} ms`,
    "Users who each ask once in two seconds. More is better; ≥ where no number that was tried was too much.",
    wholeBars("Users", some, "users", (entry) => entry.most_users?.value, atLeast("most_users")));
}

function drawBursts(rows) {
  const withBurst = rows.map(({ entry, contestant }) => ({ contestant, entry, point: pointsOf(entry, "burst").at(-1) }));
  if (!withBurst.some(({ point }) => point)) return null;
  const list = withBurst.filter(({ point, entry }) => point || entry.absent).map(({ contestant, entry, point }) => {
    if (!point) return { contestant, note: entry.absent };
    const { recovery_seconds: recovery, unrecovered, rounds, max, failures, load } = point;
    const details = [`${loadText(load)} over ${figure(load.rate)}`, `max ${withUnit(max?.median, "latency")}`];
    if (failures > 0) details.push(`${figure(failures)} failed`);
    if (unrecovered > 0) details.push(`not recovered in ${unrecovered} of ${rounds} rounds`);
    const note = details.join("; ");
    if (!recovery) return { contestant, note };
    return {
      contestant, parts: [["whole", recovery.median]], spread: [recovery.least, recovery.most],
      text: `${withUnit(recovery.median, "seconds")} – ${note}`,
    };
  });
  return panel("bursts", "After a burst", "Seconds until the 95th percentile is within the limit again. Less is better.",
    bars("Recovery", list));
}

/** The documents of the query, and who answers it the same. */
function drawTexts() {
  const query = suiteOf(state.suite)?.queries.find(({ id }) => id === state.query);
  const box = html("details", { class: "texts" }, html("summary", {}, `The query ${state.query}`));
  if (!query) return box;
  const equal = query.equal.map(titleOf).join(", ") || "nobody yet";
  box.append(html("p", {}, `The answer has ${figure(query.answer_bytes)} bytes. Answers that were compared and are equal: ${equal}.`));
  for (const [id, reason] of Object.entries(query.left_out)) {
    box.append(html("p", {}, `${titleOf(id)} has no part in it: ${reason}.`));
  }
  for (const [dialect, text] of Object.entries(query.texts)) {
    box.append(html("h4", {}, `Dialect ${dialect}`), html("pre", { tabindex: 0 }, text));
  }
  return box;
}
