//! The subgraph client against scripted servers, byte by byte.

mod answers;
mod breaker;
mod compressed;
mod deduplicated;
pub(crate) mod encrypted;
mod faults;
mod http2;
mod kept;
mod limits;
mod retries;
mod server;
mod subscriptions;
mod times;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use clients::subgraph::{
    Client, Http2, ResponseCaching, Settings, Shared, SubgraphError, SubgraphRequest,
    SubgraphResponse,
};
use hyper::HeaderMap;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

const QUERY: &[u8] = br#"{"query":"{ a }"}"#;

/// Runs a test on one thread, as the servers require.
pub(crate) fn run<R>(test: impl Future<Output = R>) -> R {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, test)
}

/// Runs a test with a paused clock, which advances when all tasks are idle.
fn run_without_time<R>(test: impl Future<Output = R>) -> R {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    LocalSet::new().block_on(&runtime, test)
}

fn settings(endpoint: &str) -> Settings {
    Settings {
        name: "reviews".into(),
        endpoint: endpoint.parse().unwrap(),
        connect_timeout: Duration::from_secs(10),
        timeout: Duration::from_secs(20),
        most_bytes: 1 << 20,
        retries: 0,
        http2: Http2::Never,
        connections: 4,
        most_requests: None,
        idle: Duration::from_secs(60),
        compression: None,
        breaker: None,
        deduplicate: false,
        tls: None,
    }
}

fn client(settings: Settings) -> (Client, Arc<Shared>) {
    let shared = Arc::new(Shared::new(&settings));
    (Client::new(Arc::new(settings), Arc::clone(&shared)), shared)
}

/// Sends a short query.
async fn ask(client: &Client) -> Result<SubgraphResponse, SubgraphError> {
    ask_with(client, &HeaderMap::new(), true).await
}

async fn mutate(client: &Client) -> Result<SubgraphResponse, SubgraphError> {
    ask_with(client, &HeaderMap::new(), false).await
}

async fn ask_with(
    client: &Client,
    headers: &HeaderMap,
    is_query: bool,
) -> Result<SubgraphResponse, SubgraphError> {
    let body = Bytes::from_static(QUERY);
    client
        .send(SubgraphRequest { body, headers, is_query, deadline: None, reserve: &|_| true })
        .await
}

fn answer(body: &str) -> Result<SubgraphResponse, SubgraphError> {
    let body = Bytes::copy_from_slice(body.as_bytes());
    Ok(SubgraphResponse { status: 200, body, caching: ResponseCaching::default() })
}
