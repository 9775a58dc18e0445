//! How much memory a process holds.

use std::fs;

use super::failure::SizeError;

/// The memory that the process holds now, in kilobytes.
pub(super) fn resident_kilobytes(process: u32) -> Result<u64, SizeError> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    kilobytes(&text, "VmRSS:").ok_or(SizeError::Memory)
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
    fn memory_is_read_from_the_process_status() {
        let status = "VmPeak:\t  900 kB\nVmRSS:\t    1234 kB\nThreads:\t2\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(1234));
        assert_eq!(kilobytes(status, "Threads:"), None);
    }
}
