//! Options of a server.

use std::num::NonZeroUsize;
use std::thread;

use clap::Args;

use super::address::{self, Address, Mode};
use super::allow_list::AllowListOptions;
use super::auth::AuthOptions;
use super::cache::CacheOptions;
use super::compression::CompressionOptions;
use super::database::DatabaseOptions;
use super::development::DevelopmentOptions;
use super::errors::ErrorOptions;
use super::given::GivenOptions;
use super::hasura_auth::HasuraAuthOptions;
use super::hive::HiveOptions;
use super::hooks::HookOptions;
use super::limits::LimitOptions;
use super::load::LoadOptions;
use super::mcp::McpOptions;
use super::network::NetworkOptions;
use super::observability::ObservabilityOptions;
use super::origins::OriginOptions;
use super::persisted::PersistedOptions;
use super::prisma::PrismaOptions;
use super::quantity::Time;
use super::rate_limits::RateLimitOptions;
use super::scope::check_needs;
use super::subscriptions::SubscriptionOptions;
use super::tls::TlsOptions;
use super::uploads::UploadOptions;
use crate::failure::Failure;

/// The maximum number of threads; each holds connections and a listener.
const MOST_THREADS: usize = 1024;

#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServingOptions {
    /// Addresses to listen on, as HOST:PORT or unix:PATH, separated by commas; port 0 chooses a free one
    #[arg(
        long,
        env = "THALWEG_LISTEN",
        value_name = "ADDRESSES",
        value_delimiter = ',',
        default_value = address::DEFAULT
    )]
    pub(crate) listen: Vec<Address>,
    /// The file mode of Unix sockets, in the notation of chmod [default: by the umask]
    #[arg(long, env = "THALWEG_UNIX_SOCKET_MODE", value_name = "MODE")]
    pub(crate) unix_socket_mode: Option<Mode>,
    /// The number of worker threads [default: one per core]
    #[arg(long, env = "THALWEG_THREADS", value_name = "NUMBER", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// The size of the connection pool of the database, divided among the threads, at least one each
    #[arg(long, env = "THALWEG_CONNECTIONS", value_name = "NUMBER", default_value = "20")]
    connections: NonZeroUsize,
    /// For PostgreSQL: the connections of a thread that short reads share (pipelining); with 0 each request has its own
    #[arg(long, env = "THALWEG_SHARED_CONNECTIONS", value_name = "NUMBER", default_value = "2")]
    shared_connections: usize,
    /// Graceful shutdown: how long running requests may take after a signal to stop
    #[arg(long, env = "THALWEG_DRAIN_TIMEOUT", value_name = "TIME", default_value = "10s")]
    pub(crate) drain_timeout: Time,
    /// How long new requests are accepted after a signal to stop, until load balancers notice [default: none]
    #[arg(long, env = "THALWEG_DRAIN_DELAY", value_name = "TIME")]
    pub(crate) drain_delay: Option<Time>,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
    #[command(flatten)]
    pub(crate) tls: TlsOptions,
    #[command(flatten)]
    pub(crate) database: DatabaseOptions,
    #[command(flatten)]
    pub(crate) limits: LimitOptions,
    #[command(flatten)]
    pub(crate) uploads: UploadOptions,
    #[command(flatten)]
    pub(crate) errors: ErrorOptions,
    #[command(flatten)]
    pub(crate) load: LoadOptions,
    #[command(flatten)]
    pub(crate) rates: RateLimitOptions,
    #[command(flatten)]
    pub(crate) cache: CacheOptions,
    #[command(flatten)]
    pub(crate) subscriptions: SubscriptionOptions,
    #[command(flatten)]
    pub(crate) development: DevelopmentOptions,
    #[command(flatten)]
    pub(crate) observability: ObservabilityOptions,
    #[command(flatten)]
    pub(crate) hive: HiveOptions,
    #[command(flatten)]
    pub(crate) compression: CompressionOptions,
    #[command(flatten)]
    pub(crate) origins: OriginOptions,
    #[command(flatten)]
    pub(crate) persisted: PersistedOptions,
    #[command(flatten)]
    pub(crate) mcp: McpOptions,
    #[command(flatten)]
    pub(crate) hooks: HookOptions,
    #[command(flatten)]
    pub(crate) auth: AuthOptions,
    #[command(flatten)]
    pub(crate) allow_list: AllowListOptions,
    #[command(flatten)]
    pub(crate) hasura_auth: HasuraAuthOptions,
    #[command(flatten)]
    pub(crate) prisma: PrismaOptions,
    /// The options that the command was given.
    #[arg(skip)]
    pub(crate) given: GivenOptions,
}

impl ServingOptions {
    /// Refuses options that have no effect without another one.
    pub(crate) fn check_needs(&self) -> Result<(), Failure> {
        check_needs(&self.given, self)
    }

    /// Whether development mode is on: only this machine can reach the server, or `--dev` is given.
    pub(crate) fn is_private(&self) -> bool {
        self.development.dev || self.is_local()
    }

    /// Whether only this machine can reach the server.
    pub(crate) fn is_local(&self) -> bool {
        self.listen.iter().all(Address::is_local)
    }

    pub(crate) fn has_graphiql(&self) -> bool {
        self.development.graphiql(self.is_private())
    }

    pub(crate) fn has_explain(&self) -> bool {
        self.development.explain(self.is_private())
    }

    /// Whether introspection is enabled in the dialect hasura, whose metadata names the roles that
    /// have none.
    pub(crate) fn has_introspection_of_hasura(&self) -> bool {
        self.development.introspection(true)
    }

    /// The limits of the engine.
    pub(crate) fn engine_limits(&self) -> engine::Limits {
        engine::Limits {
            introspection: self.development.introspection(self.is_private()),
            ..self.limits.to_engine()
        }
    }

    pub(crate) fn threads(&self) -> NonZeroUsize {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(cores)
    }

    /// The size of the connection pools of all threads.
    pub(crate) fn connections(&self) -> usize {
        self.connections_per_thread().get() * self.threads().get()
    }

    /// The limits of a thread's connection pool, with the number of shared connections.
    pub(crate) fn most_per_thread(&self) -> engine::PoolLimits {
        engine::PoolLimits::sharing(self.connections_per_thread().get(), self.shared_connections)
    }

    fn connections_per_thread(&self) -> NonZeroUsize {
        let share = self.connections.get() / self.threads();
        NonZeroUsize::new(share).unwrap_or(NonZeroUsize::MIN)
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse() {
        Ok(threads) if NonZeroUsize::get(threads) <= MOST_THREADS => Ok(threads),
        Ok(_) | Err(_) => Err(format!("a number from 1 to {MOST_THREADS} is wanted")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        serving: ServingOptions,
    }

    fn check(line: &str, connections_per_thread: usize) {
        let words = ["thalweg"].into_iter().chain(line.split_whitespace());
        let serving = Line::try_parse_from(words).unwrap().serving;
        assert_eq!(serving.connections_per_thread().get(), connections_per_thread, "{line}");
    }

    #[test]
    fn connections_are_shared_out_and_no_thread_goes_without() {
        check("--threads 2", 10);
        check("--threads 3 --connections 20", 6);
        check("--threads 4 --connections 3", 1);
    }

    #[test]
    fn a_server_is_private_where_only_this_machine_reaches_it_or_as_said() {
        let check = |line: &str, is_private| {
            let words = ["thalweg"].into_iter().chain(line.split_whitespace());
            let serving = Line::try_parse_from(words).unwrap().serving;
            assert_eq!(serving.is_private(), is_private, "{line}");
        };
        check("", true);
        check("--listen 127.0.0.3:80", true);
        check("--listen [::1]:80", true);
        check("--listen [::ffff:127.0.0.1]:80", true);
        check("--listen unix:a.sock,127.0.0.1:80", true);
        check("--listen 127.0.0.1:80 --listen 192.0.2.1:80", false);
        check("--listen 0.0.0.0:80", false);
        check("--listen [::]:80", false);
        check("--listen 192.0.2.1:80", false);
        check("--listen 0.0.0.0:80 --dev", true);
    }

    #[test]
    fn requests_are_explained_where_the_schema_and_a_page_are_there_or_as_said() {
        let check = |line: &str, explain| {
            let words = ["thalweg"].into_iter().chain(line.split_whitespace());
            let serving = Line::try_parse_from(words).unwrap().serving;
            assert_eq!(serving.has_explain(), explain, "{line}");
        };
        check("", true);
        check("--introspection off", false);
        check("--graphiql off", false);
        check("--introspection off --graphiql off", false);
        check("--introspection off --graphiql off --explain on", true);
        check("--explain off", false);
        check("--listen 0.0.0.0:80", false);
        check("--listen 0.0.0.0:80 --introspection on --graphiql on", false);
        check("--listen 0.0.0.0:80 --explain on", true);
        check("--listen 0.0.0.0:80 --dev", true);
        check("--listen 0.0.0.0:80 --dev --graphiql off", false);
    }

    #[test]
    fn questions_about_the_schema_are_answered_to_the_trusted_or_as_said() {
        let check = |line: &str, introspection| {
            let words = ["thalweg"].into_iter().chain(line.split_whitespace());
            let serving = Line::try_parse_from(words).unwrap().serving;
            assert_eq!(serving.engine_limits().introspection, introspection, "{line}");
            let is_off = line.contains("--introspection off");
            assert_eq!(serving.has_introspection_of_hasura(), !is_off, "{line}");
        };
        check("", true);
        check("--introspection off", false);
        check("--dev --introspection off", false);
        check("--listen 0.0.0.0:80", false);
        check("--listen 0.0.0.0:80 --dev", true);
        check("--listen 0.0.0.0:80 --introspection on", true);
    }
}
