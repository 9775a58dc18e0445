// The form of one row, new or existing.

import { graphql } from "./api.js";
import { button, copyButton, element } from "./elements.js";
import { baseType, textOf, valueOf } from "./values.js";

// Opens the form; `make` makes the operation of the values, `done` is called when it has succeeded.
export function openForm({ title, columns, row, enums, make, done, opener }) {
  const inputs = columns.map((column) => input(column, row, enums));
  const problem = element("p", { class: "c-message c-error", role: "alert", hidden: true });
  const values = () => {
    const given = {};
    for (const { column, read } of inputs) {
      const value = read();
      if (value !== undefined) given[column.input] = value;
    }
    return given;
  };
  const save = async (event) => {
    event.preventDefault();
    problem.hidden = true;
    try {
      const given = values();
      if (row && Object.keys(given).length === 0) return dialog.close();
      await graphql(make(given));
      dialog.close();
      done();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  const dialog = element(
    "dialog",
    { class: "c-dialog c-form", "aria-labelledby": "c-form-title", close: () => { dialog.remove(); opener?.focus(); } },
    element("form", { submit: save, novalidate: true },
      element("h2", { id: "c-form-title" }, title),
      element("div", { class: "c-inputs" }, inputs.map(({ node }) => node)),
      problem,
      element("div", { class: "c-actions" },
        button("Cancel", () => dialog.close()),
        element("button", { type: "submit", class: "c-button c-primary" }, row ? "Save" : "Insert"))),
  );
  document.body.append(dialog);
  dialog.showModal();
}

// Asks before an operation that cannot be undone.
export function confirmOperation({ title, operation, label, done, opener }) {
  const problem = element("p", { class: "c-message c-error", role: "alert", hidden: true });
  const run = async (event) => {
    event.preventDefault();
    try {
      await graphql(operation);
      dialog.close();
      done();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  const dialog = element(
    "dialog",
    { class: "c-dialog", "aria-labelledby": "c-form-title", close: () => { dialog.remove(); opener?.focus(); } },
    element("form", { submit: run },
      element("h2", { id: "c-form-title" }, title),
      shownOperation(operation),
      problem,
      element("div", { class: "c-actions" },
        button("Cancel", () => dialog.close(), { autofocus: true }),
        element("button", { type: "submit", class: "c-button c-danger" }, label))),
  );
  document.body.append(dialog);
  dialog.showModal();
}

// An operation with its variables, to copy.
export function shownOperation({ query, variables }) {
  return element("div", { class: "c-operation" },
    element("pre", {}, query),
    Object.keys(variables).length > 0 && element("pre", {}, JSON.stringify(variables, null, 2)),
    copyButton(query, "Copy the operation"));
}

// An input of a column. It is read as undefined if it is left out, or unchanged.
function input(column, row, enums) {
  const id = `c-input-${column.field}`;
  const before = row ? row[column.field] : undefined;
  const base = baseType(column.inputType).name;
  const values = base === "Boolean" ? ["true", "false"] : enums(base);
  const text = textOf(before);
  let control;
  if (values && column.inputType.kind !== "LIST") {
    control = element("select", { id }, ["", ...values].map((value) => element("option", { value, selected: value === text }, value || "—")));
  } else {
    const isLong = text.length > 60 || text.includes("\n");
    control = element(isLong ? "textarea" : "input", { id, spellcheck: "false", autocomplete: "off", rows: isLong ? 4 : null });
    control.value = text;
    control.placeholder = row ? "" : column.hasDefault ? "default" : "";
  }
  const wasNull = row !== undefined && row !== null && (before === null || before === undefined);
  const isNull = column.nullable ? element("input", { type: "checkbox", "aria-label": `${column.name} is null`, checked: wasNull }) : null;
  if (isNull) {
    control.disabled = wasNull;
    isNull.addEventListener("change", () => (control.disabled = isNull.checked));
  }
  const read = () => {
    if (isNull?.checked) return wasNull ? undefined : null;
    if (row ? control.value === text && !wasNull : control.value === "") {
      if (!row && column.isRequired && !values && base === "String") return "";
      return undefined;
    }
    return valueOf(control.value, column.inputType, column.name);
  };
  const label = element("label", { for: id }, column.name, " ", element("code", { class: "c-muted" }, base),
    column.isRequired && !row ? element("span", { class: "c-muted" }, " required") : null);
  const node = element("div", { class: "c-input" }, label, control, isNull && element("label", { class: "c-null" }, isNull, " null"));
  return { column, node, read };
}
