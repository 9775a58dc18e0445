//! Counts of aliases, directives and spreads in a document's text before it is parsed.
//!
//! One pass over the bytes: a document of ten thousand aliases is rejected at the cost that its
//! parser would need for a few of them.

use super::limits::{DocumentLimits, Limit};
use crate::error::GraphQLError;

/// Counts of tokens outside of strings and comments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    /// Colons outside of parentheses: they follow the alias of a field.
    pub(super) aliases: usize,
    pub(super) directives: usize,
    /// Spreads of fragments, inline fragments included.
    pub(super) spreads: usize,
}

/// Checks the limits that are computable from the text alone.
pub(super) fn check_text(text: &str, limits: &DocumentLimits) -> Result<(), GraphQLError> {
    let scan = Scan::of(text.as_bytes());
    limits.check(Limit::Aliases, scan.aliases)?;
    limits.check(Limit::Directives, scan.directives)?;
    limits.check(Limit::Fragments, scan.spreads)
}

impl Scan {
    pub(super) fn of(mut text: &[u8]) -> Self {
        let mut scan = Self::default();
        let mut parentheses = 0_usize;
        while let Some((byte, rest)) = text.split_first() {
            text = rest;
            match byte {
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                b':' if parentheses == 0 => scan.aliases += 1,
                b'@' => scan.directives += 1,
                b'.' if rest.starts_with(b"..") => {
                    scan.spreads += 1;
                    text = &rest[2..];
                }
                b'#' => text = after_comment(rest),
                b'"' => {
                    text = match rest.strip_prefix(b"\"\"") {
                        Some(rest) => after_block_string(rest),
                        None => after_string(rest),
                    };
                }
                _ => {}
            }
        }
        scan
    }
}

fn after_comment(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    end.map_or(&[], |end| &text[end..])
}

/// A string ends with its line at the latest; the parser reports a missing quote.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some((byte, rest)) = text.split_first() {
        text = match byte {
            b'"' => return rest,
            b'\n' | b'\r' => return text,
            b'\\' => rest.get(1..).unwrap_or_default(),
            _ => rest,
        };
    }
    text
}

fn after_block_string(mut text: &[u8]) -> &[u8] {
    while let Some((byte, rest)) = text.split_first() {
        text = match byte {
            b'"' if rest.starts_with(b"\"\"") => return &rest[2..],
            b'\\' => rest.strip_prefix(b"\"\"\"").unwrap_or(rest),
            _ => rest,
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, aliases: usize, directives: usize, spreads: usize) {
        assert_eq!(Scan::of(text.as_bytes()), Scan { aliases, directives, spreads }, "{text}");
    }

    #[test]
    fn only_names_of_fields_are_aliases() {
        check("{ a: b c(d: {e: [1]}) { f : g(h: 1) @i(j: 1) } }", 2, 1, 0);
        check("query A($b: Int = 1 @c, $d: [E!]) @f { g }", 0, 2, 0);
    }

    #[test]
    fn spreads_are_three_dots() {
        check("{ ...A ... on B { c } ... @d { e } } fragment A on B { f(g: 1.5) }", 0, 1, 3);
        check("......", 0, 0, 2);
        check("..", 0, 0, 0);
    }

    #[test]
    fn strings_and_comments_show_nothing() {
        check("{ a(b: \"@ : ... # \\\" @\") @c } # @ : ...\n{ d: e }", 1, 1, 0);
        check("{ a(b: \"\"\" @ \\\"\"\" : \" \"\" ... \"\"\") c: d }", 1, 0, 0);
        check("{ a(b: \"\") c: d }", 1, 0, 0);
    }

    #[test]
    fn what_is_not_closed_ends_somewhere() {
        check("{ a(b: \"@\n) @c }", 0, 1, 0);
        for text in ["\"", "\"\\", "\"\"\"", "\"\"\" \\", "#", "(", ")", ") a: b"] {
            let aliases = usize::from(text.contains(':'));
            check(text, aliases, 0, 0);
        }
    }
}
