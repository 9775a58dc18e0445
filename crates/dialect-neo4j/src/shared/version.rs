//! Facts by which the shared steps differ between the versions.

use ir::Hop;
use response::Leaf;

use crate::model::{ApiVersion, Path, PropertyType};
use crate::shared::values::leaf;

/// Facts of a version of the API.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) api: ApiVersion,
    /// Whether the types of a list stand in the order of the definitions, and not in that of their
    /// union.
    pub(crate) sorts_types: bool,
    /// Whether relationships that an interface declares have lists of types of their own, and not
    /// those of the relationships of the node types.
    pub(crate) has_declared_lists: bool,
    /// Whether requests choose if a relationship is followed as it is directed.
    pub(crate) has_directed: bool,
    /// Whether the last interface of a node type that declares a relationship shares its types with
    /// it, and not the first interface that has the field.
    pub(crate) inherits_from_last: bool,
    /// Whether edges have their properties in an object of its own type.
    pub(crate) has_properties_type: bool,
    /// Relationships along which nodes are found that are changed.
    pub(crate) changed_along: fn(&Path) -> Hop,
    /// Whether a change that adds a second node at the end of a relationship to one is an error.
    pub(crate) checks_single: bool,
}

impl Version {
    /// The response form of averages of large integers.
    pub(crate) fn big_average(&self) -> Leaf {
        match self.api {
            ApiVersion::V3 => Leaf::FloatText,
            ApiVersion::V7 => leaf(&PropertyType::BigInt, self.api),
        }
    }

    pub(crate) fn of(api: ApiVersion) -> Self {
        match api {
            ApiVersion::V3 => Self {
                api,
                sorts_types: true,
                has_declared_lists: false,
                has_directed: true,
                inherits_from_last: false,
                has_properties_type: false,
                changed_along: |path| path.written,
                checks_single: true,
            },
            ApiVersion::V7 => Self {
                api,
                sorts_types: false,
                has_declared_lists: true,
                has_directed: false,
                inherits_from_last: true,
                has_properties_type: true,
                changed_along: |path| path.hop,
                checks_single: false,
            },
        }
    }
}
