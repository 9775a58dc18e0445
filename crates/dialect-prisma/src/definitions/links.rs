//! Types with `@relationTable`: tables of relations with names of their own.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{FieldDefinition, TypeExpression};

use super::directives::{Applied, Known, Location};
use super::fields::column;
use super::names::{Declared, Meaning, Names};
use super::version::Version;
use crate::model::{ScalarType, TypeIndex};

/// The table of a relation.
#[derive(Clone, Debug)]
pub(super) struct LinkTable<'d> {
    pub(super) at: At<'d>,
    /// The name of the relation.
    pub(super) name: &'d str,
    pub(super) table: Box<str>,
    /// The columns with the types to whose rows they lead.
    pub(super) columns: Vec<(TypeIndex, Box<str>)>,
    pub(super) id_column: Option<Box<str>>,
}

pub(super) fn read<'d>(
    names: &Names<'d>,
    version: Version,
    problems: &mut Problems,
) -> Vec<LinkTable<'d>> {
    names.links.iter().map(|declared| link_table(names, version, declared, problems)).collect()
}

fn link_table<'d>(
    names: &Names<'d>,
    version: Version,
    declared: &Declared<'d>,
    problems: &mut Problems,
) -> LinkTable<'d> {
    let Declared { definition, fields, applied } = declared;
    let at = At::r#type(definition);
    let reason = "has no meaning for the table of a relation, which `@relation(oldName:)` renames";
    applied.refuse(at, &[Known::Rename], reason, problems);
    let table = applied.text(at, Known::Db, "name", problems).unwrap_or(&definition.name).into();
    let mut link =
        LinkTable { at, name: &definition.name, table, columns: Vec::new(), id_column: None };
    for field in *fields {
        let at = at.member((field.line, field.column), &field.name);
        let applied = Applied::read(version, Location::Field, at, &field.directives, problems);
        let is_list = matches!(field.r#type, TypeExpression::List { .. });
        let is_id = applied.has(Known::Id);
        refuse_directives(at, &applied, problems);
        let column = column(at, field, &applied, problems);
        match names.meaning(field.r#type.base()) {
            Some(Meaning::Type(target)) if !is_list => link.columns.push((target, column)),
            Some(Meaning::Scalar(ScalarType::Id)) if is_id && field.r#type.is_required() => {
                if link.id_column.replace(column).is_some() {
                    problems.refuse(at, "the table has an id already: remove one of both");
                }
            }
            Some(Meaning::Scalar(_)) if is_id => {
                problems.refuse(at, "the id of a relation's table has the type `ID!`: write it");
            }
            Some(Meaning::Scalar(_)) => problems.refuse(
                at,
                "the table of a relation has no further fields: remove it, or make the type one \
                 of the API with a relation to each end",
            ),
            Some(Meaning::Type(_)) => {
                problems.refuse(
                    at,
                    "each row of a relation's table has one row of each end: \
                                     write no list",
                );
            }
            Some(Meaning::Link) => {
                problems.refuse(
                    at,
                    "the table of a relation has no relations: write a type of \
                                     the API",
                );
            }
            Some(Meaning::Refused) => {}
            None => names.refuse_undefined(at, field.r#type.base(), problems),
        }
    }
    let leads = |field: &&FieldDefinition| {
        matches!(names.meaning(field.r#type.base()), Some(Meaning::Type(_)))
    };
    if fields.iter().filter(leads).count() != 2 {
        let message = "the table of a relation has two fields, one for each of its types: write \
                       them, as in `type LikedPosts @relationTable { user: User! post: Post! }`";
        problems.refuse(at, message);
    }
    link
}

fn refuse_directives(at: At<'_>, applied: &Applied<'_>, problems: &mut Problems) {
    const MEANINGLESS: &[Known] = &[
        Known::CreatedAt,
        Known::Default,
        Known::Relation,
        Known::Rename,
        Known::ScalarList,
        Known::Sequence,
        Known::Unique,
        Known::UpdatedAt,
    ];
    applied.refuse(at, MEANINGLESS, "has no meaning in the table of a relation", problems);
}
