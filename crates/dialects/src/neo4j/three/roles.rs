//! What the inputs mean.

use std::sync::Arc;

use catalog::FieldId;
use ir::{AggregateFunction, Comparison, Place, Quantifier, TextMatch};

use super::super::model::{Placed, PlacedField, Target};
use super::build::Build;
use super::relations::Relation;
use crate::binding::{DeclaredRole, InputBinding, InputRole, Meaning, Subject};

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
    pub(super) fn place(self, build: &Build<'_>, place: usize) -> Option<Place> {
        match self {
            Self::Edge(_) => self.field(build.placed, place).map(Place::Edge),
            Self::Node(_) => self.field(build.placed, place).map(Place::field),
            Self::Interface(interface) => build.common_place(interface, place).map(Place::Common),
        }
    }
}

/// An object of conditions.
pub(super) fn filter() -> InputBinding {
    InputBinding::lenient(InputRole::Filter)
}

pub(super) fn and() -> InputBinding {
    InputBinding::lenient(InputRole::And { item: Meaning::Ignore })
}

pub(super) fn or() -> InputBinding {
    InputBinding::lenient(InputRole::Or { item: Meaning::Ignore })
}

pub(super) fn not() -> InputBinding {
    InputBinding::lenient(InputRole::Negated(Box::new(InputRole::Filter)))
}

/// How many rows a list has: never more than `most`.
pub(super) fn limit(most: Option<u32>) -> InputBinding {
    InputBinding::lenient(match most {
        Some(most) => InputRole::LimitAtMost(most.into()),
        None => InputRole::Limit,
    })
}

/// What an input says that is in the schema and not served.
pub(super) fn unserved(what: &str) -> InputBinding {
    // Whatever is given states something, and that is refused.
    let given = made(Place::Counted { distinct: false }, Comparison::Equal).role;
    let otherwise: Box<str> = format!("{what} is not served yet.").into();
    let null = Meaning::Refuse(otherwise.clone());
    let role = InputRole::Refused { role: Box::new(given), otherwise };
    InputBinding { role, null, empty: Meaning::Ignore }
}

/// A condition on a value. Null asks of nodes whether there is none; of relationships it equals
/// nothing.
pub(super) fn condition(
    values: Values,
    place: Option<Place>,
    role: InputRole,
    negated: bool,
) -> InputBinding {
    let Some(place) = place else { return unserved("A condition on nodes of several types") };
    let on = InputRole::On { subject: Arc::new(Subject::new(place)), role: Arc::new(role) };
    let null = match (values, negated) {
        (Values::Edge(_), _) => Meaning::False,
        (Values::Node(_) | Values::Interface(_), false) => Meaning::IsNull,
        (Values::Node(_) | Values::Interface(_), true) => Meaning::IsNotNull,
    };
    let role = match negated {
        true => InputRole::Negated(Box::new(on)),
        false => on,
    };
    InputBinding { role, null, empty: Meaning::Ignore }
}

pub(super) fn compare(comparison: Comparison) -> InputRole {
    InputRole::Compare(comparison)
}

pub(super) fn matches(r#match: TextMatch) -> InputRole {
    InputRole::Match { r#match, ignore_case: false }
}

/// A condition on nodes of one type, of those of several.
pub(super) fn of_variant(members: &[usize], member: usize) -> InputBinding {
    // Their numbers are those of the definitions' order.
    let before = members.iter().filter(|other| **other < member).count();
    InputBinding::lenient(InputRole::OfVariant(u16::try_from(before).unwrap_or(u16::MAX)))
}

/// An object of such conditions beside those on all of them: nodes of the types that it does not
/// name pass, if there are such.
pub(super) fn on_variant() -> InputBinding {
    InputBinding::lenient(InputRole::OnVariant)
}

/// How many of the related nodes must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Many {
    /// All, and there is one.
    All,
    Quantity(Quantifier),
}

impl Many {
    fn role(self) -> InputRole {
        match self {
            Self::All => InputRole::All { apart: false },
            Self::Quantity(quantifier) => InputRole::Quantified(quantifier),
        }
    }
}

/// A condition on related nodes, by its word. An empty one states nothing; null asks whether there
/// are none, or any if that is what the word negates.
pub(super) fn related(relation: &Relation<'_>, many: Many, null: Meaning) -> InputBinding {
    let role = Box::new(many.role());
    let target = relation.relationship.target;
    let role = match (relation.way(), target, relation.variants, relation.declared) {
        (Some(way), _, _, _) => InputRole::RelatedBy { hop: way.hop, role },
        (None, Target::Interface(_), Some(variants), _) => {
            InputRole::RelatedVariantsBy { variants: variants.usual, role }
        }
        (None, Target::Union(_), Some(variants), _) => {
            InputRole::RelatedEach { variants: variants.usual, role }
        }
        (None, Target::Union(_), None, Some(place)) => {
            InputRole::Declared(DeclaredRole::Each { place, role })
        }
        (None, Target::Node(_) | Target::Interface(_), None, Some(place)) => {
            InputRole::Declared(DeclaredRole::By { place, role })
        }
        (None, _, _, _) => return unserved("A condition on related nodes of several types"),
    };
    InputBinding { role, null, empty: Meaning::Ignore }
}

/// A condition on what is made of related nodes.
pub(super) fn together(relation: &Relation<'_>) -> InputBinding {
    let once = false;
    match (relation.way(), relation.declared) {
        (Some(way), _) => InputBinding::lenient(InputRole::Together { hop: Some(way.hop), once }),
        (None, Some(place)) => {
            InputBinding::lenient(InputRole::Declared(DeclaredRole::Together { place, once }))
        }
        (None, None) => unserved("A condition on related nodes of several types"),
    }
}

/// A condition on how many there are.
pub(super) fn counted(comparison: Comparison) -> InputBinding {
    made(Place::Counted { distinct: false }, comparison)
}

/// A condition on what a function makes of a value of all of them.
pub(super) fn aggregated(
    function: AggregateFunction,
    place: Option<Place>,
    comparison: Comparison,
) -> InputBinding {
    match place {
        Some(place) => made(Place::Aggregated { function, place: Box::new(place) }, comparison),
        None => unserved("A condition on related nodes of several types"),
    }
}

fn made(place: Place, comparison: Comparison) -> InputBinding {
    on_made(place, compare(comparison))
}

fn on_made(place: Place, role: InputRole) -> InputBinding {
    let role = InputRole::On { subject: Arc::new(Subject::new(place)), role: Arc::new(role) };
    InputBinding { role, null: Meaning::False, empty: Meaning::Ignore }
}

/// A condition that any of the values of all of them has to pass, or its length.
pub(super) fn any_of(
    function: AggregateFunction,
    place: Option<Place>,
    comparison: Comparison,
) -> InputBinding {
    match place {
        Some(place) => {
            let place = Place::Aggregated { function, place: Box::new(place) };
            on_made(place, InputRole::CompareElement(comparison))
        }
        None => unserved("A condition on related nodes of several types"),
    }
}

/// Whether a relationship is followed as it is directed.
pub(super) fn directed(relation: &Relation<'_>) -> InputBinding {
    match (relation.way(), relation.variants) {
        (Some(way), _) => InputBinding::lenient(InputRole::Directed {
            directed: way.written,
            undirected: way.undirected,
        }),
        (None, Some(variants)) => InputBinding::lenient(InputRole::DirectedVariants {
            directed: variants.directed,
            undirected: variants.undirected,
        }),
        (None, None) => unserved("`directed` of an interface"),
    }
}
