//! Names of tables and columns, each of which has one meaning.

use graphql::definitions::problem::{At, Problems};
use rustc_hash::FxHashMap;

use super::fields::Related;
use super::names::{Declared, Names};
use crate::model::{End, Field, FieldKind, Key, Relation, RelationStorage, Type};

/// The most bytes of a name in PostgreSQL.
const LONGEST: usize = 63;

/// Beginnings of names of tables that SQLite and Thalweg keep for themselves.
const RESERVED: &[&str] = &["sqlite_", "thalweg_"];

/// Refuses names of tables and columns that are too long, or that have two meanings.
pub(super) fn check(
    names: &Names<'_>,
    related: &[Related<'_>],
    types: &[Type],
    relations: &[Relation],
    problems: &mut Problems,
) {
    let mut tables: FxHashMap<Box<str>, String> = FxHashMap::default();
    for (own, declared) in types.iter().zip(&names.types) {
        let at = At::r#type(declared.definition);
        let mut columns = FxHashMap::default();
        take(at, "table", &own.table, own.name.to_string(), &mut tables, problems);
        if own.key == Key::Hidden {
            columns.insert("id".into(), "the id of the row".to_owned());
        }
        for moment in &own.hidden {
            columns.insert(moment.column().into(), "a moment of the row".to_owned());
        }
        for field in &own.fields {
            let at = at_field(at, declared, field);
            let meaning = format!("{}.{}", own.name, field.name);
            match &field.kind {
                FieldKind::Scalar(scalar) => {
                    take(at, "column", &scalar.column, meaning, &mut columns, problems);
                }
                FieldKind::ScalarList { column, .. } => {
                    let table = [&*own.table, "_", &**column].concat();
                    take(at, "table", &table, meaning, &mut tables, problems);
                }
                FieldKind::Relation { relation, end, .. } => {
                    let storage = relations.get(relation.0).map(|relation| &relation.storage);
                    if let Some(RelationStorage::Inline { end: holder, column }) = storage
                        && holder == end
                    {
                        take(at, "column", column, meaning, &mut columns, problems);
                    }
                }
            }
        }
    }
    for relation in relations {
        let RelationStorage::Table { table, a_column, b_column, id_column } = &relation.storage
        else {
            continue;
        };
        let Some(at) = at_relation(related, relation) else { continue };
        take(at, "table", table, format!("the relation {}", relation.name), &mut tables, problems);
        let mut columns = FxHashMap::default();
        let all = [Some(a_column), Some(b_column), id_column.as_ref()];
        for (column, meaning) in all.into_iter().zip(["its end A", "its end B", "its id"]) {
            if let Some(column) = column {
                take(at, "column", column, meaning.to_owned(), &mut columns, problems);
            }
        }
    }
}

fn at_field<'d>(at: At<'d>, declared: &Declared<'d>, field: &Field) -> At<'d> {
    let written = declared.fields.iter().find(|written| *written.name == *field.name);
    written.map_or(at, |written| at.member((written.line, written.column), &written.name))
}

/// The place of the first field of a relation.
fn at_relation<'d>(related: &[Related<'d>], relation: &Relation) -> Option<At<'d>> {
    let mut ends = [End::A, End::B].into_iter().map(|end| relation.end(end));
    let own = ends.find_map(|end| Some((end.r#type, end.field?)))?;
    let field = related.iter().find(|field| (field.r#type, field.field) == own);
    field.map(|field| field.at)
}

/// Gives a name its meaning.
fn take(
    at: At<'_>,
    noun: &str,
    name: &str,
    meaning: String,
    taken: &mut FxHashMap<Box<str>, String>,
    problems: &mut Problems,
) {
    if name.len() > LONGEST {
        let message = format!(
            "the name of its {noun}, `{name}`, is longer than the {LONGEST} bytes that PostgreSQL \
             has for names: choose a shorter one, by `@db(name:)` if the API keeps its name"
        );
        problems.refuse(at, message);
    }
    let lower = name.to_lowercase();
    if let Some(reserved) = RESERVED.iter().find(|reserved| lower.starts_with(**reserved))
        && noun == "table"
    {
        let message = format!(
            "names of tables that begin with `{reserved}` are kept: choose another one, by \
             `@db(name:)` if the API keeps its name"
        );
        problems.refuse(at, message);
    }
    if let Some(other) = taken.get(name) {
        let message = format!(
            "its {noun} `{name}` is that of {other} too: give one of both another name, by \
             `@db(name:)` if the API keeps its name"
        );
        problems.refuse(at, message);
        return;
    }
    taken.insert(name.into(), meaning);
}
