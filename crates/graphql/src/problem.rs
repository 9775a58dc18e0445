//! The first problem of a request, with the path to it by names, for dialects whose errors say both.
//!
//! Validation stays that of the library: this module looks at requests that are refused already, walks
//! over an operation as if it was executed, values of variables included, and says where it first
//! finds something wrong. Errors that it does not know have at least the place in the document.

mod given;
mod values;
mod walk;

use crate::document::DocumentLimits;
use crate::operation::{Location, OperationKind};
use crate::request::Request;
use crate::visibility::View;

/// One step of the path to a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The selection set of the operation or of a field.
    SelectionSet,
    /// The arguments of a field.
    Arguments,
    /// A field, an argument or a field of an input object, by its name.
    Key(Box<str>),
    /// An element of a list.
    Index(usize),
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The document has no operation of the requested name.
    UnknownOperation {
        name: Box<str>,
    },
    /// The request names no operation, and the document has none or several.
    NoSingleOperation,
    /// The schema has no operations of this kind.
    NoRootType {
        kind: OperationKind,
    },
    /// A subscription has several root fields.
    SeveralRootFields,
    MissingVariable {
        name: Box<str>,
    },
    /// A variable has null, and its type takes none.
    NullVariable {
        r#type: Box<str>,
    },
    UndefinedVariable {
        name: Box<str>,
    },
    /// A variable is used where another type is expected.
    VariableType {
        name: Box<str>,
        declared: Box<str>,
        expected: Box<str>,
    },
    UndefinedFragment {
        name: Box<str>,
    },
    /// Fragments that spread each other, in their order. The path has the names of the fragments too.
    FragmentCycle {
        names: Vec<Box<str>>,
    },
    UnknownDirective {
        name: Box<str>,
    },
    UnknownField {
        name: Box<str>,
        r#type: Box<str>,
    },
    MissingSelectionSet {
        r#type: Box<str>,
    },
    UnexpectedSelectionSet,
    UnknownArgument {
        field: Box<str>,
        name: Box<str>,
    },
    /// A required argument or field of an input object is absent.
    MissingInput {
        name: Box<str>,
    },
    UnknownInputField {
        name: Box<str>,
        r#type: Box<str>,
    },
    UnknownEnumValue {
        name: Box<str>,
        r#type: Box<str>,
        known: Vec<Box<str>>,
    },
    /// A null where the dialect takes none.
    UnexpectedNull {
        r#type: Box<str>,
    },
    NullList,
    WrongValue {
        expected: Expected,
        r#type: Box<str>,
        found: ValueKind,
    },
    /// A number that is no integer of 32 bits.
    NoInteger {
        number: Box<str>,
    },
    /// A value that a scalar of the dialect cannot be read from.
    Unreadable {
        message: Box<str>,
    },
}

/// The kind of value that a type expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Boolean,
    Integer,
    /// An integer that is not negative.
    Count,
    Float,
    String,
    Identifier,
    Enum,
    Object,
}

/// The kind of value that a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Null,
    Boolean,
    String,
    /// An integer of the document.
    Integer,
    /// A fraction of the document.
    Float,
    /// A number of a variable.
    Number,
    Enum,
    List,
    Object,
}

/// The member of `extensions` with the way to a refused input within the arguments of its field, as
/// [`written`] gives it.
pub const WITHIN_ARGUMENTS: &str = "argument";

/// The text of steps below the arguments of a field: `.objects[0].author`.
#[must_use]
pub fn written(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            Step::Key(key) => text.extend([".", key]),
            Step::SelectionSet | Step::Arguments => {}
        }
    }
    text
}

/// What a dialect refuses beyond the types of its schema.
#[derive(Clone, Copy, Debug)]
pub struct InputRules {
    /// Whether a field of an input object takes no null, although its type may be null.
    pub refuses_null: fn(object: &str, field: &str) -> bool,
    /// Whether an argument takes no negative number.
    pub is_count: fn(argument: &str) -> bool,
    /// Why a value, as JSON, is none of a custom scalar.
    pub unreadable: fn(scalar: &str, json: &str) -> Option<String>,
}

/// Where a request is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// The first problem, with the path to it; `None` if the walk finds none.
    pub problem: Option<(Vec<Step>, Problem)>,
    /// The path to the innermost field or value that the location is in.
    pub nearest: Vec<Step>,
}

/// Finds the first problem of a request, and the path of a location in its document.
#[must_use]
pub fn locate(
    schema: View<'_>,
    request: &Request,
    limits: &DocumentLimits,
    rules: InputRules,
    location: Option<Location>,
) -> Located {
    walk::locate(schema, request, limits, rules, location)
}

#[cfg(test)]
mod tests;
