//! Constants of access rules.

use std::sync::Arc;

/// A constant as definitions or policy files write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    Boolean(bool),
    Integer(i64),
    /// The digits as written.
    Float(Arc<str>),
    Text(Arc<str>),
    /// The name of an enum value.
    Enum(Arc<str>),
    List(Vec<Constant>),
}
