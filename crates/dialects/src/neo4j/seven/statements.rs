//! Fields that statements of the author give, of nodes and of the roots; and the types that only
//! these have.

use graphql::definitions::Literal;
use graphql::value::Const;

use super::attribute::{Made, Spot};
use super::build::{Build, Owner};
use super::{related, variants};
use crate::binding::{
    ComputedBinding, FieldBinding, InputBinding, InputRole, RowsBinding, RowsForm, RowsFrom,
};
use crate::neo4j::draft::{DraftField, DraftInput, DraftKind};
use crate::neo4j::model::{
    ApiForm, FieldKind, Given, InputKind, InputValue, ModelField, PlacedField, PlacedStatement,
    StatementField, Target,
};
use crate::neo4j::values;

/// What is said of conditions on nodes that a statement gives.
const CONDITIONS: &str = "Conditions on what a statement gives are not served yet.";

/// The types of objects that statements give and take.
pub(super) fn types(build: &mut Build<'_>) {
    let model = build.model;
    let objects = model.objects.iter().zip(&build.placed.objects);
    for (object, (_, placed)) in objects {
        let fields = object.fields.iter().zip(placed).map(|(field, id)| {
            let binding = match &field.given {
                Given::Value(_) => FieldBinding::Column(*id),
                Given::Node(..) | Given::Object(..) | Given::Several(..) => {
                    let form = match field.given.wrapping().is_list {
                        true => RowsForm::List,
                        false => RowsForm::Single,
                    };
                    rows(build, &field.given, RowsFrom::Value(*id), form)
                }
            };
            let r#type = written(build, &field.given);
            let mut draft = DraftField::new(&field.name, &r#type, binding);
            draft.description.clone_from(&field.description);
            draft.deprecated(field.deprecated.as_ref())
        });
        let kind = DraftKind::Object { fields: fields.collect(), interfaces: Vec::new() };
        build.draft.add(&object.name, object.description.as_deref(), kind);
    }
    for input in &model.inputs {
        let fields = input
            .fields
            .iter()
            .map(|field| draft_input(build, field, InputBinding::lenient(InputRole::Member)));
        let kind = DraftKind::Input { fields: fields.collect(), form: None };
        build.draft.add(&input.name, input.description.as_deref(), kind);
    }
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
        // Refused whatever is in it: this role is one that always states something.
        let role = Box::new(InputRole::OfVariants);
        let otherwise = CONDITIONS.into();
        let binding = InputBinding::lenient(InputRole::Refused { role, otherwise });
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
    let function = placed.function;
    let form = match statement.result.wrapping().is_list {
        true => RowsForm::List,
        false => RowsForm::First,
    };
    let from = RowsFrom::Function { function, of_row };
    let binding = match &statement.result {
        Given::Value(property) if of_row => {
            let column = values::column(build.model, property, ApiForm::Seven);
            let (value, form) = (column.value, column.form);
            FieldBinding::Computed(ComputedBinding { function, of_row, value, form })
        }
        Given::Value(_) => {
            let entity = placed.entity;
            FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
        }
        given @ (Given::Node(..) | Given::Object(..)) => rows(build, given, from, form),
        Given::Several(target, _) => match variants::of_root(build, *target) {
            Some(variants) => variants.given(function, of_row, form),
            None => super::objects::unserved(),
        },
    };
    let mut draft = DraftField::new(&field.name, &written(build, &statement.result), binding);
    draft.description.clone_from(&field.description);
    draft.arguments.extend(
        statement.arguments.iter().zip(values::arguments(statement, of_row)).map(
            |(argument, binding)| {
                let binding = InputBinding::lenient(InputRole::Argument(binding));
                draft_input(build, argument, binding)
            },
        ),
    );
    draft.deprecated(field.deprecated.as_ref())
}

/// Rows of nodes or objects.
fn rows(build: &Build<'_>, given: &Given, from: RowsFrom, form: RowsForm) -> FieldBinding {
    let entity = match given {
        Given::Node(place, _) => build.placed.nodes.get(*place).map(|placed| placed.entity),
        Given::Object(place, _) => build.placed.objects.get(*place).map(|(entity, _)| *entity),
        Given::Value(_) | Given::Several(..) => None,
    };
    match entity {
        Some(entity) => FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None }),
        None => super::objects::unserved(),
    }
}

/// A type as it is written.
fn written(build: &Build<'_>, given: &Given) -> String {
    let name = match given {
        Given::Value(property) => values::type_name(build.model, &property.r#type),
        Given::Node(place, _) => build.name(Target::Node(*place)),
        Given::Object(place, _) => build.model.objects.get(*place).map_or("", |known| &known.name),
        Given::Several(target, _) => build.name(*target),
    };
    given.wrapping().around(name)
}

fn draft_input(build: &Build<'_>, input: &InputValue, binding: InputBinding) -> DraftInput {
    let name = match &input.kind {
        InputKind::Value(r#type) => values::input_name(build.model, r#type),
        InputKind::Object(place) => build.model.inputs.get(*place).map_or("", |known| &known.name),
    };
    let mut draft = DraftInput::new(&input.name, &input.wrapping.around(name), binding);
    draft.description.clone_from(&input.description);
    draft.default = input.default.as_ref().map(|literal| default(build, input, literal));
    draft.deprecated(input.deprecated.as_ref())
}

/// A default of the type of an input: one of a list may be said alone, and an object has the
/// defaults of its own members, in their order.
fn default(build: &Build<'_>, input: &InputValue, literal: &Literal) -> Const {
    match literal {
        Literal::Null => Const::Null,
        Literal::List(items) if input.wrapping.is_list => {
            Const::List(items.iter().map(|item| default_value(build, &input.kind, item)).collect())
        }
        one if input.wrapping.is_list => Const::List(vec![default_value(build, &input.kind, one)]),
        one => default_value(build, &input.kind, one),
    }
}

/// Recursion ends, since no input has itself as a part.
fn default_value(build: &Build<'_>, kind: &InputKind, literal: &Literal) -> Const {
    let (InputKind::Object(place), Literal::Object(given)) = (kind, literal) else {
        return constant(literal);
    };
    let fields = build.model.inputs.get(*place).map(|known| known.fields.as_slice());
    let members = fields.unwrap_or_default().iter().filter_map(|field| {
        let given = given.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value);
        let value = given.or(field.default.as_ref())?;
        Some(((&*field.name).into(), default(build, field, value)))
    });
    Const::Object(members.collect())
}

/// A value as it is written.
fn constant(literal: &Literal) -> Const {
    match literal {
        Literal::Null => Const::Null,
        Literal::Boolean(value) => Const::Boolean(*value),
        Literal::Int(digits) => match digits.parse() {
            Ok(value) => Const::Int(value),
            Err(_) => Const::Float(digits.parse().unwrap_or_default()),
        },
        Literal::Float(digits) => Const::Float(digits.parse().unwrap_or_default()),
        Literal::String(text) => Const::String((&**text).into()),
        Literal::Enum(name) => Const::Enum((&**name).into()),
        Literal::List(items) => Const::List(items.iter().map(constant).collect()),
        Literal::Object(members) => {
            let members = members.iter().map(|(name, value)| ((&**name).into(), constant(value)));
            Const::Object(members.collect())
        }
    }
}
