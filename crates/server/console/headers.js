// The headers of all requests of the page. They live as long as the browser's tab, since they may have
// a password.

import { button, element } from "./elements.js";

const KEY = "thalweg-headers";
const SUGGESTED = ["Authorization", "X-Hasura-Admin-Secret", "X-Hasura-Role", "X-Hasura-User-Id"];

const listeners = new Set();

// The headers as an object.
export function headers() {
  return Object.fromEntries(read());
}

export function onHeaders(listener) {
  listeners.add(listener);
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

function write(pairs) {
  sessionStorage.setItem(KEY, JSON.stringify(pairs));
  for (const listener of listeners) listener();
}

// The button, and the dialog that it opens.
export function headersButton() {
  const label = () => {
    const count = read().length;
    return count === 0 ? "Headers" : `Headers (${count})`;
  };
  const open = button(label(), () => openDialog(open), { "aria-haspopup": "dialog" });
  onHeaders(() => (open.textContent = label()));
  return open;
}

function openDialog(opener) {
  const rows = element("div", { class: "c-header-rows" });
  const add = ([name, value] = ["", ""]) => {
    const named = element("input", { "aria-label": "Name", list: "c-header-names", value: name, spellcheck: "false" });
    const valued = element("input", { "aria-label": "Value", value, autocomplete: "off", spellcheck: "false" });
    const row = element("div", { class: "c-row" }, named, valued,
      button("Remove", () => row.remove(), { "aria-label": `Remove header ${name}` }));
    rows.append(row);
    return named;
  };
  const known = read();
  known.forEach(add);
  if (known.length === 0) add();
  const problem = element("p", { class: "c-message c-error", role: "alert", hidden: true });
  const save = (event) => {
    event.preventDefault();
    const pairs = [...rows.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim()));
    const named = pairs.filter(([name]) => name !== "");
    try {
      new Headers(named);
    } catch (error) {
      problem.textContent = `A header is invalid: ${error.message}`;
      problem.hidden = false;
      return;
    }
    write(named);
    dialog.close();
  };
  const dialog = element(
    "dialog",
    { class: "c-dialog", "aria-labelledby": "c-headers-title", close: () => { dialog.remove(); opener.focus(); } },
    element(
      "form",
      { submit: save },
      element("h2", { id: "c-headers-title" }, "Headers"),
      element("p", {}, "All requests of this page have them, those of GraphiQL and of the data browser, until this tab closes."),
      element("datalist", { id: "c-header-names" }, SUGGESTED.map((value) => element("option", { value }))),
      rows,
      problem,
      element(
        "div",
        { class: "c-actions" },
        button("Add a header", () => add().focus()),
        button("Cancel", () => dialog.close()),
        element("button", { type: "submit", class: "c-button c-primary" }, "Save"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
