//! Fields that statements of the author give, of nodes and of the roots; and the types that only
//! these have.

use super::related;
use crate::model::{Given, ModelField, StatementField, Target};
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftField, DraftKind};
use crate::shared::statements::StatementFields;
use api::binding::{FieldBinding, InputBinding, InputRole};

/// Message of conditions on nodes that a statement returns.
const CONDITIONS: &str = "Conditions on what a statement gives are not served yet.";

/// The types of objects that statements give and take.
pub(super) fn types(build: &mut Builder<'_>) {
    let (model, returned) = (build.model, StatementFields::of(build));
    let objects = model.objects.iter().zip(&build.placed.objects);
    for (object, (_, placed)) in objects {
        let fields = object.fields.iter().zip(placed).map(|(field, id)| {
            let binding = match &field.given {
                Given::Value(_) => FieldBinding::Column(*id),
                Given::Node(..) | Given::Object(..) | Given::Several(..) => {
                    returned.value_rows(&field.given, *id)
                }
            };
            let r#type = returned.written(&field.given);
            let mut draft = DraftField::new(&field.name, &r#type, binding);
            draft.description.clone_from(&field.description);
            draft.deprecated(field.deprecated.as_ref())
        });
        let kind = DraftKind::Object { fields: fields.collect(), interfaces: Vec::new() };
        build.draft.add(&object.name, object.description.as_deref(), kind);
    }
    returned.add_inputs(&mut build.draft);
}

/// Conditions on the nodes that a statement gives. They are printed, and refused.
pub(super) fn conditions(
    build: &mut Builder<'_>,
    parent: &str,
    field: &ModelField,
    statement: &StatementField,
) {
    let Given::Node(node, wrapping) = &statement.result else { return };
    if !statement.arguments.is_empty() || !field.offers.by_value {
        return;
    }
    let target = Target::Node(*node);
    let of_nodes = format!("{}Where", build.name(target));
    let mut inputs = Vec::new();
    if wrapping.is_list {
        let suffixes = ["ALL", "NONE", "SINGLE", "SOME"];
        inputs
            .extend(suffixes.map(|suffix| (format!("{}_{suffix}", field.name), of_nodes.clone())));
        inputs.push((field.name.to_string(), related::quantified(build, target, None)));
    } else {
        inputs.push((field.name.to_string(), of_nodes));
    }
    for (name, r#type) in inputs {
        let binding = InputBinding::lenient(InputRole::Refused(CONDITIONS.into()));
        build.put_for(parent, &name, &r#type, binding, field.deprecated.as_deref());
    }
}
