// Elements, and their attributes, as calls.

const SVG = "http://www.w3.org/2000/svg";

function fillElement(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

const html = (tag, attributes = {}, ...children) =>
  fillElement(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  fillElement(document.createElementNS(SVG, tag), attributes, children);

const byId = (id) => document.getElementById(id);

/** A group of buttons of which one is chosen; the choices are `[value, text]`. */
function choice(label, choices, chosen, choose) {
  const name = label.toLowerCase().replace(/\W+/g, "-");
  const buttons = choices.map(([value, text]) => {
    const input = html("input", {
      type: "radio", name, value, checked: value === chosen, "data-key": name + value,
      onchange: () => choose(value),
    });
    return html("label", {}, input, html("span", {}, text));
  });
  const group = html("div", { class: "segments", role: "radiogroup", "aria-label": label }, buttons);
  return html("div", { class: "control" }, html("span", { class: "label" }, label), group);
}

/** A list to choose from. */
function select(label, choices, chosen, choose) {
  const options = choices.map(([value, text]) =>
    html("option", { value, selected: value === chosen }, text));
  const list = html("select", { "data-key": label, onchange: (event) => choose(event.target.value) }, options);
  return html("label", { class: "control" }, html("span", { class: "label" }, label), list);
}
