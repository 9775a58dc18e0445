//! The tarball: the program and its files, below one folder.

use std::path::Path;
use std::process::Command;

use super::tree::{PROGRAM, TEXT, Tree};
use super::{DistError, NOT_STATIC, Release, VERSION};
use crate::program;

/// Files of the workspace, and their places in the archive.
const FILES: [(&str, &str); 8] = [
    ("README.md", "README.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("packaging/thalweg.service", "systemd/thalweg.service"),
    ("packaging/thalweg.toml", "systemd/thalweg.toml"),
    ("packaging/prometheus/thalweg-alerts.yml", "monitoring/thalweg-alerts.yml"),
    ("packaging/grafana/thalweg-dashboard.json", "monitoring/thalweg-dashboard.json"),
];

/// Makes the archive and returns its name.
pub(crate) fn make(release: &Release<'_>, folder: &Path) -> Result<String, DistError> {
    let name = format!("thalweg-{VERSION}-{}", release.platform.name(release.linkage.libc()));
    let outside = release.generated.join("archive");
    let tree = Tree::new(&outside.join(&name))?;
    tree.copy(&release.program, "thalweg", PROGRAM)?;
    for (from, path) in FILES {
        tree.copy(&release.workspace.join(from), path, TEXT)?;
    }
    tree.write("THIRD-PARTY-LICENSES.txt", &release.notices, TEXT)?;
    if let Some(reason) = &release.not_static {
        tree.write(NOT_STATIC, reason, TEXT)?;
    }
    for kind in ["completions", "config", "man", "docs"] {
        let from = match kind {
            "docs" => release.workspace.join(kind),
            _ => release.generated.join(kind),
        };
        for (file, _) in Tree::new(&from)?.files()? {
            tree.copy(&from.join(&file), &format!("{kind}/{file}"), TEXT)?;
        }
    }
    pack(&outside, &name, release.epoch)?;
    let file = format!("{name}.tar.gz");
    Tree::new(folder)?.copy(&outside.join(&file), &file, TEXT)?;
    Ok(file)
}

/// Packs a folder so that the same files become the same bytes.
fn pack(outside: &Path, name: &str, epoch: u64) -> Result<(), DistError> {
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=ustar", "--sort=name", "--numeric-owner"]);
    tar.args(["--owner=0", "--group=0"]).arg(format!("--mtime=@{epoch}"));
    tar.arg(format!("--file={name}.tar")).arg(name).current_dir(outside);
    program::run(&mut tar)?;
    let mut gzip = Command::new("gzip");
    // Without a name and a time in the header.
    gzip.args(["--no-name", "--best"]).arg(format!("{name}.tar")).current_dir(outside);
    Ok(program::run(&mut gzip)?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Packs two files that are written in an order, and returns the archive's bytes.
    fn packed(place: &str, names: [&str; 2]) -> Result<Vec<u8>, DistError> {
        let name = format!("thalweg-archive-{}-{place}", std::process::id());
        let outside = std::env::temp_dir().join(name);
        let tree = Tree::new(&outside.join("a"))?;
        for file in names {
            tree.write(file, file, TEXT)?;
        }
        pack(&outside, "a", 1_700_000_000)?;
        let path = outside.join("a.tar.gz");
        let bytes = fs::read(&path).map_err(|error| DistError::File { path, error })?;
        drop(fs::remove_dir_all(outside));
        Ok(bytes)
    }

    #[test]
    fn the_same_files_become_the_same_bytes() -> Result<(), DistError> {
        let first = packed("first", ["b/c", "d"])?;
        assert_eq!(first, packed("second", ["d", "b/c"])?);
        assert_ne!(first, packed("third", ["d", "b/e"])?);
        Ok(())
    }
}
