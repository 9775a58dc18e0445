//! Fast appending of a few bytes: a response consists of hundreds of short texts, and a call to
//! copy one takes longer than copying it.

/// Appends bytes, few of them in pieces of constant size.
#[inline]
pub(crate) fn append(bytes: &[u8], out: &mut Vec<u8>) {
    let is_appended = match bytes.len() {
        4..8 => append_twice::<4>(bytes, out),
        8..=16 => append_twice::<8>(bytes, out),
        17..=32 => append_twice::<16>(bytes, out),
        _ => false,
    };
    if !is_appended {
        out.extend_from_slice(bytes);
    }
}

/// Appends the first and the last bytes, which overlap.
#[inline]
fn append_twice<const SIZE: usize>(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<SIZE>(), bytes.last_chunk::<SIZE>())
    else {
        return false;
    };
    let second = out.len() + bytes.len() - SIZE;
    out.extend_from_slice(first);
    out.truncate(second);
    out.extend_from_slice(last);
    true
}

#[cfg(test)]
mod tests {
    use super::append;

    #[test]
    fn bytes_of_every_length_are_appended() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..bytes.len() {
            let mut out = b"before".to_vec();
            append(&bytes[..length], &mut out);
            assert_eq!(out, [b"before", &bytes[..length]].concat(), "{length}");
        }
    }
}
