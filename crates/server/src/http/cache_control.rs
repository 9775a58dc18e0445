//! The header `Cache-Control` of a query that asks for it by the directive `@cacheControl(maxAge:)`.

use engine::{Report, Session};
use graphql::operation::OperationKind;
use graphql::value::Value;
use hyper::header::HeaderValue;

/// The name of the directive of operations.
const DIRECTIVE: &str = "cacheControl";

/// The header of a response without errors; `None` if the operation does not ask for it. Caches that
/// several clients share keep no response that depends on claims.
pub(super) fn cache_control(report: &Report, session: &Session) -> Option<HeaderValue> {
    let operation = &report.document.as_ref()?.operation;
    if operation.kind != OperationKind::Query || !report.codes.is_empty() {
        return None;
    }
    let directive = operation.directives.iter().find(|own| *own.name == *DIRECTIVE)?;
    let (_, Value::Int(seconds @ 0..)) = directive.arguments.first()? else { return None };
    let scope = if session.claims.is_some() { "private" } else { "public" };
    HeaderValue::from_str(&format!("{scope},max-age={seconds}")).ok()
}
