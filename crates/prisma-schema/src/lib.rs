//! The schema file of Prisma ORM (`schema.prisma`, versions 5 to 7): names, relations and types for
//! tables that are there.
//!
//! <https://www.prisma.io/docs/orm/prisma-schema>
//!
//! ```text
//! files ─► read: scan, parse, meaning ─► Schema ─► apply: the names of a Catalog
//! ```
//!
//! * [`read()`]: the files of a schema to its meaning
//! * [`model`]: the meaning
//! * [`apply()`]: the names, relations and types of a schema in a catalog
//! * [`Mistake`]: what is wrong, with its place
//! * `scan`, `parse`, `syntax`: the text to a syntax tree

mod apply;
mod mistake;
pub mod model;
mod parse;
mod read;
mod scan;
mod syntax;
#[cfg(test)]
mod tests;

pub use apply::apply;
pub use mistake::{At, File, Mistake, Mistakes};
pub use model::{Provider, Schema};
pub use read::read;
