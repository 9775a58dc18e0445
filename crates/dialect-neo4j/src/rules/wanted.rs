//! Conditions on nodes as version 3's `@auth` says them: which values fields have.
//!
//! A value that is missing equals nothing, and nothing is unknown: what all related nodes have to
//! pass, one without the value does not.

use ir::{Comparison, Filter, Operand, Quantifier, Value, ValueRef};

use crate::model::wanted::{Wanted, WantedValue};
use crate::model::{Constant, FieldKind, Model, Placed, PlacedField, Target};

impl Wanted {
    /// The condition on the nodes of a type, by its place; none if that has no such fields. Recursion is
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
                let place = ValueRef::field(*field);
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
                let (PlacedField::Paths(paths), Target::Node(target)) =
                    (found(*field)?, relationship.target)
                else {
                    return None;
                };
                let hop = paths.first()?.hop;
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
