//! The files of a request: values of variables that come beside their JSON.
//!
//! A request of the media type `multipart/form-data` has its files after its JSON, in which a map
//! names their places: <https://github.com/jaydenseric/graphql-multipart-request-spec>.
//! In the JSON of the variables, a file is a *placeholder*, a text that names it by its number, so
//! that its bytes are never encoded as text. Readers of variables call [`Files::find`], which tells
//! whether a text is a placeholder. A client that sends the text of a placeholder itself refers to
//! a file of its own request, or to none.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde_json_bytes::{ByteString, Map, Value as Json};

/// The beginning of a placeholder. Databases with tables refuse texts with this character.
const PLACEHOLDER: &str = "\0file:";

/// The files of a request without any.
static NONE: Files = Files(None);

/// A file of a request.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    pub content: Bytes,
    /// The place in the request that the map names, such as `variables.input.photo`; the first one if
    /// it names several.
    pub place: Box<str>,
}

/// The files of a request, by their numbers.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Files(Option<Arc<All>>);

#[derive(PartialEq, Eq)]
struct All {
    files: Vec<File>,
    /// The most bytes of all uses of them.
    most_bytes: usize,
}

impl Files {
    /// Files of which all uses together may have so many bytes.
    #[must_use]
    pub fn new(files: Vec<File>, most_bytes: usize) -> Self {
        Self((!files.is_empty()).then(|| Arc::new(All { files, most_bytes })))
    }

    /// The files of a request that has none.
    #[must_use]
    pub fn none() -> &'static Self {
        &NONE
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.all().iter().map(|file| file.content.len()).sum()
    }

    fn all(&self) -> &[File] {
        self.0.as_ref().map_or(&[], |all| &all.files)
    }

    /// Adds the use of a file to the bytes of those before it. Each use may be a copy, and a short
    /// document can use a file a thousand times. The error is the message about too many.
    pub fn count_use(&self, file: &File, used: &mut usize) -> Result<(), String> {
        let most = self.0.as_ref().map_or(0, |all| all.most_bytes);
        let all = used.saturating_add(file.content.len());
        if all > most {
            return Err(too_many_uses(most));
        }
        *used = all;
        Ok(())
    }

    /// The text that stands for the file of a number.
    #[must_use]
    pub fn placeholder(number: usize) -> Json {
        Json::from([PLACEHOLDER, &number.to_string()].concat())
    }

    /// The file that a text stands for.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&File> {
        let All { files, .. } = &**self.0.as_ref()?;
        let number = text.strip_prefix(PLACEHOLDER)?;
        files.get(number.parse::<usize>().ok()?)
    }

    /// The first file within a value.
    #[must_use]
    pub fn first_within(&self, value: &Json) -> Option<&File> {
        match value {
            Json::String(text) => self.find(text.as_str()),
            Json::Array(items) => items.iter().find_map(|item| self.first_within(item)),
            Json::Object(members) => members.values().find_map(|one| self.first_within(one)),
            Json::Null | Json::Bool(_) | Json::Number(_) => None,
        }
    }

    /// Variables with null in the place of each file, as clients send them.
    #[must_use]
    pub fn without(&self, mut variables: Map<ByteString, Json>) -> Map<ByteString, Json> {
        if !self.is_empty() {
            variables.iter_mut().for_each(|(_, value)| self.remove(value));
        }
        variables
    }

    fn remove(&self, value: &mut Json) {
        match value {
            Json::String(text) if self.find(text.as_str()).is_some() => *value = Json::Null,
            Json::Array(items) => items.iter_mut().for_each(|item| self.remove(item)),
            Json::Object(members) => members.iter_mut().for_each(|(_, one)| self.remove(one)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
}

/// The message about files that are used too often.
#[must_use]
pub fn too_many_uses(most_bytes: usize) -> String {
    format!(
        "The files of the request have more than {most_bytes} bytes, each counted as often as it is \
         used; --max-upload-body-size allows more."
    )
}

impl File {
    /// The message about a file where a value of another type is expected.
    #[must_use]
    pub fn misplaced(&self, r#type: &str) -> String {
        let place = &self.place;
        format!(
            "The file at \"{place}\" cannot be a value of type {type}: files are values of binary \
             columns, \"bytea\" of PostgreSQL and BLOB of SQLite."
        )
    }
}

/// Logs show no contents.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.content.len();
        f.debug_struct("File").field("place", &self.place).field("length", &length).finish()
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Files {
        let file = |content: &'static [u8], place: &str| File {
            content: Bytes::from_static(content),
            place: place.into(),
        };
        Files::new(vec![file(b"\xff", "variables.a"), file(b"", "variables.b.0")], 2)
    }

    #[test]
    fn each_use_of_a_file_counts() {
        let files = files();
        let used = |number| files.find(Files::placeholder(number).as_str().unwrap()).unwrap();
        let mut bytes = 0;
        for _ in 0..2 {
            assert_eq!(files.count_use(used(0), &mut bytes), Ok(()));
        }
        let error = files.count_use(used(0), &mut bytes).unwrap_err();
        assert!(error.contains("more than 2 bytes, each counted as often"), "{error}");
        // One without bytes stands everywhere.
        assert_eq!((files.count_use(used(1), &mut bytes), bytes), (Ok(()), 2));
    }

    #[test]
    fn a_placeholder_stands_for_a_file_of_the_request() {
        let files = files();
        let text = |number| Files::placeholder(number).as_str().unwrap().to_owned();
        assert_eq!(files.find(&text(0)).unwrap().content[..], *b"\xff");
        assert_eq!(&*files.find(&text(1)).unwrap().place, "variables.b.0");
        for other in [&*text(2), "0", "\0file:", "\0file:-1", "file:0", ""] {
            assert_eq!(files.find(other), None, "{other:?}");
        }
        assert_eq!(Files::none().find(&text(0)), None);
    }

    #[test]
    fn variables_for_others_have_null_in_the_place_of_files() {
        let files = files();
        let mut variables = Map::new();
        variables.insert("a", Files::placeholder(0));
        variables.insert("b", Json::Array(vec![Files::placeholder(1), Json::from("text")]));
        assert_eq!(&*files.first_within(&variables["b"]).unwrap().place, "variables.b.0");
        let shown = Json::Object(files.without(variables)).to_string();
        assert_eq!(shown, r#"{"a":null,"b":[null,"text"]}"#);
    }

    #[test]
    fn logs_show_no_contents() {
        let shown = format!("{:?}", files());
        assert_eq!(
            shown,
            r#"[File { place: "variables.a", length: 1 }, File { place: "variables.b.0", length: 0 }]"#
        );
    }
}
