//! Types and their fields.

use graphql::definitions::problem::{At, Problems};
use graphql::definitions::{FieldDefinition, TypeExpression};

use super::directives::{Applied, Known, Location};
use super::names::{Declared, Meaning, Names, check_introspection};
use super::version::Version;
use super::{defaults, keys};
use crate::model::{
    Behaviour, End, Enum, Field, FieldKind, HiddenMoment, Key, OnDelete, RelationIndex,
    ScalarField, ScalarType, Type, TypeIndex,
};

/// A field that holds rows of a type.
#[derive(Clone, Debug)]
pub(super) struct Related<'d> {
    pub(super) at: At<'d>,
    pub(super) r#type: TypeIndex,
    /// Its index in the type.
    pub(super) field: usize,
    pub(super) name: &'d str,
    pub(super) target: TypeIndex,
    pub(super) is_list: bool,
    pub(super) applied: Applied<'d>,
    /// The name of the relation, if the field says it.
    pub(super) relation: Option<&'d str>,
    pub(super) old_relation: Option<&'d str>,
    pub(super) link: Option<Link>,
    pub(super) on_delete: OnDelete,
}

/// Storage of a relation, as `link` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Inline,
    Table,
}

/// Reads the types. Their fields of relations do not know their relations yet.
pub(super) fn read<'d>(
    names: &Names<'d>,
    enums: &[Enum],
    version: Version,
    problems: &mut Problems,
) -> (Vec<Type>, Vec<Related<'d>>) {
    // Tables that Prisma did not make have no columns of its own.
    let is_own = !names.types.iter().any(has_database_names);
    let reader = Reader { names, enums, version, is_own };
    let mut related = Vec::new();
    let types = names.types.iter().enumerate();
    let types = types
        .map(|(idx, declared)| reader.r#type(TypeIndex(idx), declared, &mut related, problems))
        .collect();
    (types, related)
}

/// Whether a type of version 1.0 names its table or columns.
fn has_database_names(declared: &Declared<'_>) -> bool {
    let of_fields = declared.fields.iter().flat_map(|field| &field.directives);
    let mut all = declared.definition.directives.iter().chain(of_fields);
    all.any(|directive| directive.name.starts_with("pg"))
}

struct Reader<'r, 'd> {
    names: &'r Names<'d>,
    enums: &'r [Enum],
    version: Version,
    /// Whether Prisma made the tables.
    is_own: bool,
}

impl<'d> Reader<'_, 'd> {
    fn r#type(
        &self,
        index: TypeIndex,
        declared: &Declared<'d>,
        related: &mut Vec<Related<'d>>,
        problems: &mut Problems,
    ) -> Type {
        let Declared { definition, fields: written, applied } = declared;
        let at = At::r#type(definition);
        check_field_names(at, written, problems);
        let table = [(Known::Db, "name"), (Known::PgTable, "name")]
            .into_iter()
            .find_map(|(known, name)| applied.text(at, known, name, problems));
        let mut fields = Vec::new();
        for definition in *written {
            let at = at.member((definition.line, definition.column), &definition.name);
            check_introspection(at, &definition.name, problems);
            if !definition.arguments.is_empty() {
                problems.refuse(at, "fields of a datamodel have no arguments: remove them");
            }
            let directives = &definition.directives;
            let applied = Applied::read(self.version, Location::Field, at, directives, problems);
            let old_name = applied.text(at, Known::Rename, "oldName", problems).map(Into::into);
            let mut relation = None;
            let place = (index, fields.len());
            let kind = self.kind(at, place, definition, &applied, &mut relation, problems);
            if let Some((kind, is_required)) = kind {
                fields.push(Field {
                    name: (&*definition.name).into(),
                    description: definition.description.as_deref().map(Into::into),
                    old_name,
                    is_required,
                    kind,
                });
                related.extend(relation);
            }
        }
        let key = keys::key(at, &fields, written, self.version, self.is_own, problems);
        Type {
            name: (&*definition.name).into(),
            description: definition.description.as_deref().map(Into::into),
            table: table.unwrap_or(&definition.name).into(),
            old_name: applied.text(at, Known::Rename, "oldName", problems).map(Into::into),
            key: key.map_or(Key::Hidden, Key::Field),
            hidden: self.hidden(&fields),
            fields,
        }
    }

    /// Moments that each table of version 1.0 has.
    fn hidden(&self, fields: &[Field]) -> Vec<HiddenMoment> {
        if self.version == Version::Second || !self.is_own {
            return Vec::new();
        }
        let all = [HiddenMoment::CreatedAt, HiddenMoment::UpdatedAt];
        let has_field = |moment: &HiddenMoment| fields.iter().any(|f| *f.name == *moment.column());
        all.into_iter().filter(|moment| !has_field(moment)).collect()
    }

    /// The kind of a field, and whether it is required.
    fn kind(
        &self,
        at: At<'d>,
        (r#type, field): (TypeIndex, usize),
        definition: &'d FieldDefinition,
        applied: &Applied<'d>,
        relation: &mut Option<Related<'d>>,
        problems: &mut Problems,
    ) -> Option<(FieldKind, bool)> {
        let written = &definition.r#type;
        let is_list = match written {
            TypeExpression::Named { .. } => false,
            TypeExpression::List { of, .. } => {
                if matches!(**of, TypeExpression::List { .. }) {
                    let message = "there are no lists of lists: use one list, or a type between";
                    problems.refuse(at, message);
                    return None;
                }
                true
            }
        };
        let is_required = written.is_required() && !is_list;
        let kind = match self.names.meaning(written.base()) {
            Some(Meaning::Scalar(r#type)) if is_list => {
                self.list(at, definition, r#type, applied, problems)
            }
            Some(Meaning::Scalar(r#type)) => {
                self.scalar(at, definition, r#type, is_required, applied, problems)
            }
            Some(Meaning::Type(target)) => {
                let own = related(at, (r#type, field), definition, target, applied, problems);
                *relation = Some(Related { is_list, ..own });
                // Relations set the relation and the end when they are known.
                FieldKind::Relation { relation: RelationIndex(0), end: End::A, is_list }
            }
            Some(Meaning::Link) => {
                let message = format!(
                    "`{0}` is the table of a relation and no type of the API: write the type at \
                     its other end, and `@relation(name: \"{0}\")`",
                    written.base()
                );
                problems.refuse(at, message);
                return None;
            }
            Some(Meaning::Refused) => return None,
            None => {
                self.names.refuse_undefined(at, written.base(), problems);
                return None;
            }
        };
        Some((kind, is_required))
    }

    fn list(
        &self,
        at: At<'_>,
        definition: &FieldDefinition,
        r#type: ScalarType,
        applied: &Applied<'_>,
        problems: &mut Problems,
    ) -> FieldKind {
        const SCALARS_ONLY: &[Known] = &[
            Known::CreatedAt,
            Known::Default,
            Known::Id,
            Known::Sequence,
            Known::Unique,
            Known::UpdatedAt,
        ];
        applied.refuse(at, SCALARS_ONLY, "does not apply to lists", problems);
        refuse_relations(at, applied, problems);
        match self.version {
            Version::Second if !applied.has(Known::ScalarList) => {
                let message = "a list of scalars has a table of its own: write \
                               `@scalarList(strategy: RELATION)`";
                problems.refuse(at, message);
            }
            Version::Second => {
                let strategies = [("RELATION", ())];
                applied.word(at, Known::ScalarList, "strategy", &strategies, problems);
            }
            Version::First => {}
        }
        FieldKind::ScalarList { r#type, column: column(at, definition, applied, problems) }
    }

    fn scalar(
        &self,
        at: At<'_>,
        definition: &FieldDefinition,
        r#type: ScalarType,
        is_required: bool,
        applied: &Applied<'_>,
        problems: &mut Problems,
    ) -> FieldKind {
        applied.refuse(at, &[Known::ScalarList], "applies to lists of scalars", problems);
        refuse_relations(at, applied, problems);
        let behaviour = match self.version {
            Version::First => {
                keys::named_behaviour(at, &definition.name, r#type, is_required, applied, problems)
            }
            Version::Second => keys::behaviour(at, r#type, is_required, applied, problems),
        };
        let is_key = matches!(behaviour, Behaviour::Id(_));
        if is_key {
            applied.refuse(at, &[Known::Default], "does not apply to the id", problems);
        }
        FieldKind::Scalar(ScalarField {
            r#type,
            column: column(at, definition, applied, problems),
            is_unique: is_key || applied.has(Known::Unique),
            default: match is_key {
                true => None,
                false => defaults::read(at, r#type, self.enums, self.version, applied, problems),
            },
            behaviour,
        })
    }
}

/// As in Prisma, fields differ in more than their case.
fn check_field_names(at: At<'_>, fields: &[FieldDefinition], problems: &mut Problems) {
    for (idx, field) in fields.iter().enumerate() {
        let earlier = fields[..idx].iter().find(|one| one.name.eq_ignore_ascii_case(&field.name));
        if let Some(earlier) = earlier {
            let message = format!(
                "the type has the field `{}` already, in whatever case: give one of both another \
                 name",
                earlier.name
            );
            problems.refuse(at.member((field.line, field.column), &field.name), message);
        }
    }
}

fn refuse_relations(at: At<'_>, applied: &Applied<'_>, problems: &mut Problems) {
    const RELATIONS_ONLY: &[Known] = &[Known::Relation, Known::PgRelation, Known::PgRelationTable];
    applied.refuse(at, RELATIONS_ONLY, "applies to fields of relations", problems);
}

/// The name of a field's column.
pub(super) fn column(
    at: At<'_>,
    definition: &FieldDefinition,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Box<str> {
    let named = [Known::Db, Known::PgColumn]
        .into_iter()
        .find_map(|known| applied.text(at, known, "name", problems));
    named.unwrap_or(&definition.name).into()
}

fn related<'d>(
    at: At<'d>,
    (r#type, field): (TypeIndex, usize),
    definition: &'d FieldDefinition,
    target: TypeIndex,
    applied: &Applied<'d>,
    problems: &mut Problems,
) -> Related<'d> {
    const SCALARS_ONLY: &[Known] = &[
        Known::CreatedAt,
        Known::Default,
        Known::Id,
        Known::PgColumn,
        Known::ScalarList,
        Known::Sequence,
        Known::Unique,
        Known::UpdatedAt,
    ];
    applied.refuse(at, SCALARS_ONLY, "does not apply to fields of relations", problems);
    let mut text = |name| applied.text(at, Known::Relation, name, problems);
    let (relation, old_relation) = (text("name"), text("oldName"));
    let links = [("INLINE", Link::Inline), ("TABLE", Link::Table)];
    let actions = [("SET_NULL", OnDelete::SetNull), ("CASCADE", OnDelete::Cascade)];
    let on_delete = applied.word(at, Known::Relation, "onDelete", &actions, problems);
    Related {
        at,
        r#type,
        field,
        name: &definition.name,
        target,
        is_list: false,
        applied: applied.clone(),
        relation,
        old_relation,
        link: applied.word(at, Known::Relation, "link", &links, problems),
        on_delete: on_delete.unwrap_or(OnDelete::SetNull),
    }
}
