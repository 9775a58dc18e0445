//! Tests of the reader, and of its names in a catalog.

mod applied;
mod random;
mod refused;
mod understood;

use crate::{File, Schema, read};

/// The schema of a text.
fn schema(text: &str) -> Schema {
    read(vec![File { name: "s".into(), text: text.into() }])
        .unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"))
}
