//! Moments as numbers, for leaves.

use catalog::EpochUnit;
use response::Epoch;

/// How a leaf reads such numbers.
pub fn epoch(unit: EpochUnit) -> Epoch {
    match unit {
        EpochUnit::Seconds => Epoch::Seconds,
        EpochUnit::Milliseconds => Epoch::Milliseconds,
        EpochUnit::Microseconds => Epoch::Microseconds,
        EpochUnit::JulianDay => Epoch::JulianDay,
    }
}
