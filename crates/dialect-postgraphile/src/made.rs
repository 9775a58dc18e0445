//! Types of the API that were made for values, rows and aggregates, as later parts look them up.

use catalog::{FieldId, FunctionId};
use graphql::schema::{TypeId, TypeRef};
use ir::Form;
use response::Leaf;

use super::tags::omit::Action;
use api::binding::ValueShape;

/// Number of functions that aggregates offer.
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
    /// The type of an argument that gives such a value, if there can be one.
    pub(super) input: Option<TypeRef>,
    /// Whether two values can be compared for equality.
    pub(super) equal: bool,
    /// Whether rows can be ordered by it.
    pub(super) ordered: bool,
    /// What the database calls its type, for the refusals of what it cannot do.
    pub(super) database_name: Box<str>,
}

impl ValueType {
    /// Whether the value can be a part of another one: the source cannot be asked for a form of
    /// a part.
    pub(super) fn is_stored(&self) -> bool {
        self.form == Form::Stored
    }
}

/// A function of a row and nothing else that gives one value, which is no row: rows can be
/// filtered by it.
#[derive(Clone, Debug)]
pub(super) struct ComputedValue {
    pub(super) function: FunctionId,
    /// The name of the row's field.
    pub(super) name: String,
    /// The field that says what kind of value it is.
    pub(super) field: FieldId,
    pub(super) value: ValueType,
    /// Whether it is an array, by which rows are neither ordered nor compared.
    pub(super) is_list: bool,
}

/// Which input type of an entity's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RowInput {
    /// A new row.
    Create,
    /// What a row is to become.
    Patch,
    /// All columns, none of which must be given.
    Base,
    /// A new row that may be connected with others.
    NestedCreate,
    /// What a row is to become that may be connected with others.
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
    /// Not there if there is no column to group by.
    pub(super) group_by: Option<TypeId>,
    pub(super) having: Option<TypeId>,
    /// The types of each function's values and of the conditions on them, as far as there are
    /// such, in the order of [`SPECIFICATIONS`](super::aggregates::SPECIFICATIONS).
    pub(super) functions: [Option<TypeId>; FUNCTIONS],
    pub(super) conditions: [Option<TypeId>; FUNCTIONS],
}
