//! Fields that statements of the author give, of nodes and of the roots; and the types that only
//! these have.

use super::attribute::{Made, Spot};
use super::build::{Build, Owner};
use super::{related, variants};
use crate::model::{
    ApiVersion, FieldKind, Given, ModelField, PlacedField, PlacedStatement, StatementField, Target,
};
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::stated::{Asked, Stated};
use api::binding::{FieldBinding, InputBinding, InputRole, RowsForm, RowsFrom};

/// What is said of conditions on nodes that a statement gives.
const CONDITIONS: &str = "Conditions on what a statement gives are not served yet.";

/// The types of objects that statements give and take.
pub(super) fn types(build: &mut Build<'_>) {
    let (model, stated) = (build.model, stated(build));
    let objects = model.objects.iter().zip(&build.placed.objects);
    for (object, (_, placed)) in objects {
        let fields = object.fields.iter().zip(placed).map(|(field, id)| {
            let binding = match &field.given {
                Given::Value(_) => FieldBinding::Column(*id),
                Given::Node(..) | Given::Object(..) | Given::Several(..) => {
                    let version = match field.given.wrapping().is_list {
                        true => RowsForm::List,
                        false => RowsForm::Single,
                    };
                    stated.rows(&field.given, RowsFrom::Value(*id), version)
                }
            };
            let r#type = stated.written(&field.given);
            let mut draft = DraftField::new(&field.name, &r#type, binding);
            draft.description.clone_from(&field.description);
            draft.deprecated(field.deprecated.as_ref())
        });
        let kind = DraftKind::Object { fields: fields.collect(), interfaces: Vec::new() };
        build.draft.add(&object.name, object.description.as_deref(), kind);
    }
    stated.add_inputs(&mut build.draft);
}

/// The fields of the roots, behind all others.
pub(super) fn roots(build: &mut Build<'_>) {
    let (model, placed) = (build.model, build.placed);
    for (root, fields, placed) in [
        ("Query", &model.queries, &placed.queries),
        ("Mutation", &model.mutations, &placed.mutations),
    ] {
        for (field, placed) in fields.iter().zip(placed) {
            if let FieldKind::Statement(statement) = &field.kind {
                let drawn = draft_field(build, field, statement, *placed, false);
                build.draft.add_field(root, drawn);
            }
        }
    }
}

/// A field of a type of nodes that is a statement's, with the statement and what became of it.
pub(super) fn of_node<'a>(
    build: &Build<'a>,
    owner: Owner,
    index: usize,
    field: &'a ModelField,
) -> Option<(&'a StatementField, PlacedStatement)> {
    match (&field.kind, build.placed_field(owner, index)) {
        (FieldKind::Statement(statement), Some(PlacedField::Statement(placed))) => {
            Some((statement, *placed))
        }
        _ => None,
    }
}

/// Whose value a statement's is, where it gives one.
pub(super) fn spot(statement: &StatementField, placed: PlacedStatement) -> Spot {
    Spot::Made(Made {
        function: placed.function,
        has_arguments: !statement.arguments.is_empty(),
        needs_arguments: statement.arguments.iter().any(|one| one.wrapping.is_required),
    })
}

/// The field of a node that shows what its statement gives.
pub(super) fn shown(
    build: &mut Build<'_>,
    field: &ModelField,
    statement: &StatementField,
    placed: PlacedStatement,
) -> DraftField {
    draft_field(build, field, statement, placed, true)
}

/// Conditions on the nodes that a statement gives. They are printed, and refused.
pub(super) fn conditions(
    build: &mut Build<'_>,
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
        let input = DraftInput::new(&name, &r#type, binding);
        build.draft.add_input(parent, input.deprecated(field.deprecated.as_ref()));
    }
}

fn draft_field(
    build: &mut Build<'_>,
    field: &ModelField,
    statement: &StatementField,
    placed: PlacedStatement,
    of_row: bool,
) -> DraftField {
    let asked = Asked { statement, placed, of_row };
    let several = match &statement.result {
        Given::Several(target, _) => {
            let variants = variants::of_root(build, *target);
            variants.map(|variants| variants.given(placed.function, of_row, asked.rows_form()))
        }
        Given::Value(_) | Given::Node(..) | Given::Object(..) => None,
    };
    stated(build).field(field, asked, several)
}

fn stated<'a>(build: &Build<'a>) -> Stated<'a> {
    Stated { model: build.model, placed: build.placed, version: ApiVersion::V7 }
}
