//! Types of searches by indexes: their conditions and orders.

use std::sync::Arc;

use catalog::FieldId;
use ir::ValueRef;

use super::builder::Builder;
use super::sort::DIRECTION;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use api::binding::{EdgeField, FieldBinding, FilterRole, OrderRole, Subject};

/// The field that shows how well an index has found a node.
pub(crate) fn score(id: FieldId) -> DraftField {
    DraftField::new("score", "Float!", FieldBinding::Edge(EdgeField::Column(id)))
}

/// Adds the conditions on the score and on the nodes, which the field `node` has.
pub(crate) fn add_where(
    build: &mut Builder<'_>,
    target: Target,
    name: &str,
    (node, score): (&str, FieldId),
    kind: &str,
) {
    let own = build.name(target);
    let operators = FilterRole::Operators(Arc::new(Subject::new(ValueRef::Edge(score))));
    let fields = vec![
        DraftInput::lenient("score", "FloatWhere", operators),
        DraftInput::lenient(node, &format!("{own}Where"), FilterRole::Conditions),
    ];
    let text = format!("The input for filtering a {kind} query on an index of {own}");
    build.draft.add(name, Some(&text), DraftKind::Input { fields, form: None });
}

/// Adds the orders by the score and of the nodes, as far as these have an order.
pub(crate) fn add_sort(
    build: &mut Builder<'_>,
    target: Target,
    name: &str,
    (node, of_nodes, score): (&str, Option<String>, FieldId),
    kind: &str,
) {
    let mut fields = vec![DraftInput::lenient("score", DIRECTION, OrderRole::Edge(score))];
    fields.extend(of_nodes.map(|sort| DraftInput::lenient(node, &sort, OrderRole::Sort)));
    let text =
        format!("The input for sorting a {kind} query on an index of {}", build.name(target));
    build.draft.add(name, Some(&text), DraftKind::Input { fields, form: None });
}
