//! Conditions on what is made of the nodes that a relationship leads to, and of its properties.

use ir::{AggregateFunction, Comparison, ValueRef};

use super::build::Build;
use super::classes::{OF_AGGREGATES, Stored, stored};
use super::relations::{Part, Relation};
use super::roles::{Values, aggregated, any_of};
use super::texts::{IMPLICIT_LENGTH, NO_AGGREGATE};
use crate::model::{ModelField, PropertyType, Target};
use crate::shared::values::type_name;

/// The operators: the end of the name, and what is compared.
const OPERATORS: [(&str, Comparison); 5] = [
    ("EQUAL", Comparison::Equal),
    ("GT", Comparison::Greater),
    ("GTE", Comparison::GreaterOrEqual),
    ("LT", Comparison::Less),
    ("LTE", Comparison::LessOrEqual),
];

/// A function that conditions are made of.
struct Made {
    word: &'static str,
    function: AggregateFunction,
    /// The name of the type of what it makes.
    r#type: &'static str,
    reason: Option<&'static str>,
}

impl<'m> Build<'m> {
    /// The types of such conditions, each with the field that it is of.
    pub(super) fn add_made_conditions(
        &mut self,
        relation: &Relation<'m>,
    ) -> Vec<(&'static str, String)> {
        let mut added = Vec::new();
        let is_one = matches!(relation.relationship.target, Target::Node(_));
        for Part { field, word, fields, values } in relation.parts(self.model) {
            let name = relation.own(&format!("{word}AggregationWhereInput"));
            if self.add_made(&name, fields, values, is_one) {
                added.push((field, name));
            }
        }
        added
    }

    /// Whether there is any such condition.
    fn add_made(
        &mut self,
        name: &str,
        fields: &[ModelField],
        values: Values,
        is_served: bool,
    ) -> bool {
        let mut all = stored(fields, &OF_AGGREGATES);
        all.retain(|one| {
            let is_offered = one.field.offers.by_aggregate && !one.property.is_list;
            is_offered && self.any_type(&one.property.r#type, "EQUAL").is_some()
        });
        if all.is_empty() {
            return false;
        }
        self.put_logic(name, ["AND", "OR", "NOT"]);
        for one in all {
            let place = values.place(self, one.place).filter(|_| is_served);
            for (operator, comparison) in OPERATORS {
                self.add_operator(name, one, place.as_ref(), (operator, comparison));
            }
        }
        true
    }

    fn add_operator(
        &mut self,
        name: &str,
        one: Stored<'_>,
        place: Option<&ValueRef>,
        (operator, comparison): (&str, Comparison),
    ) {
        let r#type = &one.property.r#type;
        let own = &one.field.name;
        if let Some(any) = self.any_type(r#type, operator) {
            let field = format!("{own}_{operator}");
            // Texts are compared as they are only if they are to be equal.
            let function = match (r#type, comparison) {
                (PropertyType::String, Comparison::Equal) => AggregateFunction::Values,
                (PropertyType::String, _) => AggregateFunction::Lengths,
                _ => AggregateFunction::Values,
            };
            let binding = any_of(function, place.cloned(), comparison);
            self.put_for(name, &field, any, binding, Some(NO_AGGREGATE));
        }
        for made in all_made(r#type) {
            let field = format!("{own}_{}_{operator}", made.word);
            let binding = aggregated(made.function, place.cloned(), comparison);
            self.put_for(name, &field, made.r#type, binding, made.reason);
        }
    }

    /// The type of the operand of a condition on any of the values, if there is such a condition:
    /// texts are told by their lengths, unless they are to be equal.
    fn any_type(&self, r#type: &PropertyType, operator: &str) -> Option<&'m str> {
        match r#type {
            PropertyType::Id if operator == "EQUAL" => Some("ID"),
            PropertyType::String if operator == "EQUAL" => Some("String"),
            PropertyType::String => Some("Int"),
            PropertyType::Int
            | PropertyType::BigInt
            | PropertyType::Float
            | PropertyType::Time
            | PropertyType::LocalTime
            | PropertyType::DateTime
            | PropertyType::LocalDateTime
            | PropertyType::Duration => Some(type_name(self.model, r#type)),
            PropertyType::Id
            | PropertyType::Boolean
            | PropertyType::Date
            | PropertyType::Point
            | PropertyType::CartesianPoint
            | PropertyType::Enum(_)
            | PropertyType::Scalar(_) => None,
        }
    }
}

/// The functions of values of a type, in the order of the library.
fn all_made(r#type: &PropertyType) -> Vec<Made> {
    use AggregateFunction::{
        Average, AverageLength, LongestLength, Maximum, Minimum, ShortestLength, Total,
    };
    let made = |word, function, r#type, reason| Made { word, function, r#type, reason };
    let of = |name| (made("MIN", Minimum, name, None), made("MAX", Maximum, name, None));
    let number = |name, average| {
        let (minimum, maximum) = of(name);
        let average = made("AVERAGE", Average, average, None);
        vec![average, minimum, maximum, made("SUM", Total, name, None)]
    };
    let temporal = |name| {
        let (minimum, maximum) = of(name);
        vec![minimum, maximum]
    };
    match r#type {
        PropertyType::String => vec![
            made("AVERAGE", AverageLength, "Float", Some(IMPLICIT_LENGTH)),
            made("LONGEST", LongestLength, "Int", Some(IMPLICIT_LENGTH)),
            made("SHORTEST", ShortestLength, "Int", Some(IMPLICIT_LENGTH)),
            made("AVERAGE_LENGTH", AverageLength, "Float", None),
            made("LONGEST_LENGTH", LongestLength, "Int", None),
            made("SHORTEST_LENGTH", ShortestLength, "Int", None),
        ],
        PropertyType::Int => number("Int", "Float"),
        PropertyType::Float => number("Float", "Float"),
        PropertyType::BigInt => number("BigInt", "BigInt"),
        PropertyType::Duration => {
            let (minimum, maximum) = of("Duration");
            vec![made("AVERAGE", Average, "Duration", None), minimum, maximum]
        }
        PropertyType::Time => temporal("Time"),
        PropertyType::LocalTime => temporal("LocalTime"),
        PropertyType::DateTime => temporal("DateTime"),
        PropertyType::LocalDateTime => temporal("LocalDateTime"),
        PropertyType::Id
        | PropertyType::Boolean
        | PropertyType::Date
        | PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Enum(_)
        | PropertyType::Scalar(_) => Vec::new(),
    }
}
