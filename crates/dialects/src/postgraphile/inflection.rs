//! English singular and plural as PostGraphile 4 forms them.
//!
//! It uses version 7 of the npm package `pluralize`. Names are part of an API, so its rules are
//! followed even where their English is wrong: `databases` has the singular `databasis`.
//!
//! * [`rules`]: the rules and the words that have none

mod rules;

use rules::{IRREGULAR, PLURAL, SINGULAR, UNCOUNTABLE};

/// What a rule wants before the stem of a word.
#[derive(Clone, Copy, Debug)]
enum First {
    Nothing,
    /// A letter, which belongs to the part of the word that the rule is about.
    Letter(fn(char) -> bool),
    /// The beginning of the name, or what is no letter of a word.
    Boundary,
    Start,
}

/// What becomes of the end of a word: the first letter and the stem stay.
#[derive(Clone, Copy, Debug)]
struct Rule {
    first: First,
    stems: &'static [&'static str],
    endings: &'static [&'static str],
    /// What follows the stem instead of the ending; nothing of words that stay as they are.
    new: Option<&'static str>,
}

/// The part of a word that a rule is about.
#[derive(Clone, Copy, Debug)]
struct Match {
    start: usize,
    end_of_stem: usize,
}

/// The singular; of a name such as `s` nothing is left.
pub(super) fn singularize(word: &str) -> String {
    let token = word.to_lowercase();
    if IRREGULAR.iter().any(|(singular, _)| *singular == token) {
        return in_case_of(word, &token);
    }
    let known = IRREGULAR.iter().rev().find(|(_, plural)| *plural == token);
    match known {
        Some((singular, _)) => in_case_of(word, singular),
        None => by_rules(word, &token, SINGULAR),
    }
}

pub(super) fn pluralize(word: &str) -> String {
    let token = word.to_lowercase();
    if IRREGULAR.iter().any(|(_, plural)| *plural == token) {
        return in_case_of(word, &token);
    }
    let known = IRREGULAR.iter().find(|(singular, _)| *singular == token);
    match known {
        Some((_, plural)) => in_case_of(word, plural),
        None => by_rules(word, &token, PLURAL),
    }
}

fn by_rules(word: &str, token: &str, rules: &[Rule]) -> String {
    if word.is_empty() || UNCOUNTABLE.split(' ').any(|known| known == token) {
        return word.into();
    }
    let fitting = rules.iter().find_map(|rule| Some((rule.find(word)?, rule.new)));
    let Some((Match { start, end_of_stem }, Some(new))) = fitting else { return word.into() };
    let (before, replaced) = word.split_at(start);
    let kept = word.get(start..end_of_stem).unwrap_or_default();
    // Where nothing is replaced, the letter before gives the case.
    let model = if replaced.is_empty() { last_letter(before) } else { replaced };
    format!("{before}{}", in_case_of(model, &format!("{kept}{new}")))
}

impl Rule {
    /// The longest part at the end of a word that the rule is about.
    fn find(&self, word: &str) -> Option<Match> {
        let of_ending = |ending: &&str| {
            let rest = without_end(word, ending)?;
            let stems = self.stems.iter().filter_map(|stem| {
                let start = without_end(rest, stem)?.len();
                let start = self.first.start(word, start)?;
                Some(Match { start, end_of_stem: rest.len() })
            });
            stems.min_by_key(|found| found.start)
        };
        self.endings.iter().filter_map(of_ending).min_by_key(|found| found.start)
    }
}

impl First {
    /// Where the part begins whose stem begins at `stem`.
    fn start(self, word: &str, stem: usize) -> Option<usize> {
        let before = word.get(..stem)?.chars().next_back();
        match self {
            Self::Nothing => Some(stem),
            Self::Letter(is_wanted) => {
                let letter = before.filter(|letter| is_wanted(letter.to_ascii_lowercase()))?;
                Some(stem - letter.len_utf8())
            }
            Self::Boundary => before.is_none_or(rules::separates).then_some(stem),
            Self::Start => before.is_none().then_some(stem),
        }
    }
}

fn without_end<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    let (rest, end) = word.split_at_checked(word.len().checked_sub(ending.len())?)?;
    end.eq_ignore_ascii_case(ending).then_some(rest)
}

fn last_letter(word: &str) -> &str {
    let start = word.char_indices().next_back().map_or(0, |(start, _)| start);
    word.get(start..).unwrap_or_default()
}

/// `token` in the case of `word`: small, capital, or the first letter capital. A word of several
/// cases that begins with a small letter counts as small.
fn in_case_of(word: &str, token: &str) -> String {
    if word == token {
        return token.into();
    }
    if word == word.to_uppercase() {
        return token.to_uppercase();
    }
    let is_capital = |first: char| first.to_uppercase().eq([first]);
    if !word.starts_with(is_capital) {
        return token.to_lowercase();
    }
    let mut letters = token.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.as_str().to_lowercase().chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_singular_and_plural_of_postgraphile() {
        let cases = [
            ("people", "person", "people"),
            ("nice_people", "nice_person", "nice_people"),
            ("children", "child", "children"),
            ("media", "media", "media"),
            ("social_media", "social_media", "social_medias"),
            ("genres", "genre", "genres"),
            ("data", "datum", "data"),
            ("statuses", "status", "statuses"),
            ("status", "status", "statuses"),
            ("addresses", "address", "addresses"),
            ("ent2", "ent2", "ent2S"),
            ("news", "news", "news"),
            ("equipment", "equipment", "equipment"),
            ("ids", "id", "ids"),
            ("no_pk", "no_pk", "no_pks"),
            ("post_count", "post_count", "post_counts"),
            ("all_types", "all_type", "all_types"),
            ("bis", "bi", "bis"),
            ("databases", "databasis", "databases"),
            ("cookies", "cooky", "cookies"),
            ("movies", "movie", "movies"),
            ("enterprises", "enterpris", "enterprises"),
            ("software", "software", "softwares"),
            ("species", "species", "species"),
            ("slice", "slouse", "slice"),
            ("Octopus", "Octopus", "Octopi"),
            ("PEOPLE", "PERSON", "PEOPLE"),
            ("ContactUs", "ContactUs", "Contactuses"),
        ];
        for (word, singular, plural) in cases {
            assert_eq!((&*singularize(word), &*pluralize(word)), (singular, plural), "{word}");
        }
    }
}
