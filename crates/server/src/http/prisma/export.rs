//! `/export`: a page of nodes, lists or relations, read by queries of the API.

use std::rc::Rc;
use std::time::Instant;

use dialects::prisma::model::Model;
use dialects::prisma::normalized::export::Page;
use engine::{Allowed, CacheUse, Caller, Delivery, Report};
use graphql::{ErrorCode, Request};
use serde_json::Value;

use super::{Answer, malformed};
use crate::http::execute::{Execution, execute_in_time};
use crate::http::media_type::MediaType;
use crate::http::persisted::Found;
use crate::http::refusal::Refusal;
use crate::http::respond::complete;
use crate::http::service::Service;

/// The most characters of the elements of a page, as in Prisma's configuration.
const MOST_CHARACTERS: usize = 10_000_000;

/// Answers a request for a page. An error of a query is the answer.
pub(super) async fn answer(
    service: &Rc<Service>,
    (model, max_nodes): (&Model, Option<u32>),
    caller: &Caller,
    request: &Value,
) -> Result<Answer, Refusal> {
    let most = usize::try_from(service.worker.limits().response_bytes).unwrap_or(usize::MAX);
    let page = Page::begin(model, request, most.min(MOST_CHARACTERS), max_nodes);
    let mut page = page.map_err(|error| malformed(error.0))?;
    let caller = &Caller { cache: CacheUse::Bypass, ..caller.clone() };
    while let Some(query) = page.query() {
        let request = Request { query, ..Request::default() };
        let execution = Execution {
            caller,
            allowed: Allowed::Queries,
            delivery: Delivery::Whole,
            incremental: None,
        };
        let found = Found { request, learn: None, counted: Vec::new() };
        let mut report = Report::default();
        let executed = execute_in_time(service, found, execution, Instant::now(), &mut report);
        let response = executed.await?.response;
        let answered: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        match &answered["errors"] {
            Value::Null => page.take(&answered["data"]),
            errors if is_too_large(errors) && page.shrink() => {}
            _ => return Ok(Answer::Response(complete(MediaType::Json, response))),
        }
    }
    Ok(Answer::Json(page.answer()))
}

/// Whether an answer had more bytes than answers may have.
fn is_too_large(errors: &Value) -> bool {
    let code = &errors[0]["extensions"]["code"];
    *code == ErrorCode::ResponseTooLarge.as_str()
}
