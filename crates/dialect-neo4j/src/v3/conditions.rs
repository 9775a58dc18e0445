//! The conditions on properties: a field of the input for each operator, which its name ends with.

use ir::{Comparison, TextMatch};

use super::build::{Build, reason};
use super::classes::{OF_CONDITIONS, stored};
use super::roles::{Values, and, compare, condition, matches, not, or};
use super::texts::NEGATION;
use crate::model::{ModelField, Property, PropertyType};
use crate::shared::text_filters::{TextFilter, TextOperator, TextOrder, TextType, operators_of};
use crate::shared::values::{input_name, type_name};
use api::binding::OperatorRole;

/// What an operator compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// A value as the property has it.
    Whole,
    /// A list of such.
    List,
    /// An element of a list.
    Element,
    /// A text that is a pattern.
    Pattern,
    /// A point and a distance.
    Distance,
}

/// An operator.
#[derive(Clone, Debug)]
struct Operator {
    suffix: &'static str,
    operand: Operand,
    role: OperatorRole,
    negated: bool,
}

impl Build<'_> {
    /// The input type for conditions on what is stored, with those.
    pub(super) fn add_conditions(&mut self, r#type: &str, fields: &[ModelField], values: Values) {
        self.draft.input(r#type);
        if !matches!(values, Values::Interface(_)) {
            self.put_logic(r#type, ["OR", "AND", "NOT"]);
        }
        for one in stored(fields, &OF_CONDITIONS) {
            if !one.field.offers.by_value {
                continue;
            }
            let place = values.place(self, one.place);
            for operator in operators(one.property, &self.options.filters) {
                let Operator { suffix, operand, role, negated } = operator;
                let written = self.operand(one.property, operand);
                let binding = condition(values, place.clone(), role, negated);
                let reason = reason(one.field).or(negated.then_some(NEGATION));
                let name = format!("{}{suffix}", one.field.name);
                self.put_for(r#type, &name, &written, binding, reason);
            }
        }
    }

    /// What puts conditions together, in the order of `names`.
    pub(super) fn put_logic(&mut self, r#type: &str, names: [&str; 3]) {
        let listed = format!("[{}!]", r#type);
        for name in names {
            match name {
                "AND" => self.put(r#type, name, &listed, and()),
                "OR" => self.put(r#type, name, &listed, or()),
                _ => self.put(r#type, name, r#type, not()),
            }
        }
    }

    /// The type of an operand.
    fn operand(&self, property: &Property, operand: Operand) -> String {
        let whole = self.given(property);
        match operand {
            Operand::Whole => whole,
            Operand::List if property.is_required => format!("[{whole}!]"),
            Operand::List => format!("[{whole}]"),
            Operand::Element => input_name(self.model, &property.r#type).into(),
            Operand::Pattern => "String".into(),
            Operand::Distance => format!("{}Distance", type_name(self.model, &property.r#type)),
        }
    }
}

/// The operators of a property, in the order of the library.
fn operators(property: &Property, filters: &[TextFilter]) -> Vec<Operator> {
    use Comparison::{Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual};
    let operator = |suffix, operand, role| Operator { suffix, operand, role, negated: false };
    let negated = |suffix, operand, role| Operator { suffix, operand, role, negated: true };
    let mut all = vec![
        operator("", Operand::Whole, compare(Equal)),
        negated("_NOT", Operand::Whole, compare(Equal)),
    ];
    if property.r#type == PropertyType::Boolean {
        return all;
    }
    if property.is_list {
        let includes = OperatorRole::CompareElement(Equal);
        all.push(operator("_INCLUDES", Operand::Element, includes));
        all.push(negated("_NOT_INCLUDES", Operand::Element, includes));
        return all;
    }
    all.push(operator("_IN", Operand::List, compare(In)));
    all.push(negated("_NOT_IN", Operand::List, compare(In)));
    let ordered =
        [("_LT", Less), ("_LTE", LessOrEqual), ("_GT", Greater), ("_GTE", GreaterOrEqual)];
    match property.r#type {
        PropertyType::Int
        | PropertyType::BigInt
        | PropertyType::Float
        | PropertyType::Date
        | PropertyType::Time
        | PropertyType::LocalTime
        | PropertyType::DateTime
        | PropertyType::LocalDateTime
        | PropertyType::Duration => {
            let of = |(suffix, comparison)| operator(suffix, Operand::Whole, compare(comparison));
            all.extend(ordered.map(of));
        }
        PropertyType::Point | PropertyType::CartesianPoint => {
            let of = |(suffix, comparison)| {
                operator(suffix, Operand::Distance, OperatorRole::Distance(comparison))
            };
            all.push(of(("_DISTANCE", Equal)));
            all.extend(ordered.map(of));
        }
        PropertyType::String | PropertyType::Id => {
            let own = match property.r#type {
                PropertyType::Id => TextType::Id,
                _ => TextType::String,
            };
            if operators_of(filters, own).any(|wanted| wanted == TextOperator::Matches) {
                all.push(operator("_MATCHES", Operand::Pattern, matches(TextMatch::Regex)));
            }
            let parts = [
                ("_CONTAINS", "_NOT_CONTAINS", TextMatch::Includes),
                ("_STARTS_WITH", "_NOT_STARTS_WITH", TextMatch::StartsWith),
                ("_ENDS_WITH", "_NOT_ENDS_WITH", TextMatch::EndsWith),
            ];
            let of = |(suffix, _, part)| operator(suffix, Operand::Whole, matches(part));
            all.extend(parts.map(of));
            // What is asked for String is offered of ID, too.
            for wanted in operators_of(filters, TextType::String) {
                if let TextOperator::Ordered(order) = wanted {
                    all.push(operator(ending(order), Operand::Whole, compare(order.comparison())));
                }
            }
            let of_not = |(_, suffix, part)| negated(suffix, Operand::Whole, matches(part));
            all.extend(parts.map(of_not));
        }
        PropertyType::Boolean | PropertyType::Enum(_) | PropertyType::Scalar(_) => {}
    }
    all
}

/// What the name of a condition ends with.
fn ending(order: TextOrder) -> &'static str {
    match order {
        TextOrder::Less => "_LT",
        TextOrder::LessOrEqual => "_LTE",
        TextOrder::Greater => "_GT",
        TextOrder::GreaterOrEqual => "_GTE",
    }
}
