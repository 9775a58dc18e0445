//! English plurals as version 8 of the npm package `pluralize` forms them.
//!
//! Names are part of an API, so its rules are followed even where their English is wrong. The crate
//! `pluralizer` follows a later state of that package's rules and another rule of case; what
//! PostGraphile forms by it is of version 7. The names of a schema are ASCII, and so are the rules.

/// Words whose plural is none of the rules'.
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
    ("passerby", "passersby"),
    // A rule of its own there, of the whole word.
    ("thou", "you"),
];

/// Words without a plural.
const UNCOUNTABLE: &[&str] = &[
    "adulthood",
    "advice",
    "agenda",
    "aid",
    "aircraft",
    "alcohol",
    "ammo",
    "analytics",
    "anime",
    "athletics",
    "audio",
    "bison",
    "blood",
    "bream",
    "buffalo",
    "butter",
    "carp",
    "cash",
    "chassis",
    "chess",
    "clothing",
    "cod",
    "commerce",
    "cooperation",
    "corps",
    "debris",
    "diabetes",
    "digestion",
    "elk",
    "energy",
    "equipment",
    "excretion",
    "expertise",
    "firmware",
    "flounder",
    "fun",
    "gallows",
    "garbage",
    "graffiti",
    "hardware",
    "headquarters",
    "health",
    "herpes",
    "highjinks",
    "homework",
    "housework",
    "information",
    "jeans",
    "justice",
    "kudos",
    "labour",
    "literature",
    "machinery",
    "mackerel",
    "mail",
    "media",
    "mews",
    "moose",
    "music",
    "mud",
    "manga",
    "news",
    "only",
    "personnel",
    "pike",
    "plankton",
    "pliers",
    "police",
    "pollution",
    "premises",
    "rain",
    "research",
    "rice",
    "salmon",
    "scissors",
    "series",
    "sewage",
    "shambles",
    "shrimp",
    "software",
    "species",
    "staff",
    "swine",
    "tennis",
    "traffic",
    "transportation",
    "trout",
    "tuna",
    "wealth",
    "welfare",
    "whiting",
    "wildebeest",
    "wildlife",
    "you",
];

/// What a rule does with the end of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ending {
    /// Where the part begins that the rule is about.
    start: usize,
    /// Where the part ends that stays.
    kept: usize,
    /// What follows it.
    new: &'static str,
}

/// The plural of a word, in its case.
pub(super) fn pluralize(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    let plural = IRREGULAR.iter().find(|(_, plural)| *plural == lower);
    let plural = plural.or_else(|| IRREGULAR.iter().find(|(singular, _)| *singular == lower));
    if let Some((_, plural)) = plural {
        return in_case_of(word, plural);
    }
    if lower.is_empty() || UNCOUNTABLE.contains(&&*lower) || is_unchanged(&lower) {
        return word.into();
    }
    let Ending { start, kept, new } = ending(&lower);
    let (Some(before), Some(stays)) = (word.get(..start), word.get(start..kept)) else {
        return word.into();
    };
    let Some(replaced) = word.get(start..) else { return word.into() };
    let formed = format!("{stays}{new}");
    // Where nothing is replaced, the letter before tells the case.
    let like = if replaced.is_empty() { last_letter(word) } else { replaced };
    format!("{before}{}", in_case_of(like, &formed))
}

fn last_letter(word: &str) -> &str {
    let start = word.char_indices().next_back().map_or(0, |(start, _)| start);
    word.get(start..).unwrap_or_default()
}

/// `token` in the case of `word`: small, capital, or the first letter capital. Mixed case is small.
fn in_case_of(word: &str, token: &str) -> String {
    let has = |test: fn(&char) -> bool| word.chars().any(|letter| test(&letter));
    let has_capital = has(char::is_ascii_uppercase);
    let has_small = has(char::is_ascii_lowercase);
    let first_is_small = word.starts_with(|first: char| first.is_ascii_lowercase());
    if word == token {
        token.into()
    } else if !has_capital {
        token.to_ascii_lowercase()
    } else if !has_small {
        token.to_ascii_uppercase()
    } else if first_is_small {
        token.to_ascii_lowercase()
    } else {
        let mut letters = token.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect()
    }
}

/// Whether a rule leaves the word as it is: those that come before all others.
fn is_unchanged(word: &str) -> bool {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let is_people = word.strip_suffix("ese").is_some_and(|before| {
        before.ends_with(|letter: char| !matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u'))
    });
    is_people || ends(&["pokemon", "deer", "fish", "measles", "ois", "ous", "pox", "sheep"])
}

/// What the first rule that fits does, from the most special one to the one that always fits.
fn ending(word: &str) -> Ending {
    let after = |stems: &[&str], endings: &[&str], new: &'static str| {
        let ends = endings.iter().filter_map(|ending| word.strip_suffix(ending));
        let mut found = ends.filter_map(|stem| {
            let known = stems.iter().find(|known| stem.ends_with(**known))?;
            Some(Ending { start: stem.len() - known.len(), kept: stem.len(), new })
        });
        found.next()
    };
    let whole_word = |new: &'static str, endings: &[&str]| {
        let stem = endings.iter().find_map(|ending| word.strip_suffix(ending))?;
        Some(Ending { start: stem.len(), kept: stem.len(), new })
    };
    whole_word("men", &["man", "men"])
        .or_else(|| after(&["eaux"], &[""], ""))
        .or_else(|| after(&["child"], &["ren", ""], "ren"))
        .or_else(|| after(&["pe"], &["rson", "ople"], "ople"))
        .or_else(|| mice(word))
        .or_else(|| {
            after(&["matr", "cod", "mur", "sil", "vert", "ind", "append"], &["ix", "ex"], "ices")
        })
        .or_else(|| after(&["x", "ch", "ss", "sh", "zz"], &[""], "es"))
        .or_else(|| in_ey(word))
        .or_else(|| in_y(word))
        .or_else(|| after(&["kni", "wi", "li"], &["fe"], "ves"))
        .or_else(|| after(&["ar", "l", "ea", "eo", "oa", "hoo"], &["f"], "ves"))
        .or_else(|| whole_word("ses", &["sis"]))
        .or_else(|| after(GREEK, &["a", "on"], "a"))
        .or_else(|| after(LATIN, &["a", "um"], "a"))
        .or_else(|| after(&["her", "at", "gr"], &["o"], "oes"))
        .or_else(|| after(&["seraph", "cherub"], &["im", ""], "im"))
        .or_else(|| after(&["alumn", "alg", "vertebr"], &["ae", "a"], "ae"))
        .or_else(|| after(MASCULINE, &["us", "i"], "i"))
        .or_else(|| same(word))
        .or_else(|| after(&["emu", "enu"], &["s", ""], "s"))
        .or_else(|| hissing(word))
        .or_else(|| after(&["ax", "test"], &["is"], "es"))
        .unwrap_or_else(|| {
            let stem = word.strip_suffix('s').unwrap_or(word);
            Ending { start: stem.len(), kept: stem.len(), new: "s" }
        })
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
    "automat",
    "quor",
];

const MASCULINE: &[&str] = &[
    "alumn", "syllab", "vir", "radi", "nucle", "fung", "cact", "stimul", "termin", "bacill", "foc",
    "uter", "loc", "strat",
];

/// `mouse`, `titmouse` and `louse`, where a word begins.
fn mice(word: &str) -> Option<Ending> {
    let stem = word.strip_suffix("ice").or_else(|| word.strip_suffix("ouse"))?;
    let known = ["titm", "m", "l"].into_iter().find(|known| {
        let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        stem.strip_suffix(known).is_some_and(|before| !before.ends_with(is_of_word))
    })?;
    Some(Ending { start: stem.len() - known.len(), kept: stem.len(), new: "ice" })
}

/// `money`: a vowel and `l` or `n` before it, and neither `c` nor `h` before these.
fn in_ey(word: &str) -> Option<Ending> {
    let stem = word.strip_suffix("ey")?;
    let mut letters = stem.chars().rev();
    let fits = matches!(letters.next(), Some('l' | 'n'))
        && matches!(letters.next(), Some('i' | 'e' | 'o'))
        && letters.next().is_some_and(|letter| !matches!(letter, 'c' | 'h'));
    fits.then(|| Ending { start: stem.len() - 3, kept: stem.len(), new: "ies" })
}

/// `city`: a consonant before it.
fn in_y(word: &str) -> Option<Ending> {
    let stem = word.strip_suffix('y')?;
    let is_vowel = |letter: char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let length = match stem.chars().next_back()? {
        letter if !is_vowel(letter) => letter.len_utf8(),
        _ if stem.ends_with("qu") => 2,
        _ => return None,
    };
    Some(Ending { start: stem.len() - length, kept: stem.len(), new: "ies" })
}

/// What looks as if it were a plural.
fn same(word: &str) -> Option<Ending> {
    let ends = |ending: &str, before: fn(char) -> bool| {
        word.strip_suffix(ending).is_some_and(|stem| stem.ends_with(before))
    };
    let is_same = ends("ias", |letter| letter != 'l')
        || ends("las", |letter| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u'))
        || ends("as", |letter| matches!(letter, 'e' | 'j' | 'z' | 'r'))
        || ends("am", |letter| matches!(letter, 'i' | 'u'));
    is_same.then_some(Ending { start: word.len(), kept: word.len(), new: "" })
}

/// `alias`, `bus`, `atlas`, `gas`, `iris`.
fn hissing(word: &str) -> Option<Ending> {
    let whole = ["alias", "tlas", "tmas", "gas", "ris"];
    let known = whole.into_iter().find(|known| word.ends_with(known)).map(str::len);
    let in_us = || {
        let before = word.strip_suffix("us")?.chars().next_back()?;
        (!matches!(before, 'a' | 'o' | 'u')).then(|| 2 + before.len_utf8())
    };
    let length = known.or_else(in_us)?;
    Some(Ending { start: word.len() - length, kept: word.len(), new: "es" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_the_plural_of_the_library() {
        let cases = [
            ("movie", "movies"),
            ("movies", "movies"),
            ("person", "people"),
            ("people", "people"),
            ("salesPerson", "salesPeople"),
            ("child", "children"),
            ("children", "children"),
            ("man", "men"),
            ("woman", "women"),
            ("human", "humans"),
            ("city", "cities"),
            ("soliloquy", "soliloquies"),
            ("day", "days"),
            ("money", "monies"),
            ("key", "keys"),
            ("monkey", "monkeys"),
            ("honey", "honeys"),
            ("valley", "valleys"),
            ("box", "boxes"),
            ("church", "churches"),
            ("address", "addresses"),
            ("dish", "dishes"),
            ("buzz", "buzzes"),
            ("status", "statuses"),
            ("bus", "buses"),
            ("alias", "aliases"),
            ("atlas", "atlases"),
            ("gas", "gases"),
            ("iris", "irises"),
            ("analysis", "analyses"),
            ("basis", "bases"),
            ("axis", "axes"),
            ("test", "tests"),
            ("knife", "knives"),
            ("wife", "wives"),
            ("leaf", "leaves"),
            ("wolf", "wolves"),
            ("roof", "roofs"),
            ("hoof", "hooves"),
            ("hero", "heroes"),
            ("potato", "potatoes"),
            ("photo", "photos"),
            ("echo", "echoes"),
            ("index", "indices"),
            ("matrix", "matrices"),
            ("datum", "data"),
            ("data", "data"),
            ("metadata", "metadata"),
            ("criterion", "criteria"),
            ("cactus", "cacti"),
            ("alumna", "alumnae"),
            ("seraph", "seraphim"),
            ("mouse", "mice"),
            ("house", "houses"),
            ("series", "series"),
            ("species", "species"),
            ("news", "news"),
            ("equipment", "equipment"),
            ("fish", "fish"),
            ("sheep", "sheep"),
            ("chinese", "chinese"),
            ("carnivorous", "carnivorous"),
            ("schema", "schemata"),
            ("media", "media"),
            ("person2", "person2s"),
            ("a1", "a1s"),
            ("snake_case", "snake_cases"),
            ("MovieActorsConnection", "MovieActorsConnections"),
            ("Person", "People"),
            ("PERSON", "PEOPLE"),
            ("DVD", "DVDS"),
            ("fooURL", "fooURLS"),
            ("", ""),
            ("s", "s"),
            ("_", "_s"),
        ];
        for (word, plural) in cases {
            assert_eq!(pluralize(word), plural, "{word}");
        }
    }
}
