// Live charts of the server's metrics.

import { get } from "./api.js";
import { element, heading, status, svg } from "./elements.js";
import { buckets, parse, quantile, sum } from "./openmetrics.js";

const INTERVAL = 2000;
const KEPT = 90;

const seconds = (value) => (value < 0.001 ? `${Math.round(value * 1e6)} µs` : value < 1 ? `${(value * 1000).toPrecision(3)} ms` : `${value.toFixed(2)} s`);
const number = (value) => (value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toFixed(1));
const bytes = (value) => (value < 1e6 ? `${(value / 1e3).toFixed(0)} kB` : `${(value / 1e6).toFixed(1)} MB`);

const rate = (name, labels) => ({ before, after, elapsed }) => (sum(after, name, labels) - sum(before, name, labels)) / elapsed;
const gauge = (name, labels) => ({ after }) => sum(after, name, labels);
const DURATION = "thalweg_request_duration_seconds";
const slowest = (share) => ({ before, after }) => quantile(buckets(before, DURATION), buckets(after, DURATION), share);
const isThere = (name) => (samples) => samples.has(name);

// The charts: a name, a unit, whether the server has it, and its lines.
const CHARTS = [
  ["Requests per second", number, () => true, [
    ["queries", rate("thalweg_requests_total", { kind: "query" })],
    ["mutations", rate("thalweg_requests_total", { kind: "mutation" })],
    ["errors", rate("thalweg_errors_total")],
  ]],
  ["Latency", seconds, () => true, [["p50", slowest(0.5)], ["p95", slowest(0.95)], ["p99", slowest(0.99)]]],
  ["Requests now", number, () => true, [
    ["running", gauge("thalweg_requests_running")],
    ["waiting", gauge("thalweg_requests_waiting")],
  ]],
  ["Database connections", number, isThere("thalweg_database_connections"), [
    ["used", gauge("thalweg_database_connections", { state: "used" })],
    ["idle", gauge("thalweg_database_connections", { state: "idle" })],
    ["requests that wait", gauge("thalweg_database_waiting")],
  ]],
  ["Subgraph requests per second", number, isThere("thalweg_subgraph_requests_total"), [
    ["answered", rate("thalweg_subgraph_requests_total", { outcome: "answered" })],
    ["all", rate("thalweg_subgraph_requests_total")],
  ]],
  ["Subscriptions", number, () => true, [
    ["subscriptions", gauge("thalweg_subscriptions")],
    ["different live queries", gauge("thalweg_live_cohorts")],
    ["WebSockets", gauge("thalweg_sockets")],
  ]],
  ["Subscription events per second", number, () => true, [
    ["responses", rate("thalweg_subscription_events_total")],
    ["executions", rate("thalweg_live_executions_total")],
  ]],
  ["Document cache, look-ups per second", number, () => true, [
    ["hits", rate("thalweg_documents_total", { result: "hit" })],
    ["misses", rate("thalweg_documents_total", { result: "miss" })],
  ]],
  ["Memory", bytes, isThere("process_resident_memory_bytes"), [
    ["process", gauge("process_resident_memory_bytes")],
    ["cached documents", gauge("thalweg_cache_bytes")],
    ["responses", gauge("thalweg_response_memory_bytes")],
  ]],
];

async function read() {
  const { metrics } = await get("metrics");
  return { samples: parse(metrics), time: performance.now() };
}

export async function open() {
  let before = await read();
  const charts = CHARTS.filter(([, , has]) => has(before.samples)).map(([title, unit, , lines]) => chart(title, unit, lines));
  const problem = element("div", { "aria-live": "polite" });
  let timer;
  let left = false;
  const look = async () => {
    try {
      const after = await read();
      const elapsed = (after.time - before.time) / 1000;
      const step = { before: before.samples, after: after.samples, elapsed };
      for (const chart of charts) chart.add(step);
      before = after;
      problem.replaceChildren();
    } catch (error) {
      problem.replaceChildren(status(error.message, "error"));
    }
    if (!left) timer = setTimeout(look, INTERVAL);
  };
  timer = setTimeout(look, 500);
  const intro = element("p", { class: "c-muted" }, "Read every two seconds while this page is open. A monitoring system reads the same at --metrics-listen.");
  return {
    nodes: [heading("Metrics"), intro, problem, element("div", { class: "c-charts" }, charts.map(({ node }) => node))],
    leave: () => {
      left = true;
      clearTimeout(timer);
    },
  };
}

const [WIDTH, HEIGHT] = [320, 90];

// A chart of lines over the last readings, with the newest values as text.
function chart(title, unit, lines) {
  const series = lines.map(([name, value]) => ({ name, value, points: [] }));
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const legend = element("ul", { class: "c-legend" });
  const most = element("span", { class: "c-muted" });
  const node = element("section", { class: "c-panel c-chart" }, element("h2", {}, title, " ", most), plot, legend);
  const add = (step) => {
    for (const one of series) {
      one.points.push(one.value(step));
      if (one.points.length > KEPT) one.points.shift();
    }
    const highest = Math.max(1e-9, ...series.flatMap(({ points }) => points.filter((point) => point !== null)));
    most.textContent = highest > 1e-9 ? `up to ${unit(highest)}` : "";
    plot.replaceChildren(...series.map(({ points }, index) => {
      const start = WIDTH - (points.length - 1) * (WIDTH / (KEPT - 1));
      const drawn = points.map((point, place) => [start + place * (WIDTH / (KEPT - 1)), point]);
      const path = drawn.filter(([, point]) => point !== null)
        .map(([x, point]) => `${x.toFixed(1)},${(HEIGHT - 4 - (point / highest) * (HEIGHT - 10)).toFixed(1)}`);
      return svg("polyline", { points: path.join(" "), class: `c-line c-line-${index}` });
    }));
    legend.replaceChildren(...series.map(({ name, points }, index) => {
      const newest = points.at(-1);
      return element("li", {}, element("span", { class: `c-swatch c-line-${index}`, "aria-hidden": "true" }), `${name} `,
        element("strong", {}, newest === null ? "–" : unit(newest)));
    }));
  };
  return { node, add };
}
