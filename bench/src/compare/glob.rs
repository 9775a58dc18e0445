//! Patterns in which `*` stands for anything.

/// Whether the whole text is as the pattern says.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((beginning, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(beginning) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        match text.find(part) {
            Some(found) => text = &text[found + part.len()..],
            None => return false,
        }
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let check = |pattern, text, expected| {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        };
        check("a.b", "a.b", true);
        check("a.b", "a.bc", false);
        check("*.cursor", "people.edges.0.cursor", true);
        check("*.cursor", "cursor", false);
        check("a.*.b.*.c", "a.x.b.y.c", true);
        check("a.*.b.*.c", "a.x.y.c", false);
        check("a*a", "a", false);
        check("*", "", true);
    }
}
