//! What a server may send after the handshake of a WebSocket: whole frames, whose texts are messages.

use serde_json::Value;

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// Checks all frames.
pub(crate) fn check(mut received: &[u8]) -> Result<(), String> {
    let fault = |what: &str, frames: &[u8]| {
        let shown = frames.get(..500).unwrap_or(frames);
        Err(format!("{what}: {}", shown.escape_ascii()))
    };
    while !received.is_empty() {
        let Some((opcode, payload, rest)) = split(received) else {
            return fault("no whole frame of a server", received);
        };
        match opcode {
            TEXT if !is_message(payload) => return fault("a text that is no message", payload),
            CLOSE if !rest.is_empty() => return fault("frames behind the close", rest),
            TEXT | CLOSE | PING | PONG => {}
            _ => return fault("a frame of another kind", received),
        }
        received = rest;
    }
    Ok(())
}

/// The opcode and the payload of the first frame, which is whole and has no mask, and the rest.
fn split(frames: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, rest) = frames.split_at_checked(2)?;
    let opcode = head[0].checked_sub(0x80)?;
    let (length, rest) = match head[1] {
        length @ 0..=125 => (usize::from(length), rest),
        126 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_be_bytes(*length)), rest)
        }
        127 => {
            let (length, rest) = rest.split_first_chunk::<8>()?;
            (usize::try_from(u64::from_be_bytes(*length)).ok()?, rest)
        }
        _ => return None,
    };
    let (payload, rest) = rest.split_at_checked(length)?;
    Some((opcode, payload, rest))
}

fn is_message(payload: &[u8]) -> bool {
    let message = serde_json::from_slice::<Value>(payload);
    message.is_ok_and(|message| message["type"].is_string())
}
