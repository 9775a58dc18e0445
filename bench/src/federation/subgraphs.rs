//! The four subgraphs of the shop in one fast process, so that what is measured is the gateway.
//!
//! * `shop`: the data; `schema`: which subgraph has what of it
//! * `document`: what gateways write; `program`: the same compiled
//! * `live`: answers of any document; `canned`: answers by the bytes of the request
//! * `serve`: HTTP; `counts`: how much was asked

mod canned;
mod counts;
mod delay;
mod document;
mod live;
mod program;
mod schema;
mod serve;
mod shop;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Serialize;

pub(crate) use counts::{Count, Counts};
pub(crate) use serve::serve;
pub(crate) use shop::Data;

/// The path at which the counts are.
pub(crate) const COUNTS: &str = "counts";

pub(crate) const HELP: &str = "
cargo xtask bench federation-subgraphs [--port PORT] [--delay MILLISECONDS] [--canned]
                                     [--sixth-product | --distinct]
    Serves the four subgraphs of the suite `federation` at 127.0.0.1, in one process: /accounts,
    /inventory, /products, /reviews; /counts tells how often each was asked and how many bytes
    that were.
      --port PORT           24300 if not said, as the suite's supergraph has it
      --delay MILLISECONDS  waits before each answer
      --sixth-product       every user has reviewed a product that is not at the top, too
      --distinct            everybody has written reviews of their own: hardly anything comes twice
      --canned              gives to the bytes of a request that came before the bytes of its answer
";

/// What is asked on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) port: u16,
    pub(crate) delay: Duration,
    pub(crate) form: Form,
    pub(crate) data: Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// Compiled documents, prepared data.
    Live,
    /// Answers that were given before.
    Canned,
}

impl Form {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Live => Self::Canned,
            Self::Canned => Self::Live,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 24300, delay: Duration::ZERO, form: Form::Live, data: Data::Published }
    }
}
