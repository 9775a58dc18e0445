//! Weights and list sizes for the cost estimate: `@cost` and `@listSize`.
//! <https://ibm.github.io/graphql-specs/cost-spec.html>

use std::sync::Arc;

use graphql::definitions::{Directive, FieldSetSelection, Literal, TypeBody};
use graphql::parse_field_set;
use graphql::schema::{FieldId, InputId, TypeId};
use rustc_hash::FxHashMap;

use super::links::{Meaning, argument};
use super::read::Reader;

/// Weights in the supergraph; other elements have their default weight.
#[derive(Debug, Default)]
pub struct Weights {
    types: FxHashMap<TypeId, i64>,
    fields: FxHashMap<FieldId, i64>,
    inputs: FxHashMap<InputId, i64>,
    sizes: FxHashMap<FieldId, Vec<ListSize>>,
}

/// One `@listSize` directive.
#[derive(Clone, Debug, PartialEq)]
pub struct ListSize {
    /// Length of the lists if no argument sets it.
    pub assumed: Option<u64>,
    /// Slicing arguments, as paths.
    pub slicing: Vec<Vec<Arc<str>>>,
    /// Lists below the field that have the size.
    pub sized: Vec<SizedField>,
    /// Whether a request must set one of `slicing`.
    pub requires_one: bool,
}

/// A field whose lists have the size of a field above.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedField {
    pub name: Arc<str>,
    /// Fields below it that are the lists; if empty, it is the list itself.
    pub below: Vec<SizedField>,
}

impl Weights {
    /// Returns the weight of a type, if it has one.
    #[must_use]
    pub fn of_type(&self, id: TypeId) -> Option<i64> {
        self.types.get(&id).copied()
    }

    #[must_use]
    pub fn of_field(&self, id: FieldId) -> Option<i64> {
        self.fields.get(&id).copied()
    }

    /// Returns the weight of an argument or input field, if it has one.
    #[must_use]
    pub fn of_input(&self, id: InputId) -> Option<i64> {
        self.inputs.get(&id).copied()
    }

    #[must_use]
    pub fn sizes(&self, id: FieldId) -> &[ListSize] {
        self.sizes.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Reads all weights and list sizes.
pub(super) fn weights(reader: &mut Reader<'_>) -> Weights {
    let mut reading = Reading { reader, weights: Weights::default() };
    let types = reading.reader.types.clone();
    for (id, written) in types {
        let weight = reading.cost(&written.directives);
        reading.weights.types.extend(weight.map(|weight| (id, weight)));
        match &written.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in &composite.fields {
                    let Some(field_id) = reading.reader.schema.find_field(id, &field.name) else {
                        continue;
                    };
                    let weight = reading.cost(&field.directives);
                    reading.weights.fields.extend(weight.map(|weight| (field_id, weight)));
                    let sizes = reading.list_sizes(&field.directives);
                    if !sizes.is_empty() {
                        reading.weights.sizes.insert(field_id, sizes);
                    }
                    for input in &field.arguments {
                        let found = reading.reader.schema.find_argument(field_id, &input.name);
                        reading.read_input(found, &input.directives);
                    }
                }
            }
            TypeBody::InputObject(inputs) => {
                for input in inputs {
                    let found = reading.reader.schema.find_input_field(id, &input.name);
                    reading.read_input(found, &input.directives);
                }
            }
            TypeBody::Scalar | TypeBody::Union(_) | TypeBody::Enum(_) => {}
        }
    }
    reading.weights
}

struct Reading<'r, 'd> {
    reader: &'r mut Reader<'d>,
    weights: Weights,
}

impl Reading<'_, '_> {
    fn read_input(&mut self, id: Option<InputId>, directives: &[Directive]) {
        let weight = self.cost(directives);
        self.weights.inputs.extend(id.zip(weight));
    }

    fn cost(&mut self, directives: &[Directive]) -> Option<i64> {
        let is_cost = |one: &&Directive| self.reader.links.meaning(one) == Meaning::Cost;
        let directive = directives.iter().find(is_cost)?;
        let weight = match argument(directive, "weight") {
            Some(Literal::Int(digits)) => digits.parse().ok(),
            _ => None,
        };
        if weight.is_none() {
            let message = format!("`@{}` has no weight that is an integer", directive.name);
            self.reader.problem(directive.line, message);
        }
        weight
    }

    fn list_sizes(&mut self, directives: &[Directive]) -> Vec<ListSize> {
        let mut sizes = Vec::new();
        for directive in directives {
            if self.reader.links.meaning(directive) == Meaning::ListSize {
                sizes.push(self.list_size(directive));
            }
        }
        sizes
    }

    fn list_size(&mut self, directive: &Directive) -> ListSize {
        let assumed = match argument(directive, "assumedSize") {
            // Negative sizes count as zero.
            Some(Literal::Int(digits)) => {
                digits.parse().ok().map(|size: i64| u64::try_from(size).unwrap_or(0))
            }
            _ => None,
        };
        let slicing = texts(directive, "slicingArguments").into_iter();
        let slicing = slicing.map(|path| path.split('.').map(Into::into).collect());
        let mut sized = Vec::new();
        for text in texts(directive, "sizedFields") {
            match parse_field_set(&text) {
                Ok(selections) => sized.extend(sized_fields(&selections)),
                Err(error) => {
                    let message = format!("`{text}` names no fields: {}", error.message);
                    self.reader.problem(directive.line, message);
                }
            }
        }
        ListSize {
            assumed,
            slicing: slicing.collect(),
            sized,
            requires_one: argument(directive, "requireOneSlicingArgument")
                != Some(&Literal::Boolean(false)),
        }
    }
}

fn texts(directive: &Directive, name: &str) -> Vec<Arc<str>> {
    let text = |value: &Literal| match value {
        Literal::String(text) => Some(text.clone()),
        _ => None,
    };
    match argument(directive, name) {
        Some(Literal::List(items)) => items.iter().filter_map(text).collect(),
        Some(single) => text(single).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Recursion is bounded by the parser of field sets.
fn sized_fields(selections: &[FieldSetSelection]) -> Vec<SizedField> {
    let mut fields = Vec::new();
    for selection in selections {
        match selection {
            FieldSetSelection::Field { name, selections, .. } => {
                fields.push(SizedField { name: name.clone(), below: sized_fields(selections) });
            }
            FieldSetSelection::Fragment { selections, .. } => {
                fields.extend(sized_fields(selections));
            }
        }
    }
    fields
}
