//! A crate's `Cargo.toml`, as far as the rules look at it.

/// A crate's manifest.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// From the workspace, with slashes.
    pub(crate) path: String,
    /// The folder below `crates`.
    pub(crate) name: String,
    /// Without those of tests.
    pub(crate) dependencies: Vec<Dependency>,
    /// `[lints] workspace = true`.
    pub(crate) has_workspace_lints: bool,
    /// Whether each file of the folder `tests` is a program; `autotests = false` if not.
    pub(crate) finds_tests: bool,
    /// The files of the test programs that the manifest names, relative to its folder.
    pub(crate) tests: Vec<String>,
}

/// A dependency of the product or of its build script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// Counted from 1.
    pub(crate) line: usize,
    /// The package's name: `package = "…"` wins over the key.
    pub(crate) name: String,
}

impl Manifest {
    /// Reads a manifest in the form that Cargo's own commands write.
    pub(crate) fn parse(path: &str, text: &str) -> Manifest {
        let name = path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        let mut manifest = Manifest {
            path: path.to_owned(),
            name: name.to_owned(),
            dependencies: Vec::new(),
            has_workspace_lints: false,
            finds_tests: true,
            tests: Vec::new(),
        };
        let mut section = Vec::new();
        for (idx, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(header) = line.strip_prefix('[') {
                section = keys(header.trim_matches(['[', ']']));
                // `[dependencies.name]`
                if let Some((last, table)) = section.split_last()
                    && is_dependencies(table)
                {
                    manifest.dependencies.push(Dependency { line: idx + 1, name: last.clone() });
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let key = keys(key);
            if is_dependencies(&section)
                && let Some(first) = key.first()
                && !line.starts_with('#')
            {
                let name = package(value).unwrap_or_else(|| first.clone());
                manifest.dependencies.push(Dependency { line: idx + 1, name });
            }
            let full: Vec<&str> = section.iter().chain(&key).map(String::as_str).collect();
            if full == ["lints", "workspace"] && value.trim() == "true" {
                manifest.has_workspace_lints = true;
            }
            match full[..] {
                ["package", "autotests"] => manifest.finds_tests = value.trim() != "false",
                ["test", "name"] => manifest.tests.push(format!("tests/{}.rs", unquote(value))),
                ["test", "path"] => manifest.tests.push(unquote(value).to_owned()),
                _ => {}
            }
        }
        manifest
    }
}

/// `dependencies`, `build-dependencies`, and either below `target.'…'`.
fn is_dependencies(section: &[String]) -> bool {
    let last = section.last().map(String::as_str);
    let is_for_target = section.first().is_some_and(|first| first == "target");
    matches!(last, Some("dependencies" | "build-dependencies"))
        && (section.len() == 1 || is_for_target)
}

/// The package behind another name.
fn package(value: &str) -> Option<String> {
    let (_, rest) = value.split_once("package")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    Some(rest.split('"').next()?.to_owned())
}

fn unquote(value: &str) -> &str {
    value.trim().trim_matches('"')
}

/// The parts of a dotted key; a quoted part may contain dots.
fn keys(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.trim().chars() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('.', None) => parts.push(String::new()),
            (' ' | '\t', None) => {}
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                }
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[package]
name = \"other\"

[lints]
workspace = true

[dependencies]
# rusqlite = \"1\"
catalog.workspace = true
tokio = { version = \"1\" }
client = { version = \"0.7\", package = \"tokio-postgres\" }

[dependencies.hyper]
version = \"1\"

[target.'cfg(target_os = \"linux\")'.dependencies]
socket2 = \"0.6\"

[dev-dependencies]
testkit.workspace = true

[build-dependencies]
sql.workspace = true
";

    #[test]
    fn dependencies_of_every_form_are_seen_and_those_of_tests_left_out() {
        let manifest = Manifest::parse("crates/ir/Cargo.toml", TEXT);
        let found: Vec<_> =
            manifest.dependencies.iter().map(|found| (found.line, found.name.as_str())).collect();
        let expected = [
            (9, "catalog"),
            (10, "tokio"),
            (11, "tokio-postgres"),
            (13, "hyper"),
            (17, "socket2"),
            (23, "sql"),
        ];
        assert_eq!(found, expected);
        assert_eq!(manifest.name, "ir");
    }

    #[test]
    fn test_programs_are_those_of_the_manifest_or_all_files() {
        let check = |text, finds_tests, tests: &[&str]| {
            let manifest = Manifest::parse("crates/ir/Cargo.toml", text);
            assert_eq!(manifest.finds_tests, finds_tests);
            assert_eq!(manifest.tests, tests);
        };
        check(TEXT, true, &[]);
        check(
            "[package]\nautotests = false\n[[test]]\nname = \"a\"\n[[test]]\npath = \"b/c.rs\"",
            false,
            &["tests/a.rs", "b/c.rs"],
        );
    }

    #[test]
    fn both_forms_of_inherited_lints_are_seen() {
        let check = |text, expected| {
            assert_eq!(Manifest::parse("crates/ir/Cargo.toml", text).has_workspace_lints, expected);
        };
        check(TEXT, true);
        check("lints.workspace = true", true);
        check("[lints]\nworkspace = false", false);
        check("[dependencies]\nlints.workspace = true", false);
    }
}
