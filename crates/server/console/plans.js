// The plans of the requests that this page has sent: the request tree, the statements, the database's own
// plans, and how long each stage took.

import { element, heading, status } from "./elements.js";

const { requests, showPlan, listen, duration } = globalThis.thalweg;

export async function open({ settings }) {
  const list = element("ul", { class: "c-list", "aria-label": "Requests" });
  // The plan has the style of GraphiQL's tab.
  const plan = element("div", { class: "graphiql-container c-plan" });
  const panel = element("div", { class: "c-panel c-fill thalweg-explain", tabindex: "0", role: "region", "aria-label": "Plan" });
  plan.append(panel);
  let shown = null;
  let unmount = () => {};
  const choose = (request) => {
    shown = request;
    unmount();
    unmount = showPlan(panel, request);
    render();
  };
  const render = () => {
    list.replaceChildren(...requests.map((request) => {
      const { query = "" } = parsed(request.body);
      return element("li", {}, element(
        "button",
        { type: "button", "aria-current": request === shown, click: () => choose(request) },
        element("code", {}, title(query)),
        element("span", { class: "c-muted" }, duration(request.milliseconds)),
      ));
    }));
  };
  const stop = listen(render);
  render();
  const nodes = [heading("Plans")];
  if (requests.length === 0) {
    const first = settings.isGateway ? "run one under Explore" : "run one under Explore, or look at rows under Data";
    const shows = settings.isGateway ? "the requests to its subgraphs" : "its statements, the database's plan of each";
    nodes.push(status(`No request yet: ${first}. Then this page shows ${shows}, and the time of each stage.`));
  } else {
    choose(requests[0]);
    nodes.push(element("div", { class: "c-split" }, list, plan));
  }
  return { nodes, leave: () => { stop(); unmount(); } };
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

// The beginning of a document, on one line.
function title(query) {
  const text = query.replace(/#[^\n]*/g, "").replace(/\s+/g, " ").trim()
    .replace(/^(query|mutation|subscription) (\w+) ?\([^)]*\)/, "$1 $2");
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}
