// What a role sees and may do by the policies, and why not more.

import { post } from "./api.js";
import { counted, element, heading, labelled, status } from "./elements.js";
import { tablesOf } from "./schema.js";

const nameOf = ({ schema, name }) => (schema ? `${schema}.${name}` : name);

export async function open() {
  // Where there is no role without a token, the first answer only names the roles.
  const first = await post("role", {}).catch((error) => {
    if (!error.body?.roles) throw error;
    return { roles: error.body.roles, refused: error.message };
  });
  const names = element("datalist", { id: "c-role-names" }, first.roles.map((value) => element("option", { value })));
  const role = element("input", { list: "c-role-names", placeholder: "none", spellcheck: "false" });
  const claims = element("input", { placeholder: '{"sub": 1}', spellcheck: "false" });
  const row = element("input", { placeholder: "post:id=3", spellcheck: "false" });
  const result = element("div", { class: "c-fill c-scroll", tabindex: "0", role: "region", "aria-label": "Access of the role" });
  // Only for the names of columns that the role does not see.
  const { tables } = await tablesOf().catch(() => ({ tables: [] }));
  const look = async (event) => {
    event?.preventDefault();
    try {
      const chosen = { role: role.value.trim() || null, claims: claimsOf(claims.value), row: row.value.trim() || null };
      result.replaceChildren(...describe(await post("role", chosen), tables));
    } catch (error) {
      result.replaceChildren(status(error.message, "error"));
    }
  };
  result.replaceChildren(...(first.refused ? [status(`Without a role: ${first.refused}. Choose a role.`)] : describe(first, tables)));
  const form = element("form", { class: "c-filters c-bar", submit: look },
    names, labelled("Role", role), labelled("Claims", claims), labelled("Row (optional)", row),
    element("button", { type: "submit", class: "c-button c-primary" }, "Show"));
  const intro = element("p", { class: "c-muted" }, "What a token with this role and these claims may do. Nothing is executed; a row is read only to say which conditions are true of it, and only for a superuser.");
  return { nodes: [heading("Roles"), intro, form, result] };
}

function claimsOf(text) {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The claims are no JSON: ${error.message}`);
  }
}

const WORDS = { read: "Read", insert: "Insert", update: "Update", delete: "Delete" };

function describe({ catalog, access, row }, all) {
  const seen = new Map(catalog.tables.map((table) => [nameOf(table), table]));
  const columns = new Map(all.map((table) => [nameOf(table), table.columns.map(({ name }) => name)]));
  const parts = [];
  if (row) parts.push(element("section", { class: "c-panel" }, element("h2", {}, "The row"), element("pre", {}, row)));
  const permitted = access.filter(({ privileges }) => privileges.some(({ refused }) => !refused)).length;
  parts.push(element("p", { role: "status" }, `The policies let the role use ${permitted} of ${counted(access.length, "table")}.`));
  for (const table of access) {
    const isRefused = table.privileges.every(({ refused }) => refused);
    const type = seen.get(nameOf(table))?.type;
    parts.push(element("details", { class: "c-panel", open: !isRefused },
      element("summary", {},
        element("strong", {}, nameOf(table)), " ",
        table.privileges.map(({ privilege, refused }) => element("span", { class: refused ? "c-badge c-off" : "c-badge c-on" }, `${refused ? "no " : ""}${privilege}`)),
        type ? null : element("span", { class: "c-muted" }, " not in the schema of the role")),
      element("dl", { class: "c-rules" }, table.privileges.map((one) => privilege(one, columns.get(nameOf(table)) ?? [])))));
  }
  return parts;
}

function privilege({ privilege, refused, rules, columns }, all) {
  const granted = new Set(columns.map(({ name }) => name));
  const hidden = privilege === "delete" ? [] : all.filter((name) => !granted.has(name));
  const masked = columns.filter(({ masked }) => masked);
  return [
    element("dt", {}, WORDS[privilege]),
    element("dd", {},
      element("ul", { class: "c-notes" }, rules.map((rule) => element("li", {}, element("code", {}, rule)))),
      !refused && hidden.length > 0 && element("p", {}, "Not these columns: ", element("code", {}, hidden.join(", "))),
      !refused && masked.map(({ name, masked }) => element("p", {}, element("code", {}, name), " is null in rows without ", element("code", {}, masked)))),
  ];
}
