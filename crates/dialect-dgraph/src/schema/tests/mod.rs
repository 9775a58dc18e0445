#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod fixtures;
