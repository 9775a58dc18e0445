//! Requests to GraphOS Uplink: <https://www.apollographql.com/docs/graphos/routing/uplink>

use std::time::Duration;

use bytes::Bytes;
use clients::http::Client;
use hyper::Uri;
use serde_json::{Value, json};

use super::fetches::{BOUNDS, Document, FetchError, Reply, Tag};
use crate::options::UplinkGraph;

/// The answer has either a version, or that there is none after `ifAfterId`, or an error.
const QUERY: &str = "query Supergraph($ref: String!, $apiKey: String!, $ifAfterId: ID) { \
                     routerConfig(ref: $ref, apiKey: $apiKey, ifAfterId: $ifAfterId) { __typename \
                     ... on RouterConfigResult { id supergraphSDL minDelaySeconds } \
                     ... on Unchanged { id minDelaySeconds } \
                     ... on FetchError { code message } } }";

pub(super) async fn ask(
    graph: &UplinkGraph,
    endpoint: &Uri,
    known: Option<&Tag>,
) -> Result<Reply, FetchError> {
    let request = json!({
        "operationName": "Supergraph",
        "query": QUERY,
        "variables": {
            "ref": graph.graph_ref,
            "apiKey": graph.key.expose(),
            "ifAfterId": known.and_then(Tag::id),
        },
    });
    let body = Bytes::from(request.to_string());
    let fetched = Client::new(endpoint)?.post_json(endpoint, &[], body, BOUNDS).await?;
    read(graph, &fetched.body)
}

/// Reads the answer.
fn read(graph: &UplinkGraph, body: &[u8]) -> Result<Reply, FetchError> {
    let answer: Value = serde_json::from_slice(body).map_err(|error| {
        FetchError::Refused(format!("the answer is not that of Uplink: {error}"))
    })?;
    let config = &answer["data"]["routerConfig"];
    let min_delay = config["minDelaySeconds"].as_f64();
    let min_delay = min_delay.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let text = |name: &str| config[name].as_str().unwrap_or_default();
    match text("__typename") {
        "RouterConfigResult" => {
            let (Some(sdl), Some(id)) = (config["supergraphSDL"].as_str(), config["id"].as_str())
            else {
                return Err(FetchError::Refused("the answer of Uplink has no supergraph".into()));
            };
            let body = Bytes::copy_from_slice(sdl.as_bytes());
            let document = Document { body, tag: Some(Tag::Id(id.into())) };
            Ok(Reply { document: Some(document), min_delay })
        }
        "Unchanged" => Ok(Reply { document: None, min_delay }),
        "FetchError" => Err(explain(graph, text("code"), text("message"))),
        _ => {
            let message = answer["errors"][0]["message"].as_str();
            let message = message.unwrap_or("the answer has no configuration");
            Err(FetchError::Refused(format!("Uplink says: {}", without_key(graph, message))))
        }
    }
}

/// An error of Uplink, with its remedy.
fn explain(graph: &UplinkGraph, code: &str, message: &str) -> FetchError {
    let graph_ref = &graph.graph_ref;
    let message = without_key(graph, message);
    let said = |reason: String| format!("{reason} ({code}: {message})");
    match code {
        "AUTHENTICATION_FAILED" => FetchError::Final(said(
            "Uplink does not know the key: `APOLLO_KEY`, or `--uplink-key`, must be a graph API key of \
             GraphOS"
                .into(),
        )),
        "ACCESS_DENIED" => FetchError::Final(said(format!(
            "the key has no access to `{graph_ref}`: `APOLLO_KEY`, or `--uplink-key`, must be a key of \
             this graph"
        ))),
        "UNKNOWN_REF" => FetchError::Final(said(format!(
            "Uplink has no supergraph of `{graph_ref}`: `GRAPH@VARIANT` must exist in GraphOS, and its \
             subgraphs must compose"
        ))),
        "RETRY_LATER" => FetchError::Refused(said("Uplink asks to retry later".into())),
        _ => FetchError::Refused(said("Uplink has an error".into())),
    }
}

/// A server may repeat a key in its message.
fn without_key(graph: &UplinkGraph, message: &str) -> String {
    message.replace(graph.key.expose(), redact::HIDDEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(body: &Value) -> Result<Reply, FetchError> {
        let graph = UplinkGraph {
            graph_ref: "shop@current".into(),
            key: "service:shop:Zx7".to_owned().into(),
            endpoints: Box::default(),
        };
        read(&graph, body.to_string().as_bytes())
    }

    #[test]
    fn an_answer_is_a_version_or_none_after_the_known_one() {
        let check = |config: Value, document: Option<(&str, &str)>, delay: Option<f64>| {
            let reply = read_of(&json!({ "data": { "routerConfig": config } })).unwrap();
            let document = document.map(|(sdl, id)| Document {
                body: Bytes::copy_from_slice(sdl.as_bytes()),
                tag: Some(Tag::Id(id.into())),
            });
            assert_eq!(reply.document, document);
            assert_eq!(reply.min_delay, delay.map(Duration::from_secs_f64));
        };
        let result = json!({
            "__typename": "RouterConfigResult", "id": "7", "supergraphSDL": "schema", "minDelaySeconds": 1.5
        });
        check(result, Some(("schema", "7")), Some(1.5));
        check(
            json!({ "__typename": "Unchanged", "id": "7", "minDelaySeconds": 30 }),
            None,
            Some(30.0),
        );
        // A delay that is no time is none.
        check(json!({ "__typename": "Unchanged", "id": "7", "minDelaySeconds": -1 }), None, None);
        check(
            json!({ "__typename": "Unchanged", "id": "7", "minDelaySeconds": 1e300 }),
            None,
            None,
        );
    }

    #[test]
    fn errors_have_remedies_and_no_key() {
        let check = |body: Value, is_final: bool, expected: &str| {
            let error = read_of(&body).unwrap_err();
            assert_eq!(matches!(error, FetchError::Final(_)), is_final, "{error}");
            let error = error.to_string();
            assert!(error.contains(expected) && !error.contains("Zx7"), "{error}");
        };
        let of = |code: &str| {
            let message = "no: service:shop:Zx7";
            let error = json!({ "__typename": "FetchError", "code": code, "message": message });
            json!({ "data": { "routerConfig": error } })
        };
        check(of("AUTHENTICATION_FAILED"), true, "(AUTHENTICATION_FAILED: no: …)");
        check(of("ACCESS_DENIED"), true, "the key has no access to `shop@current`");
        check(of("UNKNOWN_REF"), true, "Uplink has no supergraph of `shop@current`");
        check(of("RETRY_LATER"), false, "Uplink asks to retry later");
        check(of("NOT_IMPLEMENTED_ON_THIS_INSTANCE"), false, "(NOT_IMPLEMENTED_ON_THIS_INSTANCE");
        check(
            json!({ "errors": [{ "message": "bad service:shop:Zx7" }] }),
            false,
            "Uplink says: bad …",
        );
        check(json!({ "data": null }), false, "no configuration");
        check(json!([]), false, "no configuration");
        let half = json!({ "data": { "routerConfig": { "__typename": "RouterConfigResult" } } });
        check(half, false, "has no supergraph");
    }

    #[test]
    fn an_answer_of_something_else_is_refused() {
        let graph = UplinkGraph {
            graph_ref: "shop@current".into(),
            key: "Zx7".to_owned().into(),
            endpoints: Box::default(),
        };
        let error = read(&graph, b"<html>").unwrap_err().to_string();
        assert!(error.contains("not that of Uplink"), "{error}");
    }
}
