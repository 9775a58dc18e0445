//! Storage of relations: a column of the rows of one end, or a table of pairs.

use graphql::definitions::problem::{At, Problems};

use super::super::directives::{Applied, Known};
use super::super::fields::{Link, Related};
use super::super::links::LinkTable;
use super::super::names::Names;
use super::super::version::Version;
use super::{Pair, inline};
use crate::model::{End, RelationStorage, TypeIndex};

/// The table of a relation that names none.
pub(super) fn table_of(name: &str, version: Version) -> RelationStorage {
    RelationStorage::Table {
        table: ["_", name].concat().into(),
        a_column: "A".into(),
        b_column: "B".into(),
        id_column: match version {
            Version::First => Some("id".into()),
            Version::Second => None,
        },
    }
}

/// The storage of a relation; `None` if it is refused.
pub(super) fn storage(
    names: &Names<'_>,
    pair: Pair<'_, '_>,
    name: &str,
    links: &[LinkTable<'_>],
    version: Version,
    problems: &mut Problems,
) -> Option<RelationStorage> {
    match version {
        Version::First => first(pair, name, problems),
        Version::Second => {
            let link = links.iter().find(|link| link.name == name);
            let is_table = is_table(pair, link.is_some(), problems)?;
            let storage = match (is_table, link) {
                (true, Some(link)) => link_storage(names, pair, link, problems)?,
                (true, None) => table_of(name, version),
                (false, Some(link)) => {
                    let message = "the relation is a column, not this table: remove the type, or \
                                   write `link: TABLE` at the relation's field";
                    problems.refuse(link.at, message);
                    return None;
                }
                (false, None) => column(pair, problems)?,
            };
            check_columns(pair, &storage, problems);
            Some(storage)
        }
    }
}

/// Whether the relation has a table; `None` if it does not say what it must.
fn is_table(pair: Pair<'_, '_>, has_link: bool, problems: &mut Problems) -> Option<bool> {
    let links: Vec<(&Related<'_>, Link)> =
        pair.fields().filter_map(|(_, field)| Some((field, field.link?))).collect();
    match links.as_slice() {
        [(field, Link::Inline)] if field.is_list => {
            let to_one = pair.fields().find(|(_, other)| !other.is_list);
            let remedy = match to_one {
                Some((_, other)) => format!("write it at `{}`", other.name),
                None => "write `link: TABLE`".to_owned(),
            };
            let message = format!("a list has no column, so that its link is not INLINE: {remedy}");
            problems.refuse(field.at, message);
            None
        }
        [(_, link)] => Some(*link == Link::Table),
        [] if has_link => Some(true),
        [] => {
            let are_lists = pair.fields().all(|(_, field)| field.is_list);
            let is_one_to_one = pair.a.is_some_and(|field| !field.is_list)
                && pair.b.is_some_and(|field| !field.is_list);
            if is_one_to_one {
                for (_, field) in pair.fields() {
                    let message = "the relation has one row at each end: say where its column is, \
                                   by `@relation(link: INLINE)` at one of both fields, or write \
                                   `link: TABLE`";
                    problems.refuse(field.at, message);
                }
                return None;
            }
            Some(are_lists)
        }
        [..] => {
            for (field, _) in links {
                let message = "both fields of the relation say `link`: remove it from one of them";
                problems.refuse(field.at, message);
            }
            None
        }
    }
}

/// The column of a relation without a table.
fn column(pair: Pair<'_, '_>, problems: &mut Problems) -> Option<RelationStorage> {
    let linking = pair.fields().find(|(_, field)| field.link == Some(Link::Inline));
    let (end, field) = linking.or_else(|| pair.fields().find(|(_, field)| !field.is_list))?;
    let column = field.applied.text(field.at, Known::Db, "name", problems).unwrap_or(field.name);
    let is_one_to_one = pair.fields().count() == 2 && pair.fields().all(|(_, one)| !one.is_list);
    // Prisma has the column of a relation of a type with itself in the rows of the end B, whichever
    // field says `link`. Of one row and many, that would be impossible if the end B had the list.
    let is_of_itself = field.r#type == field.target;
    Some(inline(if is_one_to_one && is_of_itself { End::B } else { end }, column))
}

/// Refuses names of columns that fields do not have.
fn check_columns(pair: Pair<'_, '_>, storage: &RelationStorage, problems: &mut Problems) {
    let linking = pair.fields().find(|(_, field)| field.link == Some(Link::Inline));
    for (_, field) in pair.fields() {
        let has_column = match storage {
            RelationStorage::Table { .. } => false,
            RelationStorage::Inline { .. } => match linking {
                Some((_, linking)) => std::ptr::eq(linking, field),
                None => !field.is_list,
            },
        };
        if !has_column {
            let reason = "names a column, and the field has none";
            field.applied.refuse(field.at, &[Known::Db], reason, problems);
        }
    }
}

/// The table of a type with `@relationTable`.
fn link_storage(
    names: &Names<'_>,
    pair: Pair<'_, '_>,
    link: &LinkTable<'_>,
    problems: &mut Problems,
) -> Option<RelationStorage> {
    let (a, b) = types(pair)?;
    // Other numbers of columns are refused with the type.
    let [first, second] = link.columns.as_slice() else { return None };
    let (a_column, b_column) = match (first.0, second.0) {
        (one, other) if (one, other) == (a, b) => (&first.1, &second.1),
        (one, other) if (one, other) == (b, a) => (&second.1, &first.1),
        _ => {
            let message = format!(
                "the relation is between `{}` and `{}`: give the fields these types",
                names.type_name(a),
                names.type_name(b)
            );
            problems.refuse(link.at, message);
            return None;
        }
    };
    Some(RelationStorage::Table {
        table: link.table.clone(),
        a_column: a_column.clone(),
        b_column: b_column.clone(),
        id_column: link.id_column.clone(),
    })
}

/// The types of both ends.
fn types(pair: Pair<'_, '_>) -> Option<(TypeIndex, TypeIndex)> {
    match (pair.a, pair.b) {
        (Some(a), _) => Some((a.r#type, a.target)),
        (None, Some(b)) => Some((b.target, b.r#type)),
        (None, None) => None,
    }
}

/// Storage in version 1.0: a table, unless the fields name the columns of tables of others.
fn first(pair: Pair<'_, '_>, name: &str, problems: &mut Problems) -> Option<RelationStorage> {
    for (_, field) in pair.fields() {
        if field.applied.has(Known::Relation) && field.relation.is_none() {
            let message = "`@relation` has no name: write `@relation(name: \"MyRelation\")`";
            problems.refuse(field.at, message);
        }
    }
    let named: Vec<(End, &Related<'_>)> = pair
        .fields()
        .filter(|(_, field)| {
            field.applied.has(Known::PgRelation) || field.applied.has(Known::PgRelationTable)
        })
        .collect();
    match named.as_slice() {
        [] => Some(table_of(name, Version::First)),
        [(end, field)] => match field.applied.has(Known::PgRelation) {
            true => pg_column(*end, field, problems),
            false => pg_table(*end, field.at, &field.applied, problems),
        },
        [(end, field), (_, other)] => {
            let tables = |field: &Related<'_>| field.applied.has(Known::PgRelationTable);
            if !tables(field) || !tables(other) {
                let message = "both fields of the relation name its column: remove one of both";
                problems.refuse(other.at, message);
                return None;
            }
            let storage = pg_table(*end, field.at, &field.applied, problems)?;
            if pg_table(end.other(), other.at, &other.applied, problems)? != storage {
                let message = "the other field of the relation names another table, or other \
                               columns: remove `@pgRelationTable` from one of both";
                problems.refuse(other.at, message);
            }
            Some(storage)
        }
        [..] => None,
    }
}

fn pg_column(end: End, field: &Related<'_>, problems: &mut Problems) -> Option<RelationStorage> {
    if field.is_list {
        let message = "a list has no column: write `@pgRelation` at the other field";
        problems.refuse(field.at, message);
        return None;
    }
    let reason = "names a table, and `@pgRelation` a column";
    field.applied.refuse(field.at, &[Known::PgRelationTable], reason, problems);
    let column = field.applied.text(field.at, Known::PgRelation, "column", problems)?;
    Some(inline(end, column))
}

/// The table that the field of an end names: `relationColumn` has the rows of its own type.
fn pg_table(
    end: End,
    at: At<'_>,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Option<RelationStorage> {
    let mut text = |name| applied.text(at, Known::PgRelationTable, name, problems);
    let (table, own, target) = (text("table"), text("relationColumn"), text("targetColumn"));
    let (a_column, b_column) = match end {
        End::A => (own?, target?),
        End::B => (target?, own?),
    };
    Some(RelationStorage::Table {
        table: table?.into(),
        a_column: a_column.into(),
        b_column: b_column.into(),
        id_column: None,
    })
}
