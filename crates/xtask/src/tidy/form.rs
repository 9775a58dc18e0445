//! The form of a file: its size, its name, its first line, and forbidden code.

use super::manifest::Manifest;
use super::rules::{EMPTY_NAMES, MOST_LINES};
use super::source::{Line, Source};
use super::{Finding, Rule};

/// Macros that mark work to do, and the one that was left behind.
const UNFINISHED: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

/// Finds everything about the form of a source file.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let found = [
        check_size(source),
        check_name(source),
        check_module_doc(source),
        check_unfinished(source),
        check_ignored(source),
        check_safety(source),
    ];
    found.concat()
}

/// Every crate has the workspace's lints.
pub(crate) fn check_manifest(manifest: &Manifest) -> Vec<Finding> {
    if manifest.has_workspace_lints {
        return Vec::new();
    }
    vec![Finding {
        path: manifest.path.clone(),
        line: 1,
        rule: Rule::Lints,
        sentence: "The manifest lacks `[lints]` with `workspace = true`.".to_owned(),
    }]
}

fn check_size(source: &Source) -> Vec<Finding> {
    // The last line is empty: it follows the last line break.
    let lines = source.product_lines().count().saturating_sub(1);
    if lines <= MOST_LINES {
        return Vec::new();
    }
    let sentence = format!("{lines} lines without tests are more than {MOST_LINES}: split it.");
    vec![finding(source, 0, Rule::Size, sentence)]
}

fn check_name(source: &Source) -> Vec<Finding> {
    let mut names = source.path.split('/').map(|name| name.trim_end_matches(".rs"));
    let Some(name) = names.find(|name| EMPTY_NAMES.contains(name)) else { return Vec::new() };
    let sentence = format!("`{name}` does not say what is inside: name it by what it is.");
    vec![finding(source, 0, Rule::FileName, sentence)]
}

fn check_module_doc(source: &Source) -> Vec<Finding> {
    let first = source.lines.first().map_or("", |line| line.comment.as_str());
    if first.starts_with("//!") || source.is_test_file() || source.path.ends_with("/build.rs") {
        return Vec::new();
    }
    let sentence = "The file does not begin with a `//!` sentence that says what it is.";
    vec![finding(source, 0, Rule::ModuleDoc, sentence.to_owned())]
}

/// In tests too: a test with a `todo!` is none.
fn check_unfinished(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (idx, line) in source.lines.iter().enumerate() {
        for name in UNFINISHED {
            if contains_word(&line.code, name) {
                let sentence = format!("`{name}` must not stay.");
                findings.push(finding(source, idx, Rule::Unfinished, sentence));
            }
        }
    }
    findings
}

fn check_ignored(source: &Source) -> Vec<Finding> {
    let lines = source.lines.iter().enumerate();
    lines
        .filter(|(_, line)| {
            let code: String = line.code.split_whitespace().collect();
            code.contains("#[ignore]") || code.contains("#[ignore=")
        })
        .map(|(idx, _)| {
            let sentence = "An ignored test is never run: mend it or delete it.";
            finding(source, idx, Rule::Ignored, sentence.to_owned())
        })
        .collect()
}

/// `unsafe` has the reason why it is sound in the comment above it or on its line.
fn check_safety(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (idx, line) in source.lines.iter().enumerate() {
        if contains_word(&line.code, "unsafe") && !has_reason(&source.lines, idx) {
            let sentence = "`unsafe` lacks a `// SAFETY:` comment that says why it is sound.";
            findings.push(finding(source, idx, Rule::Safety, sentence.to_owned()));
        }
    }
    findings
}

fn has_reason(lines: &[Line], idx: usize) -> bool {
    let is_reason = |line: &Line| line.comment.contains("SAFETY:");
    let above = lines.get(..idx).unwrap_or_default().iter().rev();
    lines.get(idx).is_some_and(is_reason)
        || above
            // Attributes may stand between the comment and the item.
            .take_while(|line| {
                let code = line.code.trim();
                (code.is_empty() && !line.comment.is_empty()) || code.starts_with("#[")
            })
            .any(is_reason)
}

fn contains_word(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(idx, _)| {
        let before = code.get(..idx).and_then(|text| text.chars().next_back());
        let after = code.get(idx + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && (word.ends_with('!') || !after.is_some_and(is_part))
    })
}

fn finding(source: &Source, idx: usize, rule: Rule, sentence: String) -> Finding {
    Finding { path: source.path.clone(), line: idx + 1, rule, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<(usize, Rule)> {
        let findings = super::check(&Source::parse(path, text));
        findings.into_iter().map(|finding| (finding.line, finding.rule)).collect()
    }

    fn check_text(text: &str, expected: &[(usize, Rule)]) {
        assert_eq!(check("crates/ir/src/lib.rs", text), expected, "{text}");
    }

    #[test]
    fn a_file_is_too_long_only_without_its_tests() {
        let line = "let a = 1;\n";
        let most = format!("//! Doc.\n{}", line.repeat(MOST_LINES - 1));
        check_text(&most, &[]);
        check_text(&format!("{most}{line}"), &[(1, Rule::Size)]);
        check_text(&format!("{most}#[cfg(test)]\nmod tests {{\n{line}}}\n"), &[]);
    }

    #[test]
    fn a_name_that_says_nothing_is_found() {
        assert_eq!(check("crates/ir/src/utils.rs", "//! Doc."), [(1, Rule::FileName)]);
        assert_eq!(check("crates/ir/src/common/a.rs", "//! Doc."), [(1, Rule::FileName)]);
        assert_eq!(check("crates/ir/src/common_table.rs", "//! Doc."), []);
    }

    #[test]
    fn a_file_begins_with_what_it_is() {
        check_text("use a::b;", &[(1, Rule::ModuleDoc)]);
        check_text("// Comment.", &[(1, Rule::ModuleDoc)]);
        assert_eq!(check("crates/ir/tests/a.rs", "use a::b;"), []);
        assert_eq!(check("crates/ir/build.rs", "use a::b;"), []);
    }

    #[test]
    fn unfinished_work_is_found_in_code_and_not_in_prose() {
        check_text("//! Doc.\ntodo!();", &[(2, Rule::Unfinished)]);
        check_text("//! Doc.\nlet a = dbg!(b);", &[(2, Rule::Unfinished)]);
        check_text("//! Doc.\nunimplemented!(\"later\");", &[(2, Rule::Unfinished)]);
        check_text("//! todo!\n\"todo!\"; my_todo!();", &[]);
    }

    #[test]
    fn ignored_tests_are_found_with_and_without_a_reason() {
        check_text("//! Doc.\n#[ignore]", &[(2, Rule::Ignored)]);
        check_text("//! Doc.\n#[ignore = \"slow\"]", &[(2, Rule::Ignored)]);
        check_text("//! Doc.\n#[ignored]", &[]);
    }

    #[test]
    fn unsafe_needs_its_reason() {
        check_text("//! Doc.\nunsafe { f() };", &[(2, Rule::Safety)]);
        check_text("//! Doc.\n// SAFETY: f has no demands.\nunsafe { f() };", &[]);
        check_text("//! Doc.\n// SAFETY: f has no\n// demands.\n#[inline]\nunsafe fn g() {}", &[]);
        check_text("//! Doc.\n// SAFETY: of h.\nh();\nunsafe { f() };", &[(4, Rule::Safety)]);
        check_text("//! Doc.\n#![deny(unsafe_code)]", &[]);
    }

    #[test]
    fn a_manifest_without_the_lints_is_found() {
        let manifest = Manifest::parse("crates/ir/Cargo.toml", "[package]\nname = \"ir\"\n");
        let findings: Vec<_> = check_manifest(&manifest).iter().map(Finding::to_string).collect();
        assert_eq!(
            findings,
            [
                "crates/ir/Cargo.toml:1: lints: The manifest lacks `[lints]` with `workspace = true`."
            ]
        );
    }
}
