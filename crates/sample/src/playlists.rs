//! Playlists and what is on them.

use crate::Table;
use crate::cell::Cell;
use crate::genres::{GENRES, Style};
use crate::random::Random;
use crate::tracks::Track;

/// The tracks of a playlist.
enum Contents {
    /// All tracks that match a condition.
    Every(fn(Style) -> bool),
    /// A number of tracks without pictures.
    Sound(usize),
    /// A number of tracks of the named genres.
    Of(usize, &'static [&'static str]),
}

/// The playlists; the id of one is its place, from one.
/// The first and the eighth share all tracks, the others have 5212 entries together.
const PLAYLISTS: [(&str, Contents); 18] = [
    ("Everything", Contents::Every(|style| style != Style::Films)),
    ("On the Night Bus", Contents::Sound(1866)),
    ("Sunday Kitchen", Contents::Sound(1210)),
    ("Loud", Contents::Of(640, &["Rock", "Punk", "Doom Metal", "Shoegaze"])),
    ("The Long Drive", Contents::Sound(420)),
    ("Mum’s Mixtape", Contents::Sound(360)),
    ("Rain on the Roof", Contents::Of(240, &["Indie Folk", "Dream Pop", "Ambient", "Fado"])),
    ("Moving Pictures", Contents::Every(|style| style == Style::Films)),
    ("Café con Leche", Contents::Of(120, &["Jazz", "Tropicália", "Fado", "Cumbia"])),
    ("Slow & Low", Contents::Of(100, &["Dub", "Ambient", "Blues"])),
    ("Deep Focus", Contents::Of(75, &["Baroque", "Chamber Music", "Ambient"])),
    ("Rowing Club", Contents::Of(60, &["Sea Shanties", "Country"])),
    ("Wake Up!", Contents::Sound(50)),
    ("\"Homework\"", Contents::Sound(40)),
    ("Dinner for Two", Contents::Of(30, &["Jazz", "Soul & Funk"])),
    ("On Repeat", Contents::Sound(1)),
    ("New Playlist", Contents::Sound(0)),
    ("New Playlist", Contents::Sound(0)),
];

pub(crate) fn playlist_table() -> Table {
    let names = PLAYLISTS.iter().map(|(name, _)| *name);
    Table {
        name: "playlist",
        columns: &["playlist_id", "name"],
        rows: (1..).zip(names).map(|(id, name)| vec![id.into(), name.into()]).collect(),
    }
}

/// The entries, playlist by playlist, each in the order it is played.
pub(crate) fn playlist_track_table(tracks: &[Track]) -> Table {
    let mut random = Random::new(7);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for (playlist_id, (_, contents)) in (1..).zip(&PLAYLISTS) {
        let track_ids = track_ids(&mut random, contents, tracks);
        rows.extend(track_ids.into_iter().map(|id| vec![Cell::Integer(playlist_id), id.into()]));
    }
    Table { name: "playlist_track", columns: &["playlist_id", "track_id"], rows }
}

fn track_ids(random: &mut Random, contents: &Contents, tracks: &[Track]) -> Vec<i32> {
    let belongs = |track: &Track| {
        let genre = &GENRES[track.genre];
        match contents {
            Contents::Every(belongs) => belongs(genre.style),
            Contents::Sound(_) => genre.style != Style::Films,
            Contents::Of(_, genres) => genres.contains(&genre.name),
        }
    };
    let mut ids: Vec<i32> = tracks.iter().filter(|t| belongs(t)).map(|t| t.id).collect();
    random.shuffle(&mut ids);
    match contents {
        Contents::Every(_) => {}
        Contents::Sound(count) | Contents::Of(count, _) => ids.truncate(*count),
    }
    ids
}
