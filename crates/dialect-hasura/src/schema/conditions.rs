//! Conditions on rows: `T_bool_exp`.

use std::sync::Arc;

use api::binding::{FilterRole, InputBinding, InputRole, Meaning, RowsRole, Subject};
use ir::Quantifier;

use super::Build;
use super::{comparisons, functions};
use crate::draft::DraftInput;
use crate::plan::Planned;
use crate::relations::RelationKind;

pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    let name = planned.r#type("bool_exp");
    let list = format!("[{name}!]");
    let mut members = vec![
        member("_and", list.clone(), FilterRole::And { item: Meaning::True }, Meaning::True),
        member("_or", list, FilterRole::Or { item: Meaning::True }, Meaning::False),
        member(
            "_not",
            name.clone(),
            FilterRole::Negated(Box::new(FilterRole::Conditions)),
            Meaning::True,
        ),
    ];
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
                FilterRole::RelatedBy { hop, role: RowsRole::Quantified(Quantifier::Some) }
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

/// A member of conditions. A null is an error, so that no condition of a variable without a value
/// is lost.
pub(super) fn member(
    name: &str,
    r#type: String,
    role: impl Into<InputRole>,
    empty: Meaning,
) -> DraftInput {
    let text = format!("unexpected null value for type '{}'", r#type.trim_end_matches('!'));
    let binding = InputBinding { role: role.into(), null: Meaning::refuse(text), empty };
    DraftInput::new(name, r#type, binding)
}
