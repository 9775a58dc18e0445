//! What helps to develop against the API, and is not for everybody.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Development")]
pub(crate) struct DevelopmentOptions {
    /// Trust everybody who reaches the server, wherever it listens
    ///
    /// A server that only this machine reaches does so without being told.
    #[arg(long, env = "THALWEG_DEV")]
    pub(crate) dev: bool,
    /// Answer questions about the schema [default: on where everybody is trusted]
    #[arg(long, env = "THALWEG_INTROSPECTION", value_name = "SWITCH")]
    introspection: Option<Switch>,
    /// Serve GraphiQL, a page to ask the API on, at `/` [default: on where everybody is trusted]
    #[arg(long, env = "THALWEG_GRAPHIQL", value_name = "SWITCH")]
    graphiql: Option<Switch>,
    /// Tell at `/explain` what becomes of a request [default: on where everybody is trusted, unless
    /// introspection or GraphiQL is off]
    #[arg(long, env = "THALWEG_EXPLAIN", value_name = "SWITCH")]
    explain: Option<Switch>,
}

/// Whether something is there, whatever the default is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl DevelopmentOptions {
    /// Whether requests may ask for the schema.
    pub(super) fn introspection(&self, is_private: bool) -> bool {
        switched(self.introspection, is_private)
    }

    /// Whether there is a page to ask the API on.
    pub(super) fn graphiql(&self, is_private: bool) -> bool {
        switched(self.graphiql, is_private)
    }

    /// Whether it is told what becomes of requests, which tells of the schema as well.
    pub(super) fn explain(&self, is_private: bool) -> bool {
        let usual = is_private && self.introspection(is_private) && self.graphiql(is_private);
        switched(self.explain, usual)
    }
}

pub(super) fn switched(switch: Option<Switch>, usual: bool) -> bool {
    switch.map_or(usual, |switch| switch == Switch::On)
}
