//! How much memory a process holds, and how long it has computed.

use std::fs;

use super::failure::SizeError;

/// Linux counts in hundredths for programs, whatever it does inside.
const TICKS_A_SECOND: f64 = 100.0;

/// The memory that the process holds now, in kilobytes.
pub(crate) fn resident_kilobytes(process: u32) -> Result<u64, SizeError> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    kilobytes(&text, "VmRSS:").ok_or(SizeError::Memory)
}

/// The seconds that the process has computed, on all processors.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64, SizeError> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    ticks(&text).map(|ticks| ticks as f64 / TICKS_A_SECOND).ok_or(SizeError::Memory)
}

/// The user's and the system's time in `/proc/PID/stat`, the twelfth and thirteenth words after
/// the program's name, which stands in parentheses and may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut words = rest.split(' ').skip(11);
    let user: u64 = words.next()?.parse().ok()?;
    let system: u64 = words.next()?.parse().ok()?;
    Some(user + system)
}

/// A line of `/proc/PID/status`.
fn kilobytes(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_read_after_the_name() {
        let stat = "7 (a) b) c) S 1 7 7 0 -1 4194560 900 0 0 0 123 45 0 0 20 0 3 0 99";
        assert_eq!(ticks(stat), Some(168));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn memory_is_read_from_the_process_status() {
        let status = "VmPeak:\t  900 kB\nVmRSS:\t    1234 kB\nThreads:\t2\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(1234));
        assert_eq!(kilobytes(status, "Threads:"), None);
    }
}
