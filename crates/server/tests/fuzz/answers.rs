//! What a server may say to bytes of any kind: nothing, or answers that are whole.

use serde_json::Value;

use super::frames;

/// Codes of faults that no request may cause.
const OUR_FAULTS: [&str; 3] = ["INTERNAL_SERVER_ERROR", "SOURCE_ERROR", "UNAVAILABLE"];

/// The statuses of all answers, or what is wrong with one.
pub(crate) fn read(mut received: &[u8], input: &[u8]) -> Result<Vec<u16>, String> {
    let mut statuses = Vec::new();
    while !received.is_empty() {
        let (status, rest) = read_one(received, input)?;
        if status == 101 {
            frames::check(rest)?;
            statuses.push(status);
            break;
        }
        // 1xx only announces an answer.
        if status >= 200 {
            statuses.push(status);
        }
        received = rest;
    }
    Ok(statuses)
}

fn read_one<'r>(received: &'r [u8], input: &[u8]) -> Result<(u16, &'r [u8]), String> {
    let fault = |what: &str| {
        let shown = received.get(..500).unwrap_or(received);
        Err(format!("{what}: {}", shown.escape_ascii()))
    };
    let end = received.windows(4).position(|window| window == b"\r\n\r\n");
    let Some(end) = end else { return fault("an answer without the end of its head") };
    let Ok(head) = std::str::from_utf8(&received[..end]) else { return fault("a head of no text") };
    let body = &received[end + 4..];
    let mut lines = head.split("\r\n");
    let status_line = lines.next().unwrap_or_default();
    let status = status_line
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| status_line.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    let Some(status) = status else { return fault("no status line") };
    // Except a transfer coding that the server does not decode.
    if status >= 500 && status != 501 {
        return fault("an answer that says that the fault is the server's");
    }
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let header = |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    if matches!(status, 100..200 | 204 | 304) {
        return Ok((status, body));
    }
    let Some(length) = header("content-length").and_then(|text| text.parse::<usize>().ok()) else {
        return fault("an answer without a length");
    };
    let asks_for_heads = input.windows(4).any(|window| window == b"HEAD");
    if asks_for_heads && (body.is_empty() || body.starts_with(b"HTTP/1.")) {
        return Ok((status, body));
    }
    let Some((body, rest)) = body.split_at_checked(length) else {
        return fault("an answer that was cut off");
    };
    let is_json = header("content-type").is_some_and(|media_type| media_type.contains("json"));
    if is_json && header("content-encoding").is_none() {
        check_json(status, body)?;
    }
    Ok((status, rest))
}

fn check_json(status: u16, body: &[u8]) -> Result<(), String> {
    let fault = |what: &str| Err(format!("{what}: {}", body.escape_ascii()));
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return fault("an answer that is not JSON");
    };
    let answers = match &answer {
        Value::Array(answers) => answers.as_slice(),
        answer => std::slice::from_ref(answer),
    };
    for answer in answers {
        let errors = answer["errors"].as_array();
        if status >= 400 && errors.is_none_or(Vec::is_empty) {
            return fault("a refusal without an error");
        }
        for error in errors.into_iter().flatten() {
            let code = error["extensions"]["code"].as_str().unwrap_or_default();
            let message = error["message"].as_str().unwrap_or_default();
            if code.is_empty() || message.is_empty() || OUR_FAULTS.contains(&code) {
                return fault("an error without a message or a code, or of a wrong code");
            }
        }
    }
    Ok(())
}
