//! The machine of the measurements.

use std::fs;
use std::thread;

use super::record::Machine;
use crate::sessions;

/// The machine as Linux describes it.
pub(crate) fn machine() -> Machine {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = field("/proc/meminfo", "MemTotal");
    let kibibytes = memory.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    Machine {
        processor: field("/proc/cpuinfo", "model name"),
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        memory: kibibytes.unwrap_or_default().saturating_mul(1024),
        system: system(),
    }
}

/// The distribution and the kernel, and how it shares processors out where that matters.
fn system() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.unwrap_or("Linux").trim_matches('"');
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let grouped = if sessions::are_grouped() { ", processors shared out by session" } else { "" };
    format!("{name}, Linux {}{grouped}", kernel.trim())
}

/// The value of the first line `name : value`.
fn field(file: &str, name: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut values = text.lines().filter_map(|line| line.split_once(':'));
    let value = values.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
    value.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_cores_and_memory() {
        let machine = machine();
        assert!(machine.cores > 0 && machine.memory > 1 << 20, "{machine:?}");
        assert!(machine.system.contains("Linux"), "{machine:?}");
    }
}
