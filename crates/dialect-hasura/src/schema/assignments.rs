//! Operators of updates: the arguments that give columns new values.

use api::binding::AssignVerb;

use crate::columns::Column;
use crate::plan::Planned;
use crate::values::{TEXT, Values};

/// An argument that gives columns new values.
pub(super) struct Operator {
    pub(super) name: &'static str,
    pub(super) verb: AssignVerb,
    /// The suffix of its type.
    pub(super) suffix: &'static str,
    pub(super) about: &'static str,
}

/// The operators by their names.
pub(super) const OPERATORS: [Operator; 7] = [
    Operator {
        name: "_append",
        verb: AssignVerb::Merge,
        suffix: "append_input",
        about: "append existing jsonb value of filtered columns with new jsonb value",
    },
    Operator {
        name: "_delete_at_path",
        verb: AssignVerb::DeletePath,
        suffix: "delete_at_path_input",
        about: "delete the field or element with specified path (for JSON arrays, negative \
                integers count from the end)",
    },
    Operator {
        name: "_delete_elem",
        verb: AssignVerb::DeleteElement,
        suffix: "delete_elem_input",
        about: "delete the array element with specified index (negative integers count from the \
                end). throws an error if top level container is not an array",
    },
    Operator {
        name: "_delete_key",
        verb: AssignVerb::DeleteKey,
        suffix: "delete_key_input",
        about: "delete key/value pair or string element. key/value pairs are matched based on \
                their key value",
    },
    Operator {
        name: "_inc",
        verb: AssignVerb::AddWithin,
        suffix: "inc_input",
        about: "increments the numeric columns with given value of the filtered values",
    },
    Operator {
        name: "_prepend",
        verb: AssignVerb::Prepend,
        suffix: "prepend_input",
        about: "prepend existing jsonb value of filtered columns with new jsonb value",
    },
    Operator {
        name: "_set",
        verb: AssignVerb::Set,
        suffix: "set_input",
        about: "sets the columns of the filtered rows to the given values",
    },
];

impl Operator {
    /// The type of an operand for such values.
    pub(super) fn operand(&self, values: &Values) -> String {
        match self.verb {
            AssignVerb::DeletePath => format!("[{TEXT}!]"),
            AssignVerb::DeleteElement => "Int".to_owned(),
            AssignVerb::DeleteKey => TEXT.to_owned(),
            _ => values.text(),
        }
    }

    /// The description of its type.
    pub(super) fn about_type(&self, table: &str) -> String {
        match self.verb {
            AssignVerb::Set => format!("input type for updating data in table \"{table}\""),
            AssignVerb::AddWithin => {
                format!("input type for incrementing numeric columns in table \"{table}\"")
            }
            _ => self.about.to_owned(),
        }
    }
}

/// The columns that updates may set.
pub(super) fn updated<'p>(planned: &'p Planned<'_>) -> impl Iterator<Item = &'p Column<'p>> {
    planned.columns.iter().filter(|column| column.field.access.update && column.is_stored())
}

/// The columns that an operator may change.
pub(super) fn operated<'p>(
    planned: &'p Planned<'_>,
    verb: AssignVerb,
) -> impl Iterator<Item = &'p Column<'p>> {
    updated(planned).filter(move |column| match verb {
        AssignVerb::Set => true,
        AssignVerb::AddWithin => column.values.number.is_some(),
        _ => column.values.has_parts(),
    })
}
