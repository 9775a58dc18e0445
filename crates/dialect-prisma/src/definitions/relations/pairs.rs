//! Fields of relations in pairs.
//!
//! Fields with one name for their relation belong together, else two types with one field each for
//! the rows of the other.

use graphql::definitions::problem::Problems;

use super::super::fields::Related;
use super::super::names::{MAX_RELATION_NAME_LENGTH, Names, is_relation_name};
use super::Pair;

pub(super) fn pairs<'r, 'd>(
    names: &Names<'_>,
    related: &'r [Related<'d>],
    problems: &mut Problems,
) -> Vec<Pair<'r, 'd>> {
    check_names(names, related, problems);
    let mut pairs = Vec::new();
    for (idx, field) in related.iter().enumerate() {
        let partner = partner(related, idx);
        // The first of two makes the pair.
        if partner.is_some_and(|partner| partner < idx) {
            continue;
        }
        let partner = partner.and_then(|partner| related.get(partner));
        let is_a = match (names.type_name(field.r#type), names.type_name(field.target)) {
            (own, target) if own == target => {
                partner.is_none_or(|partner| field.name < partner.name)
            }
            (own, target) => own < target,
        };
        pairs.push(match is_a {
            true => Pair { a: Some(field), b: partner },
            false => Pair { a: partner, b: Some(field) },
        });
    }
    pairs
}

/// The index of the field at the other end.
fn partner(related: &[Related<'_>], idx: usize) -> Option<usize> {
    let own = &related[idx];
    let is_partner = |(other, field): &(usize, &Related<'_>)| {
        *other != idx
            && field.r#type == own.target
            && field.target == own.r#type
            && field.relation == own.relation
    };
    related.iter().enumerate().find(is_partner).map(|(other, _)| other)
}

fn check_names(names: &Names<'_>, related: &[Related<'_>], problems: &mut Problems) {
    for field in related {
        match field.relation {
            None => {
                let is_other = |other: &&Related<'_>| {
                    other.r#type == field.r#type && other.target == field.target
                };
                let same: Vec<&Related<'_>> = related.iter().filter(is_other).collect();
                if same.len() > 1 && !is_tree(&same) {
                    let message = "several fields of the type have rows of this type: say to which \
                                   relation each belongs, as in `@relation(name: \"MyRelation\")`";
                    problems.refuse(field.at, message);
                }
            }
            Some(name) => check_named(names, related, field, name, problems),
        }
    }
}

/// True for the two fields of a tree, such as `parent: Node` and `children: [Node!]!` of a type `Node`:
/// they are one relation without a name. Prisma's introspection writes trees so.
fn is_tree(fields: &[&Related<'_>]) -> bool {
    match fields {
        [one, other] => {
            one.r#type == one.target
                && one.is_list != other.is_list
                && one.relation.is_none()
                && other.relation.is_none()
        }
        _ => false,
    }
}

fn check_named(
    names: &Names<'_>,
    related: &[Related<'_>],
    field: &Related<'_>,
    name: &str,
    problems: &mut Problems,
) {
    if !is_relation_name(name) {
        let message = format!(
            "`{name}` is no name of a relation: write one of at most {MAX_RELATION_NAME_LENGTH} \
             letters, digits and underscores that begins with a capital letter"
        );
        problems.refuse(field.at, message);
    }
    let same: Vec<&Related<'_>> =
        related.iter().filter(|other| other.relation == Some(name)).collect();
    let (own, target) = (names.type_name(field.r#type), names.type_name(field.target));
    match same.as_slice() {
        [_] => {
            let unnamed = related.iter().find(|other| {
                other.r#type == field.target
                    && other.target == field.r#type
                    && other.relation.is_none()
                    && (own != target || other.field != field.field)
            });
            if let Some(unnamed) = unnamed {
                let message = format!(
                    "`{target}.{}` may be the other field of the relation `{name}`: add \
                     `@relation(name: \"{name}\")` to it",
                    unnamed.name
                );
                problems.refuse(field.at, message);
            }
        }
        [first, second] => {
            if first.r#type != second.target || first.target != second.r#type {
                let other = match std::ptr::eq(*first, field) {
                    true => second,
                    false => first,
                };
                let message = format!(
                    "`{}.{}` belongs to the relation `{name}` too, but the types of both fields \
                     are not those of its ends: give them the types of each other, or the \
                     relations two names",
                    names.type_name(other.r#type),
                    other.name
                );
                problems.refuse(field.at, message);
            }
        }
        _ => {
            let message = format!(
                "{} fields belong to the relation `{name}`, which has two ends: give further \
                 relations other names",
                same.len()
            );
            problems.refuse(field.at, message);
        }
    }
}
