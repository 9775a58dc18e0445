//! Types that only statements have: objects that are no nodes, and inputs.

use std::collections::HashSet;

use super::directives::{self, Place};
use super::field::deprecated;
use super::problem::{Problems, Unserved};
use super::statement::{given, inputs};
use super::types::{Type, Types};
use super::written::WrittenBody;
use crate::model::{
    FieldKind, Given, InputKind, InputType, InputValue, Model, ObjectField, ObjectType,
};

/// The types of objects that are no nodes.
pub(super) fn objects(types: &Types<'_>, problems: &mut Problems) -> Vec<ObjectType> {
    types.objects.iter().map(|r#type| object(types, r#type, problems)).collect()
}

fn object(types: &Types<'_>, r#type: &Type<'_>, problems: &mut Problems) -> ObjectType {
    if r#type.fields().is_empty() {
        problems.wrong(r#type.at(), "it has no fields: it wants one at least");
    }
    if let Some(named) = r#type.interfaces().first() {
        let at = r#type.at().on_line(named.line);
        let subject = "an interface of a type without `@node`";
        problems.not_served(at, subject, Unserved::PlainObjects);
    }
    let mut fields = Vec::new();
    for written in r#type.fields() {
        let definition = written.definition;
        let at = r#type.at().member(definition.line, &definition.name);
        let said =
            directives::check(types.version, Place::Field, at, &written.directives, problems);
        let mut others = written.directives.iter().filter(|one| &*one.name != "deprecated");
        if let Some(other) = others.next() {
            let message = format!(
                "`@{}` belongs to nodes and roots, not to a type without `@node`",
                other.name
            );
            problems.wrong(at.on_line(other.line), message);
        }
        if let Some(argument) = definition.arguments.first() {
            let subject = format!("the argument `{}` of one's own", argument.name);
            problems.needs_javascript(at.on_line(argument.line), subject, "leave it out");
        }
        let Some(given) = given(types, at, &definition.r#type, problems) else { continue };
        if let Given::Several(..) = given {
            let subject = format!("a field of `{}` in a map", definition.r#type.base());
            problems.not_served(at, subject, Unserved::StatementsOfSeveral);
        }
        fields.push(ObjectField {
            name: definition.name.clone(),
            description: definition.description.clone(),
            deprecated: deprecated(&said),
            given,
        });
    }
    ObjectType {
        name: r#type.name().clone(),
        description: r#type.written.description.cloned(),
        fields,
    }
}

/// The types of objects that requests give.
pub(super) fn input_types(types: &Types<'_>, problems: &mut Problems) -> Vec<InputType> {
    let mut all = Vec::new();
    for r#type in &types.inputs {
        let WrittenBody::InputObject(written) = &r#type.written.body else { continue };
        if written.is_empty() {
            problems.wrong(r#type.at(), "it has no fields: it wants one at least");
        }
        all.push(InputType {
            name: r#type.name().clone(),
            description: r#type.written.description.cloned(),
            fields: inputs(types, r#type.at(), written, problems),
        });
    }
    all
}

/// Reports types that no statement has: mostly a word is missing that would make them something.
/// And inputs that are a part of themselves, which have no end where their types are written out.
pub(super) fn check(types: &Types<'_>, model: &Model, problems: &mut Problems) {
    let mut reached = Reached::new(model);
    let fields = model.nodes.iter().flat_map(|node| &node.fields);
    for field in fields.chain(&model.queries).chain(&model.mutations) {
        if let FieldKind::Statement(statement) = &field.kind {
            reached.given(&statement.result);
            reached.taken(&statement.arguments);
        }
    }
    for ((place, node), r#type) in model.nodes.iter().enumerate().zip(&types.nodes) {
        if reached.nodes.contains(&place) {
            continue;
        }
        for field in &node.fields {
            let FieldKind::Part(_) = field.kind else { continue };
            let mut written = r#type.fields().iter().map(|written| written.definition);
            let written = written.find(|written| written.name == field.name);
            let named = written.map_or("", |written| written.r#type.base());
            let subject = format!("a field of `{named}` that is no relationship");
            let at = r#type.at().member(field.line, &field.name);
            let instead = "add `@relationship(type:, direction:)`";
            problems.needs_javascript(at, subject, instead);
        }
    }
    for (place, r#type) in types.objects.iter().enumerate() {
        if !reached.objects.contains(&place) {
            let subject = "a type without `@node` that no statement gives (add `@node` if nodes \
                           are meant)";
            problems.not_served(r#type.at(), subject, Unserved::PlainObjects);
        }
    }
    for (place, r#type) in types.inputs.iter().enumerate() {
        if !reached.inputs.contains(&place) {
            let subject = "an `input` that no statement takes";
            problems.not_served(r#type.at(), subject, Unserved::Inputs);
        } else if has_itself(model, place) {
            let subject = "an `input` that is a part of itself";
            problems.not_served(r#type.at(), subject, Unserved::InputsInThemselves);
        }
    }
}

struct Reached<'m> {
    model: &'m Model,
    /// The types of nodes, of which version 3 makes maps, too.
    nodes: HashSet<usize>,
    objects: HashSet<usize>,
    inputs: HashSet<usize>,
}

impl<'m> Reached<'m> {
    fn new(model: &'m Model) -> Self {
        let (nodes, objects, inputs) = (HashSet::new(), HashSet::new(), HashSet::new());
        Self { model, nodes, objects, inputs }
    }

    fn given(&mut self, given: &'m Given) {
        let mut open = vec![given];
        while let Some(given) = open.pop() {
            match given {
                Given::Object(place, _) if self.objects.insert(*place) => {
                    let object = self.model.objects.get(*place);
                    let fields = object.map_or(&[][..], |object| &object.fields);
                    open.extend(fields.iter().map(|field| &field.given));
                }
                Given::Node(place, _) if self.nodes.insert(*place) => {
                    let node = self.model.nodes.get(*place);
                    let fields = node.map_or(&[][..], |node| &node.fields);
                    open.extend(fields.iter().filter_map(|field| match &field.kind {
                        FieldKind::Part(given) => Some(given),
                        FieldKind::Property(_)
                        | FieldKind::Relationship(_)
                        | FieldKind::Statement(_) => None,
                    }));
                }
                // Nodes of several types are no maps.
                Given::Object(..) | Given::Node(..) | Given::Several(..) | Given::Value(_) => {}
            }
        }
    }

    fn taken(&mut self, values: &'m [InputValue]) {
        let mut open: Vec<&InputValue> = values.iter().collect();
        while let Some(value) = open.pop() {
            let InputKind::Object(place) = value.kind else { continue };
            if self.inputs.insert(place)
                && let Some(input) = self.model.inputs.get(place)
            {
                open.extend(&input.fields);
            }
        }
    }
}

/// Whether an input leads back to itself.
fn has_itself(model: &Model, input: usize) -> bool {
    let mut known = HashSet::new();
    let mut open = vec![input];
    while let Some(place) = open.pop() {
        let fields = model.inputs.get(place).map(|known| known.fields.as_slice());
        for field in fields.unwrap_or_default() {
            match field.kind {
                InputKind::Object(place) if place == input => return true,
                InputKind::Object(place) if known.insert(place) => open.push(place),
                InputKind::Object(_) | InputKind::Value(_) => {}
            }
        }
    }
    false
}
