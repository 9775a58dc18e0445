// The places of boxes in a diagram: layers from left to right, so that references lead to the left.

const GAP_X = 90;
const GAP_Y = 24;
const MOST_IN_COLUMN = 12;
const SWEEPS = 6;

// Boxes have `width` and `height`, edges `from` (the referring box) and `to` by index. Returns the place
// of each box, and the size of the whole.
export function layout(boxes, edges) {
  const linked = edges.filter(({ from, to }) => from !== to);
  const has = new Set(linked.flatMap(({ from, to }) => [from, to]));
  const layers = [];
  const layer = layersOf(boxes.length, linked);
  for (const [index] of boxes.entries()) {
    if (has.has(index)) (layers[layer[index]] ??= []).push(index);
  }
  const ordered = order(layers.filter(Boolean), linked);
  const columns = ordered.flatMap((layer) => chunks(layer, MOST_IN_COLUMN));
  const alone = [...boxes.keys()].filter((index) => !has.has(index));
  const places = new Array(boxes.length);
  const tall = (column) => column.reduce((sum, index) => sum + boxes[index].height + GAP_Y, -GAP_Y);
  const height = Math.max(0, ...columns.map(tall));
  let x = 0;
  for (const column of columns) {
    let y = (height - tall(column)) / 2;
    for (const index of column) {
      places[index] = { x, y };
      y += boxes[index].height + GAP_Y;
    }
    x += Math.max(...column.map((index) => boxes[index].width)) + GAP_X;
  }
  let width = Math.max(0, x - GAP_X);
  // Boxes without edges stand in rows below.
  const row = Math.max(width, 900);
  let [at, top, tallest] = [0, columns.length > 0 ? height + 2 * GAP_Y : 0, 0];
  for (const index of alone) {
    if (at > 0 && at + boxes[index].width > row) {
      [at, top, tallest] = [0, top + tallest + GAP_Y, 0];
    }
    places[index] = { x: at, y: top };
    at += boxes[index].width + GAP_Y;
    width = Math.max(width, at - GAP_Y);
    tallest = Math.max(tallest, boxes[index].height);
  }
  return { places, width, height: alone.length > 0 ? top + tallest : height };
}

// The layer of each box: one more than the highest of those to which it refers. An edge that closes a
// circle has no effect.
function layersOf(count, edges) {
  const references = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) references[from].push(to);
  const layer = new Array(count).fill(0);
  const state = new Array(count).fill("new");
  for (let start = 0; start < count; start += 1) {
    // A stack of its own: chains of references may be long.
    const stack = [[start, 0]];
    while (stack.length > 0) {
      const top = stack.at(-1);
      const [box, next] = top;
      if (state[box] === "done") {
        stack.pop();
        continue;
      }
      state[box] = "open";
      if (next < references[box].length) {
        top[1] += 1;
        const to = references[box][next];
        if (state[to] === "new") stack.push([to, 0]);
        continue;
      }
      const below = references[box].filter((to) => state[to] === "done");
      layer[box] = Math.max(-1, ...below.map((to) => layer[to])) + 1;
      state[box] = "done";
      stack.pop();
    }
  }
  return layer;
}

// Orders each layer by the mean place of the neighbours, to and fro, so that fewer edges cross.
function order(layers, edges) {
  const neighbours = new Map();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  let ordered = layers;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const place = new Map();
    for (const layer of ordered) layer.forEach((index, at) => place.set(index, at / layer.length));
    ordered = ordered.map((layer) => {
      const mean = (index) => {
        const all = neighbours.get(index) ?? [];
        return all.reduce((sum, one) => sum + place.get(one), 0) / Math.max(1, all.length);
      };
      const weights = new Map(layer.map((index) => [index, mean(index)]));
      return [...layer].sort((one, other) => weights.get(one) - weights.get(other));
    });
  }
  return ordered;
}

function chunks(list, size) {
  const count = Math.ceil(list.length / size);
  const each = Math.ceil(list.length / count);
  return Array.from({ length: count }, (_, index) => list.slice(index * each, (index + 1) * each));
}
