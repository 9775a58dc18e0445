//! The most that a server's processes had resident together.

use std::thread;
use std::time::Duration;

use procfs::process::ClearRefs;

use super::tree::Trees;
use crate::background::{Background, Stop};
use crate::process;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// So many looks later the processes are listed again, which takes a few milliseconds.
const LOOKS: u32 = 20;

/// A thread that looks again and again.
#[derive(Debug)]
pub(super) struct Memory {
    root: u32,
    looking: Background<u64>,
    /// The kernel was told to forget the highest it has seen, so it sees what comes now.
    is_forgotten: bool,
}

impl Memory {
    pub(super) fn watch(root: u32) -> Self {
        let is_forgotten =
            process::find(root).is_ok_and(|root| root.clear_refs(ClearRefs::PeakRSS).is_ok());
        let looking = Background::start(move |stop| look(root, stop));
        Self { root, looking, is_forgotten }
    }

    /// The peak: of a single process the kernel's exact one, of several the highest that was seen.
    pub(super) fn finish(self) -> u64 {
        let seen = self.looking.finish().unwrap_or(0);
        let is_alone = members(self.root).len() == 1;
        if is_alone && self.is_forgotten {
            let status = process::find(self.root).and_then(|root| root.status()).ok();
            return status
                .and_then(|status| status.vmhwm)
                .map_or(seen, |kibibytes| seen.max(kibibytes << 10));
        }
        seen
    }
}

fn look(root: u32, stop: &Stop) -> u64 {
    let mut peak = 0;
    let mut looked = 0;
    let mut known = Vec::new();
    loop {
        let is_last = stop.is_set();
        if looked % LOOKS == 0 {
            known = members(root);
        }
        looked += 1;
        peak = peak.max(known.iter().filter_map(|&one| process::resident(one).ok()).sum());
        if is_last {
            return peak;
        }
        thread::sleep(PAUSE);
    }
}

fn members(root: u32) -> Vec<u32> {
    Trees::read().map(|trees| trees.members(root)).unwrap_or_default()
}
