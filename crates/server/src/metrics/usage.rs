//! Resource usage of the process; empty where the system has no `/proc`.

use std::fs;

/// Linux reports CPU times in hundredths of a second, whatever its clock is.
const TICKS_PER_SECOND: f64 = 100.0;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) resident_bytes: Option<u64>,
    pub(super) virtual_bytes: Option<u64>,
    pub(super) threads: Option<u64>,
    pub(super) cpu_seconds: Option<f64>,
    pub(super) open_files: Option<u64>,
    pub(super) most_files: Option<u64>,
}

impl Usage {
    pub(super) fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let number = |name: &str| value(&status, name)?.parse::<u64>().ok();
        let files = fs::read_dir("/proc/self/fd").ok();
        Self {
            resident_bytes: number("VmRSS:").map(|kibibytes| kibibytes << 10),
            virtual_bytes: number("VmSize:").map(|kibibytes| kibibytes << 10),
            threads: number("Threads:"),
            cpu_seconds: fs::read_to_string("/proc/self/stat").ok().and_then(|stat| cpu(&stat)),
            // The folder itself is open during the read.
            open_files: files.map(|files| (files.count() as u64).saturating_sub(1)),
            most_files: value(&limits, "Max open files").and_then(|limit| limit.parse().ok()),
        }
    }
}

/// The word after a name at the beginning of a line.
fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()
}

/// User and system time, the 14th and 15th field; the second, a name, may contain any character.
fn cpu(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_proc_are_read() {
        let status = "Name:\tx\nVmSize:\t  2048 kB\nVmRSS:\t    1024 kB\nThreads:\t3\n";
        assert_eq!(value(status, "VmRSS:"), Some("1024"));
        let limits = "Max open files            1024                 4096                 files\n";
        assert_eq!(value(limits, "Max open files"), Some("1024"));
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 10 0 0 0 150 50 0 0 20 0 1 0 9 1 1";
        assert_eq!(cpu(stat), Some(2.0));
    }
}
