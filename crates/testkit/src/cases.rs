//! Case files: the header, requests, and their expected statements and answers, in one file for all
//! sources.
//!
//! In the order of use: `file` has the types, `parse` reads a file, `print` writes it again,
//! `databases` creates its databases, and `copies` those of a single case, `outcome` compares
//! results with expectations, with `property` for properties of statements, `json` for answers and
//! `difference` for texts. This module knows no engine: the runner of the cases passes the results.

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
pub use databases::{
    DatabaseError, Databases, DefinedDatabase, DefinitionsKind, MakeDefined, sample_script,
};
pub use file::{Case, Family, Fault, Header, Section, SectionKind, Skip, Step};
pub use find::{CaseFile, find};
pub use json::{InvalidJson, compact, pretty};
pub use outcome::{Answered, Mismatch, Outcome, Statement, compare, update, update_own};
pub use parse::{CaseError, parse};
pub use print::print;
