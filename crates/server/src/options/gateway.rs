//! Options of the gateway: the supergraph and its subgraphs.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use engine::gateway::SubgraphErrors;
use hyper::header::HeaderName;

use super::authorization::AuthorizationOptions;
use super::callback::CallbackOptions;
use super::development::{Switch, switched};
use super::quantity::{Size, Time};
use super::registry::{Poll, RegistryOptions, RemoteKind, RemoteSupergraph};
use super::serving::ServingOptions;
use super::subgraph_cache::SubgraphCacheOptions;
use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct GatewayOptions {
    /// The supergraph: a file with the composed schema, its https:// address, a file of subgraphs to
    /// compose (`.yaml` or `.toml`), or that of a registry: `uplink:GRAPH_REF`, `hive:TARGET`,
    /// `s3://BUCKET/KEY`
    #[arg(env = "THALWEG_SUPERGRAPH")]
    pub(crate) supergraph: String,
    /// Interval of polling a supergraph at an address or of a registry, or the subgraphs to compose; or
    /// `never` [default: 10s for registries, otherwise never]
    #[arg(help_heading = "Supergraph", long, env = "THALWEG_SUPERGRAPH_POLL", value_name = "TIME")]
    pub(crate) supergraph_poll: Option<Poll>,
    /// A file that keeps the last good supergraph of another server, for a start without it
    #[arg(help_heading = "Supergraph", long, env = "THALWEG_SUPERGRAPH_COPY", value_name = "FILE")]
    pub(crate) supergraph_copy: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) labels: LabelOptions,
    #[command(flatten)]
    pub(crate) guards: AuthorizationOptions,
    #[command(flatten)]
    pub(crate) subgraphs: SubgraphOptions,
    #[command(flatten)]
    pub(crate) callbacks: CallbackOptions,
    #[command(flatten)]
    pub(crate) cache: SubgraphCacheOptions,
    #[command(flatten)]
    pub(crate) serving: ServingOptions,
    /// Return the query plan to requests with the header `Thalweg-Plan: 1` [default: on in development
    /// mode]
    #[arg(help_heading = "Development", long, env = "THALWEG_EXPOSE_PLAN", value_name = "SWITCH")]
    expose_plan: Option<Switch>,
    /// Watch the file of the supergraph: reload it when it changes
    ///
    /// The file is polled every second, like that of `--subgraphs`. `--supergraph-poll` follows a
    /// supergraph at an address.
    #[arg(help_heading = "Development", short = 'w', long, env = "THALWEG_WATCH")]
    pub(crate) watch: bool,
}

/// Progressive `@override`: labels by which fields move to other subgraphs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Supergraph")]
pub(crate) struct LabelOptions {
    /// The labels of `@override` that are active for every request, separated by commas
    #[arg(long, env = "THALWEG_OVERRIDE_LABELS", value_name = "LABELS", value_delimiter = ',')]
    override_labels: Vec<Box<str>>,
    /// The header in which clients send further labels, separated by commas [default: none]
    #[arg(long, env = "THALWEG_OVERRIDE_LABEL_HEADER", value_name = "HEADER")]
    override_label_header: Option<HeaderName>,
    /// The claim with further labels, a list or a string [default: none]
    #[arg(long, env = "THALWEG_OVERRIDE_LABEL_CLAIM", value_name = "CLAIM")]
    override_label_claim: Option<Box<str>>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Subgraphs")]
pub(crate) struct SubgraphOptions {
    /// The file with settings of each subgraph: address, headers, timeouts, TLS
    #[arg(long, env = "THALWEG_SUBGRAPHS", value_name = "FILE")]
    pub(crate) subgraphs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) registry: RegistryOptions,
    /// Timeout of a request to a subgraph
    #[arg(long, env = "THALWEG_SUBGRAPH_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) subgraph_timeout: Time,
    /// Timeout for connecting to a subgraph
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_CONNECT_TIMEOUT",
        value_name = "TIME",
        default_value = "2s"
    )]
    pub(crate) subgraph_connect_timeout: Time,
    /// The connection limit of a thread for each subgraph
    #[arg(long, env = "THALWEG_SUBGRAPH_CONNECTIONS", value_name = "NUMBER", default_value = "64")]
    pub(crate) subgraph_connections: NonZeroUsize,
    /// The limit on concurrent requests to each subgraph: a number, or a share of `--max-requests`
    ///
    /// This is a bulkhead: a subgraph that hangs does not block requests to the others.
    #[arg(
        long,
        env = "THALWEG_MAX_SUBGRAPH_REQUESTS",
        value_name = "NUMBER",
        default_value = "50%"
    )]
    pub(crate) max_subgraph_requests: RequestLimit,
    /// The maximum size of a subgraph's response
    #[arg(long, env = "THALWEG_MAX_SUBGRAPH_ANSWER", value_name = "SIZE", default_value = "64MiB")]
    pub(crate) max_subgraph_answer: Size,
    /// Errors of subgraphs in responses
    #[arg(
        long,
        env = "THALWEG_SUBGRAPH_ERRORS",
        value_name = "WHAT",
        default_value = "hidden",
        value_parser = SUBGRAPH_ERRORS
    )]
    subgraph_errors: SubgraphErrors,
    /// Cache entities within a request, so that a subgraph is not asked twice for the same entity
    #[arg(long, env = "THALWEG_ENTITY_STORE", value_name = "SWITCH", default_value = "on")]
    entity_store: Switch,
    /// Deduplicate identical requests to subgraphs that run at the same time, with the same headers
    #[arg(long, env = "THALWEG_DEDUPLICATE_SUBGRAPH_REQUESTS")]
    pub(crate) deduplicate_subgraph_requests: bool,
    /// The maximum number of entities in one request to a subgraph
    #[arg(
        long,
        env = "THALWEG_MAX_REPRESENTATIONS",
        value_name = "NUMBER",
        default_value = "10000"
    )]
    max_representations: NonZeroUsize,
}

/// A limit on concurrent requests to a subgraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestLimit {
    Number(NonZeroU32),
    /// A percentage of the server's own limit.
    Share(u8),
}

impl RequestLimit {
    /// The number for a server with this limit.
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

impl FromStr for RequestLimit {
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

/// Errors of subgraphs in responses.
const SUBGRAPH_ERRORS: Words<SubgraphErrors> = Words(&[
    (
        "hidden",
        SubgraphErrors::Hidden,
        "A generic error with the id of the request, which the log has as well",
    ),
    ("codes", SubgraphErrors::Codes, "Also the subgraph's error code"),
    ("shown", SubgraphErrors::Shown, "The whole error, including the name of the subgraph"),
]);

/// The location of a supergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SupergraphLocation {
    File(PathBuf),
    Remote(RemoteSupergraph),
    /// A file of subgraphs to compose.
    Composition(PathBuf),
}

impl SupergraphLocation {
    /// Parses `SUPERGRAPH`, with the options of requests for it.
    pub(crate) fn parse(text: &str, options: &RegistryOptions) -> Result<Self, Failure> {
        if let Some(remote) = options.registry(text)? {
            return Ok(Self::Remote(remote));
        }
        if !text.contains("://") {
            let begins_like_address = text.starts_with("http") && text.contains("//");
            if begins_like_address && !std::path::Path::new(text).exists() {
                let shown = redact::address(text);
                let message =
                    format!("the supergraph `{shown}` is no address; `https://` begins one");
                return Err(Failure::Usage(message));
            }
            options.refuse()?;
            return Ok(match is_composition(text) {
                true => Self::Composition(text.into()),
                false => Self::File(text.into()),
            });
        }
        match clients::http::read_url(text) {
            Ok(url) => options.url(url).map(Self::Remote),
            Err(error) => {
                let shown = redact::address(text);
                Err(Failure::Usage(format!("the supergraph `{shown}`: {error}")))
            }
        }
    }

    /// Whether a SOURCE is a supergraph, and not a database.
    pub(crate) fn is_named_by(text: &str) -> bool {
        let ending = std::path::Path::new(text).extension();
        let is_schema = ending.is_some_and(|ending| ending == "graphql" || ending == "graphqls");
        RemoteKind::of(text).is_some() || is_schema || is_composition(text)
    }
}

/// True for the names of files with subgraphs to compose.
fn is_composition(text: &str) -> bool {
    let ending = std::path::Path::new(text).extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("yaml" | "yml" | "toml"))
}

impl GatewayOptions {
    /// The supergraph, with the options of requests for it.
    pub(crate) fn place(&self) -> Result<SupergraphLocation, Failure> {
        let place = SupergraphLocation::parse(&self.supergraph, &self.subgraphs.registry)?;
        let is_remote = matches!(place, SupergraphLocation::Remote(_));
        match self.supergraph_copy.is_some() && !is_remote {
            true => {
                let message =
                    "`--supergraph-copy` is for a supergraph at an address or of a registry";
                Err(Failure::Usage(message.into()))
            }
            false => Ok(place),
        }
    }

    /// The interval of polling the supergraph; none for never.
    pub(crate) fn poll(&self, place: &SupergraphLocation) -> Result<Option<Duration>, Failure> {
        match (place, self.supergraph_poll) {
            (SupergraphLocation::File(_), Some(_)) => {
                let message = "`--supergraph-poll` is for a supergraph at an address or of a registry, \
                               and for subgraphs to compose; `--watch` follows a file";
                Err(Failure::Usage(message.into()))
            }
            (_, Some(poll)) => Ok(poll.pause()),
            (SupergraphLocation::Remote(remote), None) => remote.default_poll(),
            (SupergraphLocation::File(_) | SupergraphLocation::Composition(_), None) => Ok(None),
        }
    }

    /// Whether responses may contain the query plan.
    fn exposes_plan(&self) -> bool {
        switched(self.expose_plan, self.serving.is_private())
    }

    pub(crate) fn to_engine(&self) -> engine::gateway::GatewayOptions {
        let limits = self.serving.engine_limits();
        engine::gateway::GatewayOptions {
            expose_plan: self.exposes_plan(),
            ..gateway_options(limits, &self.subgraphs, &self.labels, &self.guards)
        }
    }
}

/// The options of the engine.
pub(crate) fn gateway_options(
    limits: engine::Limits,
    subgraphs: &SubgraphOptions,
    labels: &LabelOptions,
    guards: &AuthorizationOptions,
) -> engine::gateway::GatewayOptions {
    engine::gateway::GatewayOptions {
        limits,
        execution: gateway::execute::Options {
            reuse: subgraphs.entity_store == Switch::On,
            max_representations: subgraphs.max_representations.get(),
        },
        errors: subgraphs.subgraph_errors,
        labels: labels.override_labels.clone(),
        label_header: labels.override_label_header.clone(),
        label_claim: labels.override_label_claim.clone(),
        authorization: guards.to_engine(),
        ..engine::gateway::GatewayOptions::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::supergraph_url::SupergraphUrl;

    #[test]
    fn a_supergraph_is_a_file_or_an_address_that_nobody_on_the_way_can_change() {
        let check = |text: &str, expected: Result<SupergraphLocation, &str>| {
            let place = SupergraphLocation::parse(text, &RegistryOptions::default());
            let place = place.map_err(|failure| failure.to_string());
            match (place, expected) {
                (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{found}"),
                (found, wanted) => assert_eq!(found.ok(), wanted.ok(), "{text}"),
            }
        };
        check("shop.graphql", Ok(SupergraphLocation::File("shop.graphql".into())));
        let composition = |file: &str| Ok(SupergraphLocation::Composition(file.into()));
        check("a/supergraph.yaml", composition("a/supergraph.yaml"));
        check("subgraphs.toml", composition("subgraphs.toml"));
        let url = |text: &str| {
            let url = SupergraphUrl::new(text.parse().unwrap());
            Ok(SupergraphLocation::Remote(RemoteSupergraph::Url(url)))
        };
        check("https://a.example/supergraph", url("https://a.example/supergraph"));
        check("http://127.0.0.1:7000/s", url("http://127.0.0.1:7000/s"));
        check("http://a.example/supergraph", Err("only for addresses of this machine"));
        check("ftp://a.example/supergraph", Err("an address is wanted"));
    }

    #[test]
    fn requests_to_a_subgraph_are_a_number_or_a_share() {
        let check = |text: &str, expected: Option<u32>| {
            let most = text.parse::<RequestLimit>().ok();
            assert_eq!(most.map(|most| most.of(512).get()), expected, "{text}");
        };
        check("50%", Some(256));
        check("1%", Some(5));
        check("100 %", Some(512));
        check("1000", Some(1_000));
        for wrong in ["0", "0%", "101%", "-1", "1.5", "", "%", "many"] {
            check(wrong, None);
        }
        assert_eq!(RequestLimit::Share(1).of(1).get(), 1);
    }

    #[test]
    fn a_supergraph_is_told_from_a_database() {
        for text in [
            "a.graphql",
            "dir/b.graphqls",
            "https://a.example/s",
            "http://localhost/s",
            "s.yml",
            "uplink:a@b",
            "hive:",
            "s3://a/b",
        ] {
            assert!(SupergraphLocation::is_named_by(text), "{text}");
        }
        for text in
            ["shop.db", "sqlite:a.graphql.db", "postgres://localhost/shop", "graphql", "s3.db"]
        {
            assert!(!SupergraphLocation::is_named_by(text), "{text}");
        }
    }
}
