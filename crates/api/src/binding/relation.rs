//! Changes of rows with the rows of their relations, at any depth.
//!
//! A change finds or inserts one row, and then changes rows of its relations one after the other, each
//! in the same way. What a relation requires is checked by each of these changes.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use ir::Hop;

use super::{NamedValue, OneOf};

/// Rows that changes write together with those of their relations.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedRows {
    pub entity: EntityId,
    /// The only field of their key.
    pub key: FieldId,
    /// Its name in errors.
    pub key_name: Box<str>,
    /// The name of their type in errors.
    pub name: Box<str>,
    /// The errors of a [`RelatedRole::Where`] that does not have one field.
    pub selector: Arc<OneOf>,
    /// Relations in which rows of another type must have one of these: such rows are not deleted.
    pub requirements: Vec<RelationRequirement>,
    /// Relations whose other rows are deleted with these.
    pub cascades: Vec<Cascade>,
    /// Lists of their values.
    pub elements: Vec<ElementRows>,
    /// The values that events of these rows have.
    pub values: Vec<NamedValue>,
}

/// A relation in which rows of the other end must have one of these rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationRequirement {
    pub path: RelationPath,
    /// The number of the relation and its end, which a cascade along it names.
    pub place: RelationPlace,
    /// The error.
    pub violated: Box<str>,
}

/// A relation whose other rows are deleted with a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Cascade {
    /// The path from the rows at the other end.
    pub back: RelationPath,
    pub place: RelationPlace,
    /// The place of the rows at the other end among those of the API.
    pub target: RelatedRowsId,
}

/// An end of a relation, by the number of the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationPlace {
    pub relation: u32,
    /// True at the end B.
    pub is_b: bool,
}

/// The index of a [`RelatedRows`] among those of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelatedRowsId(pub u32);

/// A list of values as rows of an entity: each with the key of the row that has the list, and with its
/// position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementRows {
    pub entity: EntityId,
    pub owner: FieldId,
    pub position: FieldId,
    pub value: FieldId,
}

/// A path from a row to the rows at the other end of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationPath {
    Hop(Hop),
    /// Through the rows of a join entity.
    Through {
        near: Hop,
        far: Hop,
    },
}

/// A relation along which the rows of the other end are changed.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationWrites {
    /// The rows at the other end.
    pub target: RelatedRowsId,
    /// The path from the rows of the other end to those of this one.
    pub back: RelationPath,
    pub link: RelationLink,
    /// The rows of the other end that one of this end may have, and must have.
    pub near: RelationSide,
    /// The rows of this end that one of the other end may have, and must have.
    pub far: RelationSide,
    /// The error if a row would lack another that it must have.
    pub violated: Box<str>,
    /// The error of a new row without another that it must have.
    pub missing: Box<str>,
    /// The beginning of the error if two rows are not related: names of the relation and of this type.
    pub unrelated: Box<str>,
}

/// The number of rows that a row has in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationSide {
    pub is_list: bool,
    pub is_required: bool,
}

/// Storage of a relation, from a row of one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationLink {
    /// A field of the row holds the key of the other one.
    Forward { field: FieldId },
    /// A field of the other row holds the key of the row.
    Backward { field: FieldId },
    /// Rows of a join entity hold both keys.
    Joined {
        joining: EntityId,
        near: FieldId,
        far: FieldId,
        /// The key of the join rows, if they have one.
        id: Option<FieldId>,
    },
}

/// A change of rows with those of their relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelatedChange {
    pub rows: RelatedRowsId,
    pub kind: RelatedChangeKind,
}

/// Kinds of changes of rows with those of their relations. [`RelatedRole`]s are their arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelatedChangeKind {
    /// Inserts a row: [`RelatedRole::Data`].
    Create,
    /// Inserts rows: [`RelatedRole::Data`] is a list of objects, whose relations are
    /// [`RelatedRole::Reference`]s.
    CreateMany,
    /// Updates the row of [`RelatedRole::Where`]: [`RelatedRole::Data`].
    Update,
    /// Updates the row of [`RelatedRole::Where`] by [`RelatedRole::Update`], or inserts one by
    /// [`RelatedRole::Create`].
    Upsert,
    /// Deletes the row of [`RelatedRole::Where`].
    Delete,
    /// Updates all rows that pass the conditions: [`RelatedRole::Data`].
    UpdateMany,
    /// Deletes all rows that pass the conditions.
    DeleteMany,
}

/// The meaning of an input of a change of rows with those of their relations.
#[derive(Clone, Debug, PartialEq)]
pub enum RelatedRole {
    /// An object of [`FilterRole::Equal`](super::FilterRole::Equal)s, one of which is given.
    Where,
    /// An object of the values of a row: of [`WriteRole::Stored`](super::WriteRole::Stored),
    /// [`RelatedRole::Limited`], [`RelatedRole::Elements`] and [`RelatedRole::Relation`], of one that exists also of
    /// [`WriteRole::Assign`](super::WriteRole::Assign).
    Data,
    /// The values of a row that exists: an object as of [`RelatedRole::Data`].
    Update,
    /// The values of a new row: an object as of [`RelatedRole::Data`].
    Create,
    /// A text to store that has a maximum.
    Limited(Box<LimitedText>),
    /// An object of one [`RelatedRole::SetElements`].
    Elements(Box<ElementRows>),
    /// All values of a list.
    SetElements,
    /// An object of [`FilterRole::Equal`](super::FilterRole::Equal)s, one of which is given: the row
    /// to which the new one refers.
    Reference(Arc<RelationWrites>),
    /// An object of [`RelatedRole::Verb`]s.
    Relation(Arc<RelationWrites>),
    /// Changes of one kind along the enclosing relation: an object, or a list of such; a boolean that
    /// steers where a row has at most one other.
    Verb(RelationVerb),
}

/// A text to store, whose length is checked before anything is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitedText {
    pub field: FieldId,
    /// The most characters.
    pub most: u32,
    /// The error of a longer one.
    pub otherwise: Box<str>,
}

/// Changes along a relation, in the order in which they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationVerb {
    /// Inserts rows: objects of values.
    Create,
    /// Updates related rows: objects of values, or, of several rows, of [`RelatedRole::Where`] and
    /// [`RelatedRole::Data`].
    Update,
    /// Updates a related row, or inserts one: objects of [`RelatedRole::Update`],
    /// [`RelatedRole::Create`], and, of several rows, [`RelatedRole::Where`].
    Upsert,
    /// Deletes related rows.
    Delete,
    /// Relates rows.
    Connect,
    /// Relates exactly these rows.
    Set,
    /// Removes the relation to rows.
    Disconnect,
    /// Updates all related rows that pass conditions: objects of
    /// [`FilterRole::Conditions`](super::FilterRole::Conditions) and [`RelatedRole::Data`].
    UpdateMany,
    /// Deletes all related rows that pass: objects of conditions.
    DeleteMany,
}
