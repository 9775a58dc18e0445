//! Metadata in few bytes, for a server that may export it later: metadata of thousands of tables
//! takes hundreds of megabytes as types, and its text, which repeats itself, a few compressed.

use std::fmt;
use std::sync::Arc;

use crate::forms::{Folder, Reading, read_folder, read_text};

/// The fastest level, which makes a twentieth of the text of permissions.
const LEVEL: i32 = 1;

/// The text or the folder of metadata, compressed.
#[derive(Clone)]
pub struct PackedMetadata {
    form: Form,
    content: Content,
}

#[derive(Clone)]
enum Form {
    /// The text of a file of this name.
    Text(Arc<str>),
    /// The files of a folder, as a JSON object.
    Folder,
}

#[derive(Clone)]
enum Content {
    Compressed {
        bytes: Arc<[u8]>,
        length: usize,
    },
    /// The compressor had no memory.
    Plain(Arc<str>),
}

/// Without the content, which may have secrets.
impl fmt::Debug for PackedMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackedMetadata").finish_non_exhaustive()
    }
}

impl PackedMetadata {
    pub(crate) fn of_text(file: &Arc<str>, text: &str) -> Self {
        Self { form: Form::Text(Arc::clone(file)), content: Content::new(text) }
    }

    pub(crate) fn of_folder(folder: &Folder) -> Self {
        Self { form: Form::Folder, content: Content::new(&folder.to_text()) }
    }

    /// Reads the metadata once more, with the same result.
    #[must_use]
    pub fn read(&self) -> Reading {
        let text = self.content.text();
        match &self.form {
            Form::Text(file) => read_text(file, &text),
            Form::Folder => read_folder(&Folder::of_text(&text)),
        }
    }
}

impl Content {
    fn new(text: &str) -> Self {
        match zstd::bulk::compress(text.as_bytes(), LEVEL) {
            Ok(bytes) => Self::Compressed { bytes: bytes.into(), length: text.len() },
            Err(_) => Self::Plain(text.into()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Plain(text) => text.as_ref().to_owned(),
            Self::Compressed { bytes, length } => {
                let text = zstd::bulk::decompress(bytes, *length).ok();
                let text = text.and_then(|text| String::from_utf8(text).ok());
                debug_assert!(text.is_some(), "compressed metadata cannot be decompressed");
                // Impossible but for a lack of memory; reading nothing reports that it is no metadata.
                text.unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "{\"version\": 3, \"sources\": [{\"name\": \"main\", \"kind\": \"postgres\", \
        \"configuration\": {\"connection_info\": {\"database_url\": \"postgres://a\"}}, \
        \"tables\": [{\"table\": {\"schema\": \"public\", \"name\": \"author\"}}]}]}";

    #[test]
    fn packed_metadata_is_read_again() {
        let reading = read_text("m.json", TABLES);
        let again = reading.packed.read();
        assert!(reading.metadata.is_some());
        assert_eq!(reading.metadata, again.metadata);
        let place = &again.metadata.unwrap().sources[0].0.tables[0].place;
        assert_eq!(place.to_string(), "m.json (sources[0].tables[0])");
    }

    #[test]
    fn a_packed_folder_is_read_again() {
        let files = [
            ("version.yaml", "version: 3"),
            (
                "databases/databases.yaml",
                "- name: main\n  kind: postgres\n  configuration:\n    \
                connection_info: {database_url: a}\n  tables: [{table: {schema: s, name: é}}]",
            ),
        ];
        let folder = Folder::new(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let reading = read_folder(&folder);
        assert!(reading.metadata.is_some(), "{:?}", reading.problems);
        assert_eq!(reading.metadata, reading.packed.read().metadata);
    }

    #[test]
    fn packed_metadata_takes_a_fraction_of_its_text() {
        let table = "{\"table\": {\"schema\": \"public\", \"name\": \"author\"}}";
        let text = TABLES.replace(table, &vec![table; 10_000].join(", "));
        let Content::Compressed { bytes, .. } = Content::new(&text) else { panic!("it is plain") };
        assert!(bytes.len() < text.len() / 20, "{} of {}", bytes.len(), text.len());
    }
}
