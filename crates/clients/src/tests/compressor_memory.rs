//! The declared memory of compressors is compared with what Rust and the C libraries allocate,
//! since the memory budget of responses reserves the declared amount.

#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![expect(unsafe_code, reason = "only the C library knows what libraries in C allocate")]

use testkit::alone::alone;

use crate::coding::{Coding, Compressor, state_bytes};

/// Allocator statistics of the C library.
#[repr(C)]
struct MallInfo {
    arena: usize,
    free_chunks: usize,
    fast_chunks: usize,
    mapped_regions: usize,
    mapped_bytes: usize,
    most_bytes: usize,
    fast_bytes: usize,
    used_bytes: usize,
    free_bytes: usize,
    top_bytes: usize,
}

// SAFETY: the function has this signature since glibc 2.33, and no preconditions.
unsafe extern "C" {
    safe fn mallinfo2() -> MallInfo;
}

/// Number of bytes allocated now, by any language.
fn allocated() -> u64 {
    let info = mallinfo2();
    (info.used_bytes + info.mapped_bytes) as u64
}

/// Typical rows, and incompressible bytes.
fn texts(length: usize) -> [Vec<u8>; 2] {
    let mut state: u32 = 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let random: Vec<u8> = (0..length).map(|_| next().to_le_bytes()[1]).collect();
    let mut rows = Vec::with_capacity(length + 64);
    while rows.len() < length {
        let row = format!("{{\"trackId\":{},\"name\":\"n{}\"}},", next() % 5_000, next() % 99);
        rows.extend_from_slice(row.as_bytes());
    }
    rows.truncate(length);
    [rows, random]
}

#[test]
fn compressors_take_what_is_reserved_for_them() {
    const NAME: &str = "tests::compressor_memory::compressors_take_what_is_reserved_for_them";
    alone(NAME, check);
}

fn check() {
    for coding in [Coding::Zstd, Coding::Brotli, Coding::Gzip, Coding::Deflate] {
        let mut most = 0;
        // For a known and for an unknown length.
        for length in [70_000, 2 << 20] {
            for text in texts(length) {
                for told in [Some(length), None] {
                    let before = allocated();
                    let mut compressor = Compressor::new(coding, told).unwrap();
                    for piece in text.chunks(64 << 10) {
                        compressor.write(piece).unwrap();
                        if told.is_none() {
                            compressor.flush().unwrap();
                        }
                        most = most.max(allocated().saturating_sub(before));
                        drop(compressor.take());
                    }
                    drop(compressor.finish().unwrap());
                }
            }
        }
        let reserved = state_bytes(coding);
        // The declared memory is sufficient, and at most 1.5 times what is used.
        assert!(most <= reserved, "{coding:?} takes {most} bytes of {reserved}");
        assert!(reserved <= most * 3 / 2, "{coding:?} takes {most} bytes of {reserved}");
    }
}
