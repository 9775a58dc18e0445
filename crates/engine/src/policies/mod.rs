//! Policy files: permissions of roles, compiled to grants of the crate `access`.
//!
//! A policy file names rules, and roles that have them. A rule permits reading, inserting, updating or
//! deleting rows of one entity: which rows, and which of their columns. What no rule names is refused.
//! Rules only ever permit more, so that their order has no meaning.
//!
//! * [`file`](mod@file): a policy file as it is written
//! * [`node`]: its text as values with their lines
//! * [`problem`]: mistakes in a policy file
//! * [`compile`](mod@compile): its names resolved in a catalog, as [`access::Roles`]
//! * [`explain`]: which rule permits what, as text

mod compile;
mod constants;
pub(crate) mod explain;
pub mod file;
mod node;
pub mod problem;
mod resolve;
mod roles;
mod rows;

#[cfg(test)]
mod tests;

pub(crate) use self::compile::compile;
pub use self::explain::row::{RowError, RowName};
pub use self::explain::tables::{ColumnAccess, PrivilegeAccess, TableAccess};
pub use self::file::PolicyFile;
pub use self::problem::{PolicyProblem, PolicyProblems};
