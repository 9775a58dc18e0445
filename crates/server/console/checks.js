// What `thalweg check` finds, with its remedies.

import { get } from "./api.js";
import { copyButton, element, heading, status } from "./elements.js";

export async function open() {
  const { notes } = await get("checks");
  if (notes.length === 0) return { nodes: [heading("Checks"), status("Nothing found.")] };
  const kinds = Map.groupBy ? Map.groupBy(notes, ({ kind }) => kind) : grouped(notes);
  const sections = [...kinds].map(([kind, notes]) =>
    element(
      "section",
      { class: "c-panel" },
      element("h2", {}, `${kind[0].toUpperCase()}${kind.slice(1)} (${notes.length})`),
      element("ul", { class: "c-notes" }, notes.map(note)),
    ));
  const intro = element("p", { class: "c-muted" },
    "What the server found about the database when it started, with remedies; thalweg check prints the same.");
  return { nodes: [heading("Checks"), intro, ...sections] };
}

function grouped(notes) {
  const kinds = new Map();
  for (const one of notes) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  return kinds;
}

function note({ subject, message, remedy }) {
  const isStatement = /;\s*$/.test(remedy);
  return element(
    "li",
    {},
    element("p", {}, element("code", {}, subject), " ", message),
    element(
      "div",
      { class: "c-remedy" },
      isStatement ? element("pre", {}, remedy) : element("p", {}, "Remedy: ", remedy),
      isStatement && copyButton(remedy, `Copy the remedy of ${subject}`),
    ),
  );
}
