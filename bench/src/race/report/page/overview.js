// What the run says in short: a card for each query.

const MEASURES = [
  ["requests_per_second", "Requests/s", "rate"],
  ["highest_rate", "Highest rate", "rate"],
  ["p99", "p99, ms", "latency"],
  ["server_cpu", "Server CPU, µs", "cpu"],
  ["database_cpu", "Database CPU, µs", "cpu"],
  ["peak_memory", `Memory at ${report.memory_connections}, MiB`, "memory"],
];

const roundsText = run.settings.rounds === 1 ? "one round" : `medians of ${run.settings.rounds} rounds`;

function drawOverview(choose) {
  const yardsticks = contestants.filter(({ role }) => role === "yardstick").map(({ title }) => title);
  byId("overview-text").append(
    `Closed loops of ${report.connections} connections, ${roundsText}. `,
    yardsticks.length > 0
      ? `Each figure stands beside the best, by that measure, of ${yardsticks.join(" and ")}.`
      : "There is no other server in this run to compare with.",
    ` The highest rate is that of requests at a constant rate with p95 < ${figure(run.settings.latency_limit / 1000)} ms; CPU is that of one request.`,
  );
  for (const suite of run.suites) {
    const absence = thalweg && absenceOf(suite.id, thalweg.id);
    const nothing = suite.queries.length === 0 ? "no query of it was chosen" : absence;
    if (nothing) {
      byId("cards").append(html("h3", {}, suite.title), html("p", { class: "absent" }, nothing));
      continue;
    }
    byId("cards").append(
      html("h3", {}, suite.title),
      html("div", { class: "cards" }, queriesOf(suite.id).map((query) => card(query, choose))),
    );
  }
}

function card({ suite, query, entries }, choose) {
  const entry = entries.find(({ contestant }) => contestant === thalweg?.id);
  const link = html("button", { class: "link", onclick: () => choose(suite, query) }, query);
  const box = html("article", { class: "card" }, html("h4", {}, link));
  if (!entry || entry.absent) {
    box.append(html("p", { class: "absent" }, entry?.absent ?? "not part of this run"));
    return box;
  }
  box.append(headline(entry));
  const hasYardstick = entry.comparisons.some(({ yardstick }) => yardstick);
  const rows = MEASURES
    .map(([measure, label, kind]) => [comparisonOf(entry, measure), label, kind])
    .filter(([comparison]) => comparison)
    .map(([{ value, yardstick }, label, kind]) => html("tr", {},
      html("th", { scope: "row" }, label),
      html("td", { class: "own" }, figure(inUnit(value.median, kind))),
      hasYardstick ? besides(yardstick, kind) : []));
  const names = ["", thalweg.title, ...(hasYardstick ? ["best other", "better"] : [])];
  const head = html("tr", {}, names.map((text) => html("th", { scope: "col" }, text)));
  box.append(html("table", {}, html("thead", {}, head), html("tbody", {}, rows)));
  box.append(...floorLines(entry));
  const disturbed = entry.points.reduce((sum, point) => sum + point.disturbed, 0);
  if (disturbed > 0) {
    box.append(html("p", { class: "flag" }, `${disturbed} of Thalweg's measurements disturbed`));
  }
  return box;
}

/** The best other by a measure, and how many times better Thalweg is. */
function besides(yardstick, kind) {
  if (!yardstick) return [html("td", {}, NONE), html("td", {}, NONE)];
  const { value, times } = yardstick;
  return [
    html("td", {}, figure(inUnit(value, kind))),
    html("td", { class: times < 0.995 ? "worse" : "times" }, `${figure(times)} ×`),
  ];
}

/** The figure in large: times the yardstick, else the share of the floor. */
function headline(entry) {
  const rate = comparisonOf(entry, "requests_per_second");
  const work = comparisonOf(entry, "work_cpu");
  const large = (text, unit, rest) =>
    html("p", { class: "headline" }, html("strong", {}, text), ` ${unit} `, html("span", {}, rest));
  if (rate?.yardstick) {
    const { times, contestant } = rate.yardstick;
    return large(figure(times), "×", `the requests/s of ${titleOf(contestant)}`);
  }
  const floor = rate?.floor ?? work?.floor;
  if (floor) {
    return large(figure(100 * floor.times), "%", `of the floor${rate?.floor ? "" : " by CPU"}, ${titleOf(floor.contestant)}`);
  }
  return large(figure(rate?.value.median), "requests/s", "");
}

function floorLines(entry) {
  const lines = [];
  const rate = comparisonOf(entry, "requests_per_second")?.floor;
  const work = comparisonOf(entry, "work_cpu")?.floor;
  const share = rate ?? work;
  if (share) {
    const what = rate ? "of the floor's requests/s" : "floor's CPU / Thalweg's CPU";
    const text = `${figure(100 * share.times)} % ${what}`;
    const fill = html("i");
    fill.style.width = `${Math.min(100, 100 * share.times)}%`;
    lines.push(html("div", { class: "meter" }, html("div", { class: "track" }, fill), html("span", {}, text)));
  }
  const database = comparisonOf(entry, "database_cpu")?.floor;
  if (database && database.value > 0) {
    lines.push(html("p", { class: "floor" }, `Database CPU ${figure(1 / database.times)} × the floor's`));
  }
  return lines;
}
