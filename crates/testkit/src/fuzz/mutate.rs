//! Bytes that are changed a few times.

use super::Choices;

/// Changes the bytes in some places; `pieces` are tokens with a meaning.
pub fn mutate(bytes: &mut Vec<u8>, pieces: &[&[u8]], choices: &mut Choices<'_>) {
    for _ in 0..=choices.below(6) {
        let place = choices.below(bytes.len() + 1);
        let end = (place + choices.below(9)).min(bytes.len());
        match choices.below(7) {
            0 => bytes.truncate(place),
            1 => {
                bytes.drain(place..end);
            }
            2 => {
                let copy = bytes[place..end].to_vec();
                bytes.splice(place..place, copy);
            }
            3 => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << choices.below(8);
                }
            }
            4 => {
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = u8::try_from(choices.below(256)).unwrap_or_default();
                }
            }
            _ => {
                if let Some(piece) = choices.pick(pieces) {
                    bytes.splice(place..place, piece.iter().copied());
                }
            }
        }
    }
}
