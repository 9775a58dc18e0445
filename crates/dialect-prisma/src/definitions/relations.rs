//! Relations: their fields in pairs, their names, their ends A and B, and their storage.

mod names;
mod pairs;
mod storage;

use graphql::definitions::problem::Problems;
use rustc_hash::FxHashMap;

use super::fields::Related;
use super::links::LinkTable;
use super::names::Names;
use super::version::Version;
use crate::model::{
    End, FieldKind, OnDelete, Relation, RelationEnd, RelationIndex, RelationStorage, Type,
};
pub(crate) use names::generated;

/// The relations, with the fields that have rows of them.
#[derive(Debug, Default)]
pub(super) struct Relations {
    pub(super) relations: Vec<Relation>,
}

/// One relation: the field at its end A, and that at its end B. There is at least one.
#[derive(Clone, Copy, Debug)]
struct Pair<'r, 'd> {
    a: Option<&'r Related<'d>>,
    b: Option<&'r Related<'d>>,
}

impl<'r, 'd> Pair<'r, 'd> {
    /// The fields with their ends.
    fn fields(self) -> impl Iterator<Item = (End, &'r Related<'d>)> {
        [(End::A, self.a), (End::B, self.b)]
            .into_iter()
            .filter_map(|(end, field)| Some((end, field?)))
    }

    fn field(self, end: End) -> Option<&'r Related<'d>> {
        match end {
            End::A => self.a,
            End::B => self.b,
        }
    }
}

pub(super) fn read(
    names: &Names<'_>,
    related: &[Related<'_>],
    links: &[LinkTable<'_>],
    version: Version,
    problems: &mut Problems,
) -> Relations {
    let pairs = pairs::pairs(names, related, problems);
    let mut relations = Vec::new();
    let mut lines: FxHashMap<Box<str>, &Related<'_>> = FxHashMap::default();
    for pair in &pairs {
        let Some((_, first)) = pair.fields().next() else { continue };
        let name = names::name(names, *pair, problems);
        // Fields that name one relation are refused with their pairs.
        let is_generated = |field: &Related<'_>| field.relation.is_none();
        if let Some(earlier) = lines.insert(name.clone(), first)
            && (is_generated(first) || is_generated(earlier))
            && (earlier.r#type, earlier.target) != (first.r#type, first.target)
        {
            let message = format!(
                "the relation `{name}` is that of `{}.{}` already: give one of both a name of its \
                 own, as in `@relation(name: \"…\")`",
                names.type_name(earlier.r#type),
                earlier.name
            );
            problems.refuse(first.at, message);
        }
        let storage = storage::storage(names, *pair, &name, links, version, problems);
        let old_name = pair.fields().find_map(|(_, field)| field.old_relation);
        relations.push(Relation {
            old_name: old_name.map(Into::into),
            a: end(*pair, End::A),
            b: end(*pair, End::B),
            storage: storage.unwrap_or_else(|| storage::table_of(&name, version)),
            name,
        });
    }
    for link in links.iter().filter(|link| !lines.contains_key(link.name)) {
        let message = format!(
            "no relation has this name: write `@relation(name: \"{}\")` at a field of one of its \
             types",
            link.name
        );
        problems.refuse(link.at, message);
    }
    Relations { relations }
}

fn end(pair: Pair<'_, '_>, end: End) -> RelationEnd {
    let own = pair.field(end);
    let r#type = own.map(|field| field.r#type);
    let r#type = r#type.or_else(|| pair.field(end.other()).map(|field| field.target));
    RelationEnd {
        // There is a field at one of both ends.
        r#type: r#type.unwrap_or(crate::model::TypeIndex(0)),
        field: own.map(|field| field.field),
        on_delete: own.map_or(OnDelete::SetNull, |field| field.on_delete),
    }
}

impl Relations {
    /// Tells the fields of types the relations to which they belong.
    pub(super) fn finish(&self, types: &mut [Type]) {
        for (idx, own) in self.relations.iter().enumerate() {
            for end in [End::A, End::B] {
                let RelationEnd { r#type, field, .. } = own.end(end);
                let field = field.and_then(|field| types.get_mut(r#type.0)?.fields.get_mut(field));
                if let Some(FieldKind::Relation { relation, end: own_end, .. }) =
                    field.map(|field| &mut field.kind)
                {
                    *relation = RelationIndex(idx);
                    *own_end = end;
                }
            }
        }
    }
}

/// Storage in a column of the rows of an end.
fn inline(end: End, column: &str) -> RelationStorage {
    RelationStorage::Inline { end, column: column.into() }
}
