//! All processes that can be seen, and who started whom.

use procfs::ProcError;
use procfs::process::{self, Stat};

/// The processes at one moment.
#[derive(Debug)]
pub(super) struct Trees {
    processes: Vec<Account>,
}

#[derive(Clone, Copy, Debug)]
struct Account {
    process: u32,
    parent: u32,
    /// With those of children that it has waited for.
    ticks: u64,
}

impl Trees {
    pub(super) fn read() -> Result<Self, ProcError> {
        // Whoever ends while the list is read is left out: its parent has it.
        let stats = process::all_processes()?.filter_map(|process| process.ok()?.stat().ok());
        Ok(Self { processes: stats.filter_map(|stat| Account::new(&stat)).collect() })
    }

    /// A process and all that descend from it, parents first.
    pub(super) fn members(&self, root: u32) -> Vec<u32> {
        let mut members = Vec::new();
        members.extend(self.find(root).map(|account| account.process));
        let mut next = 0;
        while let Some(&parent) = members.get(next) {
            let children = self.processes.iter().filter(|account| account.parent == parent);
            members.extend(children.map(|account| account.process));
            next += 1;
        }
        members
    }

    pub(super) fn ticks(&self, root: u32) -> u64 {
        self.members(root).into_iter().map(|member| self.own_ticks(member)).sum()
    }

    /// Ticks of every visible process.
    pub(super) fn all_ticks(&self) -> u64 {
        self.processes.iter().map(|account| account.ticks).sum()
    }

    /// Ticks of one process and of the children that it has waited for.
    pub(super) fn own_ticks(&self, process: u32) -> u64 {
        self.find(process).map_or(0, |account| account.ticks)
    }

    fn find(&self, process: u32) -> Option<&Account> {
        self.processes.iter().find(|account| account.process == process)
    }
}

impl Account {
    fn new(stat: &Stat) -> Option<Self> {
        let children = u64::try_from(stat.cutime + stat.cstime).unwrap_or(0);
        Some(Self {
            process: u32::try_from(stat.pid).ok()?,
            parent: u32::try_from(stat.ppid).ok()?,
            ticks: stat.utime + stat.stime + children,
        })
    }
}
