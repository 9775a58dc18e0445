//! Conditions on rows: `T_bool_exp`.

use std::sync::Arc;

use api::binding::{FilterRole, Meaning, RowsRole, Subject};
use ir::Quantifier;

use super::Build;
use super::condition_member::member;
use super::{comparisons, functions};
use crate::draft::DraftInput;
use crate::plan::Planned;
use crate::relations::RelationKind;

pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    let name = planned.r#type("bool_exp");
    let mut members = combined(&name);
    for column in planned.read() {
        let operators = comparisons::find(build, &column.values);
        let role = FilterRole::Operators(Arc::new(Subject::field(column.field.id)));
        members.push(member(column.name(), operators, role, Meaning::True).verbatim());
    }
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        let hop = relation.hop;
        // Some row: `{}` passes any.
        let role = match &relation.kind {
            RelationKind::Object { is_unique: true, .. } => FilterRole::Related(hop),
            RelationKind::Object { is_unique: false, .. } | RelationKind::Array { .. } => {
                FilterRole::RelatedBy {
                    hop,
                    role: Box::new(RowsRole::Quantified(Quantifier::Some)),
                }
            }
        };
        let r#type = target.r#type("bool_exp");
        members.push(member(&relation.name, r#type, role, Meaning::True).verbatim());
        if let RelationKind::Array { aggregate: Some(name) } = &relation.kind {
            let role = FilterRole::RelatedMany(hop);
            let r#type = target.r#type("aggregate_bool_exp");
            members.push(member(name, r#type, role, Meaning::True).verbatim());
        }
    }
    members.append(&mut functions::conditions(build, planned));
    let about = format!(
        "Boolean expression to filter rows from the table \"{}\". All fields are combined with a \
         logical 'AND'.",
        planned.described
    );
    build.draft.input(&name, Some(&about), members);
}

/// The members that combine conditions of a type.
pub(super) fn combined(name: &str) -> Vec<DraftInput> {
    let list = format!("[{name}!]");
    let negated = FilterRole::Negated(Box::new(FilterRole::Conditions));
    vec![
        member("_and", list.clone(), FilterRole::And { item: Meaning::True }, Meaning::True),
        member("_or", list, FilterRole::Or { item: Meaning::True }, Meaning::False),
        member("_not", name.to_owned(), negated, Meaning::True),
    ]
}
