//! English plurals as version 1.2 of the library evo-inflector forms them, by which Prisma names
//! lists. <https://github.com/atteo/evo-inflector> (Apache-2.0)
//!
//! Names are part of an API, so its rules are followed even where their English is wrong: `Todo` has
//! the plural `Todoes`.

/// A rule; the first that fits a word makes its plural.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Words with one of these ends: the old ending becomes the new one.
    Words { ends: &'static [&'static str], old: &'static str, new: &'static str },
    /// Words with these ends: all of it but its first letter is replaced.
    Irregular(&'static [(&'static str, &'static str)]),
    /// Words with this ending after one of these texts.
    Ending { after: &'static [&'static str], old: &'static str, new: &'static str },
    /// Words with this text at any place.
    Inside { old: &'static str, new: &'static str },
}

/// The name with its first letter in lower case.
pub(crate) fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// The plural of a type's name, which differs from the name.
pub(crate) fn plural(name: &str) -> String {
    let plural = inflected(name);
    let plural = match plural == name {
        true if name.ends_with('s') => format!("{name}es"),
        true => format!("{name}s"),
        false => plural,
    };
    let mut letters = plural.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => plural,
    }
}

fn inflected(word: &str) -> String {
    RULES.iter().find_map(|rule| rule.apply(word)).unwrap_or_else(|| word.to_owned())
}

impl Rule {
    fn apply(self, word: &str) -> Option<String> {
        match self {
            Self::Words { ends, old, new } => {
                ends.iter().find_map(|end| without_end(word, end))?;
                Some(format!("{}{new}", without_end(word, old)?))
            }
            Self::Irregular(pairs) => pairs.iter().find_map(|(singular, plural)| {
                let stem = without_end(word, singular.get(1..)?)?;
                without_end(word, singular)?;
                Some(format!("{stem}{}", plural.get(1..)?))
            }),
            Self::Ending { after, old, new } => {
                let stem = without_end(word, old)?;
                let fits = after.is_empty() || after.iter().any(|end| has_end(stem, end));
                fits.then(|| format!("{stem}{new}"))
            }
            Self::Inside { old, new } => {
                let start = word.to_ascii_lowercase().find(old)?;
                let (before, rest) = word.split_at_checked(start)?;
                Some(format!("{before}{new}{}", rest.get(old.len()..)?))
            }
        }
    }
}

/// True if a word has this end. `^d` at its beginning is any letter but `d`.
fn has_end(word: &str, end: &str) -> bool {
    let mut letters = end.chars();
    match (letters.next(), letters.next()) {
        (Some('^'), Some(refused)) => without_end(word, letters.as_str())
            .and_then(|rest| rest.chars().next_back())
            .is_some_and(|letter| letter.to_ascii_lowercase() != refused),
        _ => without_end(word, end).is_some(),
    }
}

fn without_end<'w>(word: &'w str, end: &str) -> Option<&'w str> {
    let (rest, found) = word.split_at_checked(word.len().checked_sub(end.len())?)?;
    found.eq_ignore_ascii_case(end).then_some(rest)
}

const VOWELS: &[&str] = &["a", "e", "i", "o", "u"];

const fn words(ends: &'static [&'static str], old: &'static str, new: &'static str) -> Rule {
    Rule::Words { ends, old, new }
}

const fn ending(after: &'static [&'static str], old: &'static str, new: &'static str) -> Rule {
    Rule::Ending { after, old, new }
}

#[rustfmt::skip]
const RULES: &[Rule] = &[
    words(&[
        "fish", "ois", "sheep", "deer", "pox", "itis", "bison", "flounder", "pliers", "bream",
        "gallows", "proceedings", "breeches", "graffiti", "rabies", "britches", "headquarters",
        "salmon", "carp", "herpes", "scissors", "chassis", "high-jinks", "sea-bass", "clippers",
        "homework", "series", "cod", "innings", "shears", "contretemps", "jackanapes", "species",
        "corps", "mackerel", "swine", "debris", "measles", "trout", "diabetes", "mews", "tuna",
        "djinn", "mumps", "whiting", "eland", "news", "wildebeest", "elk", "pincers", "sugar",
    ], "", ""),
    Rule::Irregular(&[
        ("child", "children"), ("ephemeris", "ephemerides"), ("mongoose", "mongoose"),
        ("mythos", "mythoi"), ("soliloquy", "soliloquies"), ("trilby", "trilbys"),
        ("genus", "genera"), ("quiz", "quizzes"), ("beef", "beefs"), ("brother", "brothers"),
        ("cow", "cows"), ("genie", "genies"), ("money", "moneys"), ("octopus", "octopuses"),
        ("opus", "opuses"),
    ]),
    // The names of nations in this list begin with a capital, and so never fit there.
    words(&["human"], "", "s"),
    ending(&[], "man", "men"),
    ending(&["l", "m"], "ouse", "ice"),
    ending(&[], "tooth", "teeth"),
    ending(&[], "goose", "geese"),
    ending(&[], "foot", "feet"),
    ending(&[], "zoon", "zoa"),
    ending(&["c", "s", "x"], "is", "es"),
    words(&["codex", "murex", "silex"], "ex", "ices"),
    words(&["radix", "helix"], "ix", "ices"),
    words(&[
        "bacterium", "agendum", "desideratum", "erratum", "stratum", "datum", "ovum", "extremum",
        "candelabrum",
    ], "um", "a"),
    words(&[
        "criterion", "perihelion", "aphelion", "phenomenon", "prolegomenon", "noumenon", "organon",
        "asyndeton", "hyperbaton",
    ], "on", "a"),
    words(&["alumna", "alga", "vertebra", "persona"], "a", "ae"),
    words(&[
        "alumnus", "alveolus", "bacillus", "bronchus", "locus", "nucleus", "stimulus", "meniscus",
        "thesaurus",
    ], "us", "i"),
    ending(&["ch", "sh", "z", "x"], "", "es"),
    words(&[
        "acropolis", "chaos", "lens", "aegis", "cosmos", "mantis", "alias", "dais", "marquis",
        "asbestos", "digitalis", "metropolis", "atlas", "epidermis", "pathos", "bathos", "ethos",
        "pelvis", "bias", "gas", "polis", "caddis", "glottis", "rhinoceros", "cannabis",
        "sassafras", "canvas", "ibis", "trellis", "iris", "clitoris", "apparatus", "impetus",
        "prospectus", "cantus", "nexus", "sinus", "coitus", "plexus", "status", "hiatus",
    ], "", "es"),
    ending(&["us"], "", "es"),
    words(&[
        "anathema", "enema", "oedema", "bema", "enigma", "sarcoma", "carcinoma", "gumma", "schema",
        "charisma", "lemma", "soma", "diploma", "lymphoma", "stigma", "dogma", "magma", "stoma",
        "drama", "melisma", "trauma", "edema", "miasma",
    ], "", "s"),
    ending(&["ss"], "", "es"),
    ending(&["al", "el", "ol"], "f", "ves"),
    ending(&["^dea"], "f", "ves"),
    ending(&["ar"], "f", "ves"),
    ending(&["ni", "li", "wi"], "fe", "ves"),
    ending(VOWELS, "y", "ys"),
    ending(&[], "y", "ies"),
    words(&[
        "solo", "soprano", "basso", "alto", "contralto", "tempo", "piano", "virtuoso", "albino",
        "archipelago", "armadillo", "commando", "crescendo", "fiasco", "ditto", "dynamo", "embryo",
        "ghetto", "guano", "inferno", "jumbo", "lumbago", "magneto", "manifesto", "medico",
        "octavo", "photo", "pro", "quarto", "canto", "lingo", "generalissimo", "stylo", "rhino",
        "casino", "auto", "macro", "zero",
    ], "", "s"),
    ending(VOWELS, "o", "os"),
    ending(&[], "o", "oes"),
    Rule::Inside { old: "ulum", new: "ula" },
    ending(&[], "s", "ses"),
    ending(&[], "", "s"),
];

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn lists_have_the_names_of_prisma() {
        let cases = [
            ("User", "Users"),
            ("Post", "Posts"),
            ("Todo", "Todoes"),
            ("BillingInfo", "BillingInfoes"),
            ("OptionalDetails", "OptionalDetailses"),
            ("Category", "Categories"),
            ("Child", "Children"),
            ("GrandChild", "GrandChildren"),
            ("Woman", "Women"),
            ("Mouse", "Mice"),
            ("House", "Houses"),
            ("Box", "Boxes"),
            ("Address", "Addresses"),
            ("Status", "Statuses"),
            ("Series", "Serieses"),
            ("News", "Newses"),
            ("Fish", "Fishs"),
            ("Leaf", "Leaves"),
            ("Deaf", "Deafs"),
            ("Wife", "Wives"),
            ("Key", "Keys"),
            ("Video", "Videos"),
            ("Photo", "Photos"),
            ("Schema", "Schemas"),
            ("Analysis", "Analyses"),
            ("Human", "Humans"),
            ("German", "Germen"),
            ("Index", "Indexes"),
            ("Curriculum", "Curricula"),
        ];
        for (name, expected) in cases {
            assert_eq!(plural(name), expected, "{name}");
        }
    }
}
