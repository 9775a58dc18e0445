//! Bindings of inputs.

use std::sync::Arc;

use ir::{AggregateFunction, Comparison, ValueRef};

use crate::model::Target;
use crate::shared::attribute::Origin;
use crate::shared::link::Link;
use crate::shared::quantifier::Many;
use crate::shared::variants::of_member;
use api::binding::{
    ArgumentRole, DeclaredRole, FilterRole, InputBinding, InputRole, Meaning, OperatorRole,
    RowsRole, Subject, VariantRole,
};

/// An object of conditions.
pub(super) fn filter() -> InputBinding {
    InputBinding::lenient(FilterRole::Conditions)
}

/// The limit of a list, at most `most`.
pub(super) fn limit(most: Option<u32>) -> InputBinding {
    InputBinding::lenient(match most {
        Some(most) => ArgumentRole::LimitAtMost(most.into()),
        None => ArgumentRole::Limit,
    })
}

/// The binding of an input that is in the schema and not served.
pub(super) fn unserved(what: &str) -> InputBinding {
    let text: Box<str> = format!("{what} is not served yet.").into();
    let null = Meaning::refuse(text.clone());
    InputBinding { role: InputRole::Refused(text), null, empty: Meaning::Ignore }
}

/// A condition on a value. Null tests whether a node has no value; for relationships it equals
/// nothing.
pub(super) fn condition(origin: Origin, operator: OperatorRole, negated: bool) -> InputBinding {
    let Some(place) = origin.place() else {
        return unserved("A condition on nodes of several types");
    };
    let on = FilterRole::On { subject: Arc::new(Subject::new(place)), operator };
    let null = match (origin, negated) {
        (Origin::Edge(_), _) => Meaning::False,
        (_, false) => Meaning::IsNull,
        (_, true) => Meaning::IsNotNull,
    };
    let role = match negated {
        true => FilterRole::Negated(Box::new(on)),
        false => on,
    };
    InputBinding { role: role.into(), null, empty: Meaning::Ignore }
}

/// A condition on nodes of one type of several, which are numbered in the order of the definitions.
pub(super) fn of_variant(members: &[usize], member: usize) -> InputBinding {
    of_member(members.iter().filter(|other| **other < member).count())
}

/// An object of such conditions beside those on all of them: nodes of the types that it does not
/// name pass, if there are such.
pub(super) fn on_variant() -> InputBinding {
    InputBinding::lenient(VariantRole::On)
}

/// A condition on related nodes. An empty one is ignored; `null` is the meaning of null.
pub(super) fn related(link: &Link<'_>, many: Many, null: Meaning) -> InputBinding {
    let role = many.role();
    let role = match (link.target(), link.variants, link.declared) {
        (Target::Union(_), Some(variants), _) => {
            Some(FilterRole::RelatedEach { variants: variants.id, role })
        }
        (Target::Union(_), None, Some(place)) => {
            Some(FilterRole::Declared(DeclaredRole::Each { place, role: Box::new(role) }))
        }
        _ => link.condition(role),
    };
    match role {
        Some(role) => InputBinding { role: role.into(), null, empty: Meaning::Ignore },
        None => unserved("A condition on related nodes of several types"),
    }
}

/// A condition on aggregates of related nodes.
pub(super) fn together(link: &Link<'_>) -> InputBinding {
    match link.condition(RowsRole::Together { once: false }) {
        Some(role) => InputBinding::lenient(role),
        None => unserved("A condition on related nodes of several types"),
    }
}

/// A condition on the number of related nodes.
pub(super) fn counted(comparison: Comparison) -> InputBinding {
    made(ValueRef::Counted { distinct: false }, comparison)
}

/// A condition on the result of an aggregate function.
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
    on_made(place, OperatorRole::Compare(comparison))
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

/// The choice between a relationship as it is directed and either direction.
pub(super) fn directed(link: &Link<'_>) -> InputBinding {
    match (link.path(), link.variants) {
        (Some(path), _) => InputBinding::lenient(ArgumentRole::Directed {
            directed: path.written,
            undirected: path.undirected,
        }),
        (None, Some(variants)) => InputBinding::lenient(ArgumentRole::DirectedVariants {
            directed: variants.directed,
            undirected: variants.undirected,
        }),
        (None, None) => unserved("`directed` of an interface"),
    }
}
