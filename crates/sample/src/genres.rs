//! Genres and media types.

use crate::Table;
use crate::random::Random;

/// The form of a genre, which determines the names, lengths and prices of its tracks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Songs of a band or a singer.
    Songs,
    /// Movements of works, played by an ensemble.
    Works,
    /// Moving pictures.
    Films,
}

/// A genre; its id is its place in `GENRES`, from one.
pub(crate) struct Genre {
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    /// Approximate percentage of artists.
    weight: usize,
}

pub(crate) const GENRES: [Genre; 25] = [
    songs("Rock", 20),
    songs("Indie Folk", 8),
    songs("Dream Pop", 6),
    songs("Synthwave", 4),
    songs("Jazz", 8),
    songs("Blues", 5),
    songs("Soul & Funk", 4),
    songs("Tropicália", 3),
    songs("Fado", 3),
    songs("Afrobeat", 3),
    songs("Cumbia", 2),
    songs("Dub", 2),
    songs("Punk", 6),
    songs("Shoegaze", 2),
    songs("Doom Metal", 4),
    songs("Country", 3),
    songs("Sea Shanties", 3),
    songs("Ambient", 3),
    songs("Hip Hop", 3),
    songs("Electro Swing", 2),
    Genre { name: "Baroque", style: Style::Works, weight: 3 },
    Genre { name: "Chamber Music", style: Style::Works, weight: 3 },
    Genre { name: "Concert Films", style: Style::Films, weight: 3 },
    Genre { name: "Music Documentaries", style: Style::Films, weight: 2 },
    Genre { name: "Backstage Comedy", style: Style::Films, weight: 2 },
];

/// Media types; the id of one is its place, from one.
const MEDIA_TYPES: [&str; 5] = [
    "MP3 audio file",
    "Ogg Vorbis audio file",
    "Lossless FLAC audio file",
    "High definition video file",
    "Purchased Opus file",
];

/// The id of the media type of all films.
pub(crate) const VIDEO_MEDIA_TYPE: i32 = 4;

/// The index of a genre; a name that is none stands for the first.
pub(crate) fn genre_named(name: &str) -> usize {
    GENRES.iter().position(|genre| genre.name == name).unwrap_or(0)
}

/// The genre of a new artist: an index into `GENRES`.
pub(crate) fn pick_genre(random: &mut Random) -> usize {
    let total: usize = GENRES.iter().map(|genre| genre.weight).sum();
    let mut left = random.below(total);
    for (idx, genre) in GENRES.iter().enumerate() {
        if left < genre.weight {
            return idx;
        }
        left -= genre.weight;
    }
    0
}

/// As `pick_genre`, but one of songs.
pub(crate) fn pick_song_genre(random: &mut Random) -> usize {
    loop {
        let idx = pick_genre(random);
        if GENRES[idx].style == Style::Songs {
            return idx;
        }
    }
}

/// The media type of an album with sound only.
pub(crate) fn pick_audio_media_type(random: &mut Random) -> i32 {
    match random.below(100) {
        0..87 => 1,
        87..92 => 2,
        92..97 => 3,
        _ => 5,
    }
}

pub(crate) fn genre_table() -> Table {
    let names = GENRES.iter().map(|genre| genre.name);
    Table {
        name: "genre",
        columns: &["genre_id", "name"],
        rows: (1..).zip(names).map(|(id, name)| vec![id.into(), name.into()]).collect(),
    }
}

pub(crate) fn media_type_table() -> Table {
    Table {
        name: "media_type",
        columns: &["media_type_id", "name"],
        rows: (1..).zip(MEDIA_TYPES).map(|(id, name)| vec![id.into(), name.into()]).collect(),
    }
}

const fn songs(name: &'static str, weight: usize) -> Genre {
    Genre { name, style: Style::Songs, weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_genres_of_the_featured_artists_exist() {
        for line in include_str!("words/featured_artists.txt").lines() {
            let (_, genre) = line.split_once('|').unwrap();
            assert_eq!(GENRES[genre_named(genre)].name, genre);
        }
    }
}
