//! How many files and connections the process may have open.

use std::num::NonZeroUsize;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the process needs besides: its log, its runtime, files that are read at the start.
const SPARE: u64 = 32;
/// What a thread needs besides its clients, those who are being turned away included.
const SPARE_PER_THREAD: u64 = 40;
/// What a connection to a database needs; SQLite has up to three files.
const SPARE_PER_CONNECTION: u64 = 4;

/// Takes as many as the process may have without asking anybody.
fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => tracing::debug!(?current, ?maximum, "the process may open more files"),
        Err(error) => tracing::debug!(%error, "the process may not open more files"),
    }
}

/// How many of the clients that are wanted there can be, once the process may have as many files
/// open as it can.
pub(super) fn most_clients(wanted: usize, threads: NonZeroUsize, connections: usize) -> usize {
    raise_limit();
    // Without a limit the number is missing.
    let Some(limit) = getrlimit(Resource::Nofile).current else { return wanted };
    let possible = possible(limit, threads.get() as u64, connections as u64);
    if possible < wanted {
        tracing::warn!(
            wanted,
            possible,
            file_descriptors = limit,
            "the process may open too few files for so many clients"
        );
    }
    possible.min(wanted)
}

fn possible(limit: u64, threads: u64, connections: u64) -> usize {
    let spare = SPARE + threads * SPARE_PER_THREAD + connections * SPARE_PER_CONNECTION;
    // Where there are few, clients get half of them.
    let possible = limit.saturating_sub(spare).max(limit / 2).max(1);
    usize::try_from(possible).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_leave_descriptors_for_the_rest_or_get_half_of_them() {
        assert_eq!(possible(20_000, 2, 20), 20_000 - 32 - 80 - 80);
        assert_eq!(possible(64, 2, 20), 32);
        assert_eq!(possible(1, 2, 20), 1);
    }
}
