//! Names of types and fields, made of what labels, properties and types of relationships are
//! called.
//!
//! A name that serves as it is stays. Others are put together from their words; what GraphQL has
//! no characters for is spelled by code points.

use std::collections::BTreeSet;

use pluralizer::pluralize;

use api::case::{camel_case, constant_case, upper_camel_case};

/// Names that are in use, in one place where each must be another.
#[derive(Debug, Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The name, or the first of those with a number that is free.
    pub(super) fn take(&mut self, name: &str) -> String {
        self.take_with(name, &[])
    }

    /// The same for a name beside which there are others, by what they end in.
    pub(super) fn take_with(&mut self, name: &str, endings: &[&str]) -> String {
        let beside = |name: &str| -> Vec<String> {
            endings.iter().map(|ending| [name, ending].concat()).collect()
        };
        let mut free = name.to_owned();
        let mut number = 2_u32;
        while self.has(&free) || beside(&free).iter().any(|name| self.has(name)) {
            free = format!("{name}{number}");
            number = number.saturating_add(1);
        }
        self.0.extend(beside(&free));
        self.0.insert(free.clone());
        free
    }
}

/// Whether a label is what a person would call a type: a word that begins with a capital letter.
pub(super) fn is_type_name(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_uppercase())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The name of a type, of a label.
pub(super) fn type_name(label: &str) -> String {
    match is_type_name(label) {
        true => label.to_owned(),
        false => valid(&upper_camel_case(label), "Type"),
    }
}

/// The name of the type of the properties of relationships.
pub(super) fn properties_type_name(r#type: &str) -> String {
    valid(&upper_camel_case(&[r#type, "_properties"].concat()), "Properties")
}

/// The name of a field for a property.
pub(super) fn property_name(property: &str) -> String {
    match is_name(property) {
        true => property.to_owned(),
        false => spelled_property_name(property),
    }
}

/// The name of a field for a property whose own name cannot be used.
pub(super) fn spelled_property_name(property: &str) -> String {
    valid(&camel_case(property), "property")
}

/// The name of a query, of the index that it asks.
pub(super) fn query_name(before: &str, plural: &str, index: Option<&str>) -> String {
    let index = index.map(|index| ["By", &upper_camel_case(index)].concat()).unwrap_or_default();
    valid(&[before, &upper_camel_case(plural), &index].concat(), "search")
}

/// The plural of a type in lists of it: `people`.
pub(super) fn plural(type_name: &str) -> String {
    pluralize(&camel_case(type_name), 2, false)
}

/// The name of the field by which a node leads on: `actedInMovies`.
pub(super) fn outgoing(r#type: &str, target: &str, is_list: bool) -> String {
    let (mut said, target) = (words(r#type), Target::of(target, is_list));
    // `HAS_GENRE` leads to `hasGenres`: the word is not said twice.
    if said.ends_with(&target.words) {
        said.truncate(said.len() - target.words.len());
    }
    valid(&camel_case(&[said.join("_"), "_".into(), target.shown].concat()), "related")
}

/// The name of the field by which a node leads back: `actorsActedIn`.
pub(super) fn incoming(r#type: &str, source: &str, is_list: bool) -> String {
    let (said, source) = (words(r#type), Target::of(source, is_list));
    let said = said.strip_prefix(&*source.words).unwrap_or(&said);
    valid(&camel_case(&[source.shown, "_".into(), said.join("_")].concat()), "related")
}

/// The type at the other end, as a field names it.
struct Target {
    /// Of one, in capital letters.
    words: Vec<String>,
    /// In capital letters, in the plural for a list.
    shown: String,
}

impl Target {
    fn of(type_name: &str, is_list: bool) -> Self {
        let one = words(type_name);
        // The plural is formed of a word as people write it, and of no capitals.
        let many = constant_case(&plural(type_name));
        let shown = if is_list { many } else { one.join("_") };
        Self { words: one, shown }
    }
}

/// The words of a name in capital letters.
fn words(name: &str) -> Vec<String> {
    let words = constant_case(&camel_case(name));
    words.split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether GraphQL can have a name, and leaves it to whoever writes a schema.
fn is_name(name: &str) -> bool {
    !name.starts_with("__")
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A name of letters and digits as one that GraphQL can have; `otherwise` if nothing is left of it.
fn valid(name: &str, otherwise: &str) -> String {
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => ["_", name].concat(),
        Some(_) => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_called_as_people_write_them() {
        let cases = [
            ("Movie", "Movie"),
            ("movie", "Movie"),
            ("movie_title", "MovieTitle"),
            ("MOVIE_TITLE", "MovieTitle"),
            ("Movie-Label", "MovieLabel"),
            ("Movie`Label", "MovieLabel"),
            ("HTMLPage", "HTMLPage"),
            ("USA", "USA"),
            ("2number", "_2Number"),
            ("__Entity__", "Entity"),
            ("_Bloom_Perspective_", "BloomPerspective"),
            ("größe", "Grosse"),
            ("Фильм", "U0424U0438U043Bu044Cu043C"),
            ("`", "U0060"),
            ("\"; DROP", "Drop"),
            ("__", "Type"),
            ("🎬", "U1F3Ac"),
            ("", "Type"),
        ];
        for (label, expected) in cases {
            let name = type_name(label);
            assert!(is_name(&name), "{label:?} became {name}");
            assert_eq!(name, expected, "{label:?}");
        }
    }

    #[test]
    fn types_of_relationships_are_called_by_their_words() {
        let cases = [
            ("REVIEWED", "ReviewedProperties"),
            ("ACTED_IN", "ActedInProperties"),
            ("actedIn", "ActedInProperties"),
            ("5 STARS", "_5StarsProperties"),
            ("", "Properties"),
        ];
        for (r#type, expected) in cases {
            assert_eq!(properties_type_name(r#type), expected, "{type}");
        }
    }

    #[test]
    fn fields_keep_the_names_of_properties_where_they_can() {
        let cases = [
            ("title", "title"),
            ("release_date", "release_date"),
            ("_private", "_private"),
            ("__typename", "typename"),
            ("movie-title", "movieTitle"),
            ("two words", "twoWords"),
            ("1st", "_1st"),
            ("a`b", "aB"),
            ("größe", "grosse"),
            ("", "property"),
            ("__", "property"),
        ];
        for (property, expected) in cases {
            let name = property_name(property);
            assert!(is_name(&name), "{property:?} became {name}");
            assert_eq!(name, expected, "{property:?}");
        }
    }

    #[test]
    fn ways_are_called_by_their_type_and_the_other_end() {
        let cases = [
            ("ACTED_IN", "Movie", "actedInMovies", "moviesActedIn"),
            ("ACTED-IN", "MovieLabel", "actedInMovieLabels", "movieLabelsActedIn"),
            ("actedIn", "Person", "actedInPeople", "peopleActedIn"),
            ("HAS_GENRE", "Genre", "hasGenres", "genresHasGenre"),
            ("GENRE", "Genre", "genres", "genres"),
            ("USER_OF", "User", "userOfUsers", "usersOf"),
            ("FOLLOWS", "Person", "followsPeople", "peopleFollows"),
            ("5_STARS", "HTMLPage", "_5StarsHtmlPages", "htmlPages5Stars"),
            ("`", "Movie", "u0060Movies", "moviesU0060"),
            ("", "Movie", "movies", "movies"),
        ];
        for (r#type, other, out, back) in cases {
            assert_eq!(outgoing(r#type, other, true), out, "{type}");
            assert_eq!(incoming(r#type, other, true), back, "{type}");
        }
        assert_eq!(outgoing("DIRECTED_BY", "Person", false), "directedByPerson");
        assert_eq!(incoming("DIRECTED", "Person", false), "personDirected");
    }

    #[test]
    fn names_in_use_are_numbered() {
        let mut taken = Taken::default();
        let names: Vec<_> =
            ["A", "A", "A2", "A"].into_iter().map(|name| taken.take(name)).collect();
        assert_eq!(names, ["A", "A2", "A22", "A3"]);
        assert_eq!(taken.take_with("B", &["Connection"]), "B");
        assert_eq!(taken.take("BConnection"), "BConnection2");
        assert_eq!(taken.take("CConnection"), "CConnection");
        assert_eq!(taken.take_with("C", &["Connection"]), "C2");
    }

    #[test]
    fn queries_of_indexes_say_what_they_find() {
        assert_eq!(query_name("search", "movies", None), "searchMovies");
        assert_eq!(query_name("search", "movies", Some("by title")), "searchMoviesByByTitle");
    }
}
