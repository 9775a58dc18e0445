//! Names of tracks, unique within an album.

use std::collections::HashSet;

use crate::artists::Album;
use crate::genres::{GENRES, Style};
use crate::random::Random;
use crate::words::Words;

const MOVEMENTS: [&str; 4] = ["I", "II", "III", "IV"];

pub(crate) fn track_names(
    words: &Words,
    random: &mut Random,
    album: &Album,
    count: usize,
) -> Vec<String> {
    match GENRES[album.genre].style {
        Style::Songs => song_names(words, random, album, count),
        Style::Works => movement_names(words, random, count),
        Style::Films => {
            let mut used = HashSet::new();
            (0..count).map(|_| words.fill_unused(random, &words.episode_names, &mut used)).collect()
        }
    }
}

fn song_names(words: &Words, random: &mut Random, album: &Album, count: usize) -> Vec<String> {
    let mut used = HashSet::new();
    let mut names = Vec::with_capacity(count);
    // The song that gave the album its title, unless that is more than a song would be called.
    if album.title.chars().count() < 24 && random.percent(40) {
        used.insert(album.title.clone());
        names.push(album.title.clone());
    }
    while names.len() < count {
        let whole = random.percent(6);
        let templates = if whole { &words.song_titles } else { &words.track_names };
        names.push(words.fill_unused(random, templates, &mut used));
    }
    random.shuffle(&mut names);
    names
}

/// Works of up to four movements, the last of which may be cut short by the end of the album.
fn movement_names(words: &Words, random: &mut Random, count: usize) -> Vec<String> {
    let mut used = HashSet::new();
    let mut names = Vec::with_capacity(count);
    while names.len() < count {
        let work = words.fill_unused(random, &words.work_names, &mut used);
        for movement in MOVEMENTS.into_iter().take(count - names.len()) {
            let tempo = words.fill(random, &["{tempo}"]);
            names.push([&work, ": ", movement, ". ", &tempo].concat());
        }
    }
    names
}
