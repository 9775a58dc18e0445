//! What of a request is let by which rule, as text.
//!
//! * [`row`]: the same of one row
//! * `truth`: conditions in their parts, and which are true of the row
//! * `told`: that as text

pub(crate) mod row;
mod told;
mod truth;

use std::fmt::Write as _;

use catalog::{Catalog, EntityId, FieldId};
use graphql::GraphQLError;
use sources::Claims;

use super::policies::Policies;
use super::read::{Asked, walk};
use super::set::{Cell, PolicySet, Verb};

/// What of a request is let to who has these claims, and why not the rest.
pub(crate) fn explain(
    catalog: &Catalog,
    policies: &Policies,
    claims: Option<&Claims>,
    mut request: ir::Request,
) -> String {
    let (set, role) = match (policies.of(claims), policies.described(claims)) {
        (Ok(set), Ok(described)) => (set, described),
        (Err(refusal), _) | (_, Err(refusal)) => {
            return format!("{}\n", GraphQLError::from(refusal).message);
        }
    };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let rules: Vec<&str> = role.rules.iter().map(|rule| &*rule.name).collect();
    let _ = match rules.is_empty() {
        true => writeln!(out, "role {}, without rules", role.name),
        false => writeln!(out, "role {}, with the rules {}", role.name, rules.join(", ")),
    };
    if set.all {
        out.push_str("everything is let\n");
        return out;
    }
    let walk = walk(catalog, &set, &mut request);
    for asked in &walk.asked {
        match asked {
            Asked::Rows(entity, verb, None) => rows(catalog, &set, *entity, *verb, &mut out),
            Asked::Rows(_, verb, Some(one)) => field(catalog, &set, *one, *verb, &mut out),
            Asked::Function(function) => {
                let name = catalog.function_name(*function);
                let _ = match set.may_call(*function) {
                    true => writeln!(out, "call {name}"),
                    false => writeln!(out, "call {name}: refused, the role does not name it"),
                };
            }
        }
    }
    for denial in &walk.refused.all {
        let _ = writeln!(out, "refused: {}", denial.message(catalog));
    }
    out
}

/// Which rows are let, a line for each rule.
fn rows(catalog: &Catalog, set: &PolicySet, entity: EntityId, verb: Verb, out: &mut String) {
    let name = catalog.qualified_name(entity);
    let grants = set.grants(entity, verb);
    if grants.is_empty() {
        let _ = writeln!(out, "{verb} {name}: refused, no rule lets it");
    }
    for grant in grants {
        let rows = match grant.rows.is_all() {
            true => "all rows".to_owned(),
            false => format!("rows with {}", ir::print_filter(&grant.rows, catalog)),
        };
        let _ = write!(out, "{verb} {name}: {rows}, by {}", grant.rule);
        for (place, (preset, operand)) in grant.presets.iter().enumerate() {
            let lead = if place == 0 { "; presets " } else { ", " };
            let value = match operand {
                ir::Operand::Claim(claim) => format!("the claim {claim}"),
                _ => "a value".to_owned(),
            };
            let _ = write!(out, "{lead}{} = {value}", catalog[*preset].name);
        }
        if matches!(verb, Verb::Insert | Verb::Update) && grant.check != grant.rows {
            let check = ir::print_filter(&grant.check, catalog);
            let _ = write!(out, "; what is written has to have {check}");
        }
        out.push('\n');
    }
}

/// Which rules let a field.
fn field(catalog: &Catalog, set: &PolicySet, field: FieldId, verb: Verb, out: &mut String) {
    let entity = catalog[field].entity;
    let grants = set.grants(entity, verb).iter();
    let by: Vec<&str> =
        grants.filter(|grant| grant.fields.contains(&field)).map(|grant| &*grant.rule).collect();
    let name = &catalog[field].name;
    let _ = match (by.is_empty(), verb, set.cell(catalog, field)) {
        (true, _, _) => writeln!(out, "  {name}: refused, no rule names it to {verb}"),
        (false, Verb::Read, Cell::Masked(filter)) => {
            let filter = ir::print_filter(&filter, catalog);
            writeln!(out, "  {name}: by {}, null in rows without {filter}", by.join(", "))
        }
        (false, _, _) => writeln!(out, "  {name}: by {}", by.join(", ")),
    };
}
