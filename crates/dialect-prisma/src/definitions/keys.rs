//! Keys of types, and other values that clients do not give.

use graphql::definitions::FieldDefinition;
use graphql::definitions::problem::{At, Problems};

use super::directives::{Applied, Known};
use super::version::Version;
use crate::model::{Behaviour, Field, FieldKind, IdStrategy, ScalarType};

/// The field that is the key of a type; `None` if the type has none, which only tables that Prisma
/// makes may have, in version 1.0.
pub(super) fn key(
    at: At<'_>,
    fields: &[Field],
    written: &[FieldDefinition],
    version: Version,
    is_own: bool,
    problems: &mut Problems,
) -> Option<usize> {
    let keys = fields.iter().enumerate().filter(|(_, field)| match &field.kind {
        FieldKind::Scalar(scalar) => matches!(scalar.behaviour, Behaviour::Id(_)),
        FieldKind::ScalarList { .. } | FieldKind::Relation { .. } => false,
    });
    let keys: Vec<usize> = keys.map(|(idx, _)| idx).collect();
    for idx in keys.iter().skip(1) {
        let name = &fields[*idx].name;
        if let Some(field) = written.iter().find(|field| *field.name == **name) {
            let at = at.member((field.line, field.column), &field.name);
            problems.refuse(at, "the type has an id already: remove `@id` from one of both");
        }
    }
    // A field that is refused may be the key.
    if keys.is_empty() && fields.len() == written.len() {
        match version {
            Version::Second => {
                problems.refuse(at, "the type has no id: add `@id` to a field, as in `id: ID! @id`")
            }
            Version::First if !is_own => problems.refuse(
                at,
                "the type has no id, which types over tables with names of their own need: add a \
                 field, as in `id: ID! @unique`",
            ),
            Version::First => {}
        }
    }
    keys.first().copied()
}

/// Who gives a field of version 1.1 its value.
pub(super) fn behaviour(
    at: At<'_>,
    r#type: ScalarType,
    is_required: bool,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Behaviour {
    let own = [Known::Id, Known::CreatedAt, Known::UpdatedAt];
    let own: Vec<Known> = own.into_iter().filter(|known| applied.has(*known)).collect();
    if own.len() > 1 {
        problems.refuse(
            at,
            "a field has one of `@id`, `@createdAt` and `@updatedAt`: keep one of them",
        );
    }
    let behaviour = match own.first() {
        Some(Known::Id) => Behaviour::Id(strategy(at, r#type, is_required, applied, problems)),
        Some(Known::CreatedAt) => Behaviour::CreatedAt,
        Some(Known::UpdatedAt) => Behaviour::UpdatedAt,
        _ => Behaviour::Plain,
    };
    if matches!(behaviour, Behaviour::CreatedAt | Behaviour::UpdatedAt)
        && r#type != ScalarType::DateTime
    {
        problems.refuse(at, "a moment has the type `DateTime!` or `DateTime`: write one of both");
    }
    if !own.contains(&Known::Id) {
        let reason = "belongs to ids of sequences, as in `id: Int! @id(strategy: SEQUENCE)`";
        applied.refuse(at, &[Known::Sequence], reason, problems);
    }
    behaviour
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strategy {
    Auto,
    None,
    Sequence,
}

fn strategy(
    at: At<'_>,
    r#type: ScalarType,
    is_required: bool,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> IdStrategy {
    if !is_required {
        problems.refuse(at, "an id is required: add `!` to its type");
    }
    check_type(at, r#type, problems);
    let strategies =
        [("AUTO", Strategy::Auto), ("NONE", Strategy::None), ("SEQUENCE", Strategy::Sequence)];
    let strategy = applied.word(at, Known::Id, "strategy", &strategies, problems);
    let strategy = strategy.unwrap_or(Strategy::Auto);
    if strategy == Strategy::Sequence && r#type != ScalarType::Int {
        problems.refuse(at, "sequences make numbers: give the id the type `Int!`");
    }
    let name = applied.text(at, Known::Sequence, "name", problems);
    let initial_value = applied.integer(at, Known::Sequence, "initialValue", problems);
    let allocation_size = applied.integer(at, Known::Sequence, "allocationSize", problems);
    match (strategy, name, initial_value, allocation_size) {
        (Strategy::Sequence, Some(name), Some(initial_value), Some(allocation_size)) => {
            IdStrategy::Sequence { name: name.into(), initial_value, allocation_size }
        }
        // A sequence without a name is that of the column.
        (Strategy::Sequence, ..) => IdStrategy::Auto,
        (Strategy::Auto | Strategy::None, ..) => {
            let reason = "belongs to `@id(strategy: SEQUENCE)`";
            applied.refuse(at, &[Known::Sequence], reason, problems);
            match strategy {
                Strategy::None => IdStrategy::None,
                Strategy::Auto | Strategy::Sequence => IdStrategy::Auto,
            }
        }
    }
}

fn check_type(at: At<'_>, r#type: ScalarType, problems: &mut Problems) {
    if !matches!(r#type, ScalarType::Id | ScalarType::Uuid | ScalarType::Int) {
        problems.refuse(at, "an id has the type `ID!`, `UUID!` or `Int!`: write one of them");
    }
}

/// Who gives a field of version 1.0 its value: names have the meanings.
pub(super) fn named_behaviour(
    at: At<'_>,
    name: &str,
    r#type: ScalarType,
    is_required: bool,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Behaviour {
    match name {
        "id" => {
            if !is_required || !applied.has(Known::Unique) {
                problems.refuse(at, "`id` is the id of the type: write `id: ID! @unique`");
            }
            check_type(at, r#type, problems);
            Behaviour::Id(IdStrategy::Auto)
        }
        "createdAt" | "updatedAt" => {
            if !is_required || r#type != ScalarType::DateTime {
                let message = format!("`{name}` is a moment of the row: write `{name}: DateTime!`");
                problems.refuse(at, message);
            }
            match name {
                "createdAt" => Behaviour::CreatedAt,
                _ => Behaviour::UpdatedAt,
            }
        }
        _ => Behaviour::Plain,
    }
}
