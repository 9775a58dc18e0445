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

use clap::Args;
use serde::Serialize;

pub(crate) use counts::{Count, Counts};
pub(crate) use serve::serve;
pub(crate) use shop::Data;

/// The path at which the counts are.
pub(crate) const COUNTS: &str = "counts";

/// Arguments of `federation-subgraphs`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Arguments {
    /// The port to listen at; the default is that of the suite's supergraph.
    #[arg(long, value_name = "PORT", default_value = "24300")]
    port: u16,
    /// The time before each answer.
    #[arg(long, value_name = "MILLISECONDS", default_value = "0")]
    delay: u64,
    /// Returns the bytes of an earlier answer to the bytes of the same request.
    #[arg(long)]
    canned: bool,
    /// Every user has also reviewed a product that is not at the top.
    #[arg(long)]
    sixth_product: bool,
    /// Every user has written other reviews: hardly anything comes twice.
    #[arg(long, conflicts_with = "sixth_product")]
    distinct: bool,
}

/// How the subgraphs answer.
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

impl From<&Arguments> for Options {
    fn from(arguments: &Arguments) -> Self {
        Self {
            port: arguments.port,
            delay: Duration::from_millis(arguments.delay),
            form: if arguments.canned { Form::Canned } else { Form::Live },
            data: match (arguments.sixth_product, arguments.distinct) {
                (true, _) => Data::Sixth,
                (false, true) => Data::Distinct,
                (false, false) => Data::Published,
            },
        }
    }
}
