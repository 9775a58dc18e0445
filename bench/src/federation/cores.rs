//! Processors of each process: one is the gateway's alone, so that no other load adds to its latency.
//!
//! A process has the processors of the thread that starts it: so the benchmark moves itself before
//! it starts somebody, and back.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that the benchmark was given; dropping it gives them back.
#[derive(Debug)]
pub(super) struct Cores {
    given: CpuSet,
    all: Vec<usize>,
}

impl Cores {
    pub(super) fn take() -> io::Result<Self> {
        let given = sched_getaffinity(None)?;
        let all = (0..CpuSet::MAX_CPU).filter(|core| given.is_set(*core)).collect();
        Ok(Self { given, all })
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Lets what is started from now on run where a gateway with so many processors does.
    pub(super) fn go_to_gateway(&self, count: usize) -> io::Result<()> {
        go_to(self.all.iter().take(count))
    }

    /// Moves this process beside the gateway; where there are not enough processors for that, everywhere.
    pub(super) fn go_beside_gateway(&self, count: usize) -> io::Result<()> {
        if self.all.len() <= count {
            return go_to(self.all.iter());
        }
        go_to(self.all.iter().skip(count))
    }
}

impl Drop for Cores {
    fn drop(&mut self) {
        // The process ends soon; whoever it starts until then has fewer processors.
        sched_setaffinity(None, &self.given).unwrap_or_default();
    }
}

fn go_to<'c>(cores: impl Iterator<Item = &'c usize>) -> io::Result<()> {
    let mut set = CpuSet::new();
    cores.for_each(|core| set.set(*core));
    Ok(sched_setaffinity(None, &set)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> usize {
        sched_getaffinity(None).unwrap().count() as usize
    }

    #[test]
    fn processors_are_divided_and_given_back() {
        // A thread of its own: the test runner's others keep theirs.
        std::thread::spawn(|| {
            let before = here();
            let cores = Cores::take().unwrap();
            cores.go_to_gateway(1).unwrap();
            assert_eq!(here(), 1);
            cores.go_beside_gateway(1).unwrap();
            assert_eq!(here(), if before > 1 { before - 1 } else { 1 });
            cores.go_beside_gateway(before).unwrap();
            assert_eq!(here(), before);
            cores.go_to_gateway(1).unwrap();
            drop(cores);
            assert_eq!(here(), before);
        })
        .join()
        .unwrap();
    }
}
