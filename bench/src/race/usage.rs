//! The cost of a load: the CPU of the server, of the database, of the load generator and of
//! everything else, and the memory that the server needs.
//!
//! Linux adds what a process has computed to its parent's account when the parent has waited for
//! its end. So the sum over a tree of processes, with what they have waited for, only ever grows by
//! what the tree computes, whether its processes go on or end: that of PostgreSQL is complete
//! although connections come and go.

mod memory;
mod tree;

use std::time::Instant;

use procfs::{CurrentSI, KernelStats, ProcError};

use super::record::Cpu;
use memory::Memory;
use tree::Trees;

/// The share of the machine's CPU from which on a measurement is disturbed.
const DISTURBANCE: f64 = 0.05;
/// The share of the machine's CPU beyond all processes from which on it counts. The
/// kernel counts the time of a process exactly, and that of the machine by looking 250 times a
/// second, at moments that a program with timers may meet always or never.
const UNSEEN: f64 = 0.15;

/// Processes whose CPU is counted apart, each with all its descendants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processes {
    pub(crate) server: Option<u32>,
    /// PostgreSQL's first process.
    pub(crate) database: Option<u32>,
}

/// Counts from its beginning on.
#[derive(Debug)]
pub(crate) struct Watch {
    processes: Processes,
    started: Instant,
    before: Counted,
    memory: Option<Memory>,
}

/// The counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    pub(crate) seconds: f64,
    pub(crate) cpu: Cpu,
    /// Memory of the server's processes together.
    pub(crate) peak_memory: u64,
}

/// It could not be counted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error("what processes cost cannot be read from /proc: {0}")]
    Read(#[from] ProcError),
}

/// Ticks since the machine was started.
#[derive(Clone, Copy, Debug)]
struct Counted {
    server: u64,
    database: u64,
    load: u64,
    /// Ticks of every visible process.
    all: u64,
    /// Ticks of the processors, whoever used them.
    machine: u64,
    /// The part of these that a hypervisor gave to others.
    stolen: u64,
}

impl Watch {
    pub(crate) fn start(processes: Processes) -> Result<Self, UsageError> {
        let memory = processes.server.map(Memory::watch);
        let before = Counted::now(processes)?;
        Ok(Self { processes, started: Instant::now(), before, memory })
    }

    /// The load generator must have been waited for: what it has computed is known from then on.
    pub(crate) fn finish(self) -> Result<Usage, UsageError> {
        let seconds = self.started.elapsed().as_secs_f64();
        let after = Counted::now(self.processes)?;
        let peak_memory = self.memory.map_or(0, Memory::finish);
        Ok(Usage { seconds, cpu: after.since(&self.before, capacity(seconds)), peak_memory })
    }
}

impl Usage {
    /// Something else computed so much that the figures say little about the contestant.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.cpu.other > DISTURBANCE * capacity(self.seconds)
    }
}

/// The seconds that all processors have.
fn capacity(seconds: f64) -> f64 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    #[expect(clippy::cast_precision_loss, reason = "there are fewer processors")]
    let processors = processors as f64;
    seconds * processors
}

impl Counted {
    fn now(processes: Processes) -> Result<Self, UsageError> {
        let trees = Trees::read()?;
        let machine = KernelStats::current()?.total;
        let stolen = machine.steal.unwrap_or_default();
        let kernel = machine.system + machine.irq.unwrap_or(0) + machine.softirq.unwrap_or(0);
        let ticks = |process: Option<u32>| process.map_or(0, |process| trees.ticks(process));
        Ok(Self {
            server: ticks(processes.server),
            database: ticks(processes.database),
            load: trees.own_ticks(std::process::id()),
            all: trees.all_ticks(),
            machine: machine.user + machine.nice + kernel + stolen,
            stolen,
        })
    }

    fn since(&self, before: &Self, capacity: f64) -> Cpu {
        #[expect(clippy::cast_precision_loss, reason = "exact for centuries of ticks")]
        let seconds = |after: u64, before: u64| {
            after.saturating_sub(before) as f64 / procfs::ticks_per_second() as f64
        };
        let server = seconds(self.server, before.server);
        let database = seconds(self.database, before.database);
        let load = seconds(self.load, before.load);
        let seen = seconds(self.all, before.all) + seconds(self.stolen, before.stolen);
        // In a container the processes of others are not seen, but the processors are.
        let unseen = seconds(self.machine, before.machine) - seen;
        let unseen = if unseen > UNSEEN * capacity { unseen } else { 0.0 };
        let other = seen - server - database - load + unseen;
        Cpu { server, database, load, other: other.max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn ticks(process: u32) -> u64 {
        Trees::read().unwrap().ticks(process)
    }

    #[test]
    fn a_child_that_has_ended_is_still_counted() {
        // A shell counts in another one, a process of its own, and waits for its end. Then it
        // writes what both have computed, by which this test knows that the other one is gone.
        let folder = std::env::temp_dir().join(format!("bench-usage-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let done = folder.join("done");
        let script = format!(
            "read word; (i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; true); \
             times > {0}.new; mv {0}.new {0}; exec sleep 600",
            done.display()
        );
        let mut shell = Command::new("sh");
        let mut child = shell.args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        let watch = Watch::start(Processes { server: Some(child.id()), database: None }).unwrap();
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
        while !done.exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // The second line of `times`: what the children of the shell have computed.
        let times = std::fs::read_to_string(&done).unwrap();
        let by_shell: f64 = times.lines().nth(1).unwrap().split(' ').map(seconds).sum();
        let usage = watch.finish().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(by_shell > 0.0, "{times}");
        // Each of the four times that were added may have lost the rest of a hundredth.
        assert!(usage.cpu.server >= by_shell - 0.04, "{usage:?} for {by_shell}");
        assert!(usage.peak_memory > 100_000, "{usage:?}");
    }

    /// `0m1.250s`
    fn seconds(text: &str) -> f64 {
        let (minutes, seconds) = text.split_once('m').unwrap();
        let seconds: f64 = seconds.trim_end_matches('s').parse().unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds
    }

    #[test]
    fn who_is_not_there_has_computed_nothing() {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert_eq!(ticks(child.id()), 0);
    }

    #[test]
    fn what_nobody_of_the_run_computed_is_of_others() {
        let before =
            Counted { server: 10, database: 20, load: 30, all: 90, machine: 100, stolen: 5 };
        let after =
            Counted { server: 110, database: 70, load: 130, all: 380, machine: 410, stolen: 15 };
        // The processes have 2.9 seconds and the hypervisor 0.1; that the processors say a tenth
        // more is how exact they are.
        let cpu = after.since(&before, 10.0);
        let expected = Cpu { server: 1.0, database: 0.5, load: 1.0, other: 0.5 };
        assert_eq!(cpu, expected);
        // Two seconds more are somebody's whom we do not see.
        let hidden = Counted { machine: 600, ..after }.since(&before, 10.0);
        assert_eq!(hidden, Cpu { other: 2.5, ..expected });
        let processors = std::thread::available_parallelism().unwrap().get() as f64;
        let usage = Usage { seconds: 9.0 / processors, cpu, peak_memory: 0 };
        assert!(usage.is_disturbed());
        assert!(!Usage { seconds: 11.0 / processors, ..usage }.is_disturbed());
    }
}
