//! `/v1/graphql/explain`: the statements of an operation with the plans of the database, for each root
//! field. Nothing is executed.

use std::sync::Arc;

use engine::{Claims, Report, Session};
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Parameters};
use hyper::StatusCode;
use serde_json::{Value, json};
use serde_json_bytes::Value as Json;

use super::failure::Failure;
use super::{Answer, EndpointRequest, HttpRequest};
use crate::http::execution_limits::run_limited;
use crate::http::hasura_sessions::{ADMIN, ROLE};

pub(super) async fn answer(asked: EndpointRequest<'_>, request: HttpRequest) -> Answer {
    let (body, numbers) = asked.exact_admin_body(request).await?;
    let query = body.get("query").filter(|query| query.is_object());
    let query = query.ok_or_else(|| Failure::parse_failed("the key \"query\" is not an object"))?;
    let session = session(body.get("user"))?;
    let text = query.to_string();
    let parameters = match graphql::parse_json(text.as_bytes(), "\"query\"", asked.limits()) {
        Ok(Json::Object(parameters)) => {
            Parameters::from_exact_object(parameters, numbers.member("query"))
        }
        Ok(_) => return Err(Failure::parse_failed("the key \"query\" is not an object")),
        Err(error) => Err(error),
    };
    let request = parameters.and_then(Parameters::into_request);
    let request = request.map_err(|error| Failure::parse_failed(error.message).at("$.query"))?;
    let caller = engine::Caller { session, ..engine::Caller::default() };
    let worker = &asked.service.worker;
    let report: &mut Report = &mut asked.exchange.report;
    let explained = run_limited(asked.service, asked.exchange.started, async {
        let explained = worker.prepare_for(&request, &caller, report)?;
        let plans = worker.plans(&request, &caller.session).await?;
        Ok::<_, Vec<GraphQLError>>((explained, plans))
    });
    let explained = explained.await.map_err(|refusal| Failure::refused(&refusal))?;
    let (explained, plans) = explained.map_err(|errors| {
        let error = errors.into_iter().next();
        let error = error.unwrap_or_else(|| GraphQLError::new(ErrorCode::NotSupported, "none"));
        let formed = worker.form_error(error, &request, &caller.session);
        Failure::of_body(&engine::Response::request_error(&[formed]).body)
    })?;
    let statements = explained.statements.iter().enumerate().map(|(index, statement)| {
        let plan = plans.get(index).map(|plan| plan.lines().collect::<Vec<_>>());
        json!({ "field": statement.root_field, "sql": statement.text, "plan": plan })
    });
    let statements: Vec<Value> = statements.collect();
    let body = match (report.operation, statements.as_slice()) {
        // Of a subscription, Hasura answers with one statement and its variables.
        (Some(OperationKind::Subscription), [only]) => {
            json!({ "sql": only["sql"], "plan": only["plan"], "variables": {} })
        }
        _ => Value::Array(statements),
    };
    Ok(super::json(StatusCode::OK, &body))
}

/// The session of the variables that a body has; without a role, that of the admin.
fn session(user: Option<&Value>) -> Result<Session, Failure> {
    let variables = match user {
        None | Some(Value::Null) => None,
        Some(Value::Object(variables)) => Some(variables),
        Some(_) => return Err(Failure::parse_failed("expected an object").at("$.user")),
    };
    let mut claims = serde_json_bytes::Map::new();
    claims.insert(ROLE, Json::from(ADMIN));
    for (name, value) in variables.into_iter().flatten() {
        let Value::String(value) = value else {
            let path = format!("$.user.{name}");
            return Err(Failure::parse_failed("expected a text").at(path));
        };
        claims.insert(name.to_ascii_lowercase(), Json::from(value.as_str()));
    }
    let claims = Some(Arc::new(Claims::new(Json::Object(claims))));
    Ok(Session { claims, ..Session::default() })
}
