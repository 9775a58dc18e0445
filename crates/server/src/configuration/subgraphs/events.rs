//! A subgraph of events: its schema, instead of a server.

use std::path::PathBuf;

use toml::de::DeTable;

use super::table::Reader;
use crate::configuration::problem::Position;

/// The schema of a subgraph of events.
#[derive(Clone, Debug)]
pub(super) struct EventsEntry {
    pub(super) position: Position,
    pub(super) sdl: PathBuf,
}

/// Keys that a subgraph of events may have.
pub(super) const KEYS: [&str; 4] = ["sdl", "timeout", "max-answer", "max-requests"];

/// Reads the schema of a table, if it has one.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<EventsEntry> {
    let sdl = table.get("sdl")?;
    for name in table.keys().filter(|name| !KEYS.contains(&&**name.get_ref())) {
        let written = name.get_ref().escape_debug();
        let message =
            format!("`{written}` has no place beside `sdl`, which is a subgraph of events");
        reader.wrong(name.span().start, message);
    }
    let position = reader.position(sdl.span().start);
    let file = reader.string("sdl", sdl)?;
    Some(EventsEntry { position, sdl: file.into() })
}
