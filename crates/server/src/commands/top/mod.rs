//! `thalweg top`: a terminal view of a running server, by the address of its metrics.
//!
//! * `address`: the address of the metrics
//! * `fetch`: reads both documents of the address
//! * `snapshot`: metrics and running operations of one moment
//! * `view`: rates and percentiles between two snapshots
//! * `sort`: orders of the operations
//! * `quantity`: numbers as text
//! * `plain`: the view as text
//! * `screen`: the view in a terminal; `draw`: its layout

mod address;
mod draw;
mod fetch;
mod plain;
mod quantity;
mod screen;
mod snapshot;
mod sort;
mod view;

use std::io::{self, IsTerminal};

use self::address::MetricsUrl;
use self::fetch::Fetcher;
use self::view::View;
use crate::commands::print;
use crate::failure::Failure;
use crate::options::TopOptions;

pub(crate) fn run(options: &TopOptions) -> Result<(), Failure> {
    let url = MetricsUrl::find(options.address.as_deref(), options.metrics_listen)?;
    let fetcher = Fetcher::new(url)?;
    if options.once {
        let snapshot = fetcher.fetch()?;
        return print(&plain::text(&View::between(None, &snapshot)));
    }
    if !io::stdout().is_terminal() {
        let message = "standard output is not a terminal; `--once` prints one snapshot";
        return Err(Failure::Usage(message.to_owned()));
    }
    screen::run(fetcher)
}
