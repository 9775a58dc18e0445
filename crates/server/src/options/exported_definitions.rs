//! The text of type definitions in a file: plain, compressed, or in Dgraph's export of it.
//!
//! Dgraph exports the definitions of its namespaces as a list of JSON objects, compressed, in a file such
//! as `g01.gql_schema.gz`. The text may be within a further object, beside the script of its lambdas.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde_json::Value as Json;

/// The first bytes of compressed files.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The most bytes of definitions.
const MOST: u64 = 64 << 20;

/// The namespace of databases that have no others.
const FIRST_NAMESPACE: u64 = 0;

/// The text in the bytes of a file; the error is a sentence without its end.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let bytes = match bytes.starts_with(&GZIP) {
        true => decompressed(&bytes, MOST)?,
        false => bytes,
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())?;
    // Type definitions begin with neither of both.
    if !text.trim_start().starts_with(['[', '{']) {
        return Ok(text);
    }
    let exported: Json = serde_json::from_str(&text)
        .map_err(|error| format!("it is no export of Dgraph's definitions: {error}"))?;
    let all = match exported {
        Json::Array(all) => all,
        one => vec![one],
    };
    let mut all =
        all.iter().filter_map(|one| Some((namespace(one), member(one, "schema")?.as_str()?)));
    let first = all.next().ok_or("the export has no definitions: take those of `/admin`")?;
    let chosen = match all.next() {
        None => Some(first.1),
        Some(second) => {
            let mut every = [first, second].into_iter().chain(all);
            every.find(|(namespace, _)| *namespace == FIRST_NAMESPACE).map(|(_, text)| text)
        }
    };
    let chosen = chosen.ok_or(
        "the export has the definitions of several namespaces: write those of one into a file",
    )?;
    Ok(without_script(chosen))
}

/// The content of a compressed file of at most so many bytes.
fn decompressed(bytes: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    // One byte more tells a longer content from one that ends there.
    let mut content = MultiGzDecoder::new(bytes).take(most + 1);
    content.read_to_end(&mut text).map_err(|error| error.to_string())?;
    match text.len() as u64 > most {
        true => Err(format!("it has more than {most} bytes when it is decompressed")),
        false => Ok(text),
    }
}

fn namespace(exported: &Json) -> u64 {
    member(exported, "namespace").and_then(Json::as_u64).unwrap_or(FIRST_NAMESPACE)
}

/// The text of an object that has a script, too.
fn without_script(text: &str) -> String {
    let object = serde_json::from_str::<Json>(text).ok();
    let inner = object.as_ref().and_then(|object| member(object, "schema")?.as_str());
    inner.unwrap_or(text).to_owned()
}

/// A member by its name, without regard to case: versions of Dgraph differ in it.
fn member<'j>(object: &'j Json, name: &str) -> Option<&'j Json> {
    let mut members = object.as_object()?.iter();
    members.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{decompressed, text_of};

    fn compressed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn definitions_are_read_from_an_export_of_dgraph() {
        let plain = "# Dgraph.Secret a \"b\"\ntype A { b: String }";
        let json = serde_json::to_string(plain).unwrap();
        let exported = format!("[\n{{\"Namespace\":0,\"Schema\":{json}}}\n]\n");
        let within = serde_json::json!({ "schema": plain, "script": "" }).to_string();
        let within = serde_json::json!([{ "namespace": 7, "schema": within }]).to_string();
        let two = format!(r#"[{{"namespace":1,"schema":"x"}},{{"namespace":0,"schema":{json}}}]"#);
        for text in [plain, &exported, &within, &two] {
            assert_eq!(text_of(text.into()).as_deref(), Ok(plain), "{text}");
            assert_eq!(text_of(compressed(text)).as_deref(), Ok(plain), "{text}");
        }
    }

    #[test]
    fn a_longer_content_is_refused_and_not_cut_off() {
        let bytes = compressed("type A");
        assert_eq!(decompressed(&bytes, 6).as_deref(), Ok(&b"type A"[..]));
        let error = decompressed(&bytes, 5).unwrap_err();
        assert_eq!(error, "it has more than 5 bytes when it is decompressed");
    }

    #[test]
    fn other_files_are_refused() {
        let others = r#"[{"namespace":1,"schema":"x"},{"namespace":2,"schema":"y"}]"#;
        for (bytes, expected) in [
            (others.into(), "the export has the definitions of several namespaces"),
            ("[\n\n]\n".into(), "the export has no definitions"),
            ("{".into(), "it is no export of Dgraph's definitions: EOF"),
            (vec![0xff, 0xff], "it is no text in UTF-8"),
            (compressed("type A")[..14].to_vec(), "incomplete deflate stream"),
        ] {
            let error = text_of(bytes).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
