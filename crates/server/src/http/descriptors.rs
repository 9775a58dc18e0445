//! The limit on open files of the process (`RLIMIT_NOFILE`).

use std::num::NonZeroUsize;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// File descriptors for the log, the runtime and files that are read at the start.
const SPARE: u64 = 32;
/// File descriptors of a thread besides its clients, including connections that are being refused.
const SPARE_PER_THREAD: u64 = 40;
/// File descriptors of a connection to a database; SQLite has up to three files.
const SPARE_PER_CONNECTION: u64 = 4;

/// Raises the soft limit to the hard limit.
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

/// The number of clients that are possible within the limit on open files, which is raised as far as
/// possible.
pub(super) fn most_clients(wanted: usize, threads: NonZeroUsize, connections: usize) -> usize {
    raise_limit();
    // None means no limit.
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
    // With a low limit, clients get half of the descriptors.
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
