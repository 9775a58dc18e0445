//! Only the printers write statement text.

use super::rules::{STATEMENT_BEGINNINGS, STATEMENT_PLACES};
use super::source::Source;
use super::{Finding, Rule, pattern};

/// Finds literals with a line that begins like a statement, wherever they are used.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    if pattern::any_matches(STATEMENT_PLACES, &source.path) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for literal in source.product_literals() {
        if let Some(beginning) = find_beginning(&literal.text) {
            findings.push(Finding {
                path: source.path.clone(),
                line: literal.line + 1,
                rule: Rule::StatementText,
                sentence: format!(
                    "`{}` begins statement text, which stands in `sql/src/print*.rs`, in \
                     `cypher/src/print*.rs` and in `.sql` files only.",
                    beginning.trim_end()
                ),
            });
        }
    }
    findings
}

fn find_beginning(text: &str) -> Option<&'static str> {
    // `\n` inside a literal begins a line too.
    let mut lines = text.split('\n').flat_map(|line| line.split("\\n"));
    lines.find_map(|line| {
        let line = line.trim_start_matches([' ', '\t', '(']);
        STATEMENT_BEGINNINGS.iter().copied().find(|beginning| {
            line.starts_with(beginning) || line == beginning.trim_end_matches([' ', '('])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        super::check(&Source::parse(path, text)).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn statement_text_is_found_however_it_is_made() {
        let texts = [
            "let sql = format!(\"SELECT {columns}\");",
            "write!(out, \"INSERT INTO {table}\")?;",
            "out.push_str(\"DELETE FROM \");",
            "out.push_str(\"UPDATE \");",
            "out.push_str(\"SELECT\");",
            "const TEXT: &str = r#\"  MATCH (n:Person)\"#;",
            "out.push_str(\"DETACH DELETE \");",
            "out.push_str(\"(SELECT 1)\");",
        ];
        for text in texts {
            assert_eq!(check("crates/source-sqlite/src/compile.rs", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn the_line_of_the_literal_is_named() {
        assert_eq!(
            check("crates/engine/src/lib.rs", "//! Doc.\nrun(\n    \"SELECT 1\",\n);"),
            ["crates/engine/src/lib.rs:3: statement-text: `SELECT` begins statement text, \
                 which stands in `sql/src/print*.rs`, in `cypher/src/print*.rs` and in `.sql` \
                 files only."]
        );
    }

    #[test]
    fn prose_printers_and_tests_are_allowed() {
        let none: [&str; 0] = [];
        assert_eq!(check("crates/engine/src/lib.rs", "\"no UPDATE without a key\""), none);
        assert_eq!(check("crates/engine/src/lib.rs", "// SELECT 1"), none);
        assert_eq!(check("crates/sql/src/print.rs", "\"SELECT \""), none);
        assert_eq!(check("crates/sql/src/print/select.rs", "\"SELECT \""), none);
        assert_eq!(check("crates/cypher/src/print/clause.rs", "\"UNWIND \""), none);
        assert_eq!(check("crates/sources/tests/a.rs", "\"SELECT 1\""), none);
    }
}
