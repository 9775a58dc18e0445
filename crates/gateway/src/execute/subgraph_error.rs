//! Errors in a subgraph response. <https://spec.graphql.org/draft/#sec-Errors>

use serde_json_bytes::Value as JsonValue;
use serde_json_bytes::serde_json;

use super::errors::{Path, Step};
use super::json::{InvalidJson, Json};

/// Maximum length of the `extensions` of an error; longer ones are dropped.
const MAX_EXTENSIONS: usize = 16 << 10;

/// An error in a subgraph response.
#[derive(Debug, Default)]
pub(super) struct SubgraphError {
    pub(super) message: Box<str>,
    pub(super) path: Path,
    pub(super) extensions: Option<Box<str>>,
}

impl SubgraphError {
    pub(super) fn read(json: &mut Json<'_>) -> Result<Self, InvalidJson> {
        let mut error = Self::default();
        if json.peek()? != b'{' {
            json.skip()?;
            return Ok(error);
        }
        if !json.begin(b'{', b'}')? {
            return Ok(error);
        }
        loop {
            let name = json.name()?;
            let kind = json.peek()?;
            json.take_unsendable();
            let (start, end) = json.skip()?;
            let text = json.bytes().get(start..end).unwrap_or_default();
            let is_fit = !json.take_unsendable();
            match name {
                b"message" => error.message = serde_json::from_slice(text).unwrap_or_default(),
                b"path" => error.path = path(text),
                b"extensions" if kind == b'{' && is_fit && text.len() <= MAX_EXTENSIONS => {
                    error.extensions = std::str::from_utf8(text).ok().map(Into::into);
                }
                _ => {}
            }
            if !json.next(b'}')? {
                return Ok(error);
            }
        }
    }
}

/// Parses a path, up to the first invalid segment.
fn path(text: &[u8]) -> Path {
    let steps: Vec<JsonValue> = serde_json::from_slice(text).unwrap_or_default();
    let steps = steps.iter().map_while(|step| match step {
        JsonValue::String(key) => Some(Step::Key(key.as_str().into())),
        JsonValue::Number(index) => {
            index.as_u64().and_then(|index| usize::try_from(index).ok()).map(Step::Index)
        }
        _ => None,
    });
    steps.collect()
}
