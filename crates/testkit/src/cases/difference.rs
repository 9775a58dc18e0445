//! Two texts side by side, for a person.

/// Number of equal lines around a difference.
const AROUND: usize = 2;

/// The lines that differ, marked as in a patch. Equal lines at both ends are left out.
pub(super) fn difference(expected: &str, actual: &str) -> String {
    let expected: Vec<_> = expected.lines().collect();
    let actual: Vec<_> = actual.lines().collect();
    let shorter = expected.len().min(actual.len());
    let pairs = || expected.iter().zip(&actual);
    let start = pairs().take_while(|(one, other)| one == other).count();
    let backwards = expected.iter().rev().zip(actual.iter().rev());
    let end = backwards.take_while(|(one, other)| one == other).count().min(shorter - start);
    let mut text = String::new();
    let from = start.saturating_sub(AROUND);
    push_lines("  ", &expected[from..start], &mut text);
    push_lines("- ", &expected[start..expected.len() - end], &mut text);
    push_lines("+ ", &actual[start..actual.len() - end], &mut text);
    let after = &expected[expected.len() - end..];
    push_lines("  ", &after[..after.len().min(AROUND)], &mut text);
    text
}

fn push_lines(mark: &str, lines: &[&str], text: &mut String) {
    for line in lines {
        text.push_str(mark);
        text.push_str(line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around() {
        let text = difference("a\nb\nc\nd\ne\nf\ng", "a\nb\nc\nX\ne\nf\ng");
        assert_eq!(text, "  b\n  c\n- d\n+ X\n  e\n  f\n");
        assert_eq!(difference("a\na", "a"), "  a\n- a\n");
    }
}
