//! Requests to a server.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value as Json;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Sends a request, and returns the answer. The error is a sentence.
pub(super) async fn send(url: &str, body: &Json) -> Result<Json, String> {
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    let request = Request::builder()
        .method("POST")
        .uri(url)
        .header("content-type", "application/json")
        .body(Full::from(body.to_string()))
        .map_err(|error| error.to_string())?;
    let answer = tokio::time::timeout(TIMEOUT, async {
        let response = client.request(request).await.map_err(|error| error.to_string())?;
        let status = response.status();
        let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
        Ok::<_, String>((status, body.to_bytes()))
    });
    let (status, bytes) = answer.await.map_err(|_| "no answer within a minute".to_owned())??;
    serde_json::from_slice(&bytes)
        .map_err(|_| format!("no JSON comes, but {status} {}", String::from_utf8_lossy(&bytes)))
}
