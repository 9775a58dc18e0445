// The headers of all requests of the page, which it keeps after a reload by choice only.

import { button, element } from "./elements.js";

const SUGGESTED = ["Authorization", "X-Hasura-Admin-Secret", "X-Hasura-Role", "X-Hasura-User-Id"];

const listeners = new Set();

// The headers as an object.
export function headers() {
  return Object.fromEntries(read());
}

export function onHeaders(listener) {
  listeners.add(listener);
}

const read = () => globalThis.thalweg.headers.pairs();

// Returns false if the headers hold, and the browser does not keep them for a reload.
function write(pairs, keeps) {
  const areKept = globalThis.thalweg.headers.set(pairs, keeps);
  for (const listener of listeners) listener();
  return areKept;
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
  const keeps = element("input", { type: "checkbox", checked: globalThis.thalweg.headers.areKept() });
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
    if (!write(named, keeps.checked)) {
      problem.textContent = "All requests have these headers now, but the browser stores nothing for this page: a reload forgets them.";
      problem.hidden = false;
      keeps.checked = false;
      return;
    }
    dialog.close();
  };
  const dialog = element(
    "dialog",
    { class: "c-dialog", "aria-labelledby": "c-headers-title", close: () => { dialog.remove(); opener.focus(); } },
    element(
      "form",
      { submit: save },
      element("h2", { id: "c-headers-title" }, "Headers"),
      element("p", {}, "All requests of this page have them, those of GraphiQL and of the data browser, until you reload it."),
      element("datalist", { id: "c-header-names" }, SUGGESTED.map((value) => element("option", { value }))),
      rows,
      element("label", { class: "c-check" }, keeps, " Keep them after a reload, until this tab closes: only on a device that you trust"),
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
