//! The parts of a body: the operations, the map, then the files.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;
use graphql::{Body, JsonLimits, parse_exact_json, parse_json};
use multer::{Error, Field, Multipart};
use uploads::{File, Files};

use super::malformed;
use super::map::{Places, place_files};
use crate::http::body::parsed_size;
use crate::http::refusal::Refusal;
use crate::http::upload_limits::UploadLimit;

/// Limits of the parts of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormLimits {
    pub(super) json: JsonLimits,
    /// Bytes of the operations, and of the map.
    pub(super) most_json_bytes: usize,
    pub(super) most_file_bytes: usize,
    pub(super) most_files: usize,
    /// Bytes of the files, each counted in all of its places.
    pub(super) most_bytes_of_uses: usize,
}

/// The contents of a body.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) body: Body,
    /// Upper bound of its memory.
    pub(super) bytes: u64,
}

/// Reads the parts. `progress` is set whenever some of the body was read.
pub(super) async fn read_form(
    mut parts: Multipart<'_>,
    limits: FormLimits,
    progress: Rc<Cell<bool>>,
) -> Result<Upload, Refusal> {
    let progress = &*progress;
    let most_json =
        (limits.most_json_bytes, Refusal::BodyTooLarge { most_bytes: limits.most_json_bytes });
    let operations = match next(&mut parts, progress).await? {
        Some((name, part)) if name == "operations" => read(part, &most_json, progress).await?,
        Some(_) => return Err(malformed("The first part of the body must be \"operations\".")),
        None => return Err(malformed("The body has no part \"operations\".")),
    };
    let map = match next(&mut parts, progress).await? {
        Some((name, part)) if name == "map" => read(part, &most_json, progress).await?,
        Some(_) => return Err(malformed("The part after \"operations\" must be \"map\".")),
        None => return Err(malformed("The body has no part \"map\".")),
    };
    let mut bytes = parsed_size(&operations) + parsed_size(&map);
    let (mut operations, numbers) =
        parse_exact_json(&operations, "The part \"operations\"", limits.json)
            .map_err(Refusal::Malformed)?;
    let map = parse_json(&map, "The part \"map\"", limits.json).map_err(Refusal::Malformed)?;
    let Places { names, places, counts } = place_files(&mut operations, &map, limits.most_files)?;
    let mut contents: Vec<Option<Bytes>> = vec![None; names.len()];
    let mut used = 0;
    while let Some((name, part)) = next(&mut parts, progress).await? {
        let Some(number) = names.iter().position(|own| *own == name) else {
            return Err(malformed(format!("The part \"map\" does not name the file \"{name}\".")));
        };
        if contents[number].is_some() {
            return Err(malformed(format!("The body has several files \"{name}\".")));
        }
        let count = counts.get(number).copied().unwrap_or(1);
        let mut content = read(part, &most_of_file(limits, used, count), progress).await?;
        content.shrink_to_fit();
        used += content.len() * count;
        bytes += content.len() as u64;
        contents[number] = Some(content.into());
    }
    let files = names.iter().zip(places).zip(contents);
    let files = files.map(|((name, place), content)| match content {
        Some(content) => Ok(File { content, place }),
        None => Err(malformed(format!("The file \"{name}\" is missing in the body."))),
    });
    let files = Files::new(files.collect::<Result<_, _>>()?, limits.most_bytes_of_uses);
    let mut body = Body::from_value(operations, &numbers).map_err(Refusal::Malformed)?;
    match &mut body {
        Body::One(parameters) => parameters.files = files,
        Body::Batch(members) => {
            for parameters in members.iter_mut().flatten() {
                parameters.files = files.clone();
            }
        }
    }
    Ok(Upload { body, bytes })
}

/// The most bytes of a file with so many places, and the refusal of a larger one. Each place may
/// become a copy: without a limit, a small request could take any memory.
fn most_of_file(limits: FormLimits, used: usize, count: usize) -> (usize, Refusal) {
    let FormLimits { most_file_bytes, most_bytes_of_uses, .. } = limits;
    let left = most_bytes_of_uses.saturating_sub(used) / count.max(1);
    let (most, limit) = match left < most_file_bytes {
        true => (left, UploadLimit::Uses { most: most_bytes_of_uses }),
        false => (most_file_bytes, UploadLimit::File { most: most_file_bytes }),
    };
    (most, Refusal::UploadTooLarge(limit))
}

/// The next part with its name.
async fn next<'p>(
    parts: &mut Multipart<'p>,
    progress: &Cell<bool>,
) -> Result<Option<(String, Field<'p>)>, Refusal> {
    let part = parts.next_field().await.map_err(|error| refusal(&error))?;
    progress.set(true);
    let Some(part) = part else { return Ok(None) };
    match part.name() {
        Some(name) => Ok(Some((name.to_owned(), part))),
        None => Err(malformed("A part of the body has no name.")),
    }
}

/// The content of a part of at most so many bytes.
async fn read(
    mut part: Field<'_>,
    (most, otherwise): &(usize, Refusal),
    progress: &Cell<bool>,
) -> Result<Vec<u8>, Refusal> {
    let mut content = Vec::new();
    while let Some(piece) = part.chunk().await.map_err(|error| refusal(&error))? {
        progress.set(true);
        if content.len() + piece.len() > *most {
            return Err(otherwise.clone());
        }
        content.extend_from_slice(&piece);
    }
    progress.set(true);
    Ok(content)
}

fn refusal(error: &Error) -> Refusal {
    match error {
        Error::IncompleteFieldData { .. } | Error::IncompleteHeaders | Error::IncompleteStream => {
            malformed("The parts of the body are cut off, or are not separated by the boundary.")
        }
        error => malformed(format!("The parts of the body are malformed: {error}.")),
    }
}
