//! How far a standby is behind its primary, in bytes of the log and in time.
//!
//! PostgreSQL knows only when the newest replayed transaction was committed, which says nothing while
//! the primary rests. So the positions of the primary are kept with the times at which they were seen:
//! a standby that has not replayed the next position lags at least since the last one that it has.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use source::LogPosition;

use super::server_state::ServerState;

/// Most positions that are kept: more than an hour of them.
const MOST: usize = 10_000;

/// A distance between a standby and its primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lag {
    pub bytes: u64,
    /// At most so long is it since the standby had everything.
    pub time: Duration,
}

/// The positions of the primary, the oldest first.
#[derive(Debug, Default)]
pub(super) struct PrimaryLog {
    timeline: u32,
    /// The first position that was seen of the timeline, which begins before it.
    first: u64,
    seen: VecDeque<(Instant, u64)>,
    /// Whether the primary has answered when it was last asked.
    is_reachable: bool,
}

impl PrimaryLog {
    /// Adds the state of the primary.
    pub(super) fn add(&mut self, at: Instant, state: &ServerState) {
        self.is_reachable = true;
        if self.timeline != state.timeline {
            *self = Self { timeline: state.timeline, first: state.offset, ..Self::default() };
            self.is_reachable = true;
        }
        match self.seen.back_mut() {
            // The primary rests: a standby with this position had everything until now.
            Some((known, offset)) if *offset == state.offset => *known = at,
            _ => self.seen.push_back((at, state.offset)),
        }
        if self.seen.len() > MOST {
            self.seen.pop_front();
        }
    }

    /// The primary does not answer: its position is not known any more.
    pub(super) fn lose(&mut self) {
        self.is_reachable = false;
    }

    pub(super) fn timeline(&self) -> u32 {
        self.timeline
    }

    /// The byte of the present timeline after which the changes before a position are; `None` if the
    /// timeline of the position is newer.
    ///
    /// What an earlier timeline has beyond the first byte of this one was lost with it.
    pub(super) fn offset_of(&self, position: LogPosition) -> Option<u64> {
        match position.timeline.cmp(&self.timeline) {
            std::cmp::Ordering::Equal => Some(position.offset),
            std::cmp::Ordering::Less => Some(position.offset.min(self.first)),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// The distance of a standby.
    pub(super) fn lag(&self, now: Instant, standby: &ServerState) -> Lag {
        let replayed = standby.offset;
        let newest = self.seen.back().map_or(replayed, |(_, offset)| *offset);
        let bytes = newest.saturating_sub(replayed);
        if bytes == 0 {
            return Lag { bytes, time: self.own(standby) };
        }
        let known = self.seen.iter().rev().find(|(_, offset)| *offset <= replayed);
        let time = match known {
            Some((at, _)) => now.saturating_duration_since(*at),
            // It lags since before the first position.
            None => standby.age.unwrap_or(Duration::MAX),
        };
        Lag { bytes, time }
    }

    /// The distance of a standby that has replayed all known positions. While the primary does not answer,
    /// only the standby itself knows what it has received.
    fn own(&self, standby: &ServerState) -> Duration {
        let has_all = standby.received.is_none_or(|received| received <= standby.offset);
        match self.is_reachable || has_all {
            true => Duration::ZERO,
            false => standby.age.unwrap_or(Duration::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::server_state::Identity;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn state(timeline: u32, offset: u64) -> ServerState {
        ServerState {
            is_standby: false,
            offset,
            received: None,
            age: None,
            timeline,
            identity: Identity { system: 1, started: "".into(), database: "".into() },
        }
    }

    /// The positions of the primary, a second after each other.
    fn log(offsets: &[u64]) -> (PrimaryLog, Instant) {
        let (mut log, mut now) = (PrimaryLog::default(), Instant::now());
        for offset in offsets {
            now += SECOND;
            log.add(now, &state(1, *offset));
        }
        (log, now)
    }

    #[test]
    fn a_standby_lags_since_the_last_position_that_it_has() {
        let check = |replayed: u64, bytes: u64, seconds: u32| {
            let (log, now) = log(&[100, 200, 300, 300, 400]);
            let expected = Lag { bytes, time: SECOND * seconds };
            assert_eq!(log.lag(now, &state(1, replayed)), expected, "{replayed}");
        };
        check(400, 0, 0);
        check(500, 0, 0);
        // The primary has rested at 300 until a second ago.
        check(399, 1, 1);
        check(300, 100, 1);
        check(299, 101, 3);
        check(100, 300, 4);
    }

    #[test]
    fn a_standby_without_a_known_position_says_itself_how_old_it_is() {
        let (log, now) = log(&[100, 200]);
        let standby = ServerState { age: Some(SECOND * 9), ..state(1, 50) };
        assert_eq!(log.lag(now, &standby), Lag { bytes: 150, time: SECOND * 9 });
        assert_eq!(log.lag(now, &state(1, 50)).time, Duration::MAX);
    }

    #[test]
    fn without_its_primary_a_standby_lags_behind_what_it_has_received() {
        let (mut log, now) = log(&[100]);
        let standby = ServerState { received: Some(200), age: Some(SECOND * 5), ..state(1, 150) };
        assert_eq!(log.lag(now, &standby), Lag::default());
        log.lose();
        assert_eq!(log.lag(now, &standby), Lag { bytes: 0, time: SECOND * 5 });
        let standby = ServerState { received: Some(150), ..standby };
        assert_eq!(log.lag(now, &standby), Lag::default());
    }

    #[test]
    fn positions_of_an_earlier_timeline_end_where_the_present_one_begins() {
        let (mut log, now) = log(&[100, 200]);
        log.add(now, &state(2, 150));
        log.add(now + SECOND, &state(2, 400));
        let check = |timeline: u32, offset: u64, expected: Option<u64>| {
            assert_eq!(log.offset_of(LogPosition { system: 1, timeline, offset }), expected);
        };
        check(2, 300, Some(300));
        check(1, 120, Some(120));
        // Lost with the former primary.
        check(1, 190, Some(150));
        check(3, 10, None);
        let lag = log.lag(now + SECOND * 2, &state(2, 150));
        assert_eq!(lag, Lag { bytes: 250, time: SECOND * 2 });
    }
}
