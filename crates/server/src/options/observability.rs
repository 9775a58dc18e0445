//! Observability: log, metrics, traces.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::development::{Switch, switched};
use super::quantity::Time;
use crate::collector::{Destinations, OtlpError, Signal};

#[derive(Debug, Args)]
#[command(next_help_heading = "Observability")]
pub(crate) struct ObservabilityOptions {
    /// The requests that are logged
    #[arg(long, env = "THALWEG_LOG_REQUESTS", value_name = "WHICH", default_value = "failed")]
    pub(crate) log_requests: LoggedRequests,
    /// Log requests that take longer, with their statements; `off` for none
    #[arg(long, env = "THALWEG_SLOW_QUERY", value_name = "TIME", default_value = "1s")]
    pub(crate) slow_query: SlowQuery,
    /// Send a `Server-Timing` header with the duration of each stage [default: on in development mode]
    #[arg(long, env = "THALWEG_SERVER_TIMING", value_name = "SWITCH")]
    server_timing: Option<Switch>,
    /// The address of the Prometheus metrics, as HOST:PORT [default: none]
    #[arg(long, env = "THALWEG_METRICS_LISTEN", value_name = "ADDRESS", value_parser = socket)]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The maximum number of operations with metrics of their own, by name
    #[arg(long, env = "THALWEG_METRICS_OPERATIONS", value_name = "NUMBER", default_value = "100",
        value_parser = clap::value_parser!(u16).range(..=10_000))]
    pub(crate) metrics_operations: u16,
    /// The OTLP collector of OpenTelemetry, as http://HOST:4318 [default: OTEL_EXPORTER_OTLP_ENDPOINT]
    #[arg(long, env = "THALWEG_OTLP_ENDPOINT", value_name = "URL")]
    pub(crate) otlp_endpoint: Option<String>,
    /// The signals for the collector [default: traces, and those of OpenTelemetry's variables]
    #[arg(long, env = "THALWEG_OTLP_SIGNALS", value_name = "SIGNALS", value_delimiter = ',')]
    pub(crate) otlp_signals: Vec<Signal>,
    /// The interval in which metrics are sent to the collector [default: OTEL_METRIC_EXPORT_INTERVAL, or 60s]
    #[arg(long, env = "THALWEG_OTLP_METRICS_INTERVAL", value_name = "TIME")]
    pub(crate) otlp_metrics_interval: Option<Time>,
    /// The sampling ratio of requests whose caller sends no trace context, from 0 to 1
    #[arg(
        long,
        env = "THALWEG_TRACE_RATIO",
        value_name = "RATIO",
        default_value = "1",
        value_parser = ratio
    )]
    pub(crate) trace_ratio: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoggedRequests {
    None,
    /// Refused requests, and those with errors
    Failed,
    All,
}

/// The duration from which on a request is slow, if any is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlowQuery(pub(crate) Option<Duration>);

impl ObservabilityOptions {
    /// The addresses of the signals for a collector.
    pub(crate) fn destinations(&self) -> Result<Destinations, OtlpError> {
        Destinations::find(self.otlp_endpoint.as_deref(), &self.otlp_signals)
    }

    /// Whether this signal is sent to a collector. An error is reported when the server starts.
    pub(super) fn sends(&self, signal: Signal) -> bool {
        let destinations = self.destinations().unwrap_or_default();
        let destination = match signal {
            Signal::Traces => destinations.traces,
            Signal::Metrics => destinations.metrics,
            Signal::Logs => destinations.logs,
        };
        destination.is_some()
    }

    /// Whether responses have a `Server-Timing` header.
    pub(crate) fn server_timing(&self, is_private: bool) -> bool {
        switched(self.server_timing, is_private)
    }
}

impl FromStr for SlowQuery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self(None)),
            text => match text.parse::<Time>() {
                Ok(time) => Ok(Self(Some(time.0))),
                Err(error) => Err([&error, ", or `off`"].concat()),
            },
        }
    }
}

pub(super) fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
        Ok(_) | Err(_) => Err("a number from 0 to 1 is wanted, such as `0.1`".into()),
    }
}

/// Resolves a host name, as for `--listen`.
pub(super) fn socket(text: &str) -> Result<SocketAddr, String> {
    let mut sockets = text
        .to_socket_addrs()
        .map_err(|error| format!("{error}; write it as HOST:PORT, such as 127.0.0.1:9090"))?;
    sockets.next().ok_or_else(|| "this name has no address".into())
}

impl fmt::Display for SlowQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(time) => Time(time).fmt(f),
            None => f.write_str("off"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_from_0_to_1() {
        assert_eq!(["0", "0.25", "1"].map(ratio), [Ok(0.0), Ok(0.25), Ok(1.0)]);
        for text in ["", "-0.1", "1.1", "NaN", "10%"] {
            let error = ratio(text).unwrap_err();
            assert_eq!(error, "a number from 0 to 1 is wanted, such as `0.1`", "{text}");
        }
    }

    #[test]
    fn the_time_of_slow_queries_can_be_off() {
        let read = |text: &str| text.parse::<SlowQuery>();
        assert_eq!(read("250ms"), Ok(SlowQuery(Some(Duration::from_millis(250)))));
        assert_eq!(read("off"), Ok(SlowQuery(None)));
        let error = read("0s").unwrap_err();
        assert_eq!(error, "a time is wanted, such as `30s`, `250ms` or `5m`, or `off`");
        assert_eq!(SlowQuery(Some(Duration::from_secs(1))).to_string(), "1s");
    }
}
