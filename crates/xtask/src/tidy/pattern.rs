//! Patterns of paths: `*` matches anything inside one name, `**` any number of names.

/// Whether the whole path matches the pattern.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    names_match(&pattern, &path)
}

/// Whether any of the patterns matches.
pub(crate) fn any_matches(patterns: &[&str], path: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, path))
}

fn names_match(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len())
            .any(|skipped| path.get(skipped..).is_some_and(|left| names_match(rest, left))),
        Some((first, rest)) => path
            .split_first()
            .is_some_and(|(name, left)| name_matches(first, name) && names_match(rest, left)),
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            rest.char_indices()
                .map(|(idx, _)| idx)
                .chain([rest.len()])
                .any(|idx| rest.get(idx..).is_some_and(|left| name_matches(after, left)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
    }

    #[test]
    fn one_star_stays_inside_a_name() {
        check("crates/sql/src/print*.rs", "crates/sql/src/print.rs", true);
        check("crates/sql/src/print*.rs", "crates/sql/src/print_cypher.rs", true);
        check("crates/sql/src/print*.rs", "crates/sql/src/print/select.rs", false);
        check("crates/sql/src/print*.rs", "crates/sql/src/reprint.rs", false);
        check("crates/*/build.rs", "crates/server/build.rs", true);
    }

    #[test]
    fn two_stars_cross_folders() {
        check("crates/server/**", "crates/server/src/demo/sample.rs", true);
        check("crates/server/**", "crates/servers/src/lib.rs", false);
        check("crates/source*/src/**/pool.rs", "crates/source-sqlite/src/writer/pool.rs", true);
        check("crates/source*/src/**/pool.rs", "crates/source-postgres/src/pool.rs", true);
        check("crates/source*/src/**/pool.rs", "crates/source-postgres/src/carpool.rs", false);
    }
}
