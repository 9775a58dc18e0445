//! The row of any type by its key.

use std::sync::Arc;

use api::binding::{
    FieldBinding, FilterRole, InputRole, OperatorRole, RowsBinding, RowsForm, RowsFrom, Subject,
    VariantBinding, VariantsId,
};
use api::draft::{DraftField, DraftInput};
use api::{ApiBuilder, InputBinding};
use ir::{Comparison, ValueRef};

use super::builder::{Builder, described, described_field};
use crate::model::TypeIndex;

/// The list of the types that are nodes: the only one of the API.
const NODES: VariantsId = VariantsId(0);

/// The place of the key among the common fields.
const KEY: u16 = 0;

/// The field for the row of any type.
pub(super) fn field(build: &Builder<'_>) -> DraftField {
    let first = nodes(build).next().and_then(|index| build.located.r#type(index));
    let (binding, id) = match first {
        Some(located) => {
            let subject = Arc::new(Subject::new(ValueRef::Common(KEY)));
            let operator = OperatorRole::Compare(Comparison::Equal);
            let rows = RowsBinding {
                from: RowsFrom::Variants { variants: NODES, once: false },
                entity: located.entity,
                form: RowsForm::First,
                default_limit: None,
            };
            (FieldBinding::Rows(rows), FilterRole::On { subject, operator }.into())
        }
        // No type is a node, so no id is that of one.
        None => (FieldBinding::Literal(b"null".as_slice().into()), InputRole::Ignored),
    };
    let id = DraftInput::new("id", "ID!", InputBinding::lenient(id));
    let id = described(id, "The ID of an object");
    let field = DraftField::new("node", "Node", binding).with(vec![id]);
    described_field(field, "Fetches an object given its ID")
}

/// Adds the list of the types that are nodes.
pub(super) fn add(build: &Builder<'_>, builder: &mut ApiBuilder) {
    let bindings = nodes(build).zip(0..).filter_map(|(index, number)| {
        let located = build.located.r#type(index)?;
        let r#type = builder.schema().find_type(&build.r#type(index).name)?;
        Some(VariantBinding {
            entity: located.entity,
            hop: None,
            through: None,
            r#type,
            properties: None,
            number,
            common: vec![located.key],
            links: Vec::new(),
        })
    });
    let bindings: Vec<VariantBinding> = bindings.collect();
    if !bindings.is_empty() {
        builder.add_variants(bindings);
    }
}

fn nodes(build: &Builder<'_>) -> impl Iterator<Item = TypeIndex> {
    build.types().map(|(index, _)| index).filter(|index| build.is_node(*index))
}
