//! The map of a request with files: the places of each file in the operations.

use serde_json_bytes::Value as Json;
use uploads::Files;

use super::malformed;
use crate::http::refusal::Refusal;
use crate::http::upload_limits::UploadLimit;

/// The files that a map names, in its order.
#[derive(Debug, PartialEq)]
pub(super) struct Places {
    /// The names of their parts.
    pub(super) names: Vec<String>,
    /// The first place of each.
    pub(super) places: Vec<Box<str>>,
    /// The number of places of each.
    pub(super) counts: Vec<usize>,
}

/// Puts a placeholder in each place of the operations that the map names.
pub(super) fn place_files(
    operations: &mut Json,
    map: &Json,
    most: usize,
) -> Result<Places, Refusal> {
    let Json::Object(map) = map else {
        return Err(malformed("The part \"map\" must be a JSON object."));
    };
    if map.len() > most {
        return Err(Refusal::UploadTooLarge(UploadLimit::Files { most }));
    }
    let mut found = Places { names: Vec::new(), places: Vec::new(), counts: Vec::new() };
    for (number, (name, paths)) in map.iter().enumerate() {
        let name = name.as_str();
        let invalid = || {
            malformed(format!(
                "The part \"map\" must have a list of paths for the file \"{name}\", such as \
                 \"variables.file\"."
            ))
        };
        let Json::Array(paths) = paths else { return Err(invalid()) };
        let texts = paths.iter().map(|path| path.as_str().ok_or_else(invalid));
        let paths: Vec<&str> = texts.collect::<Result<_, _>>()?;
        let Some(first) = paths.first() else { return Err(invalid()) };
        for path in &paths {
            place(operations, path, number)?;
        }
        found.names.push(name.to_owned());
        found.places.push((*first).into());
        found.counts.push(paths.len());
    }
    Ok(found)
}

fn place(operations: &mut Json, path: &str, number: usize) -> Result<(), Refusal> {
    let is_batch = matches!(operations, Json::Array(_));
    let within = match (is_batch, path.split_once('.')) {
        (true, Some((_, within))) => within,
        _ => path,
    };
    if !within.starts_with("variables.") {
        return Err(malformed(format!(
            "The path \"{path}\" of the part \"map\" names no variable: it must begin with \
             \"variables.\", in a batch after the number of the operation."
        )));
    }
    let mut value = Some(operations);
    for step in path.split('.') {
        value = match value {
            Some(Json::Object(members)) => members.get_mut(step),
            Some(Json::Array(items)) => {
                step.parse().ok().and_then(|step: usize| items.get_mut(step))
            }
            Some(_) | None => None,
        };
    }
    match value {
        Some(value @ Json::Null) => {
            *value = Files::placeholder(number);
            Ok(())
        }
        Some(_) => Err(malformed(format!(
            "The value at the path \"{path}\" of the part \"map\" must be null, and no other file's."
        ))),
        None => Err(malformed(format!(
            "The path \"{path}\" of the part \"map\" is not in \"operations\"."
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: &str = r#"{"query":"","variables":{"a":null,"b":[null,1],"c":{"d":null}}}"#;

    /// The operations with their files, or the error.
    fn placed(operations: &str, map: &str) -> String {
        let mut operations: Json = serde_json::from_str(operations).unwrap();
        let map = serde_json::from_str(map).unwrap();
        match place_files(&mut operations, &map, 3) {
            Ok(Places { names, places, counts }) => {
                format!("{operations} {names:?} {places:?} {counts:?}")
            }
            Err(refusal) => refusal.error().message,
        }
    }

    #[test]
    fn placeholders_stand_in_the_places_of_files() {
        let map = r#"{"0":["variables.a","variables.b.0"],"x":["variables.c.d"]}"#;
        assert_eq!(
            placed(OPERATIONS, map),
            r#"{"query":"","variables":{"a":"\u0000file:0","b":["\u0000file:0",1],"c":{"d":"\u0000file:1"}}} ["0", "x"] ["variables.a", "variables.c.d"] [2, 1]"#
        );
        let batch = format!("[{OPERATIONS},{OPERATIONS}]");
        assert!(placed(&batch, r#"{"0":["1.variables.a"]}"#).ends_with(r#"["1.variables.a"] [1]"#));
    }

    #[test]
    fn other_maps_are_refused() {
        let check = |map: &str, expected: &str| {
            let found = placed(OPERATIONS, map);
            assert!(found.contains(expected), "{map}: {found}");
        };
        check("[]", "must be a JSON object");
        check(r#"{"0":"variables.a"}"#, "a list of paths for the file \"0\"");
        check(r#"{"0":[]}"#, "a list of paths");
        check(r#"{"0":[1]}"#, "a list of paths");
        check(r#"{"0":["variables.x"]}"#, "is not in \"operations\"");
        check(r#"{"0":["variables.b.2"]}"#, "is not in \"operations\"");
        check(r#"{"0":["variables.b.x"]}"#, "is not in \"operations\"");
        check(r#"{"0":["variables.a.b"]}"#, "is not in \"operations\"");
        check(r#"{"0":["variables.b.1"]}"#, "must be null");
        check(r#"{"0":["variables.a"],"1":["variables.a"]}"#, "must be null");
        check(r#"{"0":["variables"]}"#, "names no variable");
        check(r#"{"0":["query"]}"#, "names no variable");
        check(r#"{"0":["0.variables.a"]}"#, "names no variable");
        check(r#"{"0":[""],"1":[],"2":[],"3":[]}"#, "more than 3 files");
    }
}
