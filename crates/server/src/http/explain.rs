//! Dry run of a GraphQL request, for the Explain tab of GraphiQL: the request tree, the statements,
//! and the database's plans. Nothing is executed.

use std::time::Duration;

use ::graphql::GraphQLError;
use engine::{ApiWorker, Explained, Report};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::exchange::{Exchange, HttpRequest};
use super::graphql;
use super::media_type::MediaType;
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond};
use super::timeouts::ConnectionState;

use super::execution_limits::run_limited;
use super::service::Service;

/// Explains the request that `/graphql` would execute.
pub(super) async fn answer(
    service: &Service,
    request: HttpRequest,
    exchange: &mut Exchange,
    state: &ConnectionState,
) -> Response {
    let read = match *request.method() {
        Method::POST if !graphql::is_allowed_origin(service, &request, exchange.peer) => {
            Err(Refusal::OtherOrigin)
        }
        Method::POST => graphql::read_one(service, request, exchange.client_address, state).await,
        _ => Err(Refusal::Method { allow: "POST" }),
    };
    let body = match read {
        Ok((request, caller)) => {
            let (began, report) = (exchange.started, &mut exchange.report);
            let explained = run_limited(service, began, async {
                match service.worker.prepare_for(&request, &caller, report) {
                    Ok(explained) => {
                        let plans = service.worker.plans(&request, &caller.session).await;
                        let is_of_gateway = match &service.worker {
                            ApiWorker::Source(_) => false,
                            ApiWorker::Gateway(_) => true,
                        };
                        explanation(&explained, is_of_gateway, report, &plans)
                    }
                    Err(errors) => json!({ "errors": as_json(&errors) }),
                }
            });
            let explained = explained.await;
            exchange.operation_name = request.operation_name;
            explained.map(|body| body.to_string().into_bytes())
        }
        Err(refusal) => Err(refusal),
    };
    match body {
        Ok(body) => respond(StatusCode::OK, MediaType::Json, body),
        Err(refusal) => {
            let response = refuse(MediaType::Json, &refusal);
            exchange.refusal = Some(refusal);
            response
        }
    }
}

fn explanation(
    explained: &Explained,
    is_of_gateway: bool,
    report: &Report,
    plans: &Result<Vec<String>, Vec<GraphQLError>>,
) -> Value {
    let plan = |index: usize| plans.as_ref().ok().and_then(|plans| plans.get(index));
    let statements = explained.statements.iter().enumerate().map(|(index, statement)| {
        let mut shown = json!({
            "name": statement.name,
            "how": statement.how,
            "round": statement.round,
            "text": statement.text,
            "parameters": statement.parameters,
            "plan": plan(index),
        });
        if let Some(fetch) = statement.fetch {
            shown["fetch"] = fetch.into();
        }
        shown
    });
    let fetches = explained.fetches.iter().map(|fetch| {
        json!({
            "subgraph": fetch.subgraph,
            "how": fetch.how,
            "round": fetch.round,
            "text": fetch.text,
        })
    });
    let milliseconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64() * 1e3);
    let mut shown = json!({
        "isOfGateway": is_of_gateway,
        "cost": explained.cost,
        "request": explained.request,
        "statements": statements.collect::<Vec<_>>(),
        "documentKnown": report.document_known,
        "stages": {
            "document": milliseconds(report.stages.document),
            "plan": milliseconds(report.stages.plan),
        },
        "planErrors": plans.as_ref().err().map(|errors| as_json(errors)),
    });
    if is_of_gateway {
        shown["fetches"] = fetches.collect();
    }
    shown
}

/// The JSON form of errors in a response.
pub(super) fn as_json(errors: &[GraphQLError]) -> Vec<Value> {
    let errors = errors.iter().map(|error| {
        let mut text = Vec::new();
        error.write_json(&mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    });
    errors.collect()
}
