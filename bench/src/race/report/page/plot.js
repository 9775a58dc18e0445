// A chart of lines with points: axes, labels beside the lines, and a text for the point at hand.

const MARGIN = { top: 14, right: 18, bottom: 44, left: 52 };

// By the contestant's place, about the origin; closed outlines, so that they can be hollow.
const SHAPES = [
  "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0-9.2 0Z",
  "M-4.2-4.2H4.2V4.2H-4.2Z",
  "M0-5.4 5.2 4.2H-5.2Z",
  "M0-5.8 5.8 0 0 5.8-5.8 0Z",
  "M0 5.4-5.2-4.2H5.2Z",
  "M-2-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
  "M-6.5-1.7H6.5V1.7H-6.5Z",
];

const shape = (place, attributes = {}) => svg("path", { d: SHAPES[place], ...attributes });

/** How a contestant's points look, for a label. */
const swatch = ({ place, look }) =>
  svg("svg", { class: `swatch ${look}`, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shape(place));

/**
 * Draws into `container`, and again when its width changes.
 *
 * `series` are `{ contestant, style, label, points }`, whose points are `{ x, y, low, high, mark,
 * failed, disturbed, text }`; `x` and `y` are `{ label, kind, ticks }`; `limit` is a line across.
 */
function plot(container, { title, series, x, y, limit }) {
  const tip = html("div", { class: "tip", role: "status", hidden: true });
  const holder = html("div", { class: "plot" });
  container.append(holder, tip);
  let drawn = 0;
  const draw = () => {
    const width = Math.floor(holder.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    tip.hidden = true;
    holder.replaceChildren(drawPlot({ title, series, x, y, limit, width, tip }));
  };
  new ResizeObserver(draw).observe(holder);
}

function drawPlot({ title, series, x, y, limit, width, tip }) {
  const height = width < 560 ? 320 : 400;
  const all = series.flatMap(({ points }) => points);
  const across = axis(all.map((point) => point.x), x.kind, MARGIN.left + 8, width - MARGIN.right);
  const heights = all.flatMap((point) => [point.y, point.low, point.high]);
  const up = axis(limit ? [...heights, limit.value] : heights, y.kind, height - MARGIN.bottom, MARGIN.top);
  const root = svg("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "group", "aria-label": title,
  });
  root.append(drawAxes({ across, up, x, y, width, height }));
  if (limit) {
    const place = up.place(limit.value);
    root.append(
      svg("line", { class: "limit", x1: MARGIN.left, x2: width - MARGIN.right, y1: place, y2: place }),
      svg("text", { class: "limit-text", x: MARGIN.left + 6, y: place - 5 }, limit.text),
    );
  }
  const placed = series.map((one) => ({
    ...one,
    points: one.points.map((point) => ({
      ...point, contestant: one.contestant, px: across.place(point.x), py: up.place(point.y),
    })),
  }));
  for (const one of placed) root.append(drawSeries(one, up));
  root.append(drawLabels(placed, width));
  followPoints(root, placed.flatMap(({ points }) => points), tip, width);
  return root;
}

function drawAxes({ across, up, x, y, width, height }) {
  const bottom = height - MARGIN.bottom;
  const group = svg("g", { class: "axes", "aria-hidden": "true" });
  let free = -Infinity;
  for (const value of x.ticks ?? across.ticks) {
    const place = across.place(value);
    const text = tickText(value);
    const room = text.length * 7 + 14;
    group.append(svg("line", { x1: place, x2: place, y1: MARGIN.top, y2: bottom }));
    if (place - room / 2 < free || place + room / 2 > width + 6) continue;
    free = place + room / 2;
    group.append(svg("text", { x: place, y: bottom + 17, "text-anchor": "middle" }, text));
  }
  for (const value of up.ticks) {
    const place = up.place(value);
    group.append(
      svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: place, y2: place }),
      svg("text", { x: MARGIN.left - 8, y: place + 4, "text-anchor": "end" }, tickText(value)),
    );
  }
  const middle = (bottom + MARGIN.top) / 2;
  group.append(
    svg("text", { class: "axis-label", x: (MARGIN.left + width - MARGIN.right) / 2, y: height - 6, "text-anchor": "middle" }, x.label),
    svg("text", { class: "axis-label", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, y.label),
  );
  return group;
}

function drawSeries({ contestant, style, points }, up) {
  const group = svg("g", { class: `series ${contestant.look} ${style}`, "data-contestant": contestant.id });
  const line = points.map(({ px, py }, place) => `${place ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`);
  group.append(svg("path", { class: "line", d: line.join("") }));
  for (const point of points) {
    const { px, py, low, high } = point;
    if (low < high) {
      group.append(svg("line", { class: "spread", x1: px, x2: px, y1: up.place(low), y2: up.place(high) }));
    }
    const mark = svg("g", { class: "point", transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})` });
    mark.append(shape(contestant.place));
    if (point.disturbed) mark.append(svg("circle", { class: "disturbed", r: 9 }));
    if (point.failed) mark.append(svg("path", { class: "failed", d: "M-6-6 6 6M6-6-6 6" }));
    group.append(mark);
  }
  return group;
}

/** How wide a label is, in the font that the style sheet gives it. */
function widthOf(label) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `650 13px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(label).width;
}

/**
 * The name of each line where it ends, at the first place beside it that is free, and after all
 * names the marks of points, where there is room for them.
 */
function drawLabels(series, width) {
  const taken = series.flatMap(({ points }) => points)
    .map(({ px, py }) => ({ left: px - 8, right: px + 8, top: py - 8, bottom: py + 8 }));
  const group = svg("g", { class: "labels", "aria-hidden": "true" });
  const boxAt = ({ px, py }, room, [right, down]) => {
    const left = Math.min(Math.max(px + right, MARGIN.left + 2), width - room - 2);
    return { left, right: left + room, top: py + down - 11, bottom: py + down + 3, base: py + down };
  };
  const find = (point, room, places) => places.map((place) => boxAt(point, room, place))
    .find((box) => box.top > 0 && !taken.some((other) => box.left < other.right
      && other.left < box.right && box.top < other.bottom && other.top < box.bottom));
  const add = (contestant, name, text, box) => {
    taken.push(box);
    group.append(svg("text", { class: `${name} ${contestant.look}`, x: box.left, y: box.base }, text));
  };
  for (const { contestant, label, points } of series) {
    const end = points.at(-1);
    if (!label || !end) continue;
    const room = widthOf(label);
    const beside = [[11, 4], [-room - 11, 4]];
    const around = [-14, 22, -30, 38, -46, 54]
      .flatMap((down) => [-room / 2, -room, 0].map((right) => [right, down]));
    const box = find(end, room, [...beside, ...around]) ?? boxAt(end, room, around[0]);
    add(contestant, "name", label, box);
  }
  for (const point of series.flatMap(({ points }) => points).filter(({ mark }) => mark)) {
    const room = point.mark.length * 7;
    const box = find(point, room, [[-room / 2, -12], [10, 4], [-room - 10, 4], [-room / 2, 20]]);
    if (box) add(point.contestant, "mark", point.mark, box);
  }
  return group;
}

/** The text of the point nearest to the pointer, or of the one that arrow keys lead to. */
function followPoints(root, points, tip, width) {
  if (points.length === 0) return;
  const ring = svg("circle", { class: "at-hand", r: 11, visibility: "hidden" });
  root.append(ring);
  const order = [...points].sort((one, other) => one.px - other.px);
  let current = -1;
  const show = (place) => {
    current = place;
    const { px, py, contestant, text } = order[place];
    ring.setAttribute("cx", px);
    ring.setAttribute("cy", py);
    ring.setAttribute("visibility", "visible");
    tip.replaceChildren(
      html("strong", {}, swatch(contestant), contestant.title),
      ...text.map((line) => html("span", {}, line)),
    );
    tip.hidden = false;
    const left = px + 16 + tip.offsetWidth > width ? px - 16 - tip.offsetWidth : px + 16;
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${Math.max(0, py - tip.offsetHeight / 2)}px`;
  };
  const hide = () => {
    current = -1;
    tip.hidden = true;
    ring.setAttribute("visibility", "hidden");
  };
  const point = (event) => {
    const box = root.getBoundingClientRect();
    const distance = ({ px, py }) =>
      Math.hypot(px - event.clientX + box.left, py - event.clientY + box.top);
    const nearest = order.reduce((best, point, place) =>
      (distance(point) < distance(order[best]) ? place : best), 0);
    if (distance(order[nearest]) < 40) show(nearest);
    else hide();
  };
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", point);
  // A finger is lifted to read what it has pointed at.
  root.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") hide();
  });
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    show((current + step + order.length) % order.length);
  });
}
