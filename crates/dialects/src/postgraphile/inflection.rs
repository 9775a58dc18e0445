//! English singular and plural as PostGraphile 4 forms them.
//!
//! It uses version 7 of the npm package `pluralize`; [`pluralizer`] forms words as the newest
//! version does. Names are part of an API, so where the two differ the older one is followed,
//! even where its English is wrong: `databases` has the singular `databasis`.

/// Words that the older version treats by its rules; the newer one knows them.
const REGULAR: &[&str] = &[
    "aircraft",
    "analytics",
    "canvas",
    "canvases",
    "firmware",
    "hardware",
    "her",
    "his",
    "its",
    "mud",
    "my",
    "only",
    "our",
    "passerby",
    "passersby",
    "personnel",
    "police",
    "software",
    "their",
    "transportation",
];

/// Words without a plural that the newer version treats by its rules.
const UNCOUNTABLE: &[&str] = &["species"];

/// What stands before `ies` where the singular ends in `ie`, if nothing stands before it.
const STEMS_IN_IE: &[&str] = &[
    "coll", "crosst", "cut", "faer", "food", "gen", "goal", "goon", "group", "l", "lass", "neckt",
    "p", "t", "talk", "zomb",
];

pub(super) fn singularize(word: &str) -> String {
    if is_one_of(UNCOUNTABLE, word) {
        return word.into();
    }
    if let Some(stem) = stem(word, &["lice", "mice"], 3) {
        return like(word, stem, "ouse");
    }
    if let Some(stem) = stem(word, &["octopi", "octopus"], 0) {
        return like(word, stem, "octopus");
    }
    if let Some(stem) = stem(word, &["basis", "bases"], 3) {
        return like(word, stem, "sis");
    }
    if ends(word, "ris") {
        return word.into();
    }
    if let Some(stem) = stem(word, &["rises"], 2).filter(|_| !ends(word, "crises")) {
        return stem.into();
    }
    if let Some(stem) = stem(word, &["tmas", "tmases", "nesis", "neses"], 1) {
        return stem.into();
    }
    let singular = by_rules(word, 1);
    if singular.is_empty() {
        // Of a table `s` nothing would be left.
        return word.into();
    }
    if ends(word, "ies") && ends(&singular, "ie") && !ends(word, "movies") && !is_in_ie(word) {
        let stem = singular.get(..singular.len() - 2).unwrap_or_default();
        return like(word, stem, "y");
    }
    singular
}

pub(super) fn pluralize(word: &str) -> String {
    if is_one_of(UNCOUNTABLE, word) || ends(word, "tmas") {
        return word.into();
    }
    if let Some(stem) = stem(word, &["lice", "mice"], 3).or(stem(word, &["louse", "mouse"], 4)) {
        return like(word, stem, "ice");
    }
    if let Some(stem) = stem(word, &["octopi", "octopus"], 0) {
        return like(word, stem, "octopi");
    }
    let plural = by_rules(word, 2);
    if let Some(stem) = stem_of_es(word).filter(|_| plural.len() == word.len() + 2) {
        return like_whole(word, stem, &plural);
    }
    // The added `s` is a capital after whatever is not a small letter: `ent2` has `ent2S`.
    match plural.strip_suffix('s') {
        Some(rest) if rest == word && rest.ends_with(|last: char| !last.is_lowercase()) => {
            format!("{rest}S")
        }
        _ => plural,
    }
}

fn by_rules(word: &str, count: isize) -> String {
    if !is_one_of(REGULAR, word) {
        return pluralizer::pluralize(word, count, false);
    }
    // Only whole words are looked up, so a sign before the word leaves the rules alone.
    let formed = pluralizer::pluralize(&format!("-{word}"), count, false);
    formed.strip_prefix('-').map_or_else(|| word.into(), Into::into)
}

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn ends(word: &str, ending: &str) -> bool {
    word.len()
        .checked_sub(ending.len())
        .and_then(|start| word.get(start..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// The word without what follows its stem, if it has one of the endings: `cut` letters are
/// replaced, or the whole ending where it is 0.
fn stem<'a>(word: &'a str, endings: &[&str], cut: usize) -> Option<&'a str> {
    let ending = endings.iter().find(|ending| ends(word, ending))?;
    let cut = if cut == 0 { ending.len() } else { cut };
    word.get(..word.len().checked_sub(cut)?)
}

/// `stem` with an ending in the case of what it replaces in `word`.
fn like(word: &str, stem: &str, ending: &str) -> String {
    let replaced = word.get(stem.len()..).unwrap_or_default();
    let mut letters = replaced.chars();
    let first_is_capital = letters.next().is_some_and(|first| first.is_ascii_uppercase());
    let rest_is_capital = letters.all(|letter| letter.is_ascii_uppercase());
    let mut formed = String::from(stem);
    for (index, letter) in ending.chars().enumerate() {
        let capital = first_is_capital && (index == 0 || rest_is_capital);
        formed.push(if capital { letter.to_ascii_uppercase() } else { letter });
    }
    formed
}

/// What stands before the letters that a plural in `es` depends on.
fn stem_of_es(word: &str) -> Option<&str> {
    if ends(word, "us") {
        let (start, _) = word.char_indices().rev().nth(2)?;
        return word.get(..start);
    }
    stem(word, &["ch", "ss", "sh", "zz"], 2)
}

/// The letters after `stem` take one case together: that of the first, if they have several.
fn like_whole(word: &str, stem: &str, formed: &str) -> String {
    let known = word.get(stem.len()..).unwrap_or_default();
    let new = formed.get(stem.len()..).unwrap_or_default();
    let mut letters = new.chars();
    let first = letters.next().filter(|first| !first.is_lowercase());
    if !known.contains(char::is_lowercase) {
        format!("{stem}{}", new.to_uppercase())
    } else if let Some(first) = first {
        format!("{stem}{first}{}", letters.as_str().to_lowercase())
    } else {
        format!("{stem}{}", new.to_lowercase())
    }
}

fn is_in_ie(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let Some(stem) = word.strip_suffix("ies") else { return false };
    let is_of_words = |character: char| character.is_ascii_alphanumeric() || character == '_';
    STEMS_IN_IE
        .iter()
        .any(|known| stem.strip_suffix(known).is_some_and(|before| !before.ends_with(is_of_words)))
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
