//! Functions that aggregate the values of a property: the fields that show their results, and the
//! conditions on these.

use ir::{AggregateFunction as Function, Form};
use response::Leaf;

use super::builder::Builder;
use super::kinds::Kind;
use crate::model::PropertyType;
use crate::shared::values::{leaf, type_name};
use api::binding::{AggregateField, AggregateValue, FieldBinding};

/// Function in the words of conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregate<'m> {
    /// Part of the names of conditions with an operator at their end.
    pub(crate) suffix: &'static str,
    /// Field of the object of operators.
    pub(crate) generic: &'static str,
    pub(crate) function: Function,
    /// Type of the result.
    pub(crate) r#type: &'m str,
}

/// Adds the functions of a type to a type of results, which are null of no rows unless `mark` is
/// `!`.
pub(crate) fn add_functions(
    build: &mut Builder<'_>,
    name: &str,
    r#type: &PropertyType,
    mark: &str,
) {
    for (field, function, result) in shown(r#type) {
        let leaf = match (r#type, function) {
            (PropertyType::BigInt, Function::Average) => build.version.big_average(),
            _ => leaf(&result, build.version.api),
        };
        let r#type = format!("{}{mark}", type_name(build.model, &result));
        build.show(name, field, &r#type, value(function, leaf, None));
    }
}

/// The functions of a type whose results are shown, each with the type of its results.
fn shown(r#type: &PropertyType) -> Vec<(&'static str, Function, PropertyType)> {
    let own = |name, function| (name, function, r#type.clone());
    match r#type.kind() {
        Kind::Id | Kind::String => {
            vec![own("shortest", Function::ShortestText), own("longest", Function::LongestText)]
        }
        Kind::Integer | Kind::Float => {
            let average = match r#type {
                // The average of integers need not be one.
                PropertyType::Int => PropertyType::Float,
                own => own.clone(),
            };
            vec![
                own("max", Function::Maximum),
                own("min", Function::Minimum),
                ("average", Function::Average, average),
                own("sum", Function::Total),
            ]
        }
        Kind::Time | Kind::Duration => {
            vec![own("min", Function::Minimum), own("max", Function::Maximum)]
        }
        Kind::Boolean | Kind::Date | Kind::Point | Kind::Enum | Kind::Scalar => Vec::new(),
    }
}

/// The functions of a type whose results conditions compare.
pub(crate) fn compared<'m>(build: &Builder<'m>, r#type: &PropertyType) -> Vec<Aggregate<'m>> {
    let of = |suffix, generic, function, r#type| Aggregate { suffix, generic, function, r#type };
    if *r#type == PropertyType::String {
        return vec![
            of("AVERAGE_LENGTH", "averageLength", Function::AverageLength, "Float"),
            of("LONGEST_LENGTH", "longestLength", Function::LongestLength, "Int"),
            of("SHORTEST_LENGTH", "shortestLength", Function::ShortestLength, "Int"),
        ];
    }
    if !r#type.is_aggregated() {
        return Vec::new();
    }
    let own = type_name(build.model, r#type);
    let mut all =
        vec![of("MIN", "min", Function::Minimum, own), of("MAX", "max", Function::Maximum, own)];
    if r#type.is_number() {
        all.push(of("SUM", "sum", Function::Total, own));
    }
    if r#type.is_number() || *r#type == PropertyType::Duration {
        let average = match r#type {
            PropertyType::BigInt | PropertyType::Duration => own,
            _ => "Float",
        };
        all.push(of("AVERAGE", "average", Function::Average, average));
    }
    all
}

/// The result of a function over the values of the object around it.
pub(crate) fn value(function: Function, leaf: Leaf, absent: Option<Box<[u8]>>) -> FieldBinding {
    let value = AggregateValue { function, field: None, leaf, form: Form::Stored, absent };
    FieldBinding::Aggregate(AggregateField::Value([value].into()))
}
