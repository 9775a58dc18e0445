//! Names of relations.

use graphql::definitions::problem::Problems;

use super::super::names::{Names, is_relation_name};
use super::Pair;

/// The name that a field says, or that of both types.
pub(super) fn name(names: &Names<'_>, pair: Pair<'_, '_>, problems: &mut Problems) -> Box<str> {
    let mut old = pair.fields().filter_map(|(_, field)| Some((field, field.old_relation?)));
    if let (Some((_, one)), Some((field, other))) = (old.next(), old.next())
        && one != other
    {
        let message = format!("`oldName` is `{one}` at the other field: write one name");
        problems.refuse(field.at, message);
    }
    let said = pair.fields().find_map(|(_, field)| field.relation);
    if let Some(name) = said {
        return name.into();
    }
    let (a, b) = match (pair.a, pair.b) {
        (Some(a), _) => (a.r#type, a.target),
        (None, Some(b)) => (b.target, b.r#type),
        (None, None) => return "".into(),
    };
    generated(names.type_name(a), names.type_name(b)).into()
}

/// `UserToPost`, with both names shortened, the longer one first, until it is a name of a relation.
pub(crate) fn generated(a: &str, b: &str) -> String {
    let (mut a, mut b) = (a.to_owned(), b.to_owned());
    loop {
        let name = format!("{a}To{b}");
        // Types that begin with a small letter make no name of a relation, however short.
        let is_long = name.len() > super::super::names::MAX_RELATION_NAME_LENGTH;
        if is_relation_name(&name) || !is_long {
            return name;
        }
        let longer = match b.len() > a.len() {
            true => &mut b,
            false => &mut a,
        };
        longer.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::generated;

    #[test]
    fn long_names_are_shortened() {
        assert_eq!(generated("Post", "User"), "PostToUser");
        assert_eq!(generated("post", "user"), "postTouser");
        let name = generated(&"A".repeat(40), &"B".repeat(30));
        assert_eq!(name, format!("{}To{}", "A".repeat(26), "B".repeat(26)));
    }
}
