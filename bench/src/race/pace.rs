//! Length and number of the measurements.

use super::record::Settings;

/// Times and numbers of a run; they are chosen so that a whole run without Chinook takes
/// about 45 minutes on a machine that does nothing else, and a quick one less than two.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pace {
    pub(super) settings: Settings,
    /// Seconds of each rate that is tried, and of each number of users.
    pub(super) step_seconds: u32,
    /// The first constant rate, as a share of the closed loops' rate.
    pub(super) first_rate: f64,
    /// The most rates that are tried.
    pub(super) steps: u32,
    pub(super) burst_seconds: f64,
    /// The rounds that have more than closed loops: their ramps repeat by themselves.
    pub(super) ramp_rounds: u32,
    /// The most repetitions of a disturbed measurement.
    pub(super) repetitions: u32,
    /// Loops of a warm-up; each takes a second.
    pub(super) warm_up_loops: u32,
}

const DATABASE_CONNECTIONS: u32 = 16;
/// Microseconds.
const LATENCY_LIMIT: u64 = 50_000;
const USERS_LATENCY_LIMIT: u64 = 500_000;

impl Pace {
    pub(super) fn full() -> Self {
        Self {
            settings: Settings {
                quick: false,
                rounds: 3,
                seconds: 2,
                connections: vec![1, 16, 64],
                database_connections: DATABASE_CONNECTIONS,
                latency_limit: LATENCY_LIMIT,
                users_latency_limit: USERS_LATENCY_LIMIT,
            },
            step_seconds: 2,
            first_rate: 0.9,
            steps: 8,
            burst_seconds: 2.0,
            ramp_rounds: 1,
            repetitions: 2,
            warm_up_loops: 6,
        }
    }

    pub(super) fn quick() -> Self {
        let full = Self::full();
        let settings =
            Settings { quick: true, rounds: 1, seconds: 1, connections: vec![16], ..full.settings };
        Self {
            settings,
            step_seconds: 1,
            // The one rate that is tried is one that is stood.
            first_rate: 0.6,
            steps: 1,
            warm_up_loops: 2,
            repetitions: 0,
            ..full
        }
    }

    pub(super) fn of(quick: bool) -> Self {
        if quick { Self::quick() } else { Self::full() }
    }
}
