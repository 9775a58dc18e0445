//! The package for Debian and its relatives.
//!
//! `dpkg-deb` packs a folder and a control file: both are short, so that a tool which generates
//! them from another format (`cargo-deb`, 200 packages to compile, debhelper, a Perl system) would
//! save nothing.

use std::path::Path;
use std::process::Command;

use super::linkage::Linkage;
use super::tree::{PROGRAM, TEXT, Tree};
use super::{DistError, Release, VERSION};
use crate::debian;
use crate::program;

/// Files of the workspace, and their places in a system.
const FILES: [(&str, &str); 4] = [
    ("packaging/thalweg.toml", "etc/thalweg/thalweg.toml"),
    ("packaging/thalweg.service", "lib/systemd/system/thalweg.service"),
    ("packaging/debian/copyright", "usr/share/doc/thalweg/copyright"),
    ("packaging/debian/lintian-overrides", "usr/share/lintian/overrides/thalweg"),
];

/// Files of the workspace that are compressed, as Debian's policy requires.
const COMPRESSED: [(&str, &str); 1] = [("CHANGELOG.md", "usr/share/doc/thalweg/changelog")];

/// Scripts of installing and removing the package.
const SCRIPTS: [&str; 3] = ["postinst", "prerm", "postrm"];

/// Files that the program generates: completions, where shells look for them, and references of the
/// configuration.
const GENERATED: [(&str, &str); 7] = [
    ("completions/thalweg", "usr/share/bash-completion/completions/thalweg"),
    ("completions/_thalweg", "usr/share/zsh/vendor-completions/_thalweg"),
    ("completions/thalweg.fish", "usr/share/fish/vendor_completions.d/thalweg.fish"),
    ("config/thalweg.schema.json", "usr/share/thalweg/thalweg.schema.json"),
    ("config/policies.schema.json", "usr/share/thalweg/policies.schema.json"),
    ("config/subgraphs.schema.json", "usr/share/thalweg/subgraphs.schema.json"),
    ("config/thalweg.toml", "usr/share/doc/thalweg/examples/thalweg.toml"),
];

/// Makes the package and returns its name.
pub(crate) fn make(release: &Release<'_>, folder: &Path) -> Result<String, DistError> {
    if program::find("dpkg-deb").is_none() {
        debian::install(&["dpkg"]).map_err(DistError::Packer)?;
    }
    let root = release.generated.join("debian");
    let tree = Tree::new(&root)?;
    put_files(release, &tree)?;
    put_control(release, &tree)?;

    let file = format!("thalweg_{}_{}.deb", version(VERSION), release.platform.debian());
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&root).arg(folder.join(&file));
    program::run(pack.env("SOURCE_DATE_EPOCH", release.epoch.to_string()))?;
    Ok(file)
}

fn put_files(release: &Release<'_>, tree: &Tree) -> Result<(), DistError> {
    tree.copy(&release.program, "usr/bin/thalweg", PROGRAM)?;
    for (from, path) in FILES {
        tree.copy(&release.workspace.join(from), path, TEXT)?;
    }
    for (file, path) in GENERATED {
        tree.copy(&release.generated.join(file), path, TEXT)?;
    }
    let pages = release.generated.join("man");
    for (page, _) in Tree::new(&pages)?.files()? {
        compress(tree, &pages.join(&page), &format!("usr/share/man/man1/{page}"))?;
    }
    for (from, path) in COMPRESSED {
        compress(tree, &release.workspace.join(from), path)?;
    }
    let history = release.generated.join("changelog");
    Tree::new(&release.generated)?.write("changelog", &changelog(release)?, TEXT)?;
    compress(tree, &history, "usr/share/doc/thalweg/changelog.Debian")?;
    let notices = "usr/share/doc/thalweg/THIRD-PARTY-LICENSES.txt";
    tree.write(notices, &release.notices, TEXT)?;
    gzip(&tree.root().join(notices))
}

fn put_control(release: &Release<'_>, tree: &Tree) -> Result<(), DistError> {
    let files = tree.files()?;
    let kibibytes: u64 = files.iter().map(|(_, size)| size.div_ceil(1024)).sum();
    let mut sums = Command::new("md5sum");
    sums.args(files.iter().map(|(path, _)| path)).current_dir(tree.root());
    let sums = program::output(&mut sums)?;
    for script in SCRIPTS {
        let from = release.workspace.join("packaging/debian").join(script);
        tree.copy(&from, &format!("DEBIAN/{script}"), PROGRAM)?;
    }
    tree.write("DEBIAN/md5sums", &sums, TEXT)?;
    tree.write("DEBIAN/conffiles", "/etc/thalweg/thalweg.toml\n", TEXT)?;
    let architecture = release.platform.debian();
    tree.write("DEBIAN/control", &control(architecture, &release.linkage, kibibytes), TEXT)
}

fn control(architecture: &str, linkage: &Linkage, kibibytes: u64) -> String {
    let depends = match linkage {
        Linkage::Static => String::new(),
        Linkage::Dynamic { .. } => match linkage.glibc() {
            Some(glibc) => format!("Depends: libc6 (>= {glibc}), libgcc-s1\n"),
            None => "Depends: libc6, libgcc-s1\n".to_owned(),
        },
    };
    format!(
        "Package: thalweg\n\
         Version: {}\n\
         Architecture: {architecture}\n\
         Maintainer: {MAINTAINER}\n\
         Installed-Size: {kibibytes}\n\
         {depends}\
         Recommends: ca-certificates\n\
         Suggests: postgresql\n\
         Section: database\n\
         Priority: optional\n\
         {DESCRIPTION}",
        version(VERSION)
    )
}

/// A placeholder: the project has no address of its own yet.
const MAINTAINER: &str = "The Thalweg developers <thalweg@packages.invalid>";

const DESCRIPTION: &str = "\
Description: GraphQL API of a PostgreSQL or SQLite database
 Thalweg reads the tables, keys and relationships of a database and serves
 them as a GraphQL API over HTTP, in the style of PostGraphile or Phrag.
 There is no code to write and none to generate.
 .
 The package has a systemd service, which is neither enabled nor started:
 first name a database in /etc/thalweg/thalweg.toml.
";

/// A pre-release version (`1.0.0-rc.1`) precedes its release, which Debian expresses by a tilde.
fn version(version: &str) -> String {
    format!("{}-1", version.replacen('-', "~", 1))
}

/// Debian's changelog of the version; the changes are in the project's own.
fn changelog(release: &Release<'_>) -> Result<String, DistError> {
    let mut date = Command::new("date");
    date.args(["--utc", "--rfc-email", "--date"]).arg(format!("@{}", release.epoch));
    let date = program::output(date.env("LC_ALL", "C"))?;
    Ok(format!(
        "thalweg ({}) unstable; urgency=medium\n\n  * Release {VERSION}; changelog.gz says what \
         changed.\n\n -- {MAINTAINER}  {}\n",
        version(VERSION),
        date.trim()
    ))
}

fn compress(tree: &Tree, from: &Path, path: &str) -> Result<(), DistError> {
    tree.copy(from, path, TEXT)?;
    gzip(&tree.root().join(path))
}

fn gzip(file: &Path) -> Result<(), DistError> {
    let mut gzip = Command::new("gzip");
    Ok(program::run(gzip.args(["--no-name", "--best"]).arg(file))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_before_its_release_is_older_for_debian_too() {
        assert_eq!(version("0.1.0"), "0.1.0-1");
        assert_eq!(version("1.0.0-rc.1"), "1.0.0~rc.1-1");
    }

    #[test]
    fn a_static_program_depends_on_nothing() {
        let text = control("amd64", &Linkage::Static, 12);
        assert!(!text.contains("Depends"), "{text}");
        assert!(text.contains("\nArchitecture: amd64\n"), "{text}");
        assert!(text.contains("\nInstalled-Size: 12\nRecommends: ca-certificates\n"), "{text}");
    }

    #[test]
    fn a_dynamic_program_depends_on_its_libraries() {
        let linkage = Linkage::Dynamic { libraries: Vec::new(), glibc: Some((2, 34)) };
        let text = control("arm64", &linkage, 12);
        assert!(text.contains("\nDepends: libc6 (>= 2.34), libgcc-s1\n"), "{text}");
    }
}
