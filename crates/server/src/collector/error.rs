//! Reasons why nothing can be sent to a collector.

use std::io;

use clients::connect::ConnectError;

use super::signals::Signal;
use crate::failure::Failure;

#[derive(Debug, thiserror::Error)]
pub(crate) enum OtlpError {
    #[error("`{0}` is not the address of a collector; write it as http://HOST:4318")]
    Endpoint(String),
    #[error(
        "`--otlp-signals` has `{0}`, but no collector is named; name it by `--otlp-endpoint \
         http://HOST:4318`"
    )]
    NoEndpoint(Signal),
    #[error("{variable} is `{value}`; write `otlp` or `none`")]
    Exporter { variable: String, value: String },
    #[error("{variable} is `{value}`; {expected}")]
    Variable { variable: String, value: String, expected: &'static str },
    #[error("{signal} cannot be sent: {reason}")]
    Library { signal: Signal, reason: String },
    #[error("{0} cannot be sent: {1}")]
    Runtime(Signal, io::Error),
    #[error("{0} cannot be sent: {1}")]
    Connect(Signal, ConnectError),
}

impl From<OtlpError> for Failure {
    fn from(error: OtlpError) -> Self {
        Self::other(error)
    }
}
