//! `thalweg demo --gateway`: writes and serves the federated shop.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use engine::gateway::GatewayWorker;
use engine::{Allowed, Api, Caller, MemoryBudget, Report};
use graphql::Request;
use serde_json_bytes::{Value as Json, serde_json};

use super::{place_of, report};
use crate::commands::gateway::{KnownSubgraphs, PreparedGateway};
use crate::commands::prepare::prepare;
use crate::commands::serving::open_and_serve;
use crate::commands::{block_on, print};
use crate::demo::federated::{DEFAULT_FOLDER, QUERY, REMOTE, Shop};
use crate::failure::Failure;
use crate::http::{
    self, AuthProfile, AuthScheme, Bound, Declared, Generation, Listeners, SecondServer, Settings,
    Telemetry,
};
use crate::options::{DemoOptions, LocalSources, ServeOptions, ServingOptions, check_for_gateway};

/// The remote subgraph: a second server in this process.
#[derive(Debug)]
struct Remote {
    place: Bound,
    /// Stops when dropped.
    _served: SecondServer,
}

/// The result of the example query.
#[derive(Debug)]
struct QueryResult {
    /// The query plan with its statements, and the result of each request.
    plan: String,
    answer: String,
}

pub(super) fn serve(options: &DemoOptions) -> Result<(), Failure> {
    let serving = &options.serving;
    // All databases of the shop are SQLite files.
    let local = LocalSources { has_sqlite: true, ..LocalSources::default() };
    check_for_gateway(&serving.given, local)?;
    let settings = Settings::new(
        serving,
        AuthScheme::Tokens(AuthProfile::Gateway { has_roles: false }),
        Declared::default(),
    )?;
    let listeners = http::bind(serving)?;
    let shop = Shop::at(options.folder.as_deref().unwrap_or(Path::new(DEFAULT_FOLDER)));
    prepare_folder(&shop)?;
    let remote = Remote::start(&shop)?;
    let prepared = PreparedGateway::of_demo(serving, settings, &shop, &remote.place.to_string())?;
    let result = OnceCell::new();
    open_and_serve(
        || {
            let fresh = prepared.open(&KnownSubgraphs::default())?;
            // It is set only once.
            let _ = result.set(ask(&fresh.api)?);
            Ok(fresh)
        },
        serving,
        listeners,
        None,
        |listeners| {
            print(&about(&shop, &remote))?;
            if let Some(result) = result.get() {
                print(&result.text(&shop))?;
            }
            print(&welcome(&shop, listeners, serving))
        },
    )
}

fn prepare_folder(shop: &Shop) -> Result<(), Failure> {
    let place = shop.folder().display().to_string();
    match shop.is_sample()? {
        true => print(&["Using the federated shop in ", &place, ".\n"].concat()),
        false => report("federated shop", &place, || Ok(shop.write()?)),
    }
}

impl Remote {
    /// Starts a server like `thalweg serve --federation`, independent of the gateway's options.
    fn start(shop: &Shop) -> Result<Self, Failure> {
        let words = ["thalweg", "--federation", "--dialect", "phrag", "--threads", "1"];
        let listen = ["--listen", "127.0.0.1:0", "--"];
        let words = words.into_iter().chain(listen).map(OsString::from);
        let words = words.chain([shop.remote().into_os_string()]);
        let options = ServeOptions::of_words(words)?;
        let fresh = prepare(&options)?.open()?;
        let listeners = http::bind(&options.serving)?;
        let place = listeners.first().clone();
        let served = http::serve_second(Generation::first(fresh, Telemetry::default()), listeners)?;
        Ok(Self { place, _served: served })
    }
}

/// Sends the example query, which needs all subgraphs.
fn ask(api: &Api) -> Result<QueryResult, Failure> {
    let Api::Gateway(gateway) = api else {
        return Ok(QueryResult { plan: String::new(), answer: String::new() });
    };
    let request = Request { query: QUERY.to_owned(), ..Request::default() };
    let worker = GatewayWorker::sharing(Arc::clone(gateway), MemoryBudget::new(u64::MAX));
    block_on(async {
        let (caller, mut report) = (Caller::default(), Report::default());
        let answer =
            worker.deliver_reported(&request, &caller, Allowed::Queries, &mut report).await;
        let explained = worker.explain(&request, &caller, true).await;
        let plan = explained.map_err(|errors| {
            let messages = errors.iter().map(|error| &*error.message);
            Failure::Usage(messages.collect::<Vec<_>>().join("; "))
        })?;
        Ok(QueryResult { plan, answer: pretty(&answer.body) })
    })
}

/// Pretty-prints JSON; returns other text unchanged.
fn pretty(body: &[u8]) -> String {
    let read: Option<Json> = serde_json::from_slice(body).ok();
    let printed = read.and_then(|json| serde_json::to_string_pretty(&json).ok());
    printed.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned())
}

fn about(shop: &Shop, remote: &Remote) -> String {
    format!(
        "Of its five subgraphs accounts, inventory, products and reviews are databases in this \
         process,\nand {REMOTE} is a server at {}. Their files are in {}.\n",
        remote.place,
        shop.folder().display()
    )
}

impl QueryResult {
    fn text(&self, shop: &Shop) -> String {
        let query = shop.query();
        let Self { plan, answer } = self;
        format!(
            "\n# A query across all of them, {}:\n\n{QUERY}\n# Its query plan:\n\n{plan}\n\
             # Its response:\n\n{answer}\n",
            query.display()
        )
    }
}

fn welcome(shop: &Shop, listeners: &Listeners, serving: &ServingOptions) -> String {
    let place = place_of(listeners, serving);
    let (supergraph, subgraphs) = (word(&shop.supergraph()), word(&shop.subgraphs()));
    let (query, remote) = (word(&shop.query()), word(&shop.remote()));
    format!(
        "\n{place}\n\n# The query plan of any query; with --analyze it is executed:\n\
         thalweg explain {supergraph} {query} --subgraphs {subgraphs}\n\n\
         # The same gateway without the demo, and its server:\n\
         thalweg serve {remote} --federation --dialect phrag --listen 127.0.0.1:4001\n\
         thalweg gateway {supergraph} --subgraphs {subgraphs}\n"
    )
}

/// Quotes a path for a shell.
fn word(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    match path.chars().all(is_plain) {
        true => path,
        false => ["'", &path.replace('\'', "'\\''"), "'"].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_can_be_pasted_into_a_shell() {
        let check = |path: &str, expected: &str| assert_eq!(word(Path::new(path)), expected);
        check("federated-shop/query.graphql", "federated-shop/query.graphql");
        check("my shop/$a", "'my shop/$a'");
        check("Ann's", "'Ann'\\''s'");
    }
}
