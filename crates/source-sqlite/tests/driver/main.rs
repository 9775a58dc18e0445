//! The driver of SQLite on files.

mod introspect;
mod writes;
