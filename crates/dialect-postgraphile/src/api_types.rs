//! Types of the API made for values, rows and aggregates, for look-ups by later parts.

use catalog::{FieldId, FunctionId};
use graphql::schema::{TypeId, TypeRef};
use ir::Form;
use response::Leaf;

use super::tags::omit::Action;
use api::binding::ValueShape;

/// The number of aggregate functions.
pub(super) const FUNCTIONS: usize = 9;

/// The type of the API for a type of the catalog.
#[derive(Clone, Debug)]
pub(super) struct ValueType {
    /// Nullable.
    pub(super) output: TypeRef,
    pub(super) value: ValueShape,
    /// Within node ids and cursors.
    pub(super) json: Leaf,
    pub(super) form: Form,
    /// The type of an argument for such a value, if there can be one.
    pub(super) input: Option<TypeRef>,
    /// True if two values can be compared for equality.
    pub(super) equal: bool,
    /// True if rows can be ordered by it.
    pub(super) ordered: bool,
    /// Its type's name in the database, for errors of unsupported operations.
    pub(super) database_name: Box<str>,
}

impl ValueType {
    /// True if the value can be a part of another one: the source has no conversions of parts.
    pub(super) fn is_stored(&self) -> bool {
        self.form == Form::Stored
    }
}

/// A function of a row only, with one value, which is no row: rows can be filtered by it.
#[derive(Clone, Debug)]
pub(super) struct ComputedValue {
    pub(super) function: FunctionId,
    /// The name of the row's field.
    pub(super) name: String,
    /// The field with the type of its value.
    pub(super) field: FieldId,
    pub(super) value: ValueType,
    /// True if it is an array, by which rows are neither sorted nor compared.
    pub(super) is_list: bool,
}

/// Kinds of input types of an entity's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowInput {
    /// A new row.
    Create,
    /// A patch of a row.
    Patch,
    /// All columns, all optional.
    Base,
    /// A new row with nested inputs.
    NestedCreate,
    /// A patch of a row with nested inputs.
    NestedPatch,
}

impl RowInput {
    pub(super) fn action(self) -> Action {
        match self {
            Self::Create | Self::NestedCreate => Action::Create,
            Self::Patch | Self::NestedPatch => Action::Update,
            Self::Base => Action::Base,
        }
    }
}

/// The types of an entity's aggregates.
#[derive(Clone, Copy, Debug)]
pub(super) struct AggregateTypes {
    pub(super) container: TypeId,
    /// Absent if there is no column to group by.
    pub(super) group_by: Option<TypeId>,
    pub(super) having: Option<TypeId>,
    /// The types of each function's values and of the conditions on them, if there are any, in the
    /// order of [`SPECIFICATIONS`](super::aggregates::SPECIFICATIONS).
    pub(super) functions: [Option<TypeId>; FUNCTIONS],
    pub(super) conditions: [Option<TypeId>; FUNCTIONS],
}
