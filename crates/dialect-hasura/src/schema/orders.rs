//! Orders of rows: `T_order_by`.

use api::binding::{InputBinding, OrderRole};

use super::Build;
use super::base::ORDER_BY;
use crate::draft::DraftInput;
use crate::plan::Planned;
use crate::relations::RelationKind;

pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    if !planned.is_sorted() {
        return;
    }
    let mut members = Vec::new();
    for column in planned.read().filter(|column| column.values.is_ordered()) {
        members.push(member(column.name(), ORDER_BY, OrderRole::Field(column.field.id)));
    }
    for relation in &planned.relations {
        let target = &build.plan.entities[relation.target];
        match &relation.kind {
            RelationKind::Object { .. } if target.is_sorted() => {
                let role = OrderRole::Related(relation.hop);
                members.push(member(&relation.name, &target.r#type("order_by"), role));
            }
            RelationKind::Array { aggregate: Some(name) } => {
                let role = OrderRole::RelatedAggregates(relation.hop);
                members.push(member(name, &target.r#type("aggregate_order_by"), role));
            }
            RelationKind::Object { .. } | RelationKind::Array { aggregate: None } => {}
        }
    }
    let about = format!("Ordering options when selecting data from \"{}\".", planned.name);
    build.draft.input(&planned.r#type("order_by"), Some(&about), members);
}

pub(super) fn member(name: &str, r#type: &str, role: OrderRole) -> DraftInput {
    DraftInput::new(name, r#type, InputBinding::lenient(role))
}
