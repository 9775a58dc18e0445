//! The most that a server's processes had resident together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use procfs::process::{ClearRefs, Process};

use super::tree::Trees;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// So many looks later the processes are listed again, which takes a few milliseconds.
const LOOKS: u32 = 20;

/// A thread that looks again and again.
#[derive(Debug)]
pub(super) struct Memory {
    root: u32,
    is_over: Arc<AtomicBool>,
    looking: JoinHandle<u64>,
    /// The kernel was told to forget the highest it has seen, so it sees what comes now.
    is_forgotten: bool,
}

impl Memory {
    pub(super) fn watch(root: u32) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let is_forgotten =
            member(root).is_some_and(|process| process.clear_refs(ClearRefs::PeakRSS).is_ok());
        let over = Arc::clone(&is_over);
        let looking = thread::spawn(move || look(root, &over));
        Self { root, is_over, looking, is_forgotten }
    }

    /// Of a single process the kernel knows the peak exactly; of several only what was seen.
    pub(super) fn finish(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        let seen = self.looking.join().unwrap_or(0);
        let is_alone = members(self.root).len() == 1;
        if is_alone && self.is_forgotten {
            let status = member(self.root).and_then(|process| process.status().ok());
            return status
                .and_then(|status| status.vmhwm)
                .map_or(seen, |kibibytes| seen.max(kibibytes << 10));
        }
        seen
    }
}

fn look(root: u32, is_over: &AtomicBool) -> u64 {
    let mut peak = 0;
    let mut looked = 0;
    let mut known = Vec::new();
    loop {
        let is_last = is_over.load(Ordering::Relaxed);
        if looked % LOOKS == 0 {
            known = members(root);
        }
        looked += 1;
        peak = peak.max(known.iter().filter_map(|&process| resident(process)).sum());
        if is_last {
            return peak;
        }
        thread::sleep(PAUSE);
    }
}

fn members(root: u32) -> Vec<u32> {
    Trees::read().map(|trees| trees.members(root)).unwrap_or_default()
}

fn resident(process: u32) -> Option<u64> {
    let memory = member(process)?.statm().ok()?;
    Some(memory.resident * procfs::page_size())
}

fn member(process: u32) -> Option<Process> {
    Process::new(i32::try_from(process).ok()?).ok()
}
