//! The messages that the subscribers have received.

use std::collections::BTreeMap;
use std::time::Instant;

use super::changes::Change;

/// A message of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) id: u32,
    pub(super) balance: i64,
    pub(super) at: Instant,
}

/// Microseconds from the return of each commit to the first message that has the change.
/// A message that was faster than the return counts as zero.
pub(super) fn latencies(changes: &[Change], arrivals: &[Arrival]) -> Vec<f64> {
    let latency = |(change, at): &(Change, Instant)| {
        at.saturating_duration_since(change.committed).as_secs_f64() * 1e6
    };
    deliveries(changes, arrivals).iter().map(latency).collect()
}

/// Changes with the first message that has each: one message may have several changes of its row.
/// A change without one is left out.
pub(super) fn deliveries(changes: &[Change], arrivals: &[Arrival]) -> Vec<(Change, Instant)> {
    let mut by_id: BTreeMap<u32, Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        by_id.entry(arrival.id).or_default().push(arrival);
    }
    let delivery = |change: &Change| {
        let mut messages = by_id.get(&change.id)?.iter();
        let first = messages.find(|arrival| arrival.balance >= change.balance)?;
        Some((*change, first.at))
    };
    changes.iter().filter_map(delivery).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_message_may_have_several_changes_of_its_row() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let change =
            |id, balance, milliseconds| Change { id, balance, committed: at(milliseconds) };
        let arrival = |id, balance, milliseconds| Arrival { id, balance, at: at(milliseconds) };
        let changes = [change(1, 1, 0), change(1, 2, 1), change(1, 3, 9), change(2, 1, 5)];
        let arrivals = [arrival(1, 2, 4), arrival(2, 1, 4), arrival(1, 3, 10)];
        assert_eq!(latencies(&changes, &arrivals), [4_000.0, 3_000.0, 1_000.0, 0.0]);
        assert!(latencies(&[change(3, 1, 0)], &arrivals).is_empty());
    }
}
