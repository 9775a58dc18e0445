//! What the inputs mean.

use std::sync::Arc;

use catalog::FieldId;
use ir::{AggregateFunction, Comparison, Quantifier, TextMatch, ValueRef};

use super::build::Build;
use super::relations::Relation;
use crate::model::{Placed, PlacedField, Target};
use api::binding::{
    ArgumentRole, DeclaredRole, FilterRole, InputBinding, InputRole, Meaning, OperatorRole,
    RowsRole, Subject, VariantRole,
};

/// Whose properties are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// By its place in the model.
    Node(usize),
    /// The properties of a relationship, by the place of their type.
    Edge(usize),
    /// What the node types of an interface have in common, by its place.
    Interface(usize),
}

impl Values {
    /// The field in the catalog.
    pub(super) fn field(self, placed: &Placed, place: usize) -> Option<FieldId> {
        match self {
            Self::Node(node) => match placed.nodes.get(node)?.fields.get(place)? {
                PlacedField::Property(field) => Some(*field),
                PlacedField::Ways(_) | PlacedField::Statement(_) => None,
            },
            Self::Edge(properties) => {
                let (_, fields) = placed.properties.get(properties)?;
                fields.get(place).copied()
            }
            Self::Interface(_) => None,
        }
    }

    /// What is compared.
    pub(super) fn place(self, build: &Build<'_>, place: usize) -> Option<ValueRef> {
        match self {
            Self::Edge(_) => self.field(build.placed, place).map(ValueRef::Edge),
            Self::Node(_) => self.field(build.placed, place).map(ValueRef::field),
            Self::Interface(interface) => {
                build.common_place(interface, place).map(ValueRef::Common)
            }
        }
    }
}

/// An object of conditions.
pub(super) fn filter() -> InputBinding {
    InputBinding::lenient(FilterRole::Conditions)
}

pub(super) fn and() -> InputBinding {
    InputBinding::lenient(FilterRole::And { item: Meaning::Ignore })
}

pub(super) fn or() -> InputBinding {
    InputBinding::lenient(FilterRole::Or { item: Meaning::Ignore })
}

pub(super) fn not() -> InputBinding {
    InputBinding::lenient(FilterRole::Negated(Box::new(FilterRole::Conditions)))
}

/// How many rows a list has: never more than `most`.
pub(super) fn limit(most: Option<u32>) -> InputBinding {
    InputBinding::lenient(match most {
        Some(most) => ArgumentRole::LimitAtMost(most.into()),
        None => ArgumentRole::Limit,
    })
}

/// What an input says that is in the schema and not served.
pub(super) fn unserved(what: &str) -> InputBinding {
    let text: Box<str> = format!("{what} is not served yet.").into();
    let null = Meaning::Refuse(text.clone());
    InputBinding { role: InputRole::Refused(text), null, empty: Meaning::Ignore }
}

/// A condition on a value. Null asks of nodes whether there is none; of relationships it equals
/// nothing.
pub(super) fn condition(
    values: Values,
    place: Option<ValueRef>,
    operator: OperatorRole,
    negated: bool,
) -> InputBinding {
    let Some(place) = place else { return unserved("A condition on nodes of several types") };
    let on = FilterRole::On { subject: Arc::new(Subject::new(place)), operator };
    let null = match (values, negated) {
        (Values::Edge(_), _) => Meaning::False,
        (Values::Node(_) | Values::Interface(_), false) => Meaning::IsNull,
        (Values::Node(_) | Values::Interface(_), true) => Meaning::IsNotNull,
    };
    let role = match negated {
        true => FilterRole::Negated(Box::new(on)),
        false => on,
    };
    InputBinding { role: role.into(), null, empty: Meaning::Ignore }
}

pub(super) fn compare(comparison: Comparison) -> OperatorRole {
    OperatorRole::Compare(comparison)
}

pub(super) fn matches(r#match: TextMatch) -> OperatorRole {
    OperatorRole::Match { r#match, ignore_case: false }
}

/// A condition on nodes of one type, of those of several.
pub(super) fn of_variant(members: &[usize], member: usize) -> InputBinding {
    // Their numbers are those of the definitions' order.
    let before = members.iter().filter(|other| **other < member).count();
    InputBinding::lenient(VariantRole::Of(u16::try_from(before).unwrap_or(u16::MAX)))
}

/// An object of such conditions beside those on all of them: nodes of the types that it does not
/// name pass, if there are such.
pub(super) fn on_variant() -> InputBinding {
    InputBinding::lenient(VariantRole::On)
}

/// How many of the related nodes must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Many {
    /// All, and there is one.
    All,
    Quantity(Quantifier),
}

impl Many {
    fn role(self) -> RowsRole {
        match self {
            Self::All => RowsRole::All { apart: false },
            Self::Quantity(quantifier) => RowsRole::Quantified(quantifier),
        }
    }
}

/// A condition on related nodes, by its word. An empty one states nothing; null asks whether there
/// are none, or any if that is what the word negates.
pub(super) fn related(relation: &Relation<'_>, many: Many, null: Meaning) -> InputBinding {
    let role = many.role();
    let target = relation.relationship.target;
    let role = match (relation.way(), target, relation.variants, relation.declared) {
        (Some(way), _, _, _) => FilterRole::RelatedBy { hop: way.hop, role },
        (None, Target::Interface(_), Some(variants), _) => {
            FilterRole::RelatedVariantsBy { variants: variants.usual, role }
        }
        (None, Target::Union(_), Some(variants), _) => {
            FilterRole::RelatedEach { variants: variants.usual, role }
        }
        (None, Target::Union(_), None, Some(place)) => {
            FilterRole::Declared(DeclaredRole::Each { place, role })
        }
        (None, Target::Node(_) | Target::Interface(_), None, Some(place)) => {
            FilterRole::Declared(DeclaredRole::By { place, role })
        }
        (None, _, _, _) => return unserved("A condition on related nodes of several types"),
    };
    InputBinding { role: role.into(), null, empty: Meaning::Ignore }
}

/// A condition on what is made of related nodes.
pub(super) fn together(relation: &Relation<'_>) -> InputBinding {
    let role = RowsRole::Together { once: false };
    match (relation.way(), relation.declared) {
        (Some(way), _) => InputBinding::lenient(FilterRole::RelatedBy { hop: way.hop, role }),
        (None, Some(place)) => {
            InputBinding::lenient(FilterRole::Declared(DeclaredRole::By { place, role }))
        }
        (None, None) => unserved("A condition on related nodes of several types"),
    }
}

/// A condition on how many there are.
pub(super) fn counted(comparison: Comparison) -> InputBinding {
    made(ValueRef::Counted { distinct: false }, comparison)
}

/// A condition on what a function makes of a value of all of them.
pub(super) fn aggregated(
    function: AggregateFunction,
    place: Option<ValueRef>,
    comparison: Comparison,
) -> InputBinding {
    match place {
        Some(place) => made(ValueRef::Aggregated { function, place: Box::new(place) }, comparison),
        None => unserved("A condition on related nodes of several types"),
    }
}

fn made(place: ValueRef, comparison: Comparison) -> InputBinding {
    on_made(place, compare(comparison))
}

fn on_made(place: ValueRef, operator: OperatorRole) -> InputBinding {
    let role = FilterRole::On { subject: Arc::new(Subject::new(place)), operator };
    InputBinding { role: role.into(), null: Meaning::False, empty: Meaning::Ignore }
}

/// A condition that any of the values of all of them has to pass, or its length.
pub(super) fn any_of(
    function: AggregateFunction,
    place: Option<ValueRef>,
    comparison: Comparison,
) -> InputBinding {
    match place {
        Some(place) => {
            let place = ValueRef::Aggregated { function, place: Box::new(place) };
            on_made(place, OperatorRole::CompareElement(comparison))
        }
        None => unserved("A condition on related nodes of several types"),
    }
}

/// Whether a relationship is followed as it is directed.
pub(super) fn directed(relation: &Relation<'_>) -> InputBinding {
    match (relation.way(), relation.variants) {
        (Some(way), _) => InputBinding::lenient(ArgumentRole::Directed {
            directed: way.written,
            undirected: way.undirected,
        }),
        (None, Some(variants)) => InputBinding::lenient(ArgumentRole::DirectedVariants {
            directed: variants.directed,
            undirected: variants.undirected,
        }),
        (None, None) => unserved("`directed` of an interface"),
    }
}
