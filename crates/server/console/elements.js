// Elements of the page.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children. Functions are listeners; null children are left out.
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...present(children));
  return node;
}

// Children without those that are left out.
export function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

export function button(label, onClick, attributes = {}) {
  return element("button", { type: "button", class: "c-button", click: onClick, ...attributes }, label);
}

// `1 table`, `2 tables`
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// A field with its label.
export function labelled(label, control) {
  return element("label", { class: "c-field" }, element("span", {}, label), control);
}

export function select(options, chosen, onChange, attributes = {}) {
  const node = element(
    "select",
    { ...attributes, change: () => onChange(node.value) },
    options.map(([value, label]) => element("option", { value, selected: value === chosen }, label)),
  );
  return node;
}

// A button that copies a text.
export function copyButton(text, label) {
  const node = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without HTTPS the newer way is not there.
      const area = element("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    node.textContent = "Copied";
    setTimeout(() => (node.textContent = "Copy"), 1500);
  }, { "aria-label": label });
  return node;
}

// A message for people who cannot see the page change.
export function status(text, kind = "note") {
  const role = kind === "error" ? "alert" : "status";
  return element("p", { class: `c-message c-${kind}`, role }, text);
}

// The heading of a view, with what stands beside it.
export function heading(title, ...beside) {
  return element("header", { class: "c-heading" }, element("h1", { tabindex: "-1" }, title), ...beside);
}

// Tabs by the pattern of the ARIA authoring practices: arrows move between them.
export function tabs(label, names, chosen, onChoose) {
  const list = element("div", { role: "tablist", "aria-label": label, class: "c-tabs" });
  const choose = (name) => {
    for (const tab of list.children) {
      const isChosen = tab.dataset.name === name;
      tab.setAttribute("aria-selected", isChosen);
      tab.tabIndex = isChosen ? 0 : -1;
    }
    onChoose(name);
  };
  list.append(
    ...names.map((name) =>
      element("button", { type: "button", role: "tab", "data-name": name, click: () => choose(name) }, name)),
  );
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...list.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    choose(next.dataset.name);
  });
  choose(chosen);
  return list;
}
