//! The shortest input that still fails: parts are left out, halves first, single bytes last.

/// Most attempts to minimise an input.
const TRIES: usize = 2_000;

pub(super) fn minimise(mut input: Vec<u8>, fails: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut length = input.len().div_ceil(2);
    let mut tries = 0;
    while length > 0 {
        let mut start = 0;
        let mut is_shorter = false;
        while start < input.len() {
            if tries == TRIES {
                return input;
            }
            tries += 1;
            let mut shorter = input.clone();
            shorter.drain(start..(start + length).min(input.len()));
            if fails(&shorter) {
                input = shorter;
                is_shorter = true;
            } else {
                start += length;
            }
        }
        // A part that was needed before may be unnecessary now.
        if !is_shorter || length > 1 {
            length /= 2;
        }
    }
    input
}
