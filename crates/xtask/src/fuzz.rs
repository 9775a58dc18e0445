//! `cargo xtask fuzz`: the fuzz targets for longer than the tests run them.

use std::path::Path;

use crate::program;

/// Default duration of a target, in seconds.
const SECONDS: u32 = 60;

/// The targets to run, and the duration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// All of them by default.
    pub(crate) target: Option<Target>,
    pub(crate) seconds: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Http,
    Document,
    Variables,
    Cursor,
    NodeId,
    Configuration,
    Token,
    Definitions,
    Import,
    Metadata,
    Supergraph,
    Planner,
    Failures,
    Answers,
}

impl Default for Options {
    fn default() -> Self {
        Self { target: None, seconds: SECONDS }
    }
}

impl Target {
    pub(crate) const ALL: [Self; 14] = [
        Self::Http,
        Self::Document,
        Self::Variables,
        Self::Cursor,
        Self::NodeId,
        Self::Configuration,
        Self::Token,
        Self::Definitions,
        Self::Import,
        Self::Metadata,
        Self::Supergraph,
        Self::Planner,
        Self::Failures,
        Self::Answers,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Document => "document",
            Self::Variables => "variables",
            Self::Cursor => "cursor",
            Self::NodeId => "node-id",
            Self::Configuration => "configuration",
            Self::Token => "token",
            Self::Definitions => "definitions",
            Self::Import => "import",
            Self::Metadata => "metadata",
            Self::Supergraph => "supergraph",
            Self::Planner => "planner",
            Self::Failures => "failures",
            Self::Answers => "answers",
        }
    }

    /// The arguments of Cargo, and the names of tests that fuzz it.
    fn tests(self) -> (&'static [&'static str], &'static [&'static str]) {
        const ENGINE: &[&str] = &["-p", "engine", "--test", "cases"];
        const GATEWAY: &[&str] = &["-p", "gateway", "--test", "gateway"];
        match self {
            Self::Http => (&["-p", "server", "--test", "server"], &["fuzz::"]),
            Self::Document => (ENGINE, &["fuzz::grammar::", "fuzz::tokens::"]),
            Self::Variables => (ENGINE, &["fuzz::variables::", "fuzz::bytes::"]),
            Self::Cursor => (ENGINE, &["fuzz::cursor"]),
            Self::NodeId => (ENGINE, &["fuzz::node_id"]),
            Self::Configuration => (&["-p", "server", "--bins"], &["configuration::fuzz"]),
            Self::Token => (&["-p", "engine", "--lib"], &["session::fuzz"]),
            Self::Definitions => (&["-p", "engine", "--test", "engine"], &["dgraph_definitions::"]),
            Self::Import => (&["-p", "transfer", "--test", "fuzz"], &["imported_files"]),
            Self::Metadata => (&["-p", "hasura-metadata", "--test", "fuzz"], &["changed_metadata"]),
            Self::Supergraph => (GATEWAY, &["fuzz::supergraph"]),
            Self::Planner => (GATEWAY, &["fuzz::planner"]),
            Self::Failures => (GATEWAY, &["fuzz::failures"]),
            Self::Answers => (GATEWAY, &["fuzz::answers"]),
        }
    }
}

/// Runs the targets one after the other; `false` if something was found.
pub(crate) fn fuzz(workspace: &Path, options: &Options) -> bool {
    let targets = Target::ALL.into_iter();
    let targets = targets.filter(|target| options.target.is_none_or(|wanted| wanted == *target));
    let mut found = Vec::new();
    for target in targets {
        let (words, tests) = target.tests();
        for test in tests {
            let mut command = program::cargo();
            command.arg("test").args(words).current_dir(workspace);
            command.env("THALWEG_FUZZ_SECONDS", options.seconds.to_string());
            command.arg("--").arg(test);
            if !command.status().is_ok_and(|status| status.success()) {
                found.push(target.name());
            }
        }
    }
    if found.is_empty() {
        println!("nothing was found");
    } else {
        println!("found by: {}; fixtures/fuzz has what it was", found.join(", "));
    }
    found.is_empty()
}
