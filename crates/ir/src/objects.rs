//! Changes of objects: rows of several entities that refer to each other by keys of one sequence.
//!
//! The keys of new rows are taken from the sequence before any row is inserted. So all rows of one
//! entity are inserted by one statement, however deep the input that they come from is nested.

use std::sync::Arc;

use catalog::{EntityId, FieldId};

use crate::operand::Operand;
use crate::request::Otherwise;
use crate::rows::Rows;
use crate::step_id::StepId;

/// One part of a change of objects. Lists of one part are of equal length; rows with a null key are
/// left out.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a step that reads has the same rows in place")]
pub enum ObjectChange {
    /// Reads the keys of existing rows.
    Find { rows: Rows, purpose: FindPurpose },
    /// Takes keys from the sequence.
    NewKeys { key: FieldId, count: u32 },
    /// Inserts rows: a list of keys, and a list of values for each field.
    Insert { entity: EntityId, key: FieldId, keys: Operand, fields: Vec<(FieldId, Operand)> },
    /// Sets fields of each row with a key of the list to the values at the same place of their lists.
    SetEach {
        entity: EntityId,
        key: FieldId,
        keys: Operand,
        fields: Vec<(FieldId, Operand)>,
        /// Fields whose values are elements to add: a list gets those that it lacks.
        extended: Vec<FieldId>,
        /// True for rows that an upsert has found, false for rows that a relation changes.
        is_upsert: bool,
    },
    /// Sets fields of all rows with a key of the list to one value.
    SetAll {
        entity: EntityId,
        key: FieldId,
        keys: Operand,
        fields: Vec<(FieldId, Operand)>,
        /// As of [`ObjectChange::SetEach`].
        extended: Vec<FieldId>,
    },
    /// Sets a field of all rows to null where it is one of a list of values; of `rows`, a key field
    /// with a list, only those.
    Clear { entity: EntityId, field: FieldId, values: Operand, rows: Option<(FieldId, Operand)> },
    /// Removes elements from a list of each row with a key of the list: all that equal one of a
    /// list.
    RemoveElements {
        entity: EntityId,
        key: FieldId,
        keys: Operand,
        field: FieldId,
        elements: Operand,
    },
    /// Inserts rows of a join entity that do not exist yet: each key of the one list with the key at
    /// the same place of the other, or with each of them.
    Connect {
        joining: EntityId,
        near: (FieldId, Operand),
        far: (FieldId, Operand),
        pairing: Pairing,
    },
    /// Deletes rows of a join entity: those with a near key of the list, and, unless it is absent,
    /// a far key of the other.
    Disconnect { joining: EntityId, near: (FieldId, Operand), far: Option<(FieldId, Operand)> },
    /// Deletes rows by their keys.
    Delete { entity: EntityId, key: FieldId, keys: Operand },
}

impl ObjectChange {
    /// Sets fields of all rows with a key of the list to one value; lists are replaced.
    #[must_use]
    pub fn set_all(
        entity: EntityId,
        key: FieldId,
        keys: Operand,
        fields: Vec<(FieldId, Operand)>,
    ) -> Self {
        Self::SetAll { entity, key, keys, fields, extended: Vec::new() }
    }
}

/// Purpose for which the keys of rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindPurpose {
    /// Other rows refer to them, or an upsert changes them.
    Refer,
    /// Rows that the change has found already are counted.
    Count,
    Update,
    Delete,
}

/// Combination of two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Elements at the same place.
    Pairwise,
    /// Each element with each.
    All,
}

/// All objects of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ObjectSet {
    pub objects: Vec<ObjectKey>,
    /// A read that must return a row: without one, no object is part of the change.
    pub only_if: Option<StepId>,
}

/// A list of keys of objects of a set, null for those that are left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectKeys {
    pub set: Arc<ObjectSet>,
    pub which: WhichObjects,
    /// Indexes of the set; `None`: null.
    pub each: Vec<Option<u32>>,
}

/// The objects of a list whose keys are not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhichObjects {
    All,
    /// Those that are created.
    New,
    /// Those that exist.
    Found,
    /// Those that exist, or that are created as another object of the table with the same identity.
    Elsewhere,
}

/// The key of an object that exists, or of a new one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectKey {
    /// The look-ups of the object, none of which may find another one than the others.
    pub found: Vec<KeyPlace>,
    /// Its key if none finds it; without one it must exist.
    pub new: Option<NewKeyPlace>,
    /// A value that identifies the object, or its key: of all objects with this value and number, only one with a
    /// new key is created, the first that has a description, and the others stand for it.
    pub identity: Option<(u32, Operand)>,
    /// Further values that identify it: objects that share one are the same object.
    pub further: Vec<(u32, Operand)>,
    /// Its values besides identifiers, by the numbers of their fields in their order; `None` if it
    /// only names an object. Objects with one identity must not differ in them.
    pub description: Option<Vec<(u32, Operand)>>,
    /// True if its identity is its key: it exists.
    pub has_key: bool,
    /// The objects of the set whose keys it holds, by the numbers of its fields. Objects with one identity
    /// must hold one key in a field.
    pub held: Vec<(u32, u32)>,
    /// True if no second object of this kind may have its identity.
    pub is_outermost: bool,
    /// Look-ups of the objects around it: if one of these exists, this one is not part of the change.
    pub unless: Vec<KeyPlace>,
    /// The error if it must exist and does not.
    pub missing: Option<Box<Otherwise>>,
    /// If it must not exist: the error of each of its look-ups that finds it, in their order.
    pub existing: Vec<Otherwise>,
}

/// The place of a key in the result of a step: the ordinal, less 1, of a read of
/// [`From::Keys`](crate::From::Keys), whose outputs are the key and the ordinal in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPlace {
    pub step: StepId,
    /// From 0.
    pub place: u32,
}

/// The place of a key of [`ObjectChange::NewKeys`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewKeyPlace {
    pub step: StepId,
    /// From 0.
    pub place: u32,
    /// The number of keys that the step takes.
    pub count: u32,
}
