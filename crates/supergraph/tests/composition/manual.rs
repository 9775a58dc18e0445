//! The page of the errors and hints has all codes.

use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use supergraph::Code;

pub(crate) fn trials() -> Vec<Trial> {
    vec![Trial::test("manual/codes", codes)]
}

fn codes() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/composition.md");
    let page = fs::read_to_string(path)?;
    let is_missing = |code: &&Code| !page.contains(&format!("`{code}`"));
    let missing: Vec<_> = Code::ALL.iter().filter(is_missing).map(ToString::to_string).collect();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(format!("docs/composition.md lacks {}", missing.join(", ")).into()),
    }
}
