// Reads the OpenMetrics text that the server writes for scrapers.

// Samples by their names: each has labels and a value.
export function parse(text) {
  const samples = new Map();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!match || line.startsWith("#")) continue;
    const [, name, labels, value] = match;
    if (!samples.has(name)) samples.set(name, []);
    samples.get(name).push({ labels: parseLabels(labels ?? ""), value: Number(value) });
  }
  return samples;
}

function parseLabels(text) {
  const labels = {};
  for (const [, name, value] of text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

// The sum of the samples of a name that have these labels.
export function sum(samples, name, labels = {}) {
  const wanted = Object.entries(labels);
  const found = (samples.get(name) ?? []).filter((one) => wanted.every(([key, value]) => one.labels[key] === value));
  return found.reduce((total, { value }) => total + value, 0);
}

// The counts of a histogram's buckets, over all its label sets, by their upper bounds.
export function buckets(samples, name) {
  const counts = new Map();
  for (const { labels, value } of samples.get(`${name}_bucket`) ?? []) {
    const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
    counts.set(bound, (counts.get(bound) ?? 0) + value);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

// A quantile of what came between two readings of a histogram, within its bucket by interpolation.
export function quantile(before, after, share) {
  const earlier = new Map(before);
  const counts = after.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)]);
  const total = counts.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  let [lower, below] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= share * total) {
      if (bound === Infinity) return lower;
      return lower + (bound - lower) * ((share * total - below) / Math.max(1, count - below));
    }
    [lower, below] = [bound, count];
  }
  return lower;
}
