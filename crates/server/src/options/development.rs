//! Tools for development, which are off in production.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(next_help_heading = "Development")]
pub(crate) struct DevelopmentOptions {
    /// Development mode: enable introspection, GraphiQL and explain, wherever the server listens
    ///
    /// This is the default for a server that only this machine can reach.
    #[arg(long, env = "THALWEG_DEV")]
    pub(crate) dev: bool,
    /// Introspection of the schema [default: on in development mode and in the dialect hasura]
    #[arg(long, env = "THALWEG_INTROSPECTION", value_name = "SWITCH")]
    introspection: Option<Switch>,
    /// Serve GraphiQL at `/` [default: on in development mode]
    #[arg(long, env = "THALWEG_GRAPHIQL", value_name = "SWITCH")]
    graphiql: Option<Switch>,
    /// Explain requests at `/explain` [default: on in development mode, unless introspection or GraphiQL
    /// is off]
    #[arg(long, env = "THALWEG_EXPLAIN", value_name = "SWITCH")]
    explain: Option<Switch>,
}

/// An explicit choice instead of the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl DevelopmentOptions {
    /// Whether introspection is enabled.
    pub(super) fn introspection(&self, default: bool) -> bool {
        switched(self.introspection, default)
    }

    /// Whether introspection is off by choice.
    pub(super) fn refuses_introspection(&self) -> bool {
        self.introspection == Some(Switch::Off)
    }

    /// Whether GraphiQL is served.
    pub(super) fn graphiql(&self, is_private: bool) -> bool {
        switched(self.graphiql, is_private)
    }

    /// Whether requests can be explained, which shows parts of the schema as well.
    pub(super) fn explain(&self, is_private: bool) -> bool {
        let default = is_private && self.introspection(is_private) && self.graphiql(is_private);
        switched(self.explain, default)
    }
}

pub(super) fn switched(switch: Option<Switch>, default: bool) -> bool {
    switch.map_or(default, |switch| switch == Switch::On)
}
