//! A service with axum that serves its database as a GraphQL API to its own users.
//!
//! `cargo run -p axum-example -- DATABASE POLICIES ADDRESS`

#![allow(clippy::print_stdout, reason = "it prints its address")]

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, RawQuery, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::StreamExt;
use serde_json::json;
use thalweg::{Answer, ErrorCode, GraphQLError, Options, PolicyFile, Request, Session, Thalweg};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// The users of the service: the key of each, its id and its role. A real service reads them from its
/// session store.
const USERS: [(&str, i64, &str); 3] =
    [("ada-key", 1, "member"), ("ben-key", 2, "member"), ("root-key", 0, "admin")];

/// The role of a request without a key, as in the policies.
const VISITOR: &str = "visitor";

/// The caller of a request, as the API sees it.
struct Caller {
    session: Session,
    role: &'static str,
}

/// An answer as it is sent: the bytes that the library has made.
struct GraphQLResponse(StatusCode, Bytes);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [database, policies, address] = arguments.as_slice() else {
        return Err("usage: axum-example DATABASE POLICIES ADDRESS".into());
    };
    let mut options = Options::new(database, "postgraphile")?;
    let policies = PolicyFile::parse(&std::fs::read_to_string(policies)?)?;
    options.engine.policies = Some(Arc::new(policies));
    options.engine.live.has_directive = true;
    let thalweg = Thalweg::open(options).await?;

    let listener = TcpListener::bind(address.parse::<SocketAddr>()?).await?;
    println!("serving at http://{}", listener.local_addr()?);
    let app = Router::new()
        .route("/graphql", post(execute).get(query))
        .route("/graphql/stream", post(subscribe))
        .route("/schema.graphql", get(schema))
        .route("/reload", post(reload))
        .with_state(thalweg.clone());
    let mut stop = signal(SignalKind::terminate())?;
    let ended = thalweg.clone();
    let server = axum::serve(listener, app).with_graceful_shutdown(async move {
        stop.recv().await;
        // Ends subscriptions, for whose connections the server would wait.
        ended.close(Duration::from_secs(10)).await;
    });
    server.await?;
    Ok(())
}

async fn execute(State(thalweg): State<Thalweg>, caller: Caller, body: Bytes) -> GraphQLResponse {
    match Request::from_json(&body) {
        Ok(request) => thalweg.execute(request, &caller.session).await.into(),
        Err(error) => Answer::refused(error).into(),
    }
}

/// By GET only queries: a link must not change anything.
async fn query(
    State(thalweg): State<Thalweg>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> GraphQLResponse {
    match Request::from_query_string(&query.unwrap_or_default()) {
        Ok(request) => thalweg.query(request, &caller.session).await.into(),
        Err(error) => Answer::refused(error).into(),
    }
}

/// Subscriptions and live queries, as server-sent events.
async fn subscribe(
    State(thalweg): State<Thalweg>,
    caller: Caller,
    body: Bytes,
) -> Result<impl IntoResponse, GraphQLResponse> {
    let request = Request::from_json(&body).map_err(Answer::refused)?;
    let responses = thalweg.subscribe(request, &caller.session).await?;
    let events = responses.map(|response| {
        let text = String::from_utf8_lossy(&response);
        Ok::<_, Infallible>(Event::default().event("next").data(text))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// The schema as the caller's role sees it.
async fn schema(State(thalweg): State<Thalweg>, caller: Caller) -> Result<String, StatusCode> {
    thalweg.schema_of_role(caller.role).ok_or(StatusCode::NOT_FOUND)
}

/// After a migration of the database.
async fn reload(State(thalweg): State<Thalweg>, caller: Caller) -> (StatusCode, String) {
    if caller.role != "admin" {
        return (StatusCode::FORBIDDEN, "only an administrator may reload".to_owned());
    }
    match thalweg.reload().await {
        Ok(()) => (StatusCode::OK, "reloaded".to_owned()),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

/// The service's own authentication: a request without a key is a visitor's.
impl FromRequestParts<Thalweg> for Caller {
    type Rejection = GraphQLResponse;

    async fn from_request_parts(
        parts: &mut Parts,
        thalweg: &Thalweg,
    ) -> Result<Self, GraphQLResponse> {
        let Some(header) = parts.headers.get(AUTHORIZATION) else {
            return Ok(Self { session: thalweg.anonymous(), role: VISITOR });
        };
        let key = header.to_str().ok().and_then(|header| header.strip_prefix("Bearer "));
        let user = USERS.iter().find(|(known, ..)| Some(*known) == key);
        let Some(&(_, id, role)) = user else {
            let error = GraphQLError::new(ErrorCode::Unauthenticated, "The key is unknown.");
            let answer = Answer::refused(error);
            return Err(GraphQLResponse(StatusCode::UNAUTHORIZED, answer.into_body()));
        };
        let session = thalweg.session(&json!({ "app_role": role, "person": id }));
        let session = session.map_err(|error| {
            Answer::refused(GraphQLError::new(ErrorCode::Unauthenticated, error.to_string()))
        })?;
        Ok(Self { session, role })
    }
}

impl From<Answer> for GraphQLResponse {
    fn from(answer: Answer) -> Self {
        let status = StatusCode::from_u16(answer.outcome().http_status());
        Self(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), answer.into_body())
    }
}

impl IntoResponse for GraphQLResponse {
    fn into_response(self) -> Response {
        let Self(status, body) = self;
        let media_type = HeaderValue::from_static("application/graphql-response+json");
        (status, [(CONTENT_TYPE, media_type)], Body::from(body)).into_response()
    }
}
