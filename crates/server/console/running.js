// The operations that run now, with their statements.

import { get } from "./api.js";
import { element, heading, status } from "./elements.js";

const INTERVAL = 1000;

const time = (milliseconds) => (milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`);

export async function open() {
  const list = element("div");
  const problem = element("div", { "aria-live": "polite" });
  let timer;
  let left = false;
  const look = async () => {
    try {
      const { total, operations } = await get("operations");
      list.replaceChildren(...shown(total, operations));
      problem.replaceChildren();
    } catch (error) {
      problem.replaceChildren(status(error.message, "error"));
    }
    if (!left) timer = setTimeout(look, INTERVAL);
  };
  await look();
  const intro = element("p", { class: "c-muted" },
    "Read every second while this page is open; those that run longest come first. Statements have placeholders instead of values. thalweg top shows the same in a terminal.");
  return {
    nodes: [heading("Operations"), intro, problem, list],
    leave: () => {
      left = true;
      clearTimeout(timer);
    },
  };
}

function shown(total, operations) {
  if (total === 0) return [status("Nothing runs now.")];
  const more = total > operations.length && element("p", { class: "c-muted" }, `${operations.length} of ${total}`);
  return [more, ...operations.map(operation)].filter(Boolean);
}

function operation({ kind, operation: name, milliseconds, requestId, statements = [], subgraphs = [] }) {
  const title = `${name ?? "without a name"}${kind ? `, ${kind}` : ""}`;
  return element(
    "section",
    { class: "c-panel" },
    element("h2", {}, title, " ", element("span", { class: "c-muted" }, time(milliseconds))),
    requestId && element("p", { class: "c-muted" }, "request ", element("code", {}, requestId)),
    subgraphs.length > 0 && element("p", {}, `Subgraphs: ${subgraphs.join(", ")}`),
    statements.map((statement) => element("pre", {}, statement)),
  );
}
