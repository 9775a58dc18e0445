//! Changes between two schemas, classified by their effects on clients.
//!
//! The kinds and criticalities are those of [GraphQL Inspector](https://the-guild.dev/graphql/inspector),
//! which registries and pipelines know. Of supergraphs the API schemas are compared. In the order of
//! a comparison:
//!
//! * `schema`: a schema as written, extensions merged
//! * `types`, `fields`, `inputs`, `directives`, `applied`: the changes of each part
//! * `type_change`, `defaults`: safe changes of types, and equality of default values
//! * [`usage`]: the parts of a schema that documents use
//! * `rules`: rules that change criticalities
//! * `kind`: kinds of changes

mod applied;
mod defaults;
mod directives;
mod fields;
mod inputs;
mod kind;
mod rules;
mod schema;
mod type_change;
mod types;
pub mod usage;

#[cfg(test)]
mod tests;

use graphql::definitions::{Named, TypeDefinition};
use graphql::operation::OperationKind;

pub use kind::{ChangeKind, Criticality};
pub use rules::Rules;
pub use schema::WrittenSchema;
pub use usage::Usage;

use crate::coordinate::Coordinate;

/// A difference between two schemas.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub kind: ChangeKind,
    pub criticality: Criticality,
    pub coordinate: Coordinate,
    pub message: String,
    pub location: Location,
    /// Whether the change is part of the addition of an element: a field of a new type, the
    /// description of a new field, or the directive of a deprecation.
    pub is_nested: bool,
    /// The rule that has lowered the criticality.
    pub lowered: Option<Lowered>,
    affected: Affected,
}

/// A location in one of the compared documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    pub side: Side,
    /// From 1, as the column.
    pub line: usize,
    pub column: usize,
}

/// One of the compared schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// The reason why a change is less critical than its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowered {
    /// No known document uses the part.
    Unused,
    /// The part was deprecated.
    Deprecated,
    /// No operation reaches the type.
    Unreachable,
}

/// Operations that a change affects.
#[derive(Clone, Debug, PartialEq)]
enum Affected {
    /// Those that use a part of the old schema.
    Using(Coordinate),
    /// Those of a kind.
    Operations(OperationKind),
}

/// Returns the differences between two schemas after rules, in the order of the documents.
#[must_use]
pub fn compare(old: &WrittenSchema, new: &WrittenSchema, rules: &Rules<'_>) -> Vec<Change> {
    let mut comparison = Comparison { old, new, changes: Vec::new() };
    comparison.directives();
    comparison.roots();
    comparison.types();
    comparison.schema_directives();
    rules.apply(old, comparison.changes)
}

struct Comparison<'s> {
    old: &'s WrittenSchema,
    new: &'s WrittenSchema,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn push(&mut self, change: Change) {
        self.changes.push(change);
    }
}

impl Change {
    /// A change that affects the operations that use the part itself.
    fn new(
        kind: ChangeKind,
        criticality: Criticality,
        coordinate: Coordinate,
        location: Location,
        message: String,
    ) -> Self {
        let affected = Affected::Using(coordinate.clone());
        let (is_nested, lowered) = (false, None);
        Self { kind, criticality, coordinate, message, location, is_nested, lowered, affected }
    }

    /// Sets the part whose users are affected.
    fn affecting(self, coordinate: Coordinate) -> Self {
        Self { affected: Affected::Using(coordinate), ..self }
    }

    fn nested_if(self, is_nested: bool) -> Self {
        Self { is_nested, ..self }
    }
}

impl Location {
    fn old(line: usize, column: usize) -> Self {
        Self { side: Side::Old, line, column }
    }

    fn new(line: usize, column: usize) -> Self {
        Self { side: Side::New, line, column }
    }

    fn old_type(definition: &TypeDefinition) -> Self {
        Self::old(definition.line, definition.column)
    }

    fn new_type(definition: &TypeDefinition) -> Self {
        Self::new(definition.line, definition.column)
    }

    fn old_named(named: &Named) -> Self {
        Self::old(named.line, named.column)
    }

    fn new_named(named: &Named) -> Self {
        Self::new(named.line, named.column)
    }
}

/// A change between two lists of named items.
enum Difference<'a, T> {
    Removed(&'a T),
    Added(&'a T),
    Common(&'a T, &'a T),
}

/// Compares two lists by names: removed items first, then added ones, then those of both.
fn differences<'a, T>(
    old: &'a [T],
    new: &'a [T],
    name: impl for<'t> Fn(&'t T) -> &'t str,
) -> Vec<Difference<'a, T>> {
    use rustc_hash::FxHashMap;

    let by_name = |items: &'a [T]| -> FxHashMap<&'a str, &'a T> {
        items.iter().map(|item| (name(item), item)).collect()
    };
    let (in_old, in_new) = (by_name(old), by_name(new));
    let removed = old.iter().filter(|item| !in_new.contains_key(name(item)));
    let added = new.iter().filter(|item| !in_old.contains_key(name(item)));
    let common = old.iter().filter_map(|item| Some((item, *in_new.get(name(item))?)));
    removed
        .map(Difference::Removed)
        .chain(added.map(Difference::Added))
        .chain(common.map(|(old, new)| Difference::Common(old, new)))
        .collect()
}

/// Whether two descriptions or reasons differ; an empty one is like none.
fn differ(old: Option<&str>, new: Option<&str>) -> bool {
    old.unwrap_or_default() != new.unwrap_or_default()
}

/// The change of a text that may be missing on either side.
fn text_change(part: &str, subject: &Coordinate, old: Option<&str>, new: Option<&str>) -> String {
    match (old, new) {
        (None | Some(""), Some(new)) => format!("the {part} of `{subject}` was added: {new:?}"),
        (Some(_), None | Some("")) => format!("the {part} of `{subject}` was removed"),
        (old, new) => format!(
            "the {part} of `{subject}` changed from {:?} to {:?}",
            old.unwrap_or_default(),
            new.unwrap_or_default()
        ),
    }
}
