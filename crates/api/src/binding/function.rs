//! How functions of the source are called.

use catalog::FunctionId;
use ir::{Form, RepresentedInput};

use super::ValueShape;

/// The value of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputedBinding {
    pub function: FunctionId,
    /// Whether the row is its first argument.
    pub of_row: bool,
    pub value: ValueShape,
    /// In which form the source sends it.
    pub form: Form,
    /// The arguments that a request does not give: where there are some, the value is computed only
    /// for rows that federation's representations find.
    pub told: Vec<ExternalArgument>,
}

/// An argument of a function that a representation tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalArgument {
    /// Its place among all arguments of the function.
    pub place: u16,
    pub input: RepresentedInput,
}

/// How a function is called, wherever it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallBinding {
    /// The arguments that a request can give, in the order of the function.
    pub arguments: Vec<ArgumentBinding>,
}

/// An argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentBinding {
    /// Its place among all arguments of the function.
    pub place: u16,
    /// Whether it has a default, which null stands for as well.
    pub optional: bool,
    /// Whether it can be given by name.
    pub named: bool,
}
