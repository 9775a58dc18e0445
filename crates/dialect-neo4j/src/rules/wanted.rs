//! Conditions on nodes as version 3's `@auth` says them: which values fields have.
//!
//! A value that is missing equals nothing, and nothing is unknown: what all related nodes have to
//! pass, one without the value does not.

use ir::{Comparison, Filter, Operand, Place, Quantifier, Value};

use crate::model::{Constant, FieldKind, Model, Placed, PlacedField, Target};

/// A condition; fields are named by their places in the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    All(Vec<Wanted>),
    Any(Vec<Wanted>),
    Value {
        field: usize,
        value: WantedValue,
    },
    /// There are related nodes, and one of them passes, or all do.
    Related {
        field: usize,
        every: bool,
        of: Box<Wanted>,
    },
}

/// What a field has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedValue {
    /// It has no value.
    Nothing,
    /// The value of a claim, by the way to it.
    Claim(Box<str>),
    Constant(Constant),
}

impl Wanted {
    /// The claims that values are compared with.
    pub(crate) fn claims<'w>(&'w self, all: &mut Vec<&'w str>) {
        match self {
            Self::All(several) | Self::Any(several) => {
                several.iter().for_each(|one| one.claims(all));
            }
            Self::Value { value: WantedValue::Claim(claim), .. } => all.push(claim),
            Self::Value { value: WantedValue::Nothing | WantedValue::Constant(_), .. } => {}
            Self::Related { of, .. } => of.claims(all),
        }
    }

    /// The same of the nodes of a type, by its place; none if that has no such fields. Recursion is
    /// bounded by the parser of the definitions.
    pub(super) fn filter(&self, model: &Model, placed: &Placed, node: usize) -> Option<Filter> {
        let all = |several: &[Self]| -> Option<Vec<Filter>> {
            several.iter().map(|one| one.filter(model, placed, node)).collect()
        };
        let found = |field: usize| placed.nodes.get(node)?.fields.get(field);
        match self {
            Self::All(several) => all(several).map(Filter::and),
            Self::Any(several) => all(several).map(Filter::Or),
            Self::Value { field, value } => {
                let PlacedField::Property(field) = found(*field)? else { return None };
                let place = Place::field(*field);
                let operand = match value {
                    WantedValue::Nothing => return Some(Filter::IsNull(place)),
                    WantedValue::Claim(claim) => Operand::Claim(claim.clone()),
                    WantedValue::Constant(constant) => Operand::Constant(constant_value(constant)),
                };
                Some(Filter::Compare { place, comparison: Comparison::Equal, operand })
            }
            Self::Related { field, every, of } => {
                let FieldKind::Relationship(relationship) =
                    &model.nodes.get(node)?.fields.get(*field)?.kind
                else {
                    return None;
                };
                let (PlacedField::Ways(ways), Target::Node(target)) =
                    (found(*field)?, relationship.target)
                else {
                    return None;
                };
                let hop = ways.first()?.hop;
                let of = of.filter(model, placed, target)?;
                let related = |quantifier, filter| Filter::Relation {
                    hop,
                    quantifier,
                    filter: Box::new(filter),
                };
                Some(match every {
                    false => related(Quantifier::Some, of),
                    true => Filter::And(vec![
                        related(Quantifier::Some, Filter::all()),
                        related(Quantifier::None, Filter::Except(Box::new(of))),
                    ]),
                })
            }
        }
    }
}

fn constant_value(constant: &Constant) -> Value {
    match constant {
        Constant::Boolean(value) => Value::Boolean(*value),
        Constant::Integer(value) => Value::Integer(*value),
        Constant::Float(text) => Value::Number((**text).into()),
        Constant::Text(text) | Constant::Enum(text) => Value::Text((**text).into()),
        Constant::List(items) => Value::List(items.iter().map(constant_value).collect()),
    }
}
