//! Reads the schemas of subgraphs. All problems are reported at once.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use clients::http::{Client, DownloadLimits};
use engine::{Engine, Limits, PoolLimits, Timeouts};
use futures_util::future::join_all;
use hyper::Uri;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;
use supergraph::composition::SubgraphSchema;

use super::{CompositionSource, Inputs};
use crate::configuration::{SchemaPlace, SourceEntry, SubgraphPlace};
use crate::failure::Failure;

/// Many times the size of the largest known schemas.
const BOUNDS: DownloadLimits =
    DownloadLimits { time_limit: Duration::from_secs(30), most_bytes: 64 << 20 };

/// The request for the SDL of a subgraph:
/// <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>
const REQUEST: &[u8] = br#"{"query":"query SubgraphSdl { _service { sdl } }"}"#;

/// Schemas that cannot be read, one reason for each subgraph.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\nerror: "))]
struct Unread(Vec<String>);

/// Reads the schemas of a file, in its order.
pub(super) async fn load(source: &CompositionSource) -> Result<Inputs, Failure> {
    let places = &source.parsed.subgraphs;
    let read = places.iter().map(|place| read(place, source.folder()));
    let (mut inputs, mut unread) = (Inputs::default(), Vec::new());
    for (place, read) in places.iter().zip(join_all(read).await) {
        match read {
            Ok((sdl, file)) => {
                let (name, url) = (place.name.clone(), place.routing_url.clone());
                inputs.add(SubgraphSchema { name, url, sdl }, file);
            }
            Err(reason) => unread.push(format!("the schema of `{}`: {reason}", place.name)),
        }
    }
    match unread.is_empty() {
        true => Ok(inputs),
        false => Err(Failure::other(Unread(unread))),
    }
}

/// The schema of a subgraph, and its file.
async fn read(place: &SubgraphPlace, folder: &Path) -> Result<(String, Option<PathBuf>), String> {
    match &place.schema {
        SchemaPlace::File(file) => {
            let file = folder.join(file);
            let text = fs::read_to_string(&file);
            let text = text.map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            Ok((text, Some(file)))
        }
        SchemaPlace::Sdl(sdl) => Ok((sdl.clone(), None)),
        SchemaPlace::Server { url, headers } => {
            let fetched = fetch(url, headers).await.map_err(|reason| {
                format!("{} does not return it: {reason}", redact::address(&url.to_string()))
            })?;
            Ok((fetched, None))
        }
        SchemaPlace::Source(source) => Ok((of_source(source).await?, None)),
    }
}

async fn fetch(url: &Uri, headers: &[(HeaderName, HeaderValue)]) -> Result<String, String> {
    let client = Client::new(url).map_err(|error| error.to_string())?;
    let fetched = client.post_json(url, headers, Bytes::from_static(REQUEST), BOUNDS).await;
    let fetched = fetched.map_err(|error| error.to_string())?;
    let response: Value =
        serde_json::from_slice(&fetched.body).map_err(|_| "the response is not JSON".to_owned())?;
    if let Some(sdl) = response.pointer("/data/_service/sdl").and_then(Value::as_str) {
        return Ok(sdl.to_owned());
    }
    let message = response.pointer("/errors/0/message").and_then(Value::as_str);
    Err(match message {
        Some(message) => {
            format!("`{{ _service {{ sdl }} }}` has the error \"{}\"", message.escape_debug())
        }
        None => "the response has no `_service { sdl }`; is it a subgraph?".to_owned(),
    })
}

/// The schema of a source in this process, as a subgraph.
async fn of_source(entry: &SourceEntry) -> Result<String, String> {
    let api = entry.options()?;
    let (connections, timeouts) = (PoolLimits::unshared(1), Timeouts::default());
    let options = api.engine_options(connections, timeouts, Limits::default());
    let options = options.map_err(|error| error.to_string())?;
    let engine = Engine::open(&entry.address, &options).await.map_err(|error| error.to_string())?;
    let sdl = engine.subgraph_sdl().ok_or("the source has no schema of a subgraph")?;
    Ok(sdl.to_owned())
}
