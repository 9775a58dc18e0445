//! Fields of interfaces that lead to nodes, each type in its own way.

use super::directives::{self, Known, Place, Said};
use super::field::deprecated;
use super::problem::Problems;
use super::types::{Meaning, Type, Types};
use super::written::WrittenField;
use crate::model::{ShownField, Target};

/// What such a field leads to: no relationship that the interface has itself, and no value.
pub(super) fn target(
    types: &Types<'_>,
    written: &WrittenField<'_>,
    said: &Said<'_>,
) -> Option<Target> {
    let says_how = [Known::Relationship, Known::DeclareRelationship, Known::Statement];
    if says_how.into_iter().any(|known| said.has(known)) {
        return None;
    }
    match types.meaning(written.definition.r#type.base())? {
        Meaning::Node(place) => Some(Target::Node(place)),
        Meaning::Interface(place) => Some(Target::Interface(place)),
        Meaning::Union(place) => Some(Target::Union(place)),
        _ => None,
    }
}

/// Those of an interface.
pub(super) fn fields(types: &Types<'_>, r#type: &Type<'_>) -> Vec<ShownField> {
    let mut shown = Vec::new();
    let mut before = 0;
    for written in r#type.fields() {
        let definition = written.definition;
        let at = r#type.at().member(definition.line, &definition.name);
        // What is wrong with them is told where all fields are read.
        let problems = &mut Problems::default();
        let said =
            directives::check(types.version, Place::Field, at, &written.directives, problems);
        match target(types, written, &said) {
            None => before += 1,
            Some(target) => shown.push(ShownField {
                name: definition.name.clone(),
                description: definition.description.clone(),
                r#type: definition.r#type.to_string().into(),
                target,
                deprecated: deprecated(&said),
                before,
            }),
        }
    }
    shown
}
