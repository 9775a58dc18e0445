//! Text whose parameters have no numbers.

use crate::tree::Parameter;

/// A statement with the parameter of each of its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Positional {
    pub text: Box<str>,
    /// In the order of the text. A parameter that stands there twice is here twice.
    pub parameters: Box<[Parameter]>,
}
