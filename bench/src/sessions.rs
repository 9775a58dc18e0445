//! Linux's groups of processes by session, which are turned off while something is measured.
//!
//! With `sched_autogroup_enabled` the kernel shares processors out among sessions, where there are
//! no control groups for it. Each of PostgreSQL's processes is a session of its own, and one that
//! wakes up on another processor than before counts for next to nothing there: on busy processors
//! it may wait for its turn for a second, whoever asks. That says nothing of whom is measured.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The kernel's switch of these groups.
const SWITCH: &str = "/proc/sys/kernel/sched_autogroup_enabled";

/// Turns them on again when standard input ends, which the kernel sees to if the benchmark is killed.
const RESTORE: &str = "trap '' HUP INT TERM; read -r _; echo 1 > \"$1\"";

/// Off as long as this lives.
#[derive(Debug)]
pub(crate) struct Ungrouped {
    restorer: Child,
}

/// Turns the groups off, and says what it did.
pub(crate) fn ungroup() -> Option<Ungrouped> {
    if !are_grouped() {
        return None;
    }
    match turn_off(Path::new(SWITCH)) {
        Ok(ungrouped) => {
            eprintln!("bench: Linux's groups by session (sched_autogroup) are off meanwhile");
            Some(ungrouped)
        }
        Err(error) => {
            eprintln!(
                "bench: Linux shares processors out by session, and lets PostgreSQL's processes \
                 wait for up to a second where all are busy. Turn it off for comparable latencies: \
                 sysctl kernel.sched_autogroup_enabled=0 ({error})"
            );
            None
        }
    }
}

/// Whether there are such groups now.
pub(crate) fn are_grouped() -> bool {
    std::fs::read_to_string(SWITCH).is_ok_and(|switch| switch.trim() == "1")
}

fn turn_off(switch: &Path) -> io::Result<Ungrouped> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(RESTORE).arg("restorer").arg(switch);
    // It holds none of the benchmark's output open, and no interrupt at the terminal is for it.
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Who turns them on again is there before they are off.
    let ungrouped = Ungrouped { restorer: shell.process_group(0).spawn()? };
    std::fs::write(switch, "0")?;
    Ok(ungrouped)
}

impl Drop for Ungrouped {
    fn drop(&mut self) {
        drop(self.restorer.stdin.take());
        // It has been told, and needs no more than that.
        let _ = self.restorer.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_on_is_on_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let switch = folder.path().join("switch");
        std::fs::write(&switch, "1\n").expect("a file");
        let read = || std::fs::read_to_string(&switch).expect("a file");
        let ungrouped = turn_off(&switch).expect("a file that can be written");
        assert_eq!(read(), "0");
        drop(ungrouped);
        assert_eq!(read(), "1\n");
    }

    #[test]
    fn who_may_not_turn_it_off_is_told() {
        assert!(turn_off(Path::new("/proc/none/of/these")).is_err());
    }
}
