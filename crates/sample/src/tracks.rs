//! Tracks: their number per album, composers and lengths.

use crate::Table;
use crate::artists::{Album, Artist, BENCHMARK_ARTIST};
use crate::cell::Cell;
use crate::genres::{GENRES, Style, VIDEO_MEDIA_TYPE, pick_audio_media_type, pick_song_genre};
use crate::random::Random;
use crate::track_names::track_names;
use crate::words::Words;

const TRACKS: usize = 3503;

/// The tracks of the three albums of the benchmark artist: 48 together.
const BENCHMARK_TRACKS: [usize; 3] = [17, 16, 15];

pub(crate) struct Track {
    pub(crate) id: i32,
    name: String,
    pub(crate) album_id: i32,
    media_type_id: i32,
    /// An index into `GENRES`.
    pub(crate) genre: usize,
    composer: Option<String>,
    milliseconds: i32,
    bytes: i32,
    pub(crate) hundredths: i64,
}

/// The tracks, album by album.
pub(crate) fn tracks(words: &Words, artists: &[Artist], albums: &[Album]) -> Vec<Track> {
    let mut random = Random::new(5);
    let counts = track_counts(&mut random, albums);
    let mut tracks: Vec<Track> = Vec::with_capacity(TRACKS);
    for (album, count) in albums.iter().zip(counts) {
        let style = GENRES[album.genre].style;
        let names = track_names(words, &mut random, album, count);
        let members = artists
            .iter()
            .find(|artist| artist.id == album.artist_id)
            .map_or(&[][..], |artist| &artist.members);
        let credited = random.percent(75);
        // A few albums collect songs of several genres.
        let mixed = style == Style::Songs && random.percent(4);
        let media_type_id = match style {
            Style::Songs | Style::Works => pick_audio_media_type(&mut random),
            Style::Films => VIDEO_MEDIA_TYPE,
        };
        for name in names {
            let composer = match style {
                Style::Songs if credited => song_composer(&mut random, members),
                Style::Works => members.first().cloned(),
                Style::Songs | Style::Films => None,
            };
            let milliseconds = milliseconds(&mut random, style);
            tracks.push(Track {
                id: tracks.len() as i32 + 1,
                name,
                album_id: album.id,
                media_type_id,
                genre: if mixed { pick_song_genre(&mut random) } else { album.genre },
                composer,
                milliseconds,
                bytes: milliseconds * bytes_a_millisecond(&mut random, style)
                    + random.between(0, 999),
                hundredths: if style == Style::Films { 199 } else { 99 },
            });
        }
    }
    tracks
}

pub(crate) fn track_table(tracks: Vec<Track>) -> Table {
    Table {
        name: "track",
        columns: &[
            "track_id",
            "name",
            "album_id",
            "media_type_id",
            "genre_id",
            "composer",
            "milliseconds",
            "bytes",
            "unit_price",
        ],
        rows: tracks.into_iter().map(track_row).collect(),
    }
}

fn track_row(track: Track) -> Vec<Cell> {
    vec![
        track.id.into(),
        track.name.into(),
        track.album_id.into(),
        track.media_type_id.into(),
        (track.genre as i32 + 1).into(),
        track.composer.into(),
        track.milliseconds.into(),
        track.bytes.into(),
        Cell::Price(track.hundredths),
    ]
}

/// The number of tracks of each album. Long players are lengthened or shortened by a track or two
/// until the sum is right.
fn track_counts(random: &mut Random, albums: &[Album]) -> Vec<usize> {
    let mut benchmark = BENCHMARK_TRACKS.into_iter();
    let mut counts = Vec::with_capacity(albums.len());
    let mut long_players = Vec::new();
    for (idx, album) in albums.iter().enumerate() {
        let fixed = if album.artist_id == BENCHMARK_ARTIST { benchmark.next() } else { None };
        let count = fixed.unwrap_or_else(|| drawn_track_count(random));
        if fixed.is_none() && (9..=14).contains(&count) {
            long_players.push(idx);
        }
        counts.push(count);
    }
    let mut sum: usize = counts.iter().sum();
    for idx in long_players.into_iter().cycle() {
        if sum > TRACKS {
            counts[idx] -= 1;
            sum -= 1;
        } else if sum < TRACKS {
            counts[idx] += 1;
            sum += 1;
        } else {
            break;
        }
    }
    counts
}

/// Singles, short records, long players and double albums.
fn drawn_track_count(random: &mut Random) -> usize {
    let (low, high) = match random.below(100) {
        0..13 => (1, 2),
        13..25 => (4, 7),
        25..88 => (9, 14),
        _ => (15, 24),
    };
    random.between(low, high) as usize
}

/// Some of the members, mostly all on their own; now and then nobody is named.
fn song_composer(random: &mut Random, members: &[String]) -> Option<String> {
    if random.percent(4) {
        return None;
    }
    let wanted = match random.below(100) {
        0..45 => 1,
        45..80 => 2,
        _ => 3,
    };
    let mut names: Vec<&str> = members.iter().map(String::as_str).collect();
    random.shuffle(&mut names);
    names.truncate(wanted);
    let separator = if random.percent(15) { " & " } else { ", " };
    (!names.is_empty()).then(|| names.join(separator))
}

fn milliseconds(random: &mut Random, style: Style) -> i32 {
    // The sum of two draws, so that most lie around the middle.
    let mut twice = |low, high| random.between(low, high) + random.between(low, high);
    match style {
        Style::Songs => twice(62_000, 188_000),
        Style::Works => twice(70_000, 290_000),
        Style::Films => twice(620_000, 1_700_000),
    }
}

fn bytes_a_millisecond(random: &mut Random, style: Style) -> i32 {
    match style {
        Style::Songs | Style::Works => random.between(26, 38),
        Style::Films => random.between(150, 195),
    }
}
