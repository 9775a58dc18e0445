//! Bodies and query strings changed byte by byte.

use testkit::fuzz::{Choices, mutate};

/// Bytes that mean something to JSON, UTF-8 or URLs.
const PIECES: [&[u8]; 30] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"1e400",
    b"-0",
    b"1E999999999",
    b"\\u0000",
    b"\\ud800",
    b"\\ud83d\\ude00",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\0",
    b"\"query\":",
    b"\"query\":\"{__typename}\",",
    b"\"variables\":",
    b"\"variables\":null,",
    b"\"operationName\":\"x\",",
    b"\"extensions\":[],",
    b"&query=",
    b"%00",
    b"%ff%",
    b"+",
];

/// Changes the bytes a few times.
pub(crate) fn mutate(bytes: &mut Vec<u8>, choices: &mut Choices<'_>) {
    mutate::mutate(bytes, &PIECES, choices);
}

/// A request as the query component of a URL.
pub(crate) fn query_string(query: &str, variables: &str) -> Vec<u8> {
    let mut out = Vec::from(*b"query=");
    percent_encode(query, &mut out);
    out.extend_from_slice(b"&variables=");
    percent_encode(variables, &mut out);
    out
}

fn percent_encode(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}
