//! Fields whose values statements of the author give: `@cypher`, on nodes and on the roots.

use std::sync::Arc;

use graphql::definitions::{FieldDefinition, InputDefinition, TypeExpression};

use super::directives::{self, Known, Place, Said};
use super::field::deprecated;
use super::offers::field_offers;
use super::problem::{At, Problems, Unserved};
use super::types::{Meaning, Type, Types, built_in};
use super::{statement_text, statement_v3};
use crate::model::{
    ApiVersion, FieldKind, Given, InputKind, InputValue, ModelField, Property, PropertyType,
    StatementField, Target, Wrapping,
};

/// What says what the value is, or makes it: beside a statement it means nothing.
const BESIDE: [Known; 5] =
    [Known::Coalesce, Known::Default, Known::RelayId, Known::Timestamp, Known::Unique];

/// Whose field a statement gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Node,
    Query,
    Mutation,
}

/// The statement of a field, unless something is wrong with it.
pub(super) fn statement(
    types: &Types<'_>,
    at: At<'_>,
    (of, definition): (Of, &FieldDefinition),
    said: &Said<'_>,
    problems: &mut Problems,
) -> Option<StatementField> {
    let directive = said.find(Known::Statement)?;
    let at_directive = at.on_line(directive.line());
    for known in BESIDE {
        if let Some(other) = said.find(known) {
            let message = "what a statement gives has no default and is not stored: leave it out";
            problems.wrong(at.on_line(other.line()), message);
        }
    }
    let (text, column) = (directive.text("statement")?, directive.text("columnName"));
    let mut is_empty = false;
    for (name, value) in [("statement", Some(text)), ("columnName", column)] {
        if value.is_some_and(|value| value.trim().is_empty()) {
            is_empty = true;
            problems.wrong(at_directive, format!("`@cypher({name}:)` is empty"));
        }
    }
    let arguments = inputs(types, at, &definition.arguments, problems);
    let result = given(types, at, &definition.r#type, problems)?;
    if is_empty {
        return None;
    }
    let names: Vec<&str> = definition.arguments.iter().map(|argument| &*argument.name).collect();
    let read = match types.version {
        ApiVersion::V3 => {
            let gives_rows = match &result {
                Given::Value(_) => false,
                given => given.wrapping().is_list,
            };
            statement_v3::read((text, column), of, gives_rows, &names)
        }
        ApiVersion::V7 => {
            let column = column?.clone();
            let parts = statement_text::parts(text, &names).map_err(unknown);
            parts.map(|parts| statement_v3::Said { parts, column, only_first: false })
        }
    };
    match read {
        Ok(statement_v3::Said { parts, column, only_first }) => {
            Some(StatementField { parts, column, only_first, arguments, result })
        }
        Err(message) => {
            problems.wrong(at_directive, message);
            None
        }
    }
}

/// What is told of a parameter that is nothing.
pub(super) fn unknown(name: &str) -> String {
    let message = "and the field no argument of this name";
    let hint = match name {
        "cypherParams" => ": what stands there is made in JavaScript",
        _ => "",
    };
    format!("its statement has the parameter `${name}`, {message}{hint}")
}

/// The fields of a root type.
pub(super) fn roots(
    types: &Types<'_>,
    (of, root): (Of, Option<&Type<'_>>),
    problems: &mut Problems,
) -> Vec<ModelField> {
    let Some(root) = root else { return Vec::new() };
    let mut fields = Vec::new();
    for written in root.fields() {
        let definition = written.definition;
        let at = root.at().member(definition.line, &definition.name);
        let before = problems.count();
        let said =
            directives::check(types.version, Place::Field, at, &written.directives, problems);
        if problems.count() > before {
            continue;
        }
        if !said.has(Known::Statement) {
            let instead = "give it a statement by `@cypher`, or leave it out: fields for every \
                           type of nodes are made anyway";
            problems.needs_javascript(at, "a root field of one's own", instead);
            continue;
        }
        let found = statement(types, at, (of, definition), &said, problems);
        fields.extend(found.map(|statement| ModelField {
            name: definition.name.clone(),
            description: definition.description.clone(),
            property: definition.name.clone(),
            kind: FieldKind::Statement(statement),
            offers: field_offers(&said),
            deprecated: deprecated(&said),
            line: definition.line,
        }));
    }
    fields
}

/// What a statement gives of a type, or a field of an object.
pub(super) fn given(
    types: &Types<'_>,
    at: At<'_>,
    expression: &TypeExpression,
    problems: &mut Problems,
) -> Option<Given> {
    let (name, wrapping) = wrapped(at, expression, problems)?;
    if let Some(r#type) = built_in(name) {
        return Some(Given::Value(value(r#type, wrapping)));
    }
    match types.meaning(name) {
        Some(Meaning::Enum(place)) => {
            Some(Given::Value(value(PropertyType::Enum(place), wrapping)))
        }
        Some(Meaning::Scalar(place)) => {
            Some(Given::Value(value(PropertyType::Scalar(place), wrapping)))
        }
        Some(Meaning::Node(place)) => Some(Given::Node(place, wrapping)),
        Some(Meaning::Object(place)) => Some(Given::Object(place, wrapping)),
        Some(Meaning::Interface(place)) => Some(Given::Several(Target::Interface(place), wrapping)),
        Some(Meaning::Union(place)) => Some(Given::Several(Target::Union(place), wrapping)),
        Some(Meaning::Properties(_)) => {
            let message = format!("`{name}` is of properties of relationships, and no value");
            problems.wrong(at, message);
            None
        }
        Some(Meaning::Input(_)) => {
            problems.wrong(at, format!("`{name}` is what requests give, and no value"));
            None
        }
        Some(Meaning::Claims) => {
            problems.wrong(at, format!("`{name}` is of claims of tokens, and no value"));
            None
        }
        Some(Meaning::Refused) => None,
        None => {
            problems.wrong(at, format!("there is no type `{name}`"));
            None
        }
    }
}

fn value(r#type: PropertyType, wrapping: Wrapping) -> Property {
    Property {
        r#type,
        is_list: wrapping.is_list,
        is_required: wrapping.is_required,
        are_elements_required: wrapping.are_elements_required,
        made: None,
        is_unique: false,
        constraint: None,
        is_relay_id: false,
        default: None,
        coalesce: None,
    }
}

/// Arguments, or the members of an object that is given.
pub(super) fn inputs(
    types: &Types<'_>,
    at: At<'_>,
    inputs: &[InputDefinition],
    problems: &mut Problems,
) -> Vec<InputValue> {
    let mut known: Vec<&str> = Vec::new();
    let mut values = Vec::new();
    for input in inputs {
        let at = at.on_line(input.line);
        if known.contains(&&*input.name) {
            problems.wrong(at, format!("`{}` is there twice", input.name));
        }
        known.push(&input.name);
        let mut deprecated = None;
        for directive in &input.directives {
            if &*directive.name == "deprecated" {
                deprecated = Some(reason(directive));
            } else {
                let message = format!("`@{}` does not belong to inputs", directive.name);
                problems.wrong(at.on_line(directive.line), message);
            }
        }
        let Some((name, wrapping)) = wrapped(at, &input.r#type, problems) else { continue };
        let Some(kind) = input_kind(types, at, name, problems) else { continue };
        values.push(InputValue {
            name: input.name.clone(),
            description: input.description.clone(),
            deprecated,
            kind,
            wrapping,
            default: input.default.clone(),
        });
    }
    values
}

fn reason(directive: &graphql::definitions::Directive) -> Arc<str> {
    let said = directive.arguments.iter().find_map(|argument| match &argument.value {
        graphql::definitions::Literal::String(text) => Some(text.clone()),
        _ => None,
    });
    said.unwrap_or_else(|| super::field::NO_REASON.into())
}

fn input_kind(
    types: &Types<'_>,
    at: At<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<InputKind> {
    let found = match name {
        "PointInput" => Some(PropertyType::Point),
        "CartesianPointInput" => Some(PropertyType::CartesianPoint),
        name => built_in(name),
    };
    match (found, types.meaning(name)) {
        (Some(PropertyType::Point | PropertyType::CartesianPoint), _)
            if !name.ends_with("Input") =>
        {
            problems.wrong(at, format!("`{name}` is no input: write `{name}Input`"));
            None
        }
        (Some(r#type), _) => Some(InputKind::Value(r#type)),
        (None, Some(Meaning::Enum(place))) => Some(InputKind::Value(PropertyType::Enum(place))),
        (None, Some(Meaning::Scalar(place))) => Some(InputKind::Value(PropertyType::Scalar(place))),
        (None, Some(Meaning::Input(place))) => Some(InputKind::Object(place)),
        (None, Some(Meaning::Refused)) => None,
        (None, Some(_)) => {
            problems.wrong(at, format!("`{name}` is no input: define an `input`"));
            None
        }
        (None, None) => {
            problems.wrong(at, format!("there is no type `{name}`"));
            None
        }
    }
}

/// The name of a type, and what stands around it.
fn wrapped<'e>(
    at: At<'_>,
    expression: &'e TypeExpression,
    problems: &mut Problems,
) -> Option<(&'e Arc<str>, Wrapping)> {
    let is_required = expression.is_required();
    match expression {
        TypeExpression::Named { name, .. } => {
            Some((name, Wrapping { is_required, ..Wrapping::default() }))
        }
        TypeExpression::List { of, .. } => match &**of {
            TypeExpression::Named { name, is_required: are_elements_required } => {
                let are_elements_required = *are_elements_required;
                Some((name, Wrapping { is_list: true, is_required, are_elements_required }))
            }
            TypeExpression::List { .. } => {
                problems.not_served(at, "a list of lists", Unserved::ListsOfLists);
                None
            }
        },
    }
}
