//! Import and export: files of objects become rows of tables, and rows become files.
//!
//! This crate knows no dialect and no database: a dialect fills a [`mapping::Mapping`] from its
//! definitions, and the sources insert and read the rows. An import has these stages:
//!
//! 1. [`read`]: files → values of subjects, in any order
//! 2. [`stage`]: values are sorted by their subjects on disk ([`spill`]), become rows and links, and
//!    are checked: types, required values, unique values, references
//! 3. the rows of each table, in the order of their keys, are inserted by a source
//!
//! [`export`] writes the rows of a source as RDF or JSON.

pub mod export;
pub mod mapping;
pub mod read;
pub mod spill;
pub mod stage;
pub mod value;

pub use mapping::Mapping;
pub use value::{Value, ValueRef};
