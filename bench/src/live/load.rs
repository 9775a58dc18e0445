//! The loads: changes at a rate, each of which concerns some of the subscribers.

use std::fmt;

use crate::figure::number;

/// Changes a second.
const RATES: [u32; 3] = [1, 100, 1_000];

/// Changes of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Idle,
    Changes(Load),
    /// Of rows that no subscription reads.
    Unread,
    /// One, of all rows.
    All,
}

/// Transactions at fixed times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    /// Transactions a second.
    pub(super) rate: u32,
    pub(super) concerned: Concerned,
}

/// Subscribers whose rows one transaction changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concerned {
    One,
    Hundred,
    All,
}

/// Loads of a measurement, and those that no database of one machine writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Loads {
    pub(super) measured: Vec<Load>,
    pub(super) left_out: Vec<Load>,
}

impl Concerned {
    const ALL: [Self; 3] = [Self::One, Self::Hundred, Self::All];

    /// The number of subscribers of so many.
    pub(super) fn of(self, sockets: u32) -> u32 {
        match self {
            Self::One => 1,
            Self::Hundred => sockets.min(100),
            Self::All => sockets,
        }
    }
}

impl Load {
    /// Rows that are changed in each second.
    pub(super) fn rows_per_second(self, sockets: u32) -> u64 {
        u64::from(self.rate) * u64::from(self.concerned.of(sockets))
    }
}

impl Loads {
    /// Every rate with every number of subscribers, up to so many changed rows a second.
    pub(super) fn up_to(rows_per_second: u64, sockets: u32) -> Self {
        let loads = Concerned::ALL
            .into_iter()
            .flat_map(|concerned| RATES.map(|rate| Load { rate, concerned }));
        let (measured, left_out) =
            loads.partition(|load| load.rows_per_second(sockets) <= rows_per_second);
        Self { measured, left_out }
    }

    /// Rest, and the measured loads.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        [Kind::Idle].into_iter().chain(self.measured.iter().copied().map(Kind::Changes))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("idle"),
            Self::Changes(load) => load.fmt(f),
            Self::Unread => f.write_str("20,000 changes/s of unread rows"),
            Self::All => f.write_str("one change of all rows"),
        }
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let changes = if self.rate == 1 { "change/s" } else { "changes/s" };
        let concerned = match self.concerned {
            Concerned::One => "one subscriber",
            Concerned::Hundred => "100 subscribers",
            Concerned::All => "all subscribers",
        };
        write!(f, "{} {changes}, {concerned} each", number(self.rate.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_that_change_too_many_rows_are_left_out() {
        let loads = Loads::up_to(100_000, 10_000);
        let left_out: Vec<String> = loads.left_out.iter().map(Load::to_string).collect();
        let expected =
            ["100 changes/s, all subscribers each", "1,000 changes/s, all subscribers each"];
        assert_eq!(left_out, expected);
        assert_eq!(loads.measured.len(), 7);
        assert!(Loads::up_to(100_000, 100).left_out.is_empty());
    }
}
