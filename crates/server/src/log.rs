//! What the program says while it runs, on the standard error stream: the standard output belongs
//! to the results of commands.
//!
//! * `line`: one event as one line, with the request that it is about

mod line;

use std::io::{self, IsTerminal};
use std::panic;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{Format, JsonFields};

use self::line::Line;
use crate::options::{Level, LogFormat, LogOptions};

/// Starts the log, at the `usual` level if the options say nothing.
pub(crate) fn start(options: &LogOptions, usual: Level) {
    let format = options.format;
    let is_coloured = io::stderr().is_terminal() && format == LogFormat::Text;
    let inner = Format::default().with_target(false).with_ansi(is_coloured);
    let builder = tracing_subscriber::fmt()
        .with_max_level(filter(options.level.unwrap_or(usual)))
        .with_writer(io::stderr)
        .with_ansi(is_coloured);
    match format {
        LogFormat::Text => builder.event_format(Line { inner, format, is_coloured }).init(),
        LogFormat::Json => {
            let inner = inner.json().flatten_event(true);
            let line = Line { inner, format, is_coloured };
            builder.fmt_fields(JsonFields::new()).event_format(line).init();
        }
    }
    log_panics();
}

/// A panic ends only the task that it is in; the log has to have it in the same form as all else.
fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let message = panic.payload_as_str().unwrap_or("without a message");
        tracing::error!(place, panic = message, "a fault of the program; please report it");
    }));
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
