//! `SHA256SUMS`: written, and verified against the files on disk.

use std::path::Path;
use std::process::Command;

use super::DistError;
use super::tree::{TEXT, Tree};
use crate::program;

/// The file that `sha256sum --check` reads.
const FILE: &str = "SHA256SUMS";

/// Writes the checksums of files in a folder, verifies the files, and returns the name of the list.
pub(crate) fn write_and_verify(folder: &Path, names: &[String]) -> Result<String, DistError> {
    let mut names = names.to_vec();
    names.sort();
    let mut sums = Command::new("sha256sum");
    let text = program::output(sums.args(&names).current_dir(folder))?;
    Tree::new(folder)?.write(FILE, &text, TEXT)?;
    verify(folder)?;
    Ok(FILE.to_owned())
}

fn verify(folder: &Path) -> Result<(), DistError> {
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--strict", "--quiet", FILE]).current_dir(folder);
    Ok(program::run(&mut check)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_changes_is_found() -> Result<(), DistError> {
        let name = format!("thalweg-checksums-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let tree = Tree::new(&folder)?;
        tree.write("b", "two", TEXT)?;
        tree.write("a", "one", TEXT)?;
        let name = write_and_verify(&folder, &["b".to_owned(), "a".to_owned()])?;
        let text = fs::read_to_string(folder.join(&name)).unwrap_or_default();
        let expected = "\
7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed  a
3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  b
";
        assert_eq!(text, expected);
        tree.write("b", "Two", TEXT)?;
        let found = verify(&folder).map_err(|error| error.to_string());
        assert!(found.as_ref().is_err_and(|text| text.contains("b: FAILED")), "{found:?}");
        drop(fs::remove_dir_all(folder));
        Ok(())
    }
}
