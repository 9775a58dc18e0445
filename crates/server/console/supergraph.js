// The subgraphs of a gateway, and which of them resolve the fields of each type.

import { catalog } from "./api.js";
import { counted, element, heading, labelled } from "./elements.js";

export async function open() {
  const { subgraphs, types } = await catalog();
  const shown = types.filter(({ fields }) => fields.length > 0);
  const cards = subgraphs.map(({ name, url, local, connectors }, index) => {
    const own = shown.filter(({ fields }) => fields.some((field) => field.subgraphs.includes(index)));
    const entities = shown.filter(({ entityIn }) => entityIn.includes(index));
    const kind = local ? "in the gateway's process" : connectors ? "REST service by connectors" : "over HTTP";
    return element("li", { class: "c-panel" },
      element("h2", {}, name),
      element("p", { class: "c-muted" }, kind, url && !local ? `: ${url}` : ""),
      element("p", {}, `${counted(own.length, "type")}, ${entities.length} of them entities`));
  });
  const body = element("tbody");
  const render = (search) => {
    const words = search.toLowerCase();
    const found = shown.flatMap((type) => {
      const fields = type.fields.filter(({ name }) => `${type.name}.${name}`.toLowerCase().includes(words));
      return fields.map((field, index) => element("tr", {},
        element("td", {}, index === 0 ? element("strong", {}, type.name) : ""),
        element("td", {}, field.name, " ", element("code", { class: "c-muted" }, field.type)),
        ...subgraphs.map((_, at) => element("td", { class: "c-mark" }, field.subgraphs.includes(at) ? "●" : ""))));
    });
    body.replaceChildren(...found);
  };
  render("");
  const search = element("input", { type: "search", placeholder: "Type or field", input: () => render(search.value) });
  const table = element("table", { class: "c-grid" },
    element("caption", {}, "Fields, and the subgraphs that resolve them"),
    element("thead", {}, element("tr", {}, ["Type", "Field", ...subgraphs.map(({ name }) => name)].map((name) => element("th", { scope: "col" }, name)))),
    body);
  return {
    nodes: [
      heading("Supergraph", labelled("Search", search)),
      element("ul", { class: "c-cards" }, cards),
      element("div", { class: "c-scroll", tabindex: "0", role: "region", "aria-label": "Fields by subgraph" }, table),
    ],
  };
}
