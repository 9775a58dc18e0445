//! Entities and what belongs to them.

use crate::distribution::Distribution;
use crate::ids::{EntityId, FieldId, RelationshipId};
use crate::types::Type;

/// Something that has rows.
#[derive(Clone, Debug)]
pub struct Entity {
    pub id: EntityId,
    /// The schema of a SQL database; `None` where the source has no such level.
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub kind: EntityKind,
    /// The labels that all nodes of the entity have; empty for other kinds.
    pub labels: Vec<Box<str>>,
    /// Claims of the session whose values are further labels.
    pub claimed_labels: Vec<Box<str>>,
    /// In the order of the source.
    pub fields: Vec<FieldId>,
    /// In the order of the source; at most one is primary.
    pub keys: Vec<Key>,
    pub indexes: Vec<Index>,
    /// Few entities have one of these.
    pub special_indexes: Option<Box<SpecialIndexes>>,
    /// Relationships whose `from` is this entity, in the order of the source.
    pub outgoing: Vec<RelationshipId>,
    /// Relationships whose `to` is this entity, in the order of the source.
    pub incoming: Vec<RelationshipId>,
    /// Writes that the source accepts from clients.
    pub access: WriteAccess,
    /// True if an inserted or updated row may be changed once more after the source has returned
    /// it.
    pub rewritten: bool,
    /// True if triggers of the source may write other values than the given ones, before it returns
    /// the row.
    pub triggered: bool,
    /// The servers that have its rows.
    pub distribution: Distribution,
    pub description: Option<Box<str>>,
}

/// Writes that a source accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteAccess {
    pub insert: bool,
    pub update: bool,
    pub delete: bool,
}

impl WriteAccess {
    /// Every write.
    pub const ALL: Self = Self { insert: true, update: true, delete: true };

    /// None.
    pub const NONE: Self = Self { insert: false, update: false, delete: false };
}

/// Indexes of other kinds than those of whole values.
#[derive(Clone, Debug, Default)]
pub struct SpecialIndexes {
    pub texts: Vec<TextIndex>,
    pub places: Vec<PlaceIndex>,
    pub vectors: Vec<VectorIndex>,
}

impl Entity {
    #[must_use]
    pub fn text_indexes(&self) -> &[TextIndex] {
        self.special_indexes.as_ref().map_or(&[], |indexes| &indexes.texts)
    }

    #[must_use]
    pub fn place_indexes(&self) -> &[PlaceIndex] {
        self.special_indexes.as_ref().map_or(&[], |indexes| &indexes.places)
    }

    #[must_use]
    pub fn vector_indexes(&self) -> &[VectorIndex] {
        self.special_indexes.as_ref().map_or(&[], |indexes| &indexes.vectors)
    }

    /// The primary key, if the entity has one.
    #[must_use]
    pub fn primary_key(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.kind == KeyKind::Primary)
    }

    /// True if no two rows can be equal in all of `fields` and none of these can be null in a row
    /// that another row equals: some key's fields are among them.
    #[must_use]
    pub fn is_unique(&self, fields: &[FieldId]) -> bool {
        let mut enforced = self.keys.iter().filter(|key| key.enforced);
        enforced.any(|key| key.fields.iter().all(|field| fields.contains(field)))
    }

    /// An index starts with exactly these fields, in any order: it finds rows by equality.
    #[must_use]
    pub fn is_indexed(&self, fields: &[FieldId]) -> bool {
        let starts_with = |indexed: &[FieldId]| {
            indexed.get(..fields.len()).is_some_and(|prefix| {
                prefix.iter().all(|field| fields.contains(field))
                    && fields.iter().all(|field| prefix.contains(field))
            })
        };
        self.keys.iter().any(|key| key.enforced && starts_with(&key.fields))
            || self
                .indexes
                .iter()
                .any(|index| index.finds_equals(fields) && starts_with(&index.fields))
    }

    /// An index over all rows begins with the field, and so returns rows in its order.
    #[must_use]
    pub fn is_ordered_by_index(&self, field: FieldId) -> bool {
        self.keys.iter().any(|key| key.enforced && key.fields.first() == Some(&field))
            || self.indexes.iter().any(|index| {
                !index.is_partial()
                    && index.finds == IndexUse::Equals
                    && index.fields.first() == Some(&field)
            })
    }

    /// A key or a unique index of this field alone makes its values unique, nulls aside.
    #[must_use]
    pub fn is_unique_alone(&self, field: FieldId) -> bool {
        self.keys.iter().any(|key| key.enforced && *key.fields == [field])
            || self
                .indexes
                .iter()
                .any(|index| index.unique && !index.is_partial() && *index.fields == [field])
    }
}

/// Kinds of entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityKind {
    Table,
    View,
    MaterializedView,
    ForeignTable,
    /// The rows of one function, which no table stores.
    Record,
    /// The rows of queries that the schema's author has written.
    Model,
    /// The value of one function, or the values of its set, as rows of one field.
    ValueSet,
    /// The values of a composite type, decomposed.
    Composite,
    /// Nodes of a graph that have certain labels.
    Node,
    /// Properties of relationships of a graph, which are no rows by themselves.
    Edge,
}

impl EntityKind {
    /// True if the source stores the rows; if not, they come from functions and fields.
    #[must_use]
    pub fn is_stored(self) -> bool {
        match self {
            Self::Table | Self::View | Self::MaterializedView | Self::ForeignTable | Self::Node => {
                true
            }
            Self::Record | Self::Model | Self::ValueSet | Self::Composite | Self::Edge => false,
        }
    }

    /// True if roles need a permission to read the rows: those that the source stores, and those of
    /// written queries. Other rows come with the permission to call a function or to read a field.
    #[must_use]
    pub fn has_permissions(self) -> bool {
        self.is_stored() || self == Self::Model
    }
}

/// A column or property.
#[derive(Clone, Debug)]
pub struct Field {
    pub id: FieldId,
    pub entity: EntityId,
    pub name: Box<str>,
    pub r#type: Type,
    /// True if a row may hold null here.
    pub nullable: bool,
    /// True if an insert may omit the field although it is not nullable.
    pub has_default: bool,
    pub generated: Option<Generated>,
    /// Permitted operations on its values.
    pub access: FieldAccess,
    pub storage: Storage,
    pub description: Option<Box<str>>,
}

/// The conversion of values stored in a field, by sources that accept any value in any field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Values are stored as given.
    #[default]
    AsGiven,
    /// Numbers become texts, and compare as texts.
    Text,
    /// Texts that look like numbers become numbers.
    Number,
    /// So do they, and all numbers are floating point numbers.
    Float,
}

/// Operations on the values of a field that clients may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldAccess {
    pub read: bool,
    pub insert: bool,
    pub update: bool,
}

impl FieldAccess {
    /// Everything.
    pub const ALL: Self = Self { read: true, insert: true, update: true };

    /// Nothing.
    pub const NONE: Self = Self { read: false, insert: false, update: false };
}

/// The reason why inserts do not write a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generated {
    /// Computed from other fields.
    Stored,
    /// `GENERATED ALWAYS AS IDENTITY`.
    IdentityAlways,
    /// `GENERATED BY DEFAULT AS IDENTITY`, or a rowid: may be given.
    IdentityByDefault,
}

/// Fields that identify a row.
#[derive(Clone, Debug)]
pub struct Key {
    /// The constraint's name; empty where the source has none.
    pub name: Box<str>,
    pub kind: KeyKind,
    pub fields: Vec<FieldId>,
    /// True if the source enforces it, false if it is only declared.
    pub enforced: bool,
    /// True if the source may defer its enforcement to the end of a transaction.
    pub deferrable: bool,
    pub description: Option<Box<str>>,
}

impl Key {
    /// True if an insert can detect conflicts by it: the source enforces it, immediately.
    #[must_use]
    pub fn detects_conflicts(&self) -> bool {
        self.enforced && !self.deferrable
    }
}

/// Kinds of keys: primary or unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    Primary,
    Unique,
}

/// An index over plain fields. Of an index with expressions, only the fields before the first
/// expression are listed.
#[derive(Clone, Debug)]
pub struct Index {
    pub name: Box<str>,
    pub fields: Vec<FieldId>,
    pub covers: IndexCoverage,
    pub finds: IndexUse,
    /// No two rows that the index covers are equal in its fields. It has no expressions.
    pub unique: bool,
}

impl Index {
    /// The index, by these leading fields, finds every row in which they equal values that are not
    /// null.
    #[must_use]
    pub fn finds_equals(&self, fields: &[FieldId]) -> bool {
        let covers = match &self.covers {
            IndexCoverage::All => true,
            IndexCoverage::NotNull(present) => present.iter().all(|field| fields.contains(field)),
            IndexCoverage::Some => false,
        };
        covers && self.finds == IndexUse::Equals
    }

    /// A partial index: one over some of the rows.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.covers != IndexCoverage::All
    }
}

/// An index of the texts of one field, over all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextIndex {
    /// The name of the index, or of the virtual table that is the index.
    pub name: Box<str>,
    pub field: FieldId,
    pub kind: TextIndexKind,
    /// The number that the index returns for a row, if it returns rows by a number.
    pub row_number: Option<FieldId>,
}

/// An index of the boxes around the places of one field, over all rows: a table with a row for each
/// place, whose columns are `id`, `west`, `east`, `south` and `north`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceIndex {
    pub name: Box<str>,
    pub field: FieldId,
    /// The number that is the `id` of a row.
    pub row_number: FieldId,
}

/// Searches that an index of texts serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextIndexKind {
    /// Words as they are written, without regard to case.
    Terms,
    /// Words by their English stems.
    Stems,
    /// Parts of texts of three characters or more.
    Trigrams,
}

/// An index that finds the nearest of the vectors of one field, approximately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorIndex {
    pub field: FieldId,
    /// The length of the vectors that it has: others are not in it.
    pub dimensions: u16,
    pub metric: VectorMetric,
    /// The namespace of the type and the operators of its vectors.
    pub namespace: Box<str>,
}

/// Distances by which an index finds vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorMetric {
    Euclidean,
    Cosine,
    DotProduct,
}

/// Rows that an index covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexCoverage {
    All,
    /// Those in which none of these fields is null.
    NotNull(Vec<FieldId>),
    Some,
}

/// Searches that an index serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexUse {
    /// Equality.
    Equals,
    /// Other searches: words of texts, locations of shapes.
    Other,
}

/// The comment on a constraint of a table or of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintComment {
    pub namespace: Option<Box<str>>,
    /// The name of the table or of the domain, which need not be in the catalog.
    pub owner: Box<str>,
    pub name: Box<str>,
    pub description: Box<str>,
}

/// A foreign key: each row of `from` refers to at most one row of `to`. Or the relationships of one
/// type of a graph, which lead from any number of nodes to any number of others.
#[derive(Clone, Debug)]
pub struct Relationship {
    pub id: RelationshipId,
    pub kind: RelationshipKind,
    /// The constraint's name, empty where the source has none; in a graph the type.
    pub name: Box<str>,
    pub from: EntityId,
    pub from_fields: Vec<FieldId>,
    pub to: EntityId,
    /// A key of `to`, in the order of `from_fields`.
    pub to_fields: Vec<FieldId>,
    /// True if at most one row of `from` refers to a row of `to`.
    pub one_to_one: bool,
    /// True if an index serves the reverse hop from `to` to `from`.
    pub indexed: bool,
    /// True if the source enforces it, false if it is only declared.
    pub enforced: bool,
    /// True if each row of `from` without nulls in `from_fields` has its row of `to`, and each session
    /// that may read `to` sees it.
    pub always_found: bool,
    /// The join table or relationship type with properties of its own, if the hop from `from` to
    /// `to` leads through one.
    pub edge: Option<EntityId>,
    pub description: Option<Box<str>>,
}

/// Kinds of relationships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationshipKind {
    /// Fields of one entity equal fields of the other.
    ForeignKey,
    /// A relationship of a graph, which has no fields to compare.
    Graph {
        /// True if it is followed in both directions: both hops along it are the same then.
        undirected: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(numbers: &[usize]) -> Vec<FieldId> {
        numbers.iter().map(|number| FieldId::new(*number)).collect()
    }

    /// With the primary key (0, 1), an index on (2, 3), one on some rows by 4, and some on the
    /// rows that have something: by 5, by 6 where there is a 7, and by 8 and 9 where both are.
    fn entity() -> Entity {
        let index = |numbers: &[usize], covers| Index {
            name: "".into(),
            fields: fields(numbers),
            covers,
            finds: IndexUse::Equals,
            unique: false,
        };
        let not_null = |numbers: &[usize]| IndexCoverage::NotNull(fields(numbers));
        Entity {
            id: EntityId::new(0),
            namespace: None,
            name: "entity".into(),
            kind: EntityKind::Table,
            labels: Vec::new(),
            claimed_labels: Vec::new(),
            fields: fields(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
            keys: vec![Key {
                name: "".into(),
                kind: KeyKind::Primary,
                fields: fields(&[0, 1]),
                enforced: true,
                deferrable: false,
                description: None,
            }],
            indexes: vec![
                index(&[2, 3], IndexCoverage::All),
                index(&[4], IndexCoverage::Some),
                index(&[5], not_null(&[5])),
                index(&[6], not_null(&[7])),
                index(&[8, 9], not_null(&[8, 9])),
            ],
            special_indexes: None,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            access: WriteAccess::ALL,
            rewritten: false,
            triggered: false,
            distribution: Distribution::Local,
            description: None,
        }
    }

    #[test]
    fn fields_are_unique_that_hold_a_whole_key() {
        let check = |numbers: &[usize], unique| {
            assert_eq!(entity().is_unique(&fields(numbers)), unique, "{numbers:?}");
        };
        check(&[0, 1], true);
        check(&[2, 1, 0], true);
        check(&[0], false);
        check(&[2, 3], false);
    }

    #[test]
    fn an_index_serves_the_fields_that_it_starts_with() {
        let check = |numbers: &[usize], indexed| {
            assert_eq!(entity().is_indexed(&fields(numbers)), indexed, "{numbers:?}");
        };
        check(&[2], true);
        check(&[3, 2], true);
        check(&[0], true);
        check(&[3], false);
        check(&[1, 2], false);
        check(&[2, 3, 4], false);
        check(&[4], false);
        // A searched value is not null.
        check(&[5], true);
        check(&[6], false);
        check(&[8], false);
        check(&[9, 8], true);
    }
}
