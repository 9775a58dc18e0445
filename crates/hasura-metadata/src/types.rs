//! The types of metadata, in the order of its keys.

use std::collections::BTreeMap;

use crate::reader::{Description, Read};
use metadata::Metadata;

pub mod action;
pub mod connection;
pub mod event_trigger;
pub mod expression;
pub mod function;
pub mod limits;
pub mod logical_model;
pub mod metadata;
pub mod name;
pub mod native_query;
pub mod operator;
pub mod permission;
pub mod query_collection;
pub mod relationship;
pub mod remote_relationship;
pub mod remote_schema;
pub mod settings;
pub mod source;
pub mod table;
pub mod webhook;

/// All objects with their keys, and all closed sets with their values, by walking the types.
#[must_use]
pub fn objects() -> BTreeMap<&'static str, &'static [&'static str]> {
    let mut description = Description::default();
    Metadata::describe(&mut description);
    description.objects.into_iter().chain(description.choices).collect()
}

#[cfg(test)]
mod tests;
