// From values to places on an axis, and the values that are written beside it.

/** An axis over the values that leads from `start` to `end`. */
function axis(values, kind, start, end) {
  const known = values.filter((value) => Number.isFinite(value) && (kind !== "log" || value > 0));
  const [least, most] = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [1, 10];
  const { low, high, ticks } = kind === "log" ? logarithmic(least, most) : linear(most);
  const along = kind === "log"
    ? (value) => Math.log(Math.max(value, low) / low) / Math.log(high / low)
    : (value) => value / high;
  return { ticks, place: (value) => start + (end - start) * along(value) };
}

function linear(most) {
  const rough = (most || 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const count = Math.ceil((most || 1) / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, place) => place * step);
  return { low: 0, high: count * step, ticks };
}

/** Whole powers of ten where there are several, else 1, 2 and 5 between them. */
function logarithmic(least, most) {
  // So wide at least that two ticks are within it.
  const around = Math.max(1.25, Math.sqrt(6 / (most / least)));
  const low = least / around;
  const high = most * around;
  const factors = Math.log10(high / low) > 2.5 ? [1] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const factor of factors) {
      // 10 ** -1 * 5 is not exactly a half.
      const tick = Number((factor * 10 ** power).toPrecision(2));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return { low, high, ticks };
}

/** `20k`: axes have little room. */
function tickText(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return Number(value.toPrecision(3)).toLocaleString("en");
}
