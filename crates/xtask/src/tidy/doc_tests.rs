//! Code blocks in doc comments that would be tests: no program runs doc tests.

use super::source::Source;
use super::{Finding, Rule};

/// Words after the fence that leave a block a test; any other word is a language that is not Rust.
const RUST_WORDS: [&str; 6] =
    ["", "rust", "no_run", "should_panic", "compile_fail", "test_harness"];

/// Finds the first line of each such block.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_block = false;
    let mut after_text = false;
    for (idx, line) in source.lines.iter().enumerate() {
        let Some(text) = doc_text(&line.comment).filter(|_| line.code.trim().is_empty()) else {
            (in_block, after_text) = (false, false);
            continue;
        };
        let fence = text.trim_start().strip_prefix("```");
        let is_test = match fence {
            Some(_) if in_block => false,
            Some(words) => is_rust(words),
            // Markdown takes lines with four more spaces for code, unless they continue a paragraph.
            None => !in_block && !after_text && text.starts_with("     "),
        };
        in_block ^= fence.is_some();
        after_text = !text.trim().is_empty();
        if is_test {
            findings.push(Finding {
                path: source.path.clone(),
                line: idx + 1,
                rule: Rule::DocTest,
                sentence: "The code block would be a doc test, which no program runs: mark it \
                           `text` and make a test of it."
                    .to_owned(),
            });
        }
    }
    findings
}

/// The text of a line of a doc comment, with its leading spaces.
fn doc_text(comment: &str) -> Option<&str> {
    let text = comment.strip_prefix("//!").or_else(|| comment.strip_prefix("///"))?;
    (!text.starts_with('/')).then_some(text)
}

fn is_rust(words: &str) -> bool {
    let mut words = words.split([',', ' ']).map(str::trim);
    words.all(|word| RUST_WORDS.contains(&word) || word.starts_with("edition"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[usize]) {
        let findings = super::check(&Source::parse("crates/ir/src/a.rs", text));
        let lines: Vec<_> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn blocks_of_rust_are_found_once() {
        check("//! A.\n//!\n//! ```\n//! let a = 1;\n//! ```\n//! B.", &[3]);
        check(
            "/// ```rust,no_run\n/// a();\n/// ```\n/// ```edition2024\n/// b();\n/// ```",
            &[1, 4],
        );
        check("/// A.\n///\n///     b();\n///     c();", &[3]);
    }

    #[test]
    fn blocks_of_other_languages_and_ignored_ones_are_allowed() {
        check("/// ```text\n/// a\n///\n///     b\n/// ```", &[]);
        check("/// ```ignore\n/// a();\n/// ```\n/// ```sql\n/// b\n/// ```", &[]);
        check("// ```\n//// ```\nlet a = \"/// ```\";", &[]);
        check("/// - A,\n///     which goes on.", &[]);
    }
}
