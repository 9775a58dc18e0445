//! Test programs: built by Cargo, which lists them.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::tiers::Extent;
use crate::program;
use crate::workspaces;

/// A test program that Cargo has built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) file: PathBuf,
    /// The folder of its package, in which Cargo would run it.
    pub(super) folder: PathBuf,
    /// The name of the target: of the library, the program, or the file of tests.
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The tests within a library or a program.
    Unit,
    /// A target `[[test]]`.
    Integration,
}

impl Program {
    /// The name of the package's folder.
    pub(super) fn package(&self) -> &str {
        self.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// Builds the test programs of all workspaces; `None` if they do not compile.
pub(super) fn build(workspace: &Path, extent: Extent) -> io::Result<Option<Vec<Program>>> {
    let mut programs = Vec::new();
    for folder in workspaces::folders(workspace) {
        let mut command = program::cargo();
        command.args(["test", "--workspace", "--no-run"]);
        command.arg("--message-format=json-render-diagnostics");
        command.args(extent.targets()).current_dir(folder);
        if io::stderr().is_terminal() {
            command.arg("--color=always");
        }
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        programs.extend(text.lines().filter_map(parse));
    }
    Ok(Some(programs))
}

/// Parses a line about an artifact, such as `{"reason":"compiler-artifact",…,"executable":"/a/b"}`.
/// The few fields are searched by their names: a JSON parser would be compiled before everything
/// else.
fn parse(line: &str) -> Option<Program> {
    let rest = line.strip_prefix("{\"reason\":\"compiler-artifact\",")?;
    let (_, target) = rest.split_once("\"target\":{")?;
    // The target states whether it has tests, too; the profile whether they were compiled.
    let (_, profile) = rest.split_once("\"profile\":{")?;
    if !profile.split_once('}')?.0.contains("\"test\":true") {
        return None;
    }
    let kind = match target.contains("\"kind\":[\"test\"]") {
        true => Kind::Integration,
        false => Kind::Unit,
    };
    let manifest = PathBuf::from(text(rest, "manifest_path")?);
    Some(Program {
        file: text(rest, "executable")?.into(),
        folder: manifest.parent()?.to_owned(),
        name: text(target, "name")?,
        kind,
    })
}

/// The value of the first field of a name, if it is a text.
fn text(json: &str, name: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{name}\":\""))?;
    let mut value = String::new();
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return Some(value),
            // A path has no other escapes than of these two characters.
            '\\' => value.push(characters.next()?),
            character => value.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, profile: &str, executable: &str) -> String {
        format!(
            "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///w/crates/a#0.1.0\",\
             \"manifest_path\":\"/w/crates/a/Cargo.toml\",\"target\":{{\"kind\":[\"{kind}\"],\
             \"crate_types\":[\"bin\"],\"name\":\"cases\",\"src_path\":\"/w/crates/a/tests/cases.rs\",\
             \"edition\":\"2024\",\"doc\":false,\"doctest\":false,\"test\":true}},\"profile\":{{\
             \"opt_level\":\"0\",\"debuginfo\":1,\"test\":{profile}}},\"features\":[],\
             \"filenames\":[],\"executable\":{executable},\"fresh\":true}}"
        )
    }

    #[test]
    fn programs_with_tests_are_found() {
        let program = |kind| Program {
            file: "/w/target/\"c\"".into(),
            folder: "/w/crates/a".into(),
            name: "cases".to_owned(),
            kind,
        };
        let executable = "\"/w/target/\\\"c\\\"\"";
        assert_eq!(parse(&line("test", "true", executable)), Some(program(Kind::Integration)));
        assert_eq!(parse(&line("lib", "true", executable)), Some(program(Kind::Unit)));
        assert_eq!(program(Kind::Unit).package(), "a");
    }

    #[test]
    fn other_artifacts_are_not() {
        assert_eq!(parse(&line("bin", "false", "\"/w/target/c\"")), None);
        assert_eq!(parse(&line("lib", "true", "null")), None);
        assert_eq!(parse("{\"reason\":\"build-finished\",\"success\":true}"), None);
    }
}
