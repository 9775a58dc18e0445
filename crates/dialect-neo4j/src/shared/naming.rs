//! Names of types and root fields, from those of the definitions.

use api::plural::VERSION_8;

/// The names of a type that its own name and `@plural` give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeNames {
    /// As the definitions have it.
    pub(crate) name: String,
    /// In lower camel case and the plural, as the name of lists.
    pub(crate) plural: String,
    /// The plural of the name as it stands, which only descriptions use.
    pub(crate) several: String,
}

impl TypeNames {
    pub(crate) fn new(name: &str, plural: Option<&str>) -> Self {
        Self {
            plural: match plural {
                Some(plural) => lower_camel(plural),
                None => with_underscores(name, &VERSION_8.pluralize(&camel(name))),
            },
            several: VERSION_8.pluralize(name),
            name: name.into(),
        }
    }

    /// The plural with a capital.
    pub(crate) fn pascal_plural(&self) -> String {
        upper_first(&self.plural)
    }
}

/// The name with its first letter as a capital.
pub(crate) fn upper_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The name in lower camel case; underscores at its beginning stay.
pub(crate) fn lower_camel(name: &str) -> String {
    with_underscores(name, &camel(name))
}

fn with_underscores(name: &str, formed: &str) -> String {
    let letters = name.trim_start_matches('_');
    // A name of underscores only keeps them all but the last one, as far as the library can tell.
    let leading = match letters.is_empty() {
        true => name.len().saturating_sub(1),
        false => name.len() - letters.len(),
    };
    format!("{}{formed}", name.get(..leading).unwrap_or_default())
}

/// Lower camel case as version 6 of the npm package `camelcase` makes it: `FOOBar_baz` is
/// `fooBarBaz`, and a letter after a digit is a capital. Names are ASCII.
fn camel(name: &str) -> String {
    let mut letters = name.chars();
    if let (Some(only), None) = (letters.next(), letters.next()) {
        return only.to_ascii_lowercase().to_string();
    }
    let separated = match name.chars().any(|letter| letter.is_ascii_uppercase()) {
        true => separate(name),
        false => name.into(),
    };
    let separated = separated.trim_start_matches(is_separator).to_ascii_lowercase();
    let mut formed = String::with_capacity(separated.len());
    let mut raise = false;
    for letter in separated.chars() {
        if is_separator(letter) {
            raise = true;
            continue;
        }
        formed.push(if raise { letter.to_ascii_uppercase() } else { letter });
        raise = letter.is_ascii_digit();
    }
    formed
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '_' | '.' | '-' | ' ')
}

/// Puts a separator where a word begins by its case: before a capital after a small letter, and
/// before the last of several capitals if a small letter follows it.
fn separate(name: &str) -> String {
    let mut separated: Vec<char> = Vec::with_capacity(name.len() + 4);
    let (mut last_is_small, mut last_is_capital, mut second_last_is_capital) =
        (false, false, false);
    for letter in name.chars() {
        if last_is_small && letter.is_ascii_uppercase() {
            separated.extend(['-', letter]);
            second_last_is_capital = last_is_capital;
            (last_is_small, last_is_capital) = (false, true);
        } else if last_is_capital && second_last_is_capital && letter.is_ascii_lowercase() {
            let last = separated.pop();
            separated.push('-');
            separated.extend(last);
            separated.push(letter);
            second_last_is_capital = false;
            (last_is_small, last_is_capital) = (true, false);
        } else {
            separated.push(letter);
            second_last_is_capital = last_is_capital;
            last_is_small = letter.is_ascii_lowercase();
            last_is_capital = letter.is_ascii_uppercase();
        }
    }
    separated.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, singular: &str, plural: &str) {
        let names = TypeNames::new(name, None);
        assert_eq!((&*lower_camel(name), &*names.plural), (singular, plural), "{name}");
    }

    #[test]
    fn lists_are_named_in_lower_camel_case_and_the_plural() {
        check("Movie", "movie", "movies");
        check("Person", "person", "people");
        check("SalesPerson", "salesPerson", "salesPeople");
        check("Series", "series", "series");
        check("UUID", "uuid", "uuids");
        check("HTTPServer", "httpServer", "httpServers");
        check("ISBNs", "isbNs", "isbNs");
        check("A", "a", "as");
        check("AB", "ab", "abs");
        check("user_account", "userAccount", "userAccounts");
        check("_Hidden", "_hidden", "_hiddens");
        check("__Twice", "__twice", "__twices");
        check("Type2b", "type2B", "type2BS");
        check("V8Engine", "v8Engine", "v8Engines");
        check("lower", "lower", "lowers");
    }

    #[test]
    fn a_plural_that_is_said_is_only_put_in_lower_camel_case() {
        let names = TypeNames::new("Actor", Some("Thespian_Folk"));
        assert_eq!(names.plural, "thespianFolk");
        assert_eq!(names.pascal_plural(), "ThespianFolk");
        assert_eq!(names.several, "Actors");
    }
}
