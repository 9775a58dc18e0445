//! Requests to a server.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::case_file::Case;

/// Sends a case, and returns the status and the body. The error is a sentence.
pub(crate) async fn send(address: &str, case: &Case) -> Result<(u16, Value), String> {
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    let method = match case.method.as_deref() {
        None | Some("POSTJSON") => "POST",
        Some(method) => method,
    };
    let body = match (method, &case.query) {
        ("GET", _) => String::new(),
        (_, Value::String(text)) if case.method.is_some() => text.clone(),
        (_, query) => query.to_string(),
    };
    let url = format!("http://{address}{}", case.url);
    let mut request = Request::builder().method(method).uri(url);
    request = request.header("content-type", "application/json");
    for (name, value) in &case.headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::from(body)).map_err(|error| error.to_string())?;
    let response = client.request(request).await.map_err(|error| error.to_string())?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.map_err(|error| error.to_string())?;
    let bytes = body.to_bytes();
    let value = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
    Ok((status, value))
}
