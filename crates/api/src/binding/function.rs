//! Calls of functions of the source.

use catalog::FunctionId;
use ir::{Form, RepresentedInput};

use super::ValueShape;

/// The value of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedBinding {
    pub function: FunctionId,
    /// True if the row is its first argument.
    pub of_row: bool,
    pub value: ValueShape,
    /// The form in which the source returns it.
    pub form: Form,
    /// Arguments that come from representations: with any, the value is computed only for rows that
    /// federation's representations find.
    pub external: Vec<ExternalArgument>,
}

/// An argument of a function whose value comes from a representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalArgument {
    /// Its index in the function's arguments.
    pub place: u16,
    pub input: RepresentedInput,
}

/// The call of a function, at every position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallBinding {
    /// The arguments, in the order of the function.
    pub arguments: Vec<ArgumentBinding>,
    /// The place of the row in calls of a row, where it is an argument of other calls.
    pub row: Option<u16>,
    /// The index in the function's arguments of the one that no request gives: it receives the claims
    /// of the session as a JSON object. It is among `arguments`.
    pub claims: Option<u16>,
    /// The errors of omitted arguments. Without them, omitted arguments without a default are null.
    pub omitted: Option<OmittedArguments>,
}

/// Errors of omitted arguments of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OmittedArguments {
    /// Of one without a default.
    pub required: &'static str,
    /// Of one before a given one without a name, which only its place tells from others.
    pub before_unnamed: &'static str,
}

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentBinding {
    /// Its index in the function's arguments.
    pub place: u16,
    /// True if it has a default, which also replaces null.
    pub optional: bool,
    /// True if it can be given by name.
    pub named: bool,
}
