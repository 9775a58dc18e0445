// Figures as people read them: few digits, one unit. `report.md` writes them the same.

const NONE = "–";

/** `31,204`; below 100 with the digits that say something. */
function figure(value) {
  if (value == null || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  let digits = 0;
  // So near to a whole number a figure is one: it is a count that went through a division.
  const isWhole = Math.abs(value - Math.round(value)) <= size * 1e-5;
  if (!isWhole) digits = size < 0.1 ? 3 : size < 9.95 ? 2 : size < 99.5 ? 1 : 0;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en", options);
}

const UNITS = {
  rate: { unit: "requests/s", scale: 1 },
  latency: { unit: "ms", scale: 1 / 1000 },
  // Of seconds for 1000 requests: milliseconds for 1000 of them, microseconds for one.
  cpu: { unit: "ms", scale: 1000 },
  memory: { unit: "MiB", scale: 1 / 1048576 },
  seconds: { unit: "s", scale: 1 },
  users: { unit: "users", scale: 1 },
};

/** `1.25 ms` */
function withUnit(value, kind) {
  const { unit, scale } = UNITS[kind];
  return value == null ? NONE : `${figure(value * scale)} ${unit}`;
}

const inUnit = (value, kind) => (value == null ? null : value * UNITS[kind].scale);

/** `1.25 (1.20 to 1.31)`, without brackets where the rounds agree or there is one. */
function withSpread(spread, kind) {
  if (!spread) return NONE;
  const [median, least, most] = [spread.median, spread.least, spread.most]
    .map((value) => figure(inUnit(value, kind)));
  return least === most ? median : `${median} (${least} to ${most})`;
}

/** How a load is named. */
function loadText(load) {
  switch (load.kind) {
    case "closed":
      return load.connections === 1 ? "1 connection" : `${load.connections} connections`;
    case "constant":
      return `${figure(load.rate)} requests/s`;
    case "burst":
      return `burst of ${figure(load.burst_rate)} requests/s for ${figure(load.burst_seconds)} s`;
    default:
      return `${figure(load.users)} users`;
  }
}
