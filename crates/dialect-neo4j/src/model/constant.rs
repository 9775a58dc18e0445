//! Values that type definitions say.

use std::sync::Arc;

/// A value that definitions say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Boolean(bool),
    Integer(i64),
    /// As it is written.
    Float(Arc<str>),
    Text(Arc<str>),
    /// A value of an enum by its name.
    Enum(Arc<str>),
    List(Vec<Constant>),
}
