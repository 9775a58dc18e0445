// The run's data, what is chosen of it, and how contestants look.

const report = JSON.parse(byId("data").textContent);
const { run } = report;

const STATISTICS = [
  ["p50", "p50"], ["p90", "p90"], ["p95", "p95"], ["p99", "p99"], ["max", "max"],
  ["requests_per_second", "requests/s"],
];

// Each has a colour, a shape of its points and, for its area, a name in the style sheet.
let others = 0;
const contestants = run.contestants.map((contestant) => {
  const place = contestant.role === "thalweg" ? 0 : contestant.role === "floor" ? 6 : 1 + (others++ % 5);
  return { ...contestant, place, look: `look-${place}` };
});
const contestantOf = new Map(contestants.map((contestant) => [contestant.id, contestant]));
const thalweg = contestants.find(({ role }) => role === "thalweg");

const titleOf = (id) => contestantOf.get(id)?.title ?? id;

/** The choices; they are kept in the address, so that it can be given to others. */
const state = {
  suite: report.queries[0]?.suite,
  query: report.queries[0]?.query,
  statistic: "p99",
  scale: "log",
  connections: report.connections,
  hidden: new Set(),
};

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const known = report.queries.some(({ suite, query }) =>
    suite === given.get("suite") && query === given.get("query"));
  if (known) Object.assign(state, { suite: given.get("suite"), query: given.get("query") });
  if (STATISTICS.some(([id]) => id === given.get("statistic"))) state.statistic = given.get("statistic");
  if (given.get("scale") === "linear") state.scale = "linear";
  const connections = Number(given.get("connections"));
  if (run.settings.connections.includes(connections)) state.connections = connections;
  for (const id of (given.get("hidden") ?? "").split(",")) {
    if (contestantOf.has(id)) state.hidden.add(id);
  }
}

function writeAddress() {
  const { suite, query, statistic, scale, connections, hidden } = state;
  const words = new URLSearchParams({ suite, query, statistic, scale, connections });
  if (hidden.size > 0) words.set("hidden", [...hidden].join(","));
  history.replaceState(null, "", `#${words}`);
}

/** Suites of which a query was chosen. */
const suites = run.suites.filter(({ queries }) => queries.length > 0);
const suiteOf = (id) => run.suites.find((suite) => suite.id === id);
const queriesOf = (suite) => report.queries.filter((query) => query.suite === suite);
const chosenQuery = () =>
  report.queries.find(({ suite, query }) => suite === state.suite && query === state.query);

/** The entries that are shown, with their contestants; not those that have no part in the suite. */
const shownEntries = () => (chosenQuery()?.entries ?? [])
  .filter((entry) => !state.hidden.has(entry.contestant) && !absenceOf(state.suite, entry.contestant))
  .map((entry) => ({ entry, contestant: contestantOf.get(entry.contestant) }));

const pointsOf = (entry, kind) => entry.points.filter(({ load }) => load.kind === kind);

/** The closed loop that is chosen; a floor may have another one only. */
function closedOf({ entry, contestant }) {
  const closed = pointsOf(entry, "closed");
  const same = closed.find(({ load }) => load.connections === state.connections);
  return same ?? (contestant.role === "floor" ? closed.at(-1) : undefined);
}

/** Why a contestant has no part in a whole suite. */
const absenceOf = (suite, contestant) => report.absences
  .find((absence) => absence.suite === suite && absence.contestant === contestant)?.reason;

const comparisonOf = (entry, measure) =>
  entry.comparisons.find((comparison) => comparison.measure === measure);
