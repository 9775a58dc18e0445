//! Snapshots of transactions.

use tokio_postgres::Client;

/// The transactions that a new statement sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// As PostgreSQL prints it: the oldest running transaction, the next one, and those that run.
    pub(super) text: Box<str>,
}

impl Snapshot {
    pub(super) async fn read(client: &Client) -> Result<Self, tokio_postgres::Error> {
        let rows = client.query_typed(include_str!("snapshot.sql"), &[]).await?;
        let text: Option<String> = rows.first().map(|row| row.try_get(0)).transpose()?.flatten();
        Ok(Self { text: text.unwrap_or_default().into() })
    }

    /// Returns true if all transactions have ended that ran, or began, before another snapshot.
    pub(super) fn is_after(&self, earlier: &Self) -> bool {
        let number = |snapshot: &Self, place| {
            snapshot.text.split(':').nth(place).and_then(|text| text.parse::<u64>().ok())
        };
        let (oldest, next) = (number(self, 0), number(earlier, 1));
        oldest.zip(next).is_some_and(|(oldest, next)| oldest >= next)
    }

    /// Returns true if the changes of a transaction are visible, once it is committed. Its number
    /// has 32 bits, and those of the snapshot have an epoch in front.
    pub(super) fn shows(&self, transaction: u32) -> bool {
        let mut parts = self.text.split(':');
        let mut number = || parts.next().and_then(|text| text.parse::<u64>().ok());
        let (Some(_), Some(next)) = (number(), number()) else { return false };
        let is_started = (transaction.wrapping_sub(next as u32) as i32) < 0;
        let running = parts.next().unwrap_or_default().split(',');
        let mut running = running.filter_map(|text| text.parse::<u64>().ok());
        is_started && !running.any(|own| own as u32 == transaction)
    }
}

#[cfg(test)]
mod tests {
    use super::Snapshot;

    #[test]
    fn transactions_that_ran_at_a_snapshot_end_before_a_later_one() {
        let is_after = |later: &str, earlier: &str| {
            let snapshot = |text: &str| Snapshot { text: text.into() };
            snapshot(later).is_after(&snapshot(earlier))
        };
        assert!(is_after("20:20:", "10:20:10,15"));
        assert!(!is_after("15:25:15", "10:20:10,15"));
        assert!(is_after("7:7:", "7:7:"));
        assert!(!is_after("", "7:7:"));
    }

    #[test]
    fn a_snapshot_shows_what_is_neither_running_nor_to_come() {
        let shows = |text: &str, transaction| Snapshot { text: text.into() }.shows(transaction);
        assert!(shows("10:20:10,15", 9));
        assert!(!shows("10:20:10,15", 10));
        assert!(shows("10:20:10,15", 14));
        assert!(!shows("10:20:10,15", 15));
        assert!(shows("10:20:10,15", 19));
        assert!(!shows("10:20:10,15", 20));
        assert!(shows("7:7:", 6));
        // Around the end of an epoch.
        assert!(shows("4294967290:4294967300:4294967290", u32::MAX));
        assert!(shows("4294967290:4294967300:4294967290", 3));
        assert!(!shows("4294967290:4294967300:4294967290", 4));
        assert!(!shows("", 1));
    }
}
