// The console: the navigation, and the view that the address names. The first view is GraphiQL, which
// stays as it is while another one is shown.

import { forget } from "./api.js";
import { element, status } from "./elements.js";
import { headersButton, onHeaders } from "./headers.js";

const configuration = JSON.parse(document.getElementById("configuration").textContent);
const settings = configuration.console;

// The views: their place in the address, their name, their module, and whether this server has them.
const VIEWS = [
  ["", "Explore", null, () => true],
  ["schema", "Schema", "./schema.js", () => !settings.isGateway],
  ["supergraph", "Supergraph", "./supergraph.js", () => settings.isGateway],
  ["data", "Data", "./data.js", () => !settings.isGateway],
  ["roles", "Roles", "./roles.js", () => settings.roles],
  ["plans", "Plans", "./plans.js", () => true],
  ["operations", "Operations", "./running.js", () => settings.metrics],
  ["metrics", "Metrics", "./metrics.js", () => settings.metrics],
  ["checks", "Checks", "./checks.js", () => !settings.isGateway],
];

const graphiql = document.getElementById("graphiql");
const view = document.getElementById("view");
const main = document.getElementById("main");

// Ends what the last view does on its own, such as reading metrics.
let leave = () => {};
let navigation = 0;

// A part that people wrote by hand may be no valid one, such as `%`.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// `#/data/Album?page=2` as its parts.
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map(decoded);
  return { name, rest, query: new URLSearchParams(query ?? "") };
}

async function show(moves) {
  const { name, rest, query } = place();
  const [key, title, module] = offered.find(([key]) => key === name) ?? offered[0];
  const current = ++navigation;
  leave();
  leave = () => {};
  for (const link of nav.querySelectorAll("a")) {
    if (link.dataset.view === key) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = module ? `${title} · Thalweg` : "GraphiQL · Thalweg";
  graphiql.hidden = module !== null;
  view.hidden = module === null;
  if (module === null) {
    view.replaceChildren();
    // Editors that were hidden measure themselves again.
    window.dispatchEvent(new Event("resize"));
    if (moves) main.focus();
    return;
  }
  view.replaceChildren(status("Loading…"));
  try {
    const { open } = await import(module);
    const opened = await open({ rest, query, settings });
    if (current !== navigation) return opened.leave?.();
    leave = opened.leave ?? leave;
    view.replaceChildren(...opened.nodes);
    opened.shown?.();
  } catch (error) {
    if (current === navigation) view.replaceChildren(element("h1", { tabindex: "-1" }, title), status(error.message, "error"));
  }
  if (moves) view.querySelector("h1")?.focus();
}

const offered = settings ? VIEWS.filter(([, , , isThere]) => isThere()) : [];
const nav = element("nav", { id: "console", "aria-label": "Console" });

if (settings) {
  const skip = element("a", { class: "c-skip", href: "#main", click: (event) => { event.preventDefault(); main.focus(); } }, "Skip to content");
  nav.append(
    element("p", { class: "c-brand" }, "Thalweg"),
    element("ul", {}, offered.map(([key, title]) =>
      element("li", {}, element("a", { href: `#/${key}`, "data-view": key }, title)))),
    headersButton(),
  );
  document.body.prepend(skip);
  document.getElementById("shell").prepend(nav);
  addEventListener("hashchange", () => show(true));
  // What the caller sees may be something else now.
  onHeaders(() => show(false));
  addEventListener("thalweg-reloaded", () => { forget(); show(false); });
  show(false);
}
