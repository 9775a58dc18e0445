//! Schema first: type definitions become tables, and changes of definitions become migrations.
//!
//! This crate knows no dialect: a dialect reads its definitions and fills a [`model::Model`].
//!
//! * [`model`]: what definitions store: entities, their fields, relations between them

pub mod model;
