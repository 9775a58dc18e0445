// The form of one row, new or existing.

import { graphql } from "./api.js";
import { button, copyButton, element } from "./elements.js";
import { baseType, stringify, textOf, valueOf } from "./values.js";

// Opens the form; `make` makes the operation of the values, `done` is called when it has succeeded.
export function openForm({ title, columns, row, enums, make, done, opener }) {
  const inputs = columns.map((column) => input(column, row, enums));
  const problem = element("p", { class: "c-message c-error", role: "alert", hidden: true });
  const values = () => {
    const given = {};
    const problems = [];
    for (const { column, read } of inputs) {
      try {
        const value = read();
        if (value !== undefined) given[column.input] = value;
      } catch (error) {
        problems.push(error.message);
      }
    }
    if (problems.length > 0) throw new Error(problems.join("\n"));
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
    Object.keys(variables).length > 0 && element("pre", {}, stringify(variables, 2)),
    copyButton(query, "Copy the operation"));
}

const isList = (type) => (type.kind === "NON_NULL" ? type.ofType : type).kind === "LIST";

// An input of a column. It is read as undefined if it is left out, or unchanged.
function input(column, row, enums) {
  const id = `c-input-${column.field}`;
  const before = row ? row[column.field] : undefined;
  const base = baseType(column.inputType).name;
  const values = base === "Boolean" ? ["true", "false"] : enums(base);
  const text = textOf(before, column.inputType);
  const isText = base === "String" && !isList(column.inputType);
  let control;
  if (values && !isList(column.inputType)) {
    control = element("select", { id }, ["", ...values].map((value) => element("option", { value, selected: value === text }, value || "—")));
  } else {
    // An input of one line would drop the others.
    const isLong = text.length > 60 || /[\r\n]/.test(text);
    control = element(isLong ? "textarea" : "input", { id, spellcheck: "false", autocomplete: "off", rows: isLong ? 4 : null });
    control.value = text;
    control.placeholder = row ? "" : column.hasDefault ? "default" : "";
  }
  // What the browser made of the text: a textarea has no carriage returns.
  const initial = control.value;
  const hasReturns = text.includes("\r\n");
  const wasNull = row !== undefined && row !== null && (before === null || before === undefined);
  const isNull = column.nullable ? element("input", { type: "checkbox", "aria-label": `${column.name} is null`, checked: wasNull }) : null;
  if (isNull) {
    control.disabled = wasNull;
    isNull.addEventListener("change", () => (control.disabled = isNull.checked));
  }
  const empty = isList(column.inputType) ? ": write [] for an empty list" : isText && !values ? ': write "" for an empty text' : "";
  const read = () => {
    if (isNull?.checked) return wasNull ? undefined : null;
    if (!row && control.value === "") {
      if (!column.isRequired) return undefined;
      throw new Error(`${column.name} is required${empty}`);
    }
    if (row && control.value === initial && !wasNull) return undefined;
    if (!row && isText && control.value === '""') return "";
    const written = hasReturns ? control.value.replaceAll("\n", "\r\n") : control.value;
    return valueOf(written, column.inputType, column.name);
  };
  const label = element("label", { for: id }, column.name, " ", element("code", { class: "c-muted" }, base),
    column.isRequired && !row ? element("span", { class: "c-muted" }, " required") : null);
  const node = element("div", { class: "c-input" }, label, control, isNull && element("label", { class: "c-null" }, isNull, " null"));
  return { column, node, read };
}
