//! English singular and plural as two versions of the npm package `pluralize` form them.
//! <https://github.com/plurals/pluralize> (MIT)
//!
//! Names are part of an API, so its rules are followed even where their English is wrong: `databases`
//! has the singular `databasis`. The crate `pluralizer` follows a later state of these rules.
//!
//! * [`version_7`]: the words and rules of PostGraphile 4
//! * [`version_8`]: those of Neo4j's GraphQL library

mod version_7;
mod version_8;

pub use version_7::VERSION_7;
pub use version_8::VERSION_8;

/// The words and rules of a version of the package.
#[derive(Debug)]
pub struct Version {
    /// Singular and plural of words without a rule, beside [`IRREGULAR`]. Of two with one plural
    /// the last is its singular.
    irregular: &'static [(&'static str, &'static str)],
    /// Words with one form.
    uncountable: &'static str,
    /// The first matching rule is applied.
    plural: &'static [Rule],
    singular: &'static [Rule],
    /// True if a text without capitals counts as lower case before it may count as upper case: one
    /// that has no letter, or begins with something else.
    is_lower_case_first: bool,
}

/// A rule's requirement before the stem of a word.
#[derive(Clone, Copy, Debug)]
enum First {
    Nothing,
    /// A letter, which belongs to the matched part of the word.
    Letter(fn(char) -> bool),
    /// The beginning of the name, or a character that is no letter.
    Boundary,
    Start,
}

/// The replacement of a word's ending: the first letter and the stem stay.
#[derive(Clone, Copy, Debug)]
struct Rule {
    first: First,
    stems: &'static [&'static str],
    endings: &'static [&'static str],
    /// The new ending after the stem; `None` for words that stay unchanged.
    new: Option<&'static str>,
}

/// The matched part of a word.
#[derive(Clone, Copy, Debug)]
struct Match {
    start: usize,
    end_of_stem: usize,
}

impl Version {
    /// The singular; of a name such as `s` nothing is left.
    pub fn singularize(&self, word: &str) -> String {
        let token = word.to_lowercase();
        if self.irregular().any(|(singular, _)| *singular == token) {
            return self.in_case_of(word, &token);
        }
        match self.irregular().rev().find(|(_, plural)| *plural == token) {
            Some((singular, _)) => self.in_case_of(word, singular),
            None => self.by_rules(word, &token, self.singular),
        }
    }

    pub fn pluralize(&self, word: &str) -> String {
        let token = word.to_lowercase();
        if self.irregular().any(|(_, plural)| *plural == token) {
            return self.in_case_of(word, &token);
        }
        match self.irregular().find(|(singular, _)| *singular == token) {
            Some((_, plural)) => self.in_case_of(word, plural),
            None => self.by_rules(word, &token, self.plural),
        }
    }

    fn irregular(&self) -> impl DoubleEndedIterator<Item = &(&'static str, &'static str)> {
        IRREGULAR.iter().chain(self.irregular)
    }

    fn by_rules(&self, word: &str, token: &str, rules: &[Rule]) -> String {
        if word.is_empty() || self.uncountable.split(' ').any(|known| known == token) {
            return word.into();
        }
        let fitting = rules.iter().find_map(|rule| Some((rule.find(word)?, rule.new)));
        let Some((Match { start, end_of_stem }, Some(new))) = fitting else { return word.into() };
        let (before, replaced) = word.split_at(start);
        let kept = word.get(start..end_of_stem).unwrap_or_default();
        // Without a replaced part, the letter before gives the case.
        let model = if replaced.is_empty() { last_letter(before) } else { replaced };
        format!("{before}{}", self.in_case_of(model, &format!("{kept}{new}")))
    }

    /// `token` in the case of `word`: lower, upper, or the first letter upper. A word of mixed case
    /// that begins with a lower-case letter counts as lower.
    fn in_case_of(&self, word: &str, token: &str) -> String {
        if word == token {
            return token.into();
        }
        if self.is_lower_case_first && word == word.to_lowercase() {
            return token.to_lowercase();
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
}

impl Rule {
    /// The longest part at the end of a word that matches the rule.
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
    /// The start of the part whose stem begins at `stem`.
    fn start(self, word: &str, stem: usize) -> Option<usize> {
        let before = word.get(..stem)?.chars().next_back();
        match self {
            Self::Nothing => Some(stem),
            Self::Letter(is_wanted) => {
                let letter = before.filter(|letter| is_wanted(letter.to_ascii_lowercase()))?;
                Some(stem - letter.len_utf8())
            }
            Self::Boundary => before.is_none_or(separates).then_some(stem),
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

/// Singular and plural of words without a rule, in each version.
const IRREGULAR: &[(&str, &str)] = &[
    ("i", "we"),
    ("me", "us"),
    ("he", "they"),
    ("she", "they"),
    ("them", "them"),
    ("myself", "ourselves"),
    ("yourself", "yourselves"),
    ("itself", "themselves"),
    ("herself", "themselves"),
    ("himself", "themselves"),
    ("themself", "themselves"),
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("this", "these"),
    ("that", "those"),
    ("echo", "echoes"),
    ("dingo", "dingoes"),
    ("volcano", "volcanoes"),
    ("tornado", "tornadoes"),
    ("torpedo", "torpedoes"),
    ("genus", "genera"),
    ("viscus", "viscera"),
    ("stigma", "stigmata"),
    ("stoma", "stomata"),
    ("dogma", "dogmata"),
    ("lemma", "lemmata"),
    ("schema", "schemata"),
    ("anathema", "anathemata"),
    ("ox", "oxen"),
    ("axe", "axes"),
    ("die", "dice"),
    ("yes", "yeses"),
    ("foot", "feet"),
    ("eave", "eaves"),
    ("goose", "geese"),
    ("tooth", "teeth"),
    ("quiz", "quizzes"),
    ("human", "humans"),
    ("proof", "proofs"),
    ("carve", "carves"),
    ("valve", "valves"),
    ("looey", "looies"),
    ("thief", "thieves"),
    ("groove", "grooves"),
    ("pickaxe", "pickaxes"),
];

const fn rule(stems: &'static [&'static str], endings: &'static [&'static str]) -> Rule {
    Rule { first: First::Nothing, stems, endings, new: None }
}

impl Rule {
    const fn to(self, new: &'static str) -> Self {
        Self { new: Some(new), ..self }
    }

    const fn behind(self, first: First) -> Self {
        Self { first, ..self }
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

fn is_no_vowel(letter: char) -> bool {
    !is_vowel(letter)
}

fn is_no_vowel_and_no_y(letter: char) -> bool {
    !is_vowel(letter) && letter != 'y'
}

fn is_before_us(letter: char) -> bool {
    !matches!(letter, 'a' | 'o' | 'u')
}

fn is_no_l(letter: char) -> bool {
    letter != 'l'
}

fn is_no_c_and_no_h(letter: char) -> bool {
    !matches!(letter, 'c' | 'h')
}

fn is_foreign(letter: char) -> bool {
    !letter.is_ascii()
}

const GREEK: &[&str] = &[
    "apheli",
    "hyperbat",
    "periheli",
    "asyndet",
    "noumen",
    "phenomen",
    "criteri",
    "organ",
    "prolegomen",
    "hedr",
    "automat",
];

const LATIN: &[&str] = &[
    "agend",
    "addend",
    "millenni",
    "dat",
    "extrem",
    "bacteri",
    "desiderat",
    "strat",
    "candelabr",
    "errat",
    "ov",
    "symposi",
    "curricul",
    "quor",
];

const MASCULINE: &[&str] = &[
    "alumn", "syllab", "vir", "radi", "nucle", "fung", "cact", "stimul", "termin", "bacill", "foc",
    "uter", "loc", "strat",
];

const FEMININE: &[&str] = &["alumn", "alg", "vertebr"];

/// True for characters between words.
fn separates(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && letter != '_'
}

#[cfg(test)]
mod tests {
    use super::VERSION_7;

    #[test]
    fn words_have_the_singular_and_plural_of_postgraphile() {
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
            assert_eq!(
                (&*VERSION_7.singularize(word), &*VERSION_7.pluralize(word)),
                (singular, plural),
                "{word}"
            );
        }
    }
}
