// The tables and relationships as a diagram, which is moved and zoomed by pointer and by keys.

import { button, element, svg } from "./elements.js";
import { layout } from "./layout.js";

const LINE = 18;
const HEADER = 26;
const MOST_COLUMNS = 14;
const CHARACTER = 7;
const STEP = 60;

const nameOf = ({ schema, name }) => (schema && schema !== "public" ? `${schema}.${name}` : name);

// The diagram of these tables; `onChoose` is called with the table that a person chooses.
export function diagram(tables, relationships, onChoose) {
  const index = new Map(tables.map((table, at) => [table, at]));
  const edges = relationships
    .map((one) => ({ ...one, from: index.get(one.fromTable), to: index.get(one.toTable) }))
    .filter(({ from, to }) => from !== undefined && to !== undefined);
  const foreign = new Map(tables.map((table) => [table, new Set()]));
  for (const { fromTable, fromColumns } of relationships) fromColumns.forEach((name) => foreign.get(fromTable)?.add(name));
  const boxes = tables.map((table) => box(table, foreign.get(table)));
  const { places, width, height } = layout(boxes, edges);
  const drawnEdges = edges.map((edge) => ({ edge, node: drawEdge(edge, boxes, places) }));
  const drawnBoxes = boxes.map((one, at) => drawBox(one, places[at], () => choose(at)));
  const world = svg("g", {}, drawnEdges.map(({ node }) => node), drawnBoxes);
  const canvas = svg("svg", {
    class: "c-diagram", tabindex: "0", role: "group",
    "aria-label": "Diagram of tables. Arrows move it, plus and minus zoom, 0 shows all; Tab goes through the tables.",
  }, world);
  const view = { x: 0, y: 0, scale: 1 };
  const apply = () => world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const zoom = (factor, x, y) => {
    const { width, height } = canvas.getBoundingClientRect();
    const [atX, atY] = [x ?? width / 2, y ?? height / 2];
    const scale = Math.min(3, Math.max(0.08, view.scale * factor));
    view.x = atX - (atX - view.x) * (scale / view.scale);
    view.y = atY - (atY - view.y) * (scale / view.scale);
    view.scale = scale;
    apply();
  };
  const fit = () => {
    const size = canvas.getBoundingClientRect();
    if (size.width === 0) return;
    view.scale = Math.min(1.2, (size.width - 40) / Math.max(1, width), (size.height - 40) / Math.max(1, height));
    view.x = (size.width - width * view.scale) / 2;
    view.y = (size.height - height * view.scale) / 2;
    apply();
  };
  // A table that is far from the middle is moved there.
  const reveal = (at) => {
    const size = canvas.getBoundingClientRect();
    const [x, y] = [view.x + places[at].x * view.scale, view.y + places[at].y * view.scale];
    const [right, bottom] = [x + boxes[at].width * view.scale, y + boxes[at].height * view.scale];
    if (x < 0 || right > size.width) view.x += size.width / 2 - (x + right) / 2;
    if (y < 0 || bottom > size.height) view.y += size.height / 2 - (y + bottom) / 2;
    apply();
  };
  const mark = (at) => {
    drawnBoxes.forEach((node, place) => node.classList.toggle("c-chosen", place === at));
    for (const { edge, node } of drawnEdges) node.classList.toggle("c-chosen", edge.from === at || edge.to === at);
  };
  const choose = (at) => {
    mark(at);
    onChoose(tables[at]);
  };
  drawnBoxes.forEach((node, at) => node.addEventListener("focus", () => reveal(at)));
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] };
    const move = moves[event.key];
    if (move) {
      view.x += move[0];
      view.y += move[1];
      apply();
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - left, event.clientY - top);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest(".c-table")) return;
    canvas.setPointerCapture(event.pointerId);
    let last = [event.clientX, event.clientY];
    const move = (event) => {
      view.x += event.clientX - last[0];
      view.y += event.clientY - last[1];
      last = [event.clientX, event.clientY];
      apply();
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", move), { once: true });
  });
  const controls = element("div", { class: "c-controls" },
    button("+", () => zoom(1.25), { "aria-label": "Zoom in" }),
    button("−", () => zoom(0.8), { "aria-label": "Zoom out" }),
    button("Fit", fit, { "aria-label": "Show all" }));
  return {
    node: element("div", { class: "c-canvas" }, canvas, controls),
    fit,
    mark: (table) => mark(index.get(table)),
  };
}

function box(table, foreign) {
  const primary = new Set(table.keys.find(({ primary }) => primary)?.columns);
  const important = ({ name }) => primary.has(name) || foreign.has(name);
  const { columns } = table;
  let shown = columns;
  if (columns.length > MOST_COLUMNS) {
    const first = columns.filter(important).slice(0, MOST_COLUMNS);
    const rest = columns.filter((column) => !important(column)).slice(0, MOST_COLUMNS - first.length);
    const chosen = new Set([...first, ...rest]);
    shown = columns.filter((column) => chosen.has(column));
  }
  const lines = shown.map((column) => ({
    text: column.name,
    type: column.type,
    mark: primary.has(column.name) ? "PK" : foreign.has(column.name) ? "FK" : "",
  }));
  const left = columns.length - shown.length;
  if (left > 0) lines.push({ text: `and ${left} more`, type: "", mark: "" });
  const longest = Math.max(nameOf(table).length + 4, ...lines.map(({ text, type }) => text.length + type.length + 6));
  return { table, lines, width: Math.min(340, longest * CHARACTER + 24), height: HEADER + lines.length * LINE + 8 };
}

function drawBox({ table, lines, width, height }, { x, y }, choose) {
  const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const most = Math.floor((width - 60) / CHARACTER);
  return svg(
    "g",
    {
      class: "c-table", transform: `translate(${x} ${y})`, tabindex: "0", role: "button",
      "aria-label": `${table.kind} ${nameOf(table)}`, click: choose,
      keydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose();
      },
    },
    svg("rect", { class: "c-box", width, height, rx: 6 }),
    svg("path", { class: "c-box-head", d: `M0 6 a6 6 0 0 1 6 -6 H${width - 6} a6 6 0 0 1 6 6 V${HEADER} H0 Z` }),
    svg("text", { class: "c-box-title", x: 10, y: 18 }, cut(nameOf(table), most + 6)),
    lines.map(({ text, type, mark }, at) => {
      const base = HEADER + (at + 1) * LINE - 3;
      return [
        svg("text", { class: "c-box-mark", x: 8, y: base }, mark),
        svg("text", { class: "c-box-column", x: 32, y: base }, cut(text, most - Math.min(type.length, 12))),
        svg("text", { class: "c-box-type", x: width - 8, y: base, "text-anchor": "end" }, cut(type, 16)),
      ];
    }),
  );
}

// From the right side of the referenced table to the left side of the referring one, whose end has a
// crow's foot where several rows may refer to one.
function drawEdge({ from, to, fromColumns, oneToOne, enforced, name }, boxes, places) {
  const line = (at, columns, side) => {
    const row = boxes[at].lines.findIndex(({ text }) => text === columns[0]);
    const y = places[at].y + (row < 0 ? HEADER / 2 : HEADER + row * LINE + LINE / 2);
    return [places[at].x + (side === "right" ? boxes[at].width : 0), y];
  };
  const isBack = places[from].x <= places[to].x;
  const [startX, startY] = line(to, [], "right");
  const [endX, endY] = line(from, fromColumns, isBack ? "right" : "left");
  const bend = Math.max(40, Math.abs(endX - startX) / 2);
  const direction = isBack ? 1 : -1;
  const curve = `M${startX} ${startY} C${startX + bend} ${startY} ${endX + direction * bend} ${endY} ${endX} ${endY}`;
  const foot = oneToOne
    ? `M${endX + direction * 8} ${endY - 5} v10`
    : `M${endX + direction * 10} ${endY} l${-direction * 10} -6 m${direction * 10} 6 l${-direction * 10} 6`;
  return svg("g", { class: enforced ? "c-edge" : "c-edge c-declared" },
    svg("path", { d: curve }), svg("path", { d: foot }), svg("title", {}, name || "relationship"));
}
