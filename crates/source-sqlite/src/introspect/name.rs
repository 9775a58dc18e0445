//! Names of constraints. SQLite does not report declared names, so constraints get the names that
//! PostgreSQL gives to those without a name.

use std::collections::HashSet;

/// The kind of a constraint, which is the suffix of its name.
#[derive(Clone, Copy)]
pub(super) enum Constraint {
    Primary,
    Unique,
    ForeignKey,
}

impl Constraint {
    fn suffix(self) -> &'static str {
        match self {
            Self::Primary => "pkey",
            Self::Unique => "key",
            Self::ForeignKey => "fkey",
        }
    }
}

/// The name of a constraint of `table`: `table_column_column_fkey`, with a number behind it if
/// another constraint of the table has that name already.
pub(super) fn constraint<'a>(
    taken: &mut HashSet<Box<str>>,
    table: &'a str,
    columns: impl Iterator<Item = &'a str>,
    kind: Constraint,
) -> Box<str> {
    let columns = match kind {
        Constraint::Primary => Vec::new(),
        Constraint::Unique | Constraint::ForeignKey => columns.collect(),
    };
    let mut parts = vec![table];
    parts.extend(columns);
    parts.push(kind.suffix());
    let plain = parts.join("_");
    let mut name: Box<str> = plain.as_str().into();
    let mut number = 0;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{plain}{number}").into();
    }
    name
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Constraint, constraint};

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut taken = HashSet::new();
        let mut name = |columns: &[&'static str], kind| {
            String::from(constraint(&mut taken, "post", columns.iter().copied(), kind))
        };
        let names = [
            name(&["id"], Constraint::Primary),
            name(&["blog", "title"], Constraint::Unique),
            name(&["blog"], Constraint::ForeignKey),
            name(&["blog"], Constraint::ForeignKey),
            name(&["blog"], Constraint::ForeignKey),
        ];
        assert_eq!(
            names,
            [
                "post_pkey",
                "post_blog_title_key",
                "post_blog_fkey",
                "post_blog_fkey1",
                "post_blog_fkey2"
            ]
        );
    }
}
