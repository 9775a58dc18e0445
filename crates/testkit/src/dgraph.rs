//! Dgraph's own tests, from a copy of its repository: none of their text is in this one.

use std::path::{Path, PathBuf};

use crate::not_run::tell_not_run;

/// The variable that names the folder `graphql` of the copy.
const FOLDER_VARIABLE: &str = "THALWEG_DGRAPH_DIR";

const REASON: &str = "Dgraph's own tests are not here: `git clone --depth 1 \
                      https://github.com/dgraph-io/dgraph target/dgraph`, or set THALWEG_DGRAPH_DIR to \
                      the folder `graphql` of a copy";

/// The folder `graphql` of Dgraph's repository, by the variable or in `target/dgraph`. Without it the test
/// is reported as not run.
///
/// # Panics
///
/// If the variable names another folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os(FOLDER_VARIABLE).map(|folder| workspace.join(folder));
    let is_named = named.is_some();
    let folder = named.unwrap_or_else(|| workspace.join("target/dgraph/graphql"));
    let is_there = folder.join("schema/testdata").is_dir();
    assert!(is_there || !is_named, "{FOLDER_VARIABLE} names no folder `graphql` of Dgraph");
    if !is_there {
        tell_not_run(REASON);
    }
    is_there.then_some(folder)
}
