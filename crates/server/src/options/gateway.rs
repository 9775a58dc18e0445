//! What the gateway serves, and how it asks subgraphs.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use hyper::Uri;
use hyper::header::HeaderName;

use super::development::{Switch, switched};
use super::guards::GuardOptions;
use super::quantity::{Size, Time};
use super::serving::ServingOptions;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct GatewayOptions {
    /// The supergraph: a file of a composed schema, or the https:// address of one
    #[arg(env = "THALWEG_SUPERGRAPH")]
    pub(crate) supergraph: String,
    /// How often a supergraph at an address is asked for again [default: not at all]
    #[arg(help_heading = "Supergraph", long, env = "THALWEG_SUPERGRAPH_POLL", value_name = "TIME")]
    pub(crate) supergraph_poll: Option<Time>,
    #[command(flatten)]
    pub(crate) labels: LabelOptions,
    #[command(flatten)]
    pub(crate) guards: GuardOptions,
    #[command(flatten)]
    pub(crate) subgraphs: SubgraphOptions,
    #[command(flatten)]
    pub(crate) serving: ServingOptions,
    /// Tell how a request was planned to who asks by the header `Thalweg-Plan: 1` [default: on where
    /// everybody is trusted]
    #[arg(help_heading = "Development", long, env = "THALWEG_EXPOSE_PLAN", value_name = "SWITCH")]
    expose_plan: Option<Switch>,
    /// Follow the file of the supergraph: serve it anew when it changes
    ///
    /// The file is looked at every second, and so is that of `--subgraphs`. A supergraph at an
    /// address is followed by `--supergraph-poll`.
    #[arg(help_heading = "Development", short = 'w', long, env = "THALWEG_WATCH")]
    pub(crate) watch: bool,
}

/// Which fields are moved to other subgraphs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Supergraph")]
pub(crate) struct LabelOptions {
    /// The labels of `@override` that hold for every request, separated by commas
    #[arg(long, env = "THALWEG_OVERRIDE_LABELS", value_name = "LABELS", value_delimiter = ',')]
    override_labels: Vec<Box<str>>,
    /// The header in which clients name further labels, separated by commas [default: none]
    #[arg(long, env = "THALWEG_OVERRIDE_LABEL_HEADER", value_name = "HEADER")]
    override_label_header: Option<HeaderName>,
    /// The claim of a token that names further labels, a list or a text [default: none]
    #[arg(long, env = "THALWEG_OVERRIDE_LABEL_CLAIM", value_name = "CLAIM")]
    override_label_claim: Option<Box<str>>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Subgraphs")]
pub(crate) struct SubgraphOptions {
    /// A file of what holds for each subgraph: addresses, headers, times, TLS
    #[arg(long, env = "THALWEG_SUBGRAPHS", value_name = "FILE")]
    pub(crate) subgraphs: Option<PathBuf>,
    /// How long a subgraph may take for one answer
    #[arg(long, env = "THALWEG_SUBGRAPH_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) subgraph_timeout: Time,
    /// How long connecting to a subgraph may take
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_CONNECT_TIMEOUT",
        value_name = "TIME",
        default_value = "2s"
    )]
    pub(crate) subgraph_connect_timeout: Time,
    /// The most connections to a subgraph that a thread has
    #[arg(long, env = "THALWEG_SUBGRAPH_CONNECTIONS", value_name = "NUMBER", default_value = "64")]
    pub(crate) subgraph_connections: NonZeroUsize,
    /// The most requests to a subgraph at once: a number, or a share of `--max-requests`
    ///
    /// So a subgraph that hangs holds no more than that, and requests to others are answered meanwhile.
    #[arg(
        long,
        env = "THALWEG_MAX_SUBGRAPH_REQUESTS",
        value_name = "NUMBER",
        default_value = "50%"
    )]
    pub(crate) max_subgraph_requests: MostRequests,
    /// The largest answer of a subgraph
    #[arg(long, env = "THALWEG_MAX_SUBGRAPH_ANSWER", value_name = "SIZE", default_value = "64MiB")]
    pub(crate) max_subgraph_answer: Size,
    /// What clients are told of the errors of subgraphs
    #[arg(long, env = "THALWEG_SUBGRAPH_ERRORS", value_name = "WHAT", default_value = "hidden")]
    subgraph_errors: SubgraphErrors,
    /// Whether what a subgraph has said of an entity is not asked again in the same request
    #[arg(long, env = "THALWEG_ENTITY_STORE", value_name = "SWITCH", default_value = "on")]
    entity_store: Switch,
    /// Ask subgraphs once for what several requests ask at the same time, with the same headers
    #[arg(long, env = "THALWEG_DEDUPLICATE_SUBGRAPH_REQUESTS")]
    pub(crate) deduplicate_subgraph_requests: bool,
    /// The most entities that one request may ask a subgraph for at once
    #[arg(
        long,
        env = "THALWEG_MAX_REPRESENTATIONS",
        value_name = "NUMBER",
        default_value = "10000"
    )]
    max_representations: NonZeroUsize,
}

/// The most requests to a subgraph at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MostRequests {
    Number(NonZeroU32),
    /// So many of a hundred of the server's own.
    Share(u8),
}

impl MostRequests {
    /// The number, where the server has so many requests at once.
    pub(crate) fn of(self, all: u32) -> NonZeroU32 {
        match self {
            Self::Number(number) => number,
            Self::Share(percent) => {
                let share = u64::from(all) * u64::from(percent) / 100;
                NonZeroU32::new(u32::try_from(share).unwrap_or(u32::MAX)).unwrap_or(NonZeroU32::MIN)
            }
        }
    }
}

impl FromStr for MostRequests {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = "a number above 0 or a share from `1%` to `100%` is wanted";
        match text.strip_suffix('%') {
            Some(share) => match share.trim_end().parse() {
                Ok(percent @ 1..=100) => Ok(Self::Share(percent)),
                Ok(_) | Err(_) => Err(error),
            },
            None => text.parse().map(Self::Number).map_err(|_| error),
        }
    }
}

/// What clients are told of the errors of subgraphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SubgraphErrors {
    /// That there was one, and the id by which the log has it
    Hidden,
    /// The subgraph's code as well
    Codes,
    /// Everything, the name of the subgraph included
    Shown,
}

/// Where a supergraph is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SupergraphPlace {
    File(PathBuf),
    Url(Uri),
}

impl SupergraphPlace {
    /// Reads what `SUPERGRAPH` says.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        if !text.contains("://") {
            let begins_like_address = text.starts_with("http") && text.contains("//");
            if begins_like_address && !std::path::Path::new(text).exists() {
                let shown = redact::address(text);
                let message =
                    format!("the supergraph `{shown}` is no address; `https://` begins one");
                return Err(Failure::Usage(message));
            }
            return Ok(Self::File(text.into()));
        }
        match clients::http::read_url(text) {
            Ok(url) => Ok(Self::Url(url)),
            Err(error) => {
                let shown = redact::address(text);
                Err(Failure::Usage(format!("the supergraph `{shown}`: {error}")))
            }
        }
    }

    /// Whether a word that names an API names a supergraph, and no database.
    pub(crate) fn is_named_by(text: &str) -> bool {
        let is_address = text.starts_with("https://") || text.starts_with("http://");
        let ending = std::path::Path::new(text).extension();
        is_address || ending.is_some_and(|ending| ending == "graphql" || ending == "graphqls")
    }
}

impl GatewayOptions {
    /// Whether clients may ask how their requests were planned.
    fn exposes_plan(&self) -> bool {
        switched(self.expose_plan, self.serving.is_private())
    }

    pub(crate) fn of_engine(&self) -> engine::gateway::GatewayOptions {
        let limits = self.serving.engine_limits();
        engine::gateway::GatewayOptions {
            expose_plan: self.exposes_plan(),
            ..of_gateway(limits, &self.subgraphs, &self.labels, &self.guards)
        }
    }
}

/// What the engine is told.
pub(crate) fn of_gateway(
    limits: engine::Limits,
    subgraphs: &SubgraphOptions,
    labels: &LabelOptions,
    guards: &GuardOptions,
) -> engine::gateway::GatewayOptions {
    engine::gateway::GatewayOptions {
        limits,
        execution: gateway::execute::Options {
            reuse: subgraphs.entity_store == Switch::On,
            max_representations: subgraphs.max_representations.get(),
        },
        errors: match subgraphs.subgraph_errors {
            SubgraphErrors::Hidden => engine::gateway::SubgraphErrors::Hidden,
            SubgraphErrors::Codes => engine::gateway::SubgraphErrors::Codes,
            SubgraphErrors::Shown => engine::gateway::SubgraphErrors::Shown,
        },
        labels: labels.override_labels.clone(),
        label_header: labels.override_label_header.clone(),
        label_claim: labels.override_label_claim.clone(),
        authorization: guards.guards(),
        ..engine::gateway::GatewayOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supergraph_is_a_file_or_an_address_that_nobody_on_the_way_can_change() {
        let check = |text: &str, expected: Result<SupergraphPlace, &str>| {
            let place = SupergraphPlace::parse(text).map_err(|failure| failure.to_string());
            match (place, expected) {
                (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{found}"),
                (found, wanted) => assert_eq!(found.ok(), wanted.ok(), "{text}"),
            }
        };
        check("shop.graphql", Ok(SupergraphPlace::File("shop.graphql".into())));
        let url = "https://a.example/supergraph".parse().unwrap();
        check("https://a.example/supergraph", Ok(SupergraphPlace::Url(url)));
        let url = "http://127.0.0.1:7000/s".parse().unwrap();
        check("http://127.0.0.1:7000/s", Ok(SupergraphPlace::Url(url)));
        check("http://a.example/supergraph", Err("only for addresses of this machine"));
        check("ftp://a.example/supergraph", Err("an address is wanted"));
    }

    #[test]
    fn requests_to_a_subgraph_are_a_number_or_a_share() {
        let check = |text: &str, expected: Option<u32>| {
            let most = text.parse::<MostRequests>().ok();
            assert_eq!(most.map(|most| most.of(512).get()), expected, "{text}");
        };
        check("50%", Some(256));
        check("1%", Some(5));
        check("100 %", Some(512));
        check("1000", Some(1_000));
        for wrong in ["0", "0%", "101%", "-1", "1.5", "", "%", "many"] {
            check(wrong, None);
        }
        assert_eq!(MostRequests::Share(1).of(1).get(), 1);
    }

    #[test]
    fn a_supergraph_is_told_from_a_database() {
        for text in ["a.graphql", "dir/b.graphqls", "https://a.example/s", "http://localhost/s"] {
            assert!(SupergraphPlace::is_named_by(text), "{text}");
        }
        for text in ["shop.db", "sqlite:a.graphql.db", "postgres://localhost/shop", "graphql"] {
            assert!(!SupergraphPlace::is_named_by(text), "{text}");
        }
    }
}
