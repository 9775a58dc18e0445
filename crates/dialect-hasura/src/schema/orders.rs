//! Orders of rows: `T_order_by`.

use api::binding::{InputBinding, OrderRole};

use super::base::ORDER_BY;
use super::{Build, functions};
use crate::draft::DraftInput;
use crate::plan::Planned;
use crate::relations::RelationKind;

pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    if !planned.is_sorted() {
        return;
    }
    let mut members = Vec::new();
    let order_by = build.shared_type(ORDER_BY);
    for column in planned.read().filter(|column| column.values.is_ordered()) {
        let role = OrderRole::Field(column.field.id);
        members.push(member(column.name(), &order_by, role).verbatim());
    }
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        match &relation.kind {
            // The first of several rows cannot be ordered by.
            RelationKind::Object { is_unique: true, .. } if target.is_sorted() => {
                let role = OrderRole::Related(relation.hop);
                let r#type = target.r#type("order_by");
                members.push(member(&relation.name, &r#type, role).verbatim());
            }
            RelationKind::Array { aggregate: Some(name) } => {
                let role = OrderRole::RelatedAggregates(relation.hop);
                let r#type = target.r#type("aggregate_order_by");
                members.push(member(name, &r#type, role).verbatim());
            }
            RelationKind::Object { .. } | RelationKind::Array { aggregate: None } => {}
        }
    }
    // The first of a name stays.
    for order in functions::orders(build, planned) {
        if !members.iter().any(|known| known.is_named_as(&order)) {
            members.push(order);
        }
    }
    let about = format!("Ordering options when selecting data from \"{}\".", planned.described);
    build.draft.input(&planned.r#type("order_by"), Some(&about), members);
}

pub(super) fn member(name: &str, r#type: &str, role: OrderRole) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(role))
}
