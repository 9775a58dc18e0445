//! Explains which rule permits which part of a request, as text.
//!
//! * [`row`]: the same for one row
//! * [`tables`]: the same for each table, whatever the request
//! * `truth`: conditions in their parts, and which are true of the row
//! * `print`: the explanation as text

mod print;
pub(crate) mod row;
pub(crate) mod tables;
mod truth;

use std::fmt::Write as _;

use access::{
    AccessRules, AccessSet, Cell, Checked, Grant, Privilege, Roles, SessionRefusal, authorize,
    is_present,
};
use catalog::{Catalog, EntityId, FieldId};
use ir::Claims;

use self::truth::of_existing_rows;

/// The grants of a session's role.
#[derive(Debug)]
pub(super) struct RoleGrants<'r> {
    pub(super) name: &'r str,
    pub(super) is_superuser: bool,
    pub(super) grants: Vec<&'r Grant>,
    claims: Option<&'r Claims>,
}

impl<'r> RoleGrants<'r> {
    pub(super) fn new(
        roles: &'r Roles,
        claims: Option<&'r Claims>,
    ) -> Result<Self, SessionRefusal> {
        let role = roles.role(claims)?;
        let grants = roles.grants_of(role).collect();
        Ok(Self { name: &role.name, is_superuser: role.is_superuser, grants, claims })
    }

    /// Whether a claim is missing or null.
    pub(super) fn is_missing(&self, claim: &str) -> bool {
        !is_present(claim, self.claims)
    }

    /// The claims that grants on an entity name.
    pub(super) fn claims_about(&self, entity: EntityId) -> Vec<Box<str>> {
        let mut claims = Vec::new();
        for grant in self.grants.iter().filter(|grant| grant.entity == entity) {
            for (_, permission) in of_existing_rows(grant) {
                permission.claims(&mut |claim| claims.push(claim.into()));
            }
        }
        let mut different: Vec<Box<str>> = Vec::with_capacity(claims.len());
        for claim in claims {
            if !different.contains(&claim) {
                different.push(claim);
            }
        }
        different
    }
}

/// Explains which parts of a request the policies permit to a session, and why not the others.
pub(crate) fn explain(
    catalog: &Catalog,
    rules: &AccessRules,
    roles: &Roles,
    claims: Option<&Claims>,
    mut request: ir::Request,
) -> String {
    let (set, role) = match (rules.set(catalog, claims), RoleGrants::new(roles, claims)) {
        (Ok(set), Ok(role)) => (set, role),
        (Err(refusal), _) | (_, Err(refusal)) => return format!("{refusal}\n"),
    };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let names: Vec<&str> = role.grants.iter().map(|grant| &**grant.name).collect();
    let _ = match names.is_empty() {
        true => writeln!(out, "role {}, without rules", role.name),
        false => writeln!(out, "role {}, with the rules {}", role.name, names.join(", ")),
    };
    if role.is_superuser {
        out.push_str("everything is allowed\n");
        return out;
    }
    let authorized = authorize(catalog, &set, &mut request);
    for checked in &authorized.checked {
        match checked {
            Checked::Rows(entity, privilege, None) => {
                rows(catalog, &set, *entity, *privilege, &mut out);
            }
            Checked::Rows(_, privilege, Some(one)) => {
                field(catalog, &set, *one, *privilege, &mut out);
            }
            Checked::Function(function) => {
                let name = catalog.function_name(*function);
                let _ = match set.may_call(*function) {
                    true => writeln!(out, "call {name}"),
                    false => writeln!(out, "call {name}: refused, the role does not name it"),
                };
            }
        }
    }
    for denial in &authorized.refused.all {
        let _ = writeln!(out, "refused: {}", denial.message(catalog));
    }
    out
}

/// Writes the permitted rows, a line for each rule.
fn rows(
    catalog: &Catalog,
    set: &AccessSet,
    entity: EntityId,
    privilege: Privilege,
    out: &mut String,
) {
    let name = catalog.qualified_name(entity);
    let grants = set.grants(entity, privilege);
    if grants.is_empty() {
        let _ = writeln!(out, "{privilege} {name}: refused, no rule lets it");
    }
    for grant in grants {
        let rows = match grant.rows.is_all() {
            true => "all rows".to_owned(),
            false => format!("rows with {}", ir::print_filter(&grant.rows, catalog)),
        };
        let _ = write!(out, "{privilege} {name}: {rows}, by {}", grant.name);
        if let Some(limit) = grant.limit {
            let _ = write!(out, "; {limit} in a list at most");
        }
        for (place, (preset, operand)) in grant.presets.iter().enumerate() {
            let lead = if place == 0 { "; presets " } else { ", " };
            let value = match operand {
                ir::Operand::Claim(claim) => format!("the claim {claim}"),
                _ => "a value".to_owned(),
            };
            let _ = write!(out, "{lead}{} = {value}", catalog[*preset].name);
        }
        if matches!(privilege, Privilege::Insert | Privilege::Update) && grant.check != grant.rows {
            let _ = match grant.check.is_all() {
                true => write!(out, "; what is written may be any row"),
                false => {
                    let check = ir::print_filter(&grant.check, catalog);
                    write!(out, "; what is written has to have {check}")
                }
            };
        }
        out.push('\n');
    }
}

/// Writes the rules that permit a field.
fn field(
    catalog: &Catalog,
    set: &AccessSet,
    field: FieldId,
    privilege: Privilege,
    out: &mut String,
) {
    let entity = catalog[field].entity;
    let grants = set.grants(entity, privilege).iter();
    let by: Vec<&str> =
        grants.filter(|grant| grant.fields.contains(&field)).map(|grant| &**grant.name).collect();
    let name = &catalog[field].name;
    let _ = match (by.is_empty(), privilege, set.cell(catalog, field)) {
        (true, _, _) => writeln!(out, "  {name}: refused, no rule names it to {privilege}"),
        (false, Privilege::Read, Cell::Masked(filter)) => {
            let filter = ir::print_filter(&filter, catalog);
            writeln!(out, "  {name}: by {}, null in rows without {filter}", by.join(", "))
        }
        (false, _, _) => writeln!(out, "  {name}: by {}", by.join(", ")),
    };
}
