//! Types of columns and domains whose values are rows of an enum table.

use catalog::{DomainId, FieldId, Note, NoteKind};

use super::api_types::ValueType;
use super::build::{Build, Named};
use super::claims::Claimant;
use super::enum_tables::EnumName;
use super::enums;
use super::types::{Definition, remember};

/// The type of a column that refers to an enum table; `None` for all other columns.
pub(super) fn column_type(build: &mut Build<'_>, field: FieldId) -> Option<ValueType> {
    let place = *build.enum_tables.columns.get(&field)?;
    table_type(build, place)
}

/// True if a domain stands for the values of an enum table.
pub(super) fn is_enum_domain(build: &Build<'_>, id: DomainId) -> bool {
    find_of_domain(build, id).is_some()
}

/// The type of a domain that stands for the values of an enum table; `None` for all others.
pub(super) fn domain_type(build: &mut Build<'_>, id: DomainId) -> Option<ValueType> {
    if let Some(place) = find_of_domain(build, id) {
        return table_type(build, place);
    }
    let domain = &build.catalog[id];
    if build.annotations.domain(id).tags.has("enum") {
        build.note(Note {
            kind: NoteKind::Declaration,
            subject: domain.name.clone(),
            message: "@enum names no enum table of the same schema.".into(),
            remedy: "name a table that has the tag @enum and rows.".into(),
        });
    }
    None
}

/// The enum that a domain names by `@enum`, or by its own name.
fn find_of_domain(build: &Build<'_>, id: DomainId) -> Option<usize> {
    let domain = &build.catalog[id];
    let tagged = build.annotations.domain(id).tags.text("enum");
    let wanted = tagged.or_else(|| domain.name.strip_suffix("_enum_domain"))?;
    build.enum_tables.enums.iter().position(|table| {
        *table.known_as == *wanted && build.catalog[table.entity].namespace == domain.namespace
    })
}

fn table_type(build: &mut Build<'_>, place: usize) -> Option<ValueType> {
    let tables = build.enum_tables;
    let table = tables.enums.get(place)?;
    remember(build, Named::EnumTable(place), |build| {
        let name = match &table.name {
            EnumName::Given(name) => String::from(&**name),
            EnumName::Formed(name) => build.inflection.other_type(name),
        };
        let subject = build.entity_name(table.entity);
        let claimant = Claimant { subject: &subject, what: "enum" };
        if let Err(note) = build.types.claim(&name, claimant) {
            build.note_with(note, |build| build.rename_entity(table.entity));
            return None;
        }
        let definition = Definition { name, description: table.description.clone() };
        enums::value(build, (&table.labels, &[]), "text", definition)
    })
}
