//! Options that a reload cannot change.

/// Options that are read once: for sockets and threads, which exist from the start, and for the log.
/// All others apply to requests that begin after a reload.
pub(super) const OPTIONS: &[&str] = &[
    "callback-listen",
    "hive-usage-endpoint",
    "hive-usage-sample-rate",
    "hive-usage-target",
    "hive-usage-token",
    "listen",
    "log",
    "log-format",
    "metrics-listen",
    "metrics-operations",
    "otlp-endpoint",
    "otlp-metrics-interval",
    "otlp-signals",
    "rate-limit-store",
    "rate-limit-store-timeout",
    "trace-ratio",
    "threads",
    "unix-socket-mode",
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::configuration::keys::Keys;
    use crate::options::Arguments;

    #[test]
    fn the_options_exist() {
        let keys = Keys::of(&Arguments::command());
        for name in OPTIONS {
            assert!(keys.find(name).is_some(), "{name}");
        }
    }
}
