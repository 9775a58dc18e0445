//! Traces, metrics and logs, with the addresses that they are sent to.
//!
//! The address is that of the signal's own variable, or else that of the option, or else that of all
//! signals' variable. Which signals are sent say the option, or else OpenTelemetry's variables:
//! <https://opentelemetry.io/docs/specs/otel/protocol/exporter/>.

use std::env;
use std::fmt;

use clap::ValueEnum;
use hyper::Uri;
use hyper::http::uri::Scheme;

use super::error::OtlpError;

/// A kind of records for a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Signal {
    /// Spans of requests
    Traces,
    /// The metrics of `/metrics`
    Metrics,
    /// The records of the log
    Logs,
}

/// The addresses of the signals that are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Destinations {
    pub(crate) traces: Option<String>,
    pub(crate) metrics: Option<String>,
    pub(crate) logs: Option<String>,
}

impl Signal {
    const ALL: [Self; 3] = [Self::Traces, Self::Metrics, Self::Logs];

    fn as_str(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }

    /// The standard path.
    fn path(self) -> &'static str {
        match self {
            Self::Traces => "/v1/traces",
            Self::Metrics => "/v1/metrics",
            Self::Logs => "/v1/logs",
        }
    }

    /// The variable of the exporter of this signal.
    fn exporter_variable(self) -> String {
        ["OTEL_", &self.as_str().to_ascii_uppercase(), "_EXPORTER"].concat()
    }

    /// A variable of this signal, such as `OTEL_EXPORTER_OTLP_LOGS_HEADERS`, or else the one of all
    /// signals, with its name.
    pub(crate) fn variable(self, name: &str) -> Option<(String, String)> {
        let own = self.own_variable(name);
        own.or_else(|| variable(["OTEL_EXPORTER_OTLP_", name].concat()))
    }

    fn own_variable(self, name: &str) -> Option<(String, String)> {
        let signal = self.as_str().to_ascii_uppercase();
        variable(["OTEL_EXPORTER_OTLP_", &*signal, "_", name].concat())
    }

    /// Whether the signal is sent, if there is an address. Traces are sent by default: the others
    /// exist in other ways, too, and a collector of traces alone would refuse them.
    fn is_wanted(self, signals: &[Self]) -> Result<bool, OtlpError> {
        if !signals.is_empty() {
            return Ok(signals.contains(&self));
        }
        match variable(self.exporter_variable()) {
            Some((variable, value)) => match &*value {
                "otlp" => Ok(true),
                "none" => Ok(false),
                _ => Err(OtlpError::Exporter { variable, value }),
            },
            None => Ok(self == Self::Traces || self.own_variable("ENDPOINT").is_some()),
        }
    }

    /// The address: a variable for this signal alone says more than an option for all of them.
    fn endpoint(self, option: Option<&str>) -> Option<String> {
        if let Some((_, own)) = self.own_variable("ENDPOINT") {
            return Some(own);
        }
        if let Some(option) = option {
            return Some(self.below(option));
        }
        let shared = variable("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned());
        shared.map(|(_, endpoint)| self.below(&endpoint))
    }

    /// Appends the standard path to an address, in place of that of another signal.
    fn below(self, endpoint: &str) -> String {
        let base = endpoint.trim_end_matches('/');
        let base = Self::ALL.iter().find_map(|signal| base.strip_suffix(signal.path()));
        let base = base.unwrap_or(endpoint);
        [base.trim_end_matches('/'), self.path()].concat()
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Destinations {
    /// The addresses by the options: that of the collector, and the signals, if they are named.
    pub(crate) fn find(option: Option<&str>, signals: &[Signal]) -> Result<Self, OtlpError> {
        let endpoint = |signal: Signal| match signal.is_wanted(signals)? {
            true => match signal.endpoint(option) {
                None if !signals.is_empty() => Err(OtlpError::NoEndpoint(signal)),
                endpoint => Ok(endpoint),
            },
            false => Ok(None),
        };
        Ok(Self {
            traces: endpoint(Signal::Traces)?,
            metrics: endpoint(Signal::Metrics)?,
            logs: endpoint(Signal::Logs)?,
        })
    }
}

/// A variable that is not empty, with its name.
pub(crate) fn variable(name: String) -> Option<(String, String)> {
    let value = env::var(&name).ok().filter(|value| !value.is_empty())?;
    Some((name, value))
}

/// Parses the address of a signal.
pub(crate) fn address(endpoint: &str) -> Result<Uri, OtlpError> {
    let parsed = endpoint.parse::<Uri>().ok().filter(|address| {
        let is_known = [Some(&Scheme::HTTP), Some(&Scheme::HTTPS)].contains(&address.scheme());
        is_known && address.host().is_some_and(|host| !host.is_empty())
    });
    parsed.ok_or_else(|| OtlpError::Endpoint(redact::address(endpoint).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_signal_is_added_once() {
        let expected = "http://collector:4318/v1/traces";
        for endpoint in ["http://collector:4318", "http://collector:4318/", expected] {
            assert_eq!(Signal::Traces.below(endpoint), expected);
            let logs = Signal::Logs.below(endpoint);
            assert_eq!(logs, "http://collector:4318/v1/logs");
        }
        let below = Signal::Metrics.below("https://x.example/otlp");
        assert_eq!(below, "https://x.example/otlp/v1/metrics");
    }

    #[test]
    fn an_address_without_http_is_refused() {
        assert!(address("http://127.0.0.1:4318/v1/traces").is_ok());
        assert!(address("https://collector.example/v1/traces").is_ok());
        for endpoint in ["", "collector:4318", "grpc://collector:4317", "/v1/traces", "http:///x"] {
            assert!(address(endpoint).is_err(), "{endpoint}");
        }
    }

    #[test]
    fn the_option_names_the_signals() {
        let find = |signals: &[Signal]| Destinations::find(Some("http://a:1"), signals).unwrap();
        let both = find(&[Signal::Metrics, Signal::Logs]);
        assert_eq!(both.traces, None);
        assert_eq!(both.metrics.as_deref(), Some("http://a:1/v1/metrics"));
        assert_eq!(both.logs.as_deref(), Some("http://a:1/v1/logs"));
        let traces = Some("http://a:1/v1/traces".to_owned());
        assert_eq!(find(&[]), Destinations { traces, ..Destinations::default() });
    }
}
