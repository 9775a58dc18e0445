//! Artists and their albums: who has how many, and what they are called.

use std::collections::HashSet;

use crate::Table;
use crate::genres::{GENRES, Style, genre_named, pick_genre, pick_song_genre};
use crate::random::Random;
use crate::words::Words;

/// The artist with three albums and 48 tracks, whom the queries of the benchmark ask for.
pub(crate) const BENCHMARK_ARTIST: i32 = 127;

const ARTISTS: i32 = 275;

/// The number of artists by their number of albums, as `(albums, artists)`: 347 albums by 204 artists.
/// The benchmark artist is one of those with three.
const ALBUM_COUNTS: [(usize, usize); 10] =
    [(1, 148), (2, 30), (3, 14), (4, 5), (5, 1), (6, 1), (10, 2), (11, 1), (14, 1), (21, 1)];

pub(crate) struct Artist {
    pub(crate) id: i32,
    pub(crate) name: String,
    /// An index into `GENRES`.
    pub(crate) genre: usize,
    /// The people who write the songs.
    pub(crate) members: Vec<String>,
}

pub(crate) struct Album {
    pub(crate) id: i32,
    pub(crate) title: String,
    pub(crate) artist_id: i32,
    /// An index into `GENRES`.
    pub(crate) genre: usize,
}

pub(crate) fn artists(words: &Words) -> Vec<Artist> {
    let mut random = Random::new(3);
    let mut used = HashSet::new();
    (1..=ARTISTS)
        .map(|id| {
            let featured = words.featured_artists.get(id as usize - 1);
            let (name, genre) = match featured.and_then(|line| line.split_once('|')) {
                Some((name, genre)) => (name.to_owned(), genre_named(genre)),
                None => new_artist(words, &mut random, &mut used, id),
            };
            let members = (0..random.between(2, 4))
                .map(|_| words.fill(&mut random, &["{first} {last}"]))
                .collect();
            Artist { id, name, genre, members }
        })
        .collect()
}

/// The albums, in an order that does not follow the artists, as in a shop that grew.
pub(crate) fn albums(words: &Words, artists: &[Artist]) -> Vec<Album> {
    let mut random = Random::new(4);
    let mut used = HashSet::new();
    let mut owners = album_owners(&mut random, words.featured_artists.len());
    random.shuffle(&mut owners);
    (1..)
        .zip(owners)
        .filter_map(|(id, artist_id)| {
            let artist = artists.iter().find(|artist| artist.id == artist_id)?;
            let templates = match GENRES[artist.genre].style {
                Style::Songs => &words.album_titles,
                Style::Works => &words.ensemble_titles,
                Style::Films => &words.film_titles,
            };
            let title = if random.percent(5) && used.insert(artist.name.clone()) {
                artist.name.clone()
            } else {
                words.fill_unused(&mut random, templates, &mut used)
            };
            Some(Album { id, title, artist_id, genre: artist.genre })
        })
        .collect()
}

pub(crate) fn artist_table(artists: &[Artist]) -> Table {
    Table {
        name: "artist",
        columns: &["id", "name"],
        rows: artists
            .iter()
            .map(|artist| vec![artist.id.into(), artist.name.as_str().into()])
            .collect(),
    }
}

pub(crate) fn album_table(albums: &[Album]) -> Table {
    Table {
        name: "album",
        columns: &["album_id", "title", "artist_id"],
        rows: albums
            .iter()
            .map(|album| vec![album.id.into(), album.title.as_str().into(), album.artist_id.into()])
            .collect(),
    }
}

/// A name nobody has yet, and the genre it stands for.
fn new_artist(
    words: &Words,
    random: &mut Random,
    used: &mut HashSet<String>,
    id: i32,
) -> (String, usize) {
    let genre = if id == BENCHMARK_ARTIST { pick_song_genre(random) } else { pick_genre(random) };
    let templates = match GENRES[genre].style {
        Style::Songs => &words.artist_names,
        Style::Works => &words.ensemble_names,
        Style::Films => &words.studio_names,
    };
    (words.fill_unused(random, templates, used), genre)
}

/// The artist of each album. The featured artists, who have the first ids, all have one.
fn album_owners(random: &mut Random, featured: usize) -> Vec<i32> {
    let mut counts: Vec<usize> = ALBUM_COUNTS
        .iter()
        .flat_map(|&(albums, artists)| {
            std::iter::repeat_n(albums, if albums == 3 { artists - 1 } else { artists })
        })
        .collect();
    random.shuffle(&mut counts);
    let mut ids: Vec<i32> = (1..=ARTISTS).filter(|id| *id != BENCHMARK_ARTIST).collect();
    random.shuffle(&mut ids[featured..]);
    let others = ids.into_iter().zip(counts);
    others
        .chain([(BENCHMARK_ARTIST, 3)])
        .flat_map(|(id, albums)| std::iter::repeat_n(id, albums))
        .collect()
}
