//! `where` of nodes, and of the properties of relationships: conditions on stored values.

use graphql::schema::EnumValueDefinition;
use ir::{Comparison, TextMatch};

use super::attribute::Attribute;
use super::build::{Build, Owner};
use super::global;
use super::operators::{operator, operators_name};
use super::statements;
use crate::model::{PropertyType, Target};
use crate::shared::draft::{DraftInput, DraftKind};
use crate::shared::text_filters::{TextFilter, TextOperator, TextOrder, TextType, operators_of};
use api::binding::{FilterRole, InputBinding, InputRole, OperatorRole, ValueBinding, VariantRole};

/// What is said of conditions on nodes of several types.
const SEVERAL: &str = "Conditions on nodes of several types are not served yet.";

/// A condition whose name has an operator at its end.
struct Suffix {
    name: &'static str,
    /// What the operator is called in the object of operators.
    generic: &'static str,
    operand: Operand,
    role: OperatorRole,
}

/// What is compared with the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    /// The whole of another value.
    Whole,
    One,
    /// A regular expression.
    Pattern,
    Several,
    Distance,
}

/// `where` of a node type or of an interface.
pub(super) fn owner(build: &mut Build<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let name = format!("{}Where", build.name(owner.into()));
    build.draft.input(&name);
    for (index, field) in build.fields(owner).iter().enumerate() {
        if let Some((statement, _)) = statements::of_node(build, owner, index, field) {
            statements::conditions(build, &name, field, statement);
        }
        if let Some(attribute) = attributes.iter().find(|one| one.name() == &*field.name) {
            attribute_conditions(build, &name, attribute);
        }
    }
    build.add_logic(&name, ["OR", "AND", "NOT"]);
    match owner {
        Owner::Node(node) => global::condition(build, node, &name, attributes),
        Owner::Interface(interface) => typename(build, interface, &name),
    }
}

/// `where` of the properties of relationships.
pub(super) fn properties(build: &mut Build<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let name = format!("{name}Where");
    build.draft.input(&name);
    for attribute in attributes {
        attribute_conditions(build, &name, attribute);
    }
    build.add_logic(&name, ["OR", "AND", "NOT"]);
}

/// `where` of a union: that of each member.
pub(super) fn union(build: &mut Build<'_>, union: usize) {
    let name = format!("{}Where", build.name(Target::Union(union)));
    build.draft.input(&name);
    for (number, member) in build.members(union).iter().enumerate() {
        let member = build.name(Target::Node(*member));
        let input = DraftInput::new(member, &format!("{member}Where"), of_member(number));
        build.draft.add_input(&name, input);
    }
}

/// Conditions on the nodes of one type of several.
pub(super) fn of_member(number: usize) -> InputBinding {
    InputBinding::lenient(VariantRole::Of(u16::try_from(number).unwrap_or(u16::MAX)))
}

/// A condition that is printed and refused.
pub(super) fn several() -> InputBinding {
    InputBinding::lenient(InputRole::Refused(SEVERAL.into()))
}

/// `typename` of an interface: which types the nodes are of.
fn typename(build: &mut Build<'_>, interface: usize, name: &str) {
    let implementations = build.implementations(interface);
    if implementations.is_empty() {
        return;
    }
    let kind = format!("{}Implementation", build.name(Target::Interface(interface)));
    let value = |(number, node): (usize, &usize)| {
        let definition = EnumValueDefinition::new(build.name(Target::Node(*node)));
        (definition, ValueBinding::Variant(u16::try_from(number).unwrap_or(u16::MAX)))
    };
    let values = implementations.iter().enumerate().map(value).collect();
    build.draft.add(&kind, None, DraftKind::Enum { values });
    let binding = InputBinding::lenient(FilterRole::OfVariants);
    build.draft.add_input(name, DraftInput::new("typename", &format!("[{kind}!]"), binding));
}

fn attribute_conditions(build: &mut Build<'_>, name: &str, attribute: &Attribute<'_>) {
    if !attribute.is_filtered() {
        return;
    }
    let own = attribute.name();
    let property = attribute.property;
    let operators = operators_name(build, &property.r#type, property.is_list);
    let role = match attribute.spot.subject() {
        Some(subject) => InputBinding::lenient(FilterRole::Operators(subject)),
        None => several(),
    };
    let input = DraftInput::new(own, &operators, role);
    build.draft.add_input(name, input.deprecated(attribute.field.deprecated.as_ref()));
    if build.options.exclude_deprecated {
        return;
    }
    for suffix in suffixes(attribute, &build.options.filters) {
        let r#type = match suffix.operand {
            Operand::Whole => build.whole_input(attribute),
            Operand::One => build.input_name(attribute).into(),
            Operand::Pattern => "String".into(),
            Operand::Several if property.is_required => {
                format!("[{}!]", build.input_name(attribute))
            }
            Operand::Several => format!("[{}]", build.input_name(attribute)),
            Operand::Distance => match property.r#type {
                PropertyType::CartesianPoint => "CartesianPointDistance".into(),
                _ => "PointDistance".into(),
            },
        };
        let role = match attribute.spot.subject() {
            Some(subject) => operator(FilterRole::On { subject, operator: suffix.role }),
            None => several(),
        };
        let reason =
            format!("Please use the relevant generic filter {own}: {{ {}: ... }}", suffix.generic);
        let input = DraftInput::new(&format!("{own}_{}", suffix.name), &r#type, role);
        let input = match &attribute.field.deprecated {
            Some(_) => input.deprecated(attribute.field.deprecated.as_ref()),
            None => input.because(&reason),
        };
        build.draft.add_input(name, input);
    }
}

/// The conditions on an attribute that came before the objects of operators.
fn suffixes(attribute: &Attribute<'_>, filters: &[TextFilter]) -> Vec<Suffix> {
    let r#type = &attribute.property.r#type;
    let suffix = |name, generic, operand, role| Suffix { name, generic, operand, role };
    let compare = |name, generic, comparison| {
        suffix(name, generic, Operand::One, OperatorRole::Compare(comparison))
    };
    let equal = OperatorRole::Compare(Comparison::Equal);
    let mut suffixes = vec![suffix("EQ", "eq", Operand::Whole, equal)];
    if *r#type == PropertyType::Boolean {
        return suffixes;
    }
    if attribute.property.is_list {
        let includes = OperatorRole::CompareElement(Comparison::Equal);
        suffixes.push(suffix("INCLUDES", "includes", Operand::One, includes));
        return suffixes;
    }
    suffixes.push(suffix("IN", "in", Operand::Several, OperatorRole::Compare(Comparison::In)));
    if r#type.is_number() || r#type.is_temporal() {
        suffixes.extend([
            compare("LT", "lt", Comparison::Less),
            compare("LTE", "lte", Comparison::LessOrEqual),
            compare("GT", "gt", Comparison::Greater),
            compare("GTE", "gte", Comparison::GreaterOrEqual),
        ]);
    } else if r#type.is_point() {
        let distance = |name, generic, comparison| {
            suffix(name, generic, Operand::Distance, OperatorRole::Distance(comparison))
        };
        suffixes.extend([
            distance("DISTANCE", "distance", Comparison::Equal),
            distance("LT", "lt", Comparison::Less),
            distance("LTE", "lte", Comparison::LessOrEqual),
            distance("GT", "gt", Comparison::Greater),
            distance("GTE", "gte", Comparison::GreaterOrEqual),
        ]);
    } else if matches!(r#type, PropertyType::Id | PropertyType::String) {
        let text = |name, generic, r#match| {
            suffix(name, generic, Operand::One, OperatorRole::Match { r#match, ignore_case: false })
        };
        suffixes.extend([
            text("CONTAINS", "contains", TextMatch::Includes),
            text("STARTS_WITH", "startsWith", TextMatch::StartsWith),
            text("ENDS_WITH", "endsWith", TextMatch::EndsWith),
        ]);
        let own = match r#type {
            PropertyType::Id => TextType::Id,
            _ => TextType::String,
        };
        suffixes.extend(operators_of(filters, own).filter_map(suffix_of));
    }
    suffixes
}

/// The same of an operator that is offered where it is asked for.
fn suffix_of(operator: TextOperator) -> Option<Suffix> {
    let (generic, operand, role) = match operator {
        TextOperator::Matches => {
            let role = OperatorRole::Match { r#match: TextMatch::Regex, ignore_case: false };
            ("matches", Operand::Pattern, role)
        }
        TextOperator::Ordered(order) => {
            let generic = match order {
                TextOrder::Greater => "gt",
                TextOrder::GreaterOrEqual => "gte",
                TextOrder::Less => "lt",
                TextOrder::LessOrEqual => "lte",
            };
            (generic, Operand::One, OperatorRole::Compare(order.comparison()))
        }
        TextOperator::CaseInsensitive => return None,
    };
    Some(Suffix { name: operator.name(), generic, operand, role })
}
