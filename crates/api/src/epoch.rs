//! Moments as numbers, for leaves.

use catalog::EpochUnit;
use response::Epoch;

/// The leaf's unit of such numbers.
pub fn epoch(unit: EpochUnit) -> Epoch {
    match unit {
        EpochUnit::Seconds => Epoch::Seconds,
        EpochUnit::Milliseconds => Epoch::Milliseconds,
        EpochUnit::Microseconds => Epoch::Microseconds,
        EpochUnit::JulianDay => Epoch::JulianDay,
    }
}
