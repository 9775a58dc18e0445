//! Memory and processor time of one process, as Linux counts them.

use procfs::ProcError;
use procfs::process::Process;

/// The bytes that a process has resident now.
pub(crate) fn resident(process: u32) -> Result<u64, ProcError> {
    Ok(find(process)?.statm()?.resident * procfs::page_size())
}

/// The most bytes that a process had resident at a time.
pub(crate) fn peak(process: u32) -> Result<u64, ProcError> {
    let kilobytes = find(process)?.status()?.vmhwm.unwrap_or_default();
    Ok(kilobytes * 1_024)
}

/// The seconds that a process has computed, with all its threads, on all processors.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64, ProcError> {
    let stat = find(process)?.stat()?;
    #[expect(clippy::cast_precision_loss, reason = "exact for centuries of ticks")]
    let seconds = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
    Ok(seconds)
}

/// A process by its number.
pub(crate) fn find(process: u32) -> Result<Process, ProcError> {
    Process::new(process.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_memory_and_a_missing_one_is_an_error() {
        let own = std::process::id();
        assert!(resident(own).unwrap() > 1 << 20);
        assert!(peak(own).unwrap() > 1 << 20);
        assert!(cpu_seconds(own).unwrap() < 1e6);
        assert!(resident(u32::MAX).is_err());
    }
}
