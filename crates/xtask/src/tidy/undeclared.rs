//! Rust files that no module declares: they are not compiled, and so their tests are not run.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::manifest::Manifest;
use super::source::Source;
use super::{Finding, Rule};

/// Finds the files below the folders `src` and `tests` of the packages that belong to no program.
pub(crate) fn check(manifests: &[Manifest], sources: &[Source]) -> Vec<Finding> {
    let files: BTreeMap<&str, &Source> =
        sources.iter().map(|source| (source.path.as_str(), source)).collect();
    let mut findings = Vec::new();
    for manifest in manifests {
        let Some(folder) = manifest.path.strip_suffix("Cargo.toml") else { continue };
        let own = sources.iter().filter_map(|source| source.path.strip_prefix(folder));
        let mut open: Vec<String> = own
            .clone()
            .filter(|file| is_program(manifest, file))
            .map(|file| format!("{folder}{file}"))
            .collect();
        let roots: BTreeSet<String> = open.iter().cloned().collect();
        let mut compiled = BTreeSet::new();
        while let Some(path) = open.pop() {
            if let Some(source) = files.get(path.as_str())
                && compiled.insert(path.clone())
            {
                open.extend(declared(source, roots.contains(&path)));
            }
        }
        let is_checked = |file: &&str| file.starts_with("src/") || file.starts_with("tests/");
        for path in own.filter(is_checked).map(|file| format!("{folder}{file}")) {
            if !compiled.contains(&path) {
                let sentence = "No `mod` declares the file, so it is not compiled: declare it or \
                                delete it.";
                let (rule, sentence) = (Rule::Undeclared, sentence.to_owned());
                findings.push(Finding { path, line: 1, rule, sentence });
            }
        }
    }
    findings
}

/// Whether Cargo makes a program or a library of a file of the package.
fn is_program(manifest: &Manifest, file: &str) -> bool {
    let of_folder = |folder: &str| {
        let name = file.strip_prefix(folder);
        name.is_some_and(|name| !name.contains('/') || name.ends_with("/main.rs"))
    };
    matches!(file, "build.rs" | "src/lib.rs" | "src/main.rs")
        || ["benches/", "examples/", "src/bin/"].into_iter().any(of_folder)
        || (manifest.finds_tests && of_folder("tests/"))
        || manifest.tests.iter().any(|test| test == file)
}

/// The files that a file may mean by its `mod` declarations; those that do not exist are harmless.
fn declared(source: &Source, is_root: bool) -> Vec<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let below = match name.strip_suffix(".rs") {
        Some(stem) if !is_root && stem != "mod" => format!("{folder}/{stem}"),
        _ => folder.to_owned(),
    };
    let mut files = Vec::new();
    let mut path = None;
    for (idx, line) in source.lines.iter().enumerate() {
        let code = line.code.trim();
        if code.contains("#[path") {
            path = source.literals.iter().find(|literal| literal.line == idx);
        }
        let declaration = code.strip_suffix(';').and_then(|code| code.rsplit_once("mod "));
        if let Some((before, name)) = declaration
            && (before.is_empty() || before.ends_with(' '))
        {
            match path.take() {
                Some(literal) => files.push(resolve(folder, &literal.text)),
                None => {
                    files.push(format!("{below}/{name}.rs"));
                    files.push(format!("{below}/{name}/mod.rs"));
                }
            }
        }
    }
    files
}

/// A relative path from a folder, without `..`.
fn resolve(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').collect();
    for name in path.split('/') {
        match name {
            ".." => drop(names.pop()),
            "." => {}
            _ => names.push(name),
        }
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_PROGRAM: &str = "[package]\nautotests = false\n[[test]]\nname = \"a\"\n";

    fn check(manifest: &str, files: &[(&str, &str)], expected: &[&str]) {
        let sources: Vec<_> = files
            .iter()
            .map(|(path, text)| Source::parse(&format!("crates/ir/{path}.rs"), text))
            .collect();
        let manifests = [Manifest::parse("crates/ir/Cargo.toml", manifest)];
        let found: Vec<_> = super::check(&manifests, &sources)
            .into_iter()
            .map(|finding| finding.path.trim_start_matches("crates/ir/").to_owned())
            .collect();
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn a_file_of_tests_that_the_only_program_does_not_declare_is_found() {
        let files =
            [("tests/a", "mod b;"), ("tests/b", "mod d;"), ("tests/b/d", ""), ("tests/c", "")];
        check(ONE_PROGRAM, &files, &["tests/c.rs"]);
        // Here each file is a program, and the programs' folder is that of all.
        check("[package]\n", &files, &["tests/b/d.rs"]);
        check("[package]\n", &[("tests/b", "mod d;"), ("tests/d", ""), ("tests/e/main", "")], &[]);
    }

    #[test]
    fn paths_of_modules_are_followed_from_every_folder() {
        let files = [
            ("src/lib", "#[cfg(test)]\n#[path = \"../tests/c/mod.rs\"]\nmod c;"),
            ("tests/a", "#[path = \"e/f.rs\"]\nmod g;"),
            ("tests/c/mod", "pub(crate) mod h;"),
            ("tests/c/h", ""),
            ("tests/e/f", ""),
        ];
        check(ONE_PROGRAM, &files, &[]);
    }

    #[test]
    fn sources_are_declared_too() {
        let files = [
            ("build", ""),
            ("benches/a", ""),
            ("src/bin/b", ""),
            ("src/lib", "mod c;\n#[cfg(test)]\nmod tests;"),
            ("src/c", "//! mod d;"),
            ("src/d", ""),
            ("src/tests", ""),
        ];
        check("[package]\n", &files, &["src/d.rs"]);
    }
}
