//! `@omit`: omitted operations.

use super::Tags;

/// Operations on an object that tags can omit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Reading it at all.
    Read,
    /// Filtering by it.
    Filter,
    /// Sorting by it.
    Order,
    /// All of its rows at the root.
    All,
    /// Setting it in new rows and in values.
    Create,
    /// Updating it.
    Update,
    /// Deleting its rows.
    Delete,
    /// Setting it in rows that are arguments of functions, in the input type with all columns.
    Base,
    /// Its rows as the many side of a relation.
    Many,
    /// Calling it.
    Execute,
    /// As a join table, and as a joined table.
    ManyToMany,
}

/// All actions that the tag can name, with their letters.
const ACTIONS: [(&str, char); 10] = [
    ("create", 'C'),
    ("read", 'R'),
    ("update", 'U'),
    ("delete", 'D'),
    ("filter", 'F'),
    ("order", 'O'),
    ("all", 'A'),
    ("many", 'M'),
    ("execute", 'X'),
    ("base", 'B'),
];

/// The plugin's own action, which has no letter.
const MANY_TO_MANY: &str = "manyToMany";

/// The operations that require reading.
const NEED_READ: [&str; 5] = ["update", "create", "delete", "all", "many"];

impl Action {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Filter => "filter",
            Self::Order => "order",
            Self::All => "all",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Base => "base",
            Self::Many => "many",
            Self::Execute => "execute",
            Self::ManyToMany => MANY_TO_MANY,
        }
    }
}

/// True if the tags omit the action.
pub(crate) fn omits(tags: &Tags, action: Action) -> bool {
    match named(tags) {
        None => true,
        // PostGraphile does not start then; here the object is hidden, since hiding was intended.
        Some(named) if is_half_hidden(&named) => true,
        Some(named) => named.contains(&action.name()),
    }
}

/// The error of the tag.
pub(crate) fn problem(tags: &Tags) -> Option<String> {
    let named = named(tags)?;
    let is_unknown =
        |name: &&&str| ACTIONS.iter().all(|(known, _)| known != *name) && **name != MANY_TO_MANY;
    if let Some(unknown) = named.iter().find(is_unknown) {
        return Some(format!("@omit names {unknown:?}, which is no action."));
    }
    is_half_hidden(&named).then(|| {
        let missing: Vec<_> = NEED_READ.into_iter().filter(|need| !named.contains(need)).collect();
        format!("@omit has read without {}; nothing of it is shown.", missing.join(", "))
    })
}

/// The actions that the tag names; `None` for all of them.
fn named(tags: &Tags) -> Option<Vec<&str>> {
    let mut named = Vec::new();
    for value in tags.values("omit") {
        match value.as_deref() {
            None | Some("*") => return None,
            Some(value) => match value.strip_prefix(':') {
                Some(letters) => named.extend(letters.char_indices().map(|(start, letter)| {
                    let known = ACTIONS.iter().find(|(_, known)| *known == letter);
                    known.map_or(&letters[start..start + letter.len_utf8()], |(name, _)| name)
                })),
                None => named.extend(value.split(',')),
            },
        }
    }
    Some(named)
}

fn is_half_hidden(named: &[&str]) -> bool {
    named.contains(&"read") && !NEED_READ.iter().all(|need| named.contains(need))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn actions_are_omitted_by_name_by_letter_or_together() {
        let check = |comment: &str, expected: &str| {
            let tags = parse(comment).tags;
            let actions = [Action::Read, Action::Filter, Action::Order, Action::All, Action::Many];
            let found = actions.into_iter().filter(|action| omits(&tags, *action));
            let found: Vec<_> = found.map(Action::name).collect();
            assert_eq!(found.join(","), expected, "{comment:?}");
        };
        check("", "");
        check("@omit", "read,filter,order,all,many");
        check("@omit *", "read,filter,order,all,many");
        check("@omit create,update,delete", "");
        check("@omit filter,order", "filter,order");
        check("@omit filter\n@omit many", "filter,many");
        check("@omit :FO", "filter,order");
        check("@omit filter, order", "filter");
        check("@omit read", "read,filter,order,all,many");
        check("@omit :RUCDAM", "read,all,many");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |comment: &str, expected: Option<&str>| {
            assert_eq!(problem(&parse(comment).tags).as_deref(), expected, "{comment:?}");
        };
        check("@omit", None);
        check("@omit :RUCDAM", None);
        check("@omit filter, order", Some("@omit names \" order\", which is no action."));
        check("@omit :Z", Some("@omit names \"Z\", which is no action."));
        check(
            "@omit read,all",
            Some("@omit has read without update, create, delete, many; nothing of it is shown."),
        );
    }
}
