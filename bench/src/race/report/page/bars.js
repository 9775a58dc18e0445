// Bars beside each other: one for each contestant, whole or of several parts.

/**
 * `rows` are `{ contestant, parts, text, spread, note }`: `parts` are `[class, value]`, `spread`
 * the least and the most as values, and `note` is said where there is no bar.
 */
function bars(label, rows) {
  const total = ({ parts = [] }) => parts.reduce((sum, [, value]) => sum + value, 0);
  const most = Math.max(...rows.map((row) => Math.max(total(row), row.spread?.[1] ?? 0)), Number.MIN_VALUE);
  return html("div", { class: "bars", role: "list", "aria-label": label }, rows.map((row) => {
    const { contestant, parts = [], text, spread, note } = row;
    const track = html("div", { class: "track" });
    for (const [name, value] of parts) {
      const part = html("i", { class: name });
      part.style.width = `${(100 * value) / most}%`;
      track.append(part);
    }
    if (spread && spread[0] < spread[1]) {
      const whisker = html("b");
      whisker.style.left = `${(100 * spread[0]) / most}%`;
      whisker.style.width = `${(100 * (spread[1] - spread[0])) / most}%`;
      track.append(whisker);
    }
    const value = note
      ? html("span", { class: "value absent" }, note)
      : html("span", { class: "value" }, text);
    return html("div", { class: `bar ${contestant.look}`, role: "listitem", "data-contestant": contestant.id },
      html("span", { class: "name" }, swatch(contestant), contestant.title), note ? null : track, value);
  }));
}

/** A chart with its title; `kind` names it for tests and for links. */
function panel(kind, title, text, ...children) {
  return html("figure", { class: "panel", "data-panel": kind },
    html("figcaption", {}, html("h3", {}, title), text ? html("p", {}, text) : null), children);
}

/** One whole bar for each entry; `value` gives a spread, or a text that says why there is none. */
function wholeBars(label, rows, kind, value, text = withUnit) {
  return bars(label, rows.map(({ entry, contestant }) => {
    const found = entry.absent ?? value(entry, contestant);
    if (found == null) return { contestant, note: NONE };
    if (typeof found === "string") return { contestant, note: found };
    const { median, least, most } = found;
    return {
      contestant, parts: [["whole", median]], spread: [least, most],
      text: text(median, kind, entry),
    };
  }));
}
