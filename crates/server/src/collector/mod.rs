//! Collectors of OpenTelemetry, as options name them; `otlp` and `traces` send to them.
//!
//! * `signals`: traces, metrics and logs, with their addresses
//! * `error`: the reasons why nothing can be sent

mod error;
mod signals;

pub(crate) use error::OtlpError;
pub(crate) use signals::{Destinations, Signal, address, variable};
