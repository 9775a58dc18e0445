//! The order in which the library prints the types of a schema.

use crate::shared::draft::DraftKind;

/// The sort key of a type: the roots, then the others by their kinds and names.
pub(crate) fn key(name: &str, kind: &DraftKind) -> impl Ord + use<> {
    let rank = match (name, kind) {
        ("Query", _) => 0,
        ("Mutation", _) => 1,
        ("Subscription", _) => 2,
        (_, DraftKind::Scalar { .. }) => 3,
        (_, DraftKind::Enum { .. }) => 4,
        (_, DraftKind::Union { .. }) => 5,
        (_, DraftKind::Interface { .. }) => 6,
        (_, DraftKind::Object { .. }) => 7,
        (_, DraftKind::Input { .. }) => 8,
    };
    (rank, letters(name))
}

/// Names as an index has them: underscores, then digits, then letters whatever their case. Of
/// names that differ by case alone the one with the small letter comes first.
fn letters(name: &str) -> impl Ord + use<> {
    let folded: Vec<(bool, u8)> =
        name.bytes().map(|letter| (letter != b'_', letter.to_ascii_lowercase())).collect();
    let cases: Vec<bool> = name.bytes().map(|letter| letter.is_ascii_uppercase()).collect();
    (folded, cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_an_index() {
        let mut names =
            ["FilmWhere", "filmA", "FilmsConnection", "Film_A", "Film2", "FilmA", "IDFilters"];
        names.sort_by_cached_key(|name| letters(name));
        let expected =
            ["Film_A", "Film2", "filmA", "FilmA", "FilmsConnection", "FilmWhere", "IDFilters"];
        assert_eq!(names, expected);
    }

    #[test]
    fn kinds_come_one_after_the_other() {
        let scalar = DraftKind::Scalar { form: None };
        let object = DraftKind::Object { fields: Vec::new(), interfaces: Vec::new() };
        assert!(key("Query", &object) < key("Any", &scalar));
        assert!(key("Zone", &scalar) < key("Any", &object));
    }
}
