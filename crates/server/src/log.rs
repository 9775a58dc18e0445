//! The log, on standard error: standard output is for the results of commands. `otlp::logs` sends the same
//! events to a collector.
//!
//! * `line`: formats an event as one line, with the id of its request

mod line;

pub(crate) use self::line::is_harmful;

use std::io::{self, IsTerminal};
use std::panic;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::{Format, JsonFields};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::line::Line;
use crate::options::{Level, LogFormat, LogOptions};
use crate::otlp::LogLayer;

/// Starts the log; `default` is the level if the options have none.
pub(crate) fn start(options: &LogOptions, default: Level) {
    let format = options.format;
    let is_coloured = io::stderr().is_terminal() && format == LogFormat::Text;
    let inner = Format::default().with_target(false).with_ansi(is_coloured);
    let level = filter(options.level.unwrap_or(default));
    let builder = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_ansi(is_coloured);
    match format {
        LogFormat::Text => {
            let line = Line { inner, format, is_coloured };
            builder.event_format(line).finish().with(LogLayer).with(targets(level)).init();
        }
        LogFormat::Json => {
            let inner = inner.json().flatten_event(true);
            let line = Line { inner, format, is_coloured };
            let builder = builder.fmt_fields(JsonFields::new()).event_format(line);
            builder.finish().with(LogLayer).with(targets(level)).init();
        }
    }
    log_panics();
}

/// Logs panics in the same format as other events. A panic ends only its task.
fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("without a message");
        tracing::error!(place, panic = message, "a fault of the program; please report it");
    }));
}

/// The parts of the program that may log. The WebSocket library logs frames, which have tokens and
/// values of clients.
fn targets(level: LevelFilter) -> Targets {
    Targets::new()
        .with_default(level)
        .with_target("tungstenite", LevelFilter::OFF)
        .with_target("tokio_tungstenite", LevelFilter::OFF)
        // Clients can cause its warnings; the server has lines of its own for them.
        .with_target("h2", LevelFilter::OFF)
        // Connections of brokers are logged with the names of the brokers.
        .with_target("async_nats", level.min(LevelFilter::WARN))
}

fn filter(level: Level) -> LevelFilter {
    match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    }
}
