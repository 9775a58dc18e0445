//! The word lists, and templates such as `The {adjective} {noun}` filled from them.
//!
//! A list is a text file with an entry a line. An entry of a template list that stands there
//! twice is used twice as often.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::random::Random;

/// All lists, split into lines once.
pub(crate) struct Words {
    /// Artists written by hand, each with a genre after a bar.
    pub(crate) featured_artists: Vec<&'static str>,
    pub(crate) artist_names: Vec<&'static str>,
    pub(crate) ensemble_names: Vec<&'static str>,
    pub(crate) studio_names: Vec<&'static str>,
    pub(crate) album_titles: Vec<&'static str>,
    pub(crate) ensemble_titles: Vec<&'static str>,
    pub(crate) film_titles: Vec<&'static str>,
    pub(crate) track_names: Vec<&'static str>,
    pub(crate) song_titles: Vec<&'static str>,
    pub(crate) work_names: Vec<&'static str>,
    pub(crate) episode_names: Vec<&'static str>,
    adjectives: Vec<&'static str>,
    first_names: Vec<&'static str>,
    gerunds: Vec<&'static str>,
    keys: Vec<&'static str>,
    last_names: Vec<&'static str>,
    nouns: Vec<&'static str>,
    places: Vec<&'static str>,
    plurals: Vec<&'static str>,
    tempos: Vec<&'static str>,
    times: Vec<&'static str>,
    venues: Vec<&'static str>,
    verbs: Vec<&'static str>,
}

impl Words {
    pub(crate) fn new() -> Words {
        let lines = |text: &'static str| text.lines().collect();
        Words {
            featured_artists: lines(include_str!("words/featured_artists.txt")),
            artist_names: lines(include_str!("words/artist_names.txt")),
            ensemble_names: lines(include_str!("words/ensemble_names.txt")),
            studio_names: lines(include_str!("words/studio_names.txt")),
            album_titles: lines(include_str!("words/album_titles.txt")),
            ensemble_titles: lines(include_str!("words/ensemble_titles.txt")),
            film_titles: lines(include_str!("words/film_titles.txt")),
            track_names: lines(include_str!("words/track_names.txt")),
            song_titles: lines(include_str!("words/song_titles.txt")),
            work_names: lines(include_str!("words/work_names.txt")),
            episode_names: lines(include_str!("words/episode_names.txt")),
            adjectives: lines(include_str!("words/adjectives.txt")),
            first_names: lines(include_str!("words/first_names.txt")),
            gerunds: lines(include_str!("words/gerunds.txt")),
            keys: lines(include_str!("words/keys.txt")),
            last_names: lines(include_str!("words/last_names.txt")),
            nouns: lines(include_str!("words/nouns.txt")),
            places: lines(include_str!("words/places.txt")),
            plurals: lines(include_str!("words/plurals.txt")),
            tempos: lines(include_str!("words/tempos.txt")),
            times: lines(include_str!("words/times.txt")),
            venues: lines(include_str!("words/venues.txt")),
            verbs: lines(include_str!("words/verbs.txt")),
        }
    }

    /// One of the templates with a word in the place of each name in braces.
    pub(crate) fn fill(&self, random: &mut Random, templates: &[&str]) -> String {
        let mut rest = random.pick(templates);
        let mut filled = String::new();
        while let Some((text, name, after)) = split_at_braces(rest) {
            filled.push_str(text);
            let mut word = self.word(random, name);
            // "Piano & Piano" reads like a mistake.
            if filled.contains(&*word) {
                word = self.word(random, name);
            }
            filled.push_str(&word);
            rest = after;
        }
        filled.push_str(rest);
        filled
    }

    /// As `fill`, but never the same text twice for one `used`.
    pub(crate) fn fill_unused(
        &self,
        random: &mut Random,
        templates: &[&str],
        used: &mut HashSet<String>,
    ) -> String {
        loop {
            let filled = self.fill(random, templates);
            if used.insert(filled.clone()) {
                return filled;
            }
        }
    }

    fn word(&self, random: &mut Random, name: &str) -> Cow<'static, str> {
        let list = match name {
            "adjective" => &self.adjectives,
            "first" => &self.first_names,
            "gerund" => &self.gerunds,
            "key" => &self.keys,
            "last" => &self.last_names,
            "noun" => &self.nouns,
            "place" => &self.places,
            "plural" => &self.plurals,
            "tempo" => &self.tempos,
            "time" => &self.times,
            "venue" => &self.venues,
            "verb" => &self.verbs,
            "number" => return random.between(2, 12).to_string().into(),
            "opus" => return random.between(3, 120).to_string().into(),
            "year" => return random.between(1981, 2024).to_string().into(),
            // A misspelt template shows in its output, where a test of the rows looks for it.
            unknown => return ["{", unknown, "}"].concat().into(),
        };
        random.pick(list).into()
    }
}

/// The text before the first name in braces, the name, and what follows it.
fn split_at_braces(template: &str) -> Option<(&str, &str, &str)> {
    let (text, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((text, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, filled: &str) {
        assert_eq!(Words::new().fill(&mut Random::new(1), &[template]), filled);
    }

    #[test]
    fn a_template_is_filled_from_left_to_right() {
        check("Nothing to fill", "Nothing to fill");
        check("{unknown} stays", "{unknown} stays");
        let filled = Words::new().fill(&mut Random::new(1), &["<{noun}> in {place}!"]);
        assert!(filled.starts_with('<') && filled.contains("> in ") && filled.ends_with('!'));
    }

    #[test]
    fn no_list_has_an_empty_or_untrimmed_line() {
        let words = Words::new();
        let lists = [&words.nouns, &words.places, &words.track_names, &words.song_titles];
        for line in lists.into_iter().flatten() {
            assert!(!line.is_empty() && line.trim() == *line, "{line:?}");
        }
    }
}
