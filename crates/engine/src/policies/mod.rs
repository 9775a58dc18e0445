//! Who may see and change what: the stage between lowering and compiling, and all that knows of it.
//!
//! A policy file names rules, and roles that have them. A rule lets the rows of one entity be read,
//! inserted, updated or deleted: which rows, and which of their fields. Nothing else is let: what no
//! rule names is refused, and so is whatever this stage does not understand. Rules only ever let
//! more, so that it does not matter in which order a role has them.
//!
//! * [`file`](mod@file): a policy file as it is written
//! * [`node`]: its text as values with their lines
//! * [`problem`]: what is wrong with one
//! * [`policies`]: its names resolved in a catalog, and the rules of each role
//! * [`condition`]: conditions on rows as filters
//! * [`set`]: what one combination of rules lets
//! * [`read`]: a request as far as these rules let it read
//! * [`write`](mod@write): the same for what it changes
//! * [`denial`]: what is refused, in words
//! * [`rules`]: the same of rules that type definitions say
//! * [`withhold`]: what is refused, out of the request and into its answer
//! * [`explain`]: what is let by which rule, as text

pub(crate) mod condition;
pub mod denial;
pub(crate) mod explain;
pub mod file;
mod node;
pub mod policies;
pub mod problem;
pub(crate) mod read;
pub(crate) mod rules;
pub mod set;
pub(crate) mod withhold;
pub(crate) mod write;

#[cfg(test)]
mod tests;

pub use self::denial::Denial;
pub use self::explain::row::{RowError, RowName};
pub use self::file::PolicyFile;
pub use self::policies::Policies;
pub use self::problem::{PolicyProblem, PolicyProblems};
pub use self::set::{PolicySet, PolicySetId};
