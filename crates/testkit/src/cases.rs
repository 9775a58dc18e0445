//! Case files: what a request means, what becomes of it and what the answer is, in one file that
//! holds for every source.
//!
//! In the order of use: `file` has the types, `parse` reads a file, `print` writes it again,
//! `databases` makes what it asks, and `copies` what only one case may use, `outcome` says whether what came is what was expected, with
//! `property` for what must hold of statements, `json` for answers and `difference` for texts.
//! This module knows no engine: whoever runs the cases hands in what came.

mod copies;
mod databases;
mod difference;
mod file;
mod find;
mod json;
mod outcome;
mod parse;
mod print;
mod property;

pub use copies::{PostgresCopy, SqliteCopy};
pub use databases::{DatabaseError, Databases, sample_script};
pub use file::{Case, Family, Fault, Header, Section, SectionKind, Skip, Step};
pub use find::{CaseFile, find};
pub use json::{InvalidJson, compact, pretty};
pub use outcome::{Answered, Mismatch, Outcome, Statement, compare, update, update_own};
pub use parse::{CaseError, parse};
pub use print::print;
