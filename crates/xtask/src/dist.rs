//! `cargo xtask dist`: the files of a release, in `target/dist`.
//!
//! * `platform`: names of platforms, and of files for them
//! * `build`: the static program, or a dynamic one where that cannot be had
//! * `cross`: builds for another processor, and `executable`: running what they make
//! * `linkage`: libraries that a program needs
//! * `trial`: the program is run before it is packed
//! * `notices`: third-party packages in the program, and their licences
//! * `tree`: a folder of files with the modes that they are packed with
//! * `archive`: the tarball
//! * `debian_package`: the package for Debian and its relatives
//! * `bill_of_materials`: the packages in the program, for tools (SBOM)
//! * `checksums`: of all that, verified in the end
//! * `image`: the image of containers, which is run (`cargo xtask image`)
//!
//! Reproducible builds: the same sources, compiler and `SOURCE_DATE_EPOCH` give the same files:
//! names are sorted, owners and times are fixed, and the program contains no paths of this machine.

mod archive;
mod bill_of_materials;
mod build;
mod checksums;
mod cross;
mod debian_package;
mod executable;
mod image;
mod linkage;
mod notices;
mod platform;
mod tree;
mod trial;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use self::executable::Executable;
pub(crate) use self::image::image;
use self::linkage::Linkage;
pub(crate) use self::platform::Platform;
use self::tree::Tree;
use crate::debian::InstallError;
use crate::program::{self, ProgramError};

/// The version of all crates, `xtask` among them.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The file with the reason why the program is not static.
const NOT_STATIC: &str = "NOT-STATIC.txt";

/// Options of a release.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    /// Installs nothing, only checks.
    pub(crate) offline: bool,
    /// Packs this program instead of building one.
    pub(crate) program: Option<PathBuf>,
    /// The platform, if it is not that of this machine.
    pub(crate) platform: Option<Platform>,
}

/// A release could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DistError {
    #[error("there are no releases for {0}; `cargo build --release` builds the program alone")]
    Platform(String),
    #[error("the program should be static, and is not: it needs {0}")]
    Dynamic(String),
    #[error("the program is not as it should be: {0}")]
    Trial(String),
    #[error("there are no sources of {package} in {}; `cargo fetch` gets them", folder.display())]
    Sources { package: String, folder: PathBuf },
    #[error("a program for another processor cannot be built: {0}")]
    Cross(String),
    #[error("there is no emulator to try the program with: {0}")]
    Emulator(InstallError),
    #[error(
        "there is no emulator to try the program with: install `{0}` (Debian's qemu-user-static)"
    )]
    NoEmulator(&'static str),
    #[error("SOURCE_DATE_EPOCH is no number of seconds: {0:?}")]
    Epoch(String),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("there is no `dpkg-deb` to make the package with: {0}")]
    Packer(InstallError),
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// The contents of both packages.
#[derive(Debug)]
struct Release<'a> {
    workspace: &'a Path,
    platform: Platform,
    program: PathBuf,
    linkage: Linkage,
    /// Completions in `completions`, manual pages in `man`, the schema and an example of the
    /// configuration in `config`, as the program makes them.
    generated: PathBuf,
    /// Notices of third-party packages.
    notices: String,
    /// The reason why the program is not static, if it is not.
    not_static: Option<String>,
    /// The time that all files have, in seconds.
    epoch: u64,
}

/// Makes a release, from the program to the checksums.
pub(crate) fn dist(workspace: &Path, options: &Options) -> Result<(), DistError> {
    let platform = options.platform.map_or_else(Platform::of_host, Ok)?;
    let folder = workspace.join("target/dist");
    // Files of an earlier version would be among the checksums.
    remove(&folder)?;
    let work = Tree::new(&folder.join("work"))?;

    let built = build::build(workspace, platform, options)?;
    let linkage = linkage::read(&built.program)?;
    let not_static = linkage.reason(built.fallback.as_deref())?;
    let executable = Executable::new(&built.program, platform, options.offline)?;
    trial::run(&executable, work.root())?;
    generate(&executable, work.root())?;
    let release = Release {
        workspace,
        platform,
        notices: notices::collect(workspace, platform, linkage.is_static())?,
        program: built.program,
        linkage,
        generated: work.root().to_owned(),
        not_static,
        epoch: epoch(workspace)?,
    };

    let mut made = vec![
        archive::make(&release, &folder)?,
        debian_package::make(&release, &folder)?,
        bill_of_materials::make(&release, &folder)?,
    ];
    if let Some(reason) = &release.not_static {
        let output = Tree::new(&folder)?;
        output.write(NOT_STATIC, reason, tree::TEXT)?;
        made.push(NOT_STATIC.to_owned());
    }
    remove(work.root())?;
    made.push(checksums::write_and_verify(&folder, &made)?);
    for name in &made {
        println!("dist: {}", folder.join(name).display());
    }
    if let Some(reason) = &release.not_static {
        println!("\ndist: THE PROGRAM IS NOT STATIC. {reason}");
    }
    Ok(())
}

/// Completions, manual pages and the references of the configuration, generated by the program
/// itself.
fn generate(program: &Executable, folder: &Path) -> Result<(), DistError> {
    let tree = Tree::new(folder)?;
    for (shell, file) in [("bash", "thalweg"), ("zsh", "_thalweg"), ("fish", "thalweg.fish")] {
        let script = program::output(program.command().args(["completions", shell]))?;
        tree.write(&format!("completions/{file}"), &script, tree::TEXT)?;
    }
    program::run(program.command().arg("man").arg(folder.join("man")))?;
    let files = [
        ("schema", "thalweg.schema.json"),
        ("example", "thalweg.toml"),
        ("policies", "policies.schema.json"),
        ("subgraphs", "subgraphs.schema.json"),
    ];
    for (kind, file) in files {
        let text = program::output(program.command().args(["config", kind]))?;
        tree.write(&format!("config/{file}"), &text, tree::TEXT)?;
    }
    Ok(())
}

/// `SOURCE_DATE_EPOCH` if it is set, otherwise the time of the last commit, otherwise now.
fn epoch(workspace: &Path) -> Result<u64, DistError> {
    if let Ok(text) = std::env::var("SOURCE_DATE_EPOCH") {
        return text.parse().map_err(|_| DistError::Epoch(text));
    }
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(workspace);
    let committed = program::output(&mut git).ok().and_then(|text| text.trim().parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Ok(committed.unwrap_or_else(now))
}

fn remove(folder: &Path) -> Result<(), DistError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(DistError::File { path: folder.to_owned(), error })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
