//! Stems of English words, by the algorithm of Porter with the two departures of his own program:
//! `bli` becomes `ble`, and `logi` becomes `log`. <https://tartarus.org/martin/PorterStemmer/>

/// The stem of a word in small letters. Words of two letters or fewer are stems.
pub(super) fn stem(word: &str) -> Box<str> {
    let mut stem = Stem(word.chars().collect());
    if stem.0.len() > 2 {
        stem.plurals();
        stem.participles();
        stem.final_y();
        stem.double_suffixes();
        stem.suffixes();
        stem.long_suffixes();
        stem.final_e();
    }
    stem.0.into_iter().collect::<String>().into()
}

struct Stem(Vec<char>);

/// Suffixes with their replacements, of which the first that fits is replaced if something is before
/// it that has a vowel and then a consonant.
const DOUBLE: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const SINGLE: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const LONG: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

impl Stem {
    /// The length without a suffix, which must not be the whole word.
    fn without(&self, suffix: &str) -> Option<usize> {
        let length = self.0.len().checked_sub(suffix.len()).filter(|length| *length > 0)?;
        self.0.get(length..)?.iter().copied().eq(suffix.chars()).then_some(length)
    }

    fn replace(&mut self, length: usize, ending: &str) {
        self.0.truncate(length);
        self.0.extend(ending.chars());
    }

    /// Whether each of the first characters is a consonant: `y` is one at the beginning and behind
    /// a vowel.
    fn consonants(&self, length: usize) -> impl Iterator<Item = bool> {
        let mut after_vowel = true;
        self.0.iter().take(length).map(move |letter| {
            let is_consonant = match letter {
                'a' | 'e' | 'i' | 'o' | 'u' => false,
                'y' => after_vowel,
                _ => true,
            };
            after_vowel = !is_consonant;
            is_consonant
        })
    }

    fn is_consonant(&self, place: usize) -> bool {
        self.consonants(place + 1).last().unwrap_or_default()
    }

    /// The number of consonants that follow a vowel, within the first characters.
    fn measure(&self, length: usize) -> usize {
        let mut after_vowel = false;
        let mut count = 0;
        for is_consonant in self.consonants(length) {
            count += usize::from(is_consonant && after_vowel);
            after_vowel = !is_consonant;
        }
        count
    }

    fn has_vowel(&self, length: usize) -> bool {
        self.consonants(length).any(|is_consonant| !is_consonant)
    }

    /// A consonant, a vowel and a consonant other than `w`, `x` and `y` end these characters.
    fn ends_short(&self, length: usize) -> bool {
        length >= 3
            && self.is_consonant(length - 3)
            && !self.is_consonant(length - 2)
            && self.is_consonant(length - 1)
            && !matches!(self.0[length - 1], 'w' | 'x' | 'y')
    }

    fn plurals(&mut self) {
        if let Some(length) = self.without("sses") {
            self.replace(length, "ss");
        } else if let Some(length) = self.without("ies") {
            self.replace(length, "i");
        } else if self.without("ss").is_none()
            && let Some(length) = self.without("s")
        {
            self.replace(length, "");
        }
    }

    fn participles(&mut self) {
        if let Some(length) = self.without("eed") {
            if self.measure(length) > 0 {
                self.replace(length, "ee");
            }
            return;
        }
        let length = self.without("ed").or_else(|| self.without("ing"));
        let Some(length) = length.filter(|length| self.has_vowel(*length)) else { return };
        self.replace(length, "");
        let ending = ["at", "bl", "iz"].iter().any(|ending| self.without(ending).is_some());
        let last = self.0.last().copied().unwrap_or_default();
        let is_double = length >= 2 && self.0[length - 2] == last && self.is_consonant(length - 1);
        if ending {
            self.0.push('e');
        } else if is_double {
            if !matches!(last, 'l' | 's' | 'z') {
                self.0.pop();
            }
        } else if self.measure(length) == 1 && self.ends_short(length) {
            self.0.push('e');
        }
    }

    fn final_y(&mut self) {
        if let Some(length) = self.without("y").filter(|length| self.has_vowel(*length)) {
            self.replace(length, "i");
        }
    }

    fn replace_first(&mut self, endings: &[(&str, &str)]) {
        let fits =
            endings.iter().find_map(|(suffix, ending)| Some((self.without(suffix)?, ending)));
        if let Some((length, ending)) = fits.filter(|(length, _)| self.measure(*length) > 0) {
            self.replace(length, ending);
        }
    }

    fn double_suffixes(&mut self) {
        self.replace_first(DOUBLE);
    }

    fn suffixes(&mut self) {
        self.replace_first(SINGLE);
    }

    fn long_suffixes(&mut self) {
        let fits = LONG.iter().find_map(|suffix| Some((self.without(suffix)?, *suffix)));
        let Some((length, suffix)) = fits else { return };
        let is_removed = suffix != "ion" || matches!(self.0[length - 1], 's' | 't');
        if is_removed && self.measure(length) > 1 {
            self.replace(length, "");
        }
    }

    fn final_e(&mut self) {
        if let Some(length) = self.without("e") {
            let measure = self.measure(length);
            if measure > 1 || measure == 1 && !self.ends_short(length) {
                self.replace(length, "");
            }
        }
        let length = self.0.len();
        if length > 1 && self.0.ends_with(&['l', 'l']) && self.measure(length - 1) > 1 {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn words_of_one_root_have_one_stem() {
        let check = |word: &str, expect: &str| assert_eq!(&*stem(word), expect, "{word}");
        for (word, expect) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("rational", "ration"),
            ("possibly", "possibl"),
            ("possible", "possibl"),
            ("psychology", "psycholog"),
            ("geology", "geologi"),
            ("vietnamization", "vietnam"),
            ("electricity", "electr"),
            ("hopefulness", "hope"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("generalizations", "gener"),
            ("controlling", "control"),
            ("rate", "rate"),
            ("is", "is"),
            ("naïvely", "naïv"),
        ] {
            check(word, expect);
        }
    }
}
