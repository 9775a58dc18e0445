//! The Model Context Protocol (MCP): operations as tools for agents, over Streamable HTTP.
//! <https://modelcontextprotocol.io/specification/2026-07-28>
//!
//! Each request is answered by itself with one JSON object: there are no sessions and no streams, for
//! older clients either. In the order of control flow:
//!
//! * `settings`: the tools that the options name
//! * `message`: messages of JSON-RPC, and errors
//! * `revision`: revisions of the protocol, and the headers of a request
//! * `tools`: the tools of a caller, with `json_schema` of their inputs and outputs
//! * `call`: the execution of a tool
//! * `schema_tools`, `schema_search`: tools of the schema

mod call;
mod json_schema;
mod message;
mod revision;
mod schema_search;
mod schema_tools;
mod settings;
mod tools;

use std::rc::Rc;

use bytes::Bytes;
use engine::{Caller, MemoryReservation};
use hyper::header::{ACCEPT, HeaderMap};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use serde_json_bytes::Value as Json;

use self::call::{Content as ToolContent, ToolResult};
use self::message::{Content, Message, RpcError, reply};
use self::revision::Revision;
pub(super) use self::settings::McpSettings;
use super::accept_encoding::Readable;
use super::answer_body::AnswerBody;
use super::connection_context::ConnectionContext;
use super::endpoint::{self, read_body};
use super::exchange::{Exchange, HttpRequest};
use super::execution_limits::run_limited;
use super::graphql::{authenticate, check_content, is_allowed_origin};
use super::media_type::{MediaType, negotiate};
use super::refusal::Refusal;
use super::respond::{Response, refuse, respond_held};
use super::service::Service;

/// The path of the endpoint.
pub(super) const PATH: &str = "/mcp";

/// How long clients may keep lists: a reload may change them.
const LIFETIME_MILLISECONDS: u64 = 60_000;

/// The most messages in a batch.
const MOST_MESSAGES: usize = 20;

/// A request, with its caller.
struct Call<'a> {
    service: &'a Service,
    settings: &'a McpSettings,
    caller: Caller,
    headers: &'a HeaderMap,
    exchange: &'a mut Exchange,
    /// Headers of the response: the positions of changes.
    added: HeaderMap,
}

/// The reply to a message.
struct Reply {
    status: StatusCode,
    /// Empty for a notification.
    body: Vec<u8>,
    held: MemoryReservation,
}

/// Answers a request of the endpoint.
pub(super) async fn answer(
    service: &Rc<Service>,
    settings: &McpSettings,
    request: HttpRequest,
    readable: Readable,
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Response {
    let work = async |request| {
        let request = (request, readable);
        let answered = answer_request(service, settings, request, exchange, context).await;
        answered.unwrap_or_else(|refusal| {
            service.count_refused(&refusal);
            // For its headers.
            let mut response = refuse(MediaType::Json, &refusal);
            let error = RpcError::of_refusal(&refusal);
            *response.status_mut() = error.status;
            *response.body_mut() = AnswerBody::Whole(error.reply(None).into());
            exchange.refusal = Some(refusal);
            response
        })
    };
    endpoint::answer(service, request, work).await
}

async fn answer_request(
    service: &Service,
    settings: &McpSettings,
    (request, readable): (HttpRequest, Readable),
    exchange: &mut Exchange,
    context: &ConnectionContext,
) -> Result<Response, Refusal> {
    if !is_allowed_origin(service, &request, exchange.peer) {
        return Err(Refusal::OtherOrigin);
    }
    if request.method() != Method::POST {
        return Err(Refusal::Method { allow: "POST" });
    }
    let accept = request.headers().get_all(ACCEPT).iter();
    if negotiate(accept.map(|header| header.to_str().unwrap_or("?"))) != Some(MediaType::Json) {
        return Err(Refusal::NotAcceptable);
    }
    if readable == Readable::Nothing {
        return Err(Refusal::NoReadableCoding);
    }
    if service.is_empty {
        return Err(Refusal::NothingYet);
    }
    let (mut caller, _) = authenticate(service, request.headers(), None).await?;
    if let Some(positions) = service.settings.positions {
        caller.freshness = positions.freshness(request.headers());
    }
    check_content(request.headers())?;
    let (head, body) = request.into_parts();
    let headers = &head.headers;
    let body = read_body(service, context, headers, body).await?;
    let content = Content::parse(&body, service.settings.body.json);
    drop(body);
    let added = HeaderMap::new();
    let mut call = Call { service, settings, caller, headers, exchange, added };
    let Reply { status, body, held } = match content {
        Ok(Content::One(message)) => call.answer(message).await,
        Ok(Content::Batch(messages)) => call.answer_batch(messages).await,
        Err(error) => Reply::of_error(&error, None),
    };
    let added = call.added;
    let mut response = match body.is_empty() {
        true => {
            let mut response = Response::new(AnswerBody::Whole(Bytes::new()));
            *response.status_mut() = status;
            response
        }
        false => respond_held(status, MediaType::Json, body, held),
    };
    response.headers_mut().extend(added);
    Ok(response)
}

impl Reply {
    fn of_result(id: &Json, result: &Value) -> Self {
        Self { status: StatusCode::OK, body: reply(id, result), held: MemoryReservation::default() }
    }

    fn of_error(error: &RpcError, id: Option<&Json>) -> Self {
        let body = error.reply(id);
        Self { status: error.status, body, held: MemoryReservation::default() }
    }

    /// The reply to a notification.
    fn accepted() -> Self {
        let (status, held) = (StatusCode::ACCEPTED, MemoryReservation::default());
        Self { status, body: Vec::new(), held }
    }
}

impl Call<'_> {
    /// Answers one message.
    async fn answer(&mut self, message: Json) -> Reply {
        let mut message = match Message::new(message) {
            Ok(message) => message,
            Err(error) => return Reply::of_error(&error, None),
        };
        let Some(id) = message.id.take() else {
            return match message.method.starts_with("notifications/") {
                // Nothing depends on them: closing the connection cancels a request.
                true => Reply::accepted(),
                false => {
                    let error = RpcError::invalid("A request must have the member \"id\".");
                    Reply::of_error(&error, None)
                }
            };
        };
        let replied = match Revision::of(&message, self.headers) {
            Ok(revision) => self.answer_request(message, &id, revision).await,
            Err(error) => Err(error),
        };
        replied.unwrap_or_else(|error| Reply::of_error(&error, Some(&id)))
    }

    /// Answers a batch, message after message.
    async fn answer_batch(&mut self, messages: Vec<Json>) -> Reply {
        let problem = if !revision::has_batches(self.headers) {
            Some("This revision of the protocol has no batches: send each message by itself.")
        } else if messages.is_empty() || messages.len() > MOST_MESSAGES {
            Some("A batch must have from 1 to 20 messages.")
        } else {
            None
        };
        if let Some(problem) = problem {
            return Reply::of_error(&RpcError::invalid(problem), None);
        }
        let mut replies: Vec<Reply> = Vec::new();
        for message in messages {
            let reply = Box::pin(self.answer(message)).await;
            if !reply.body.is_empty() {
                replies.push(reply);
            }
        }
        let Some(last) = replies.pop() else { return Reply::accepted() };
        // Of all replies together, until the client has read them.
        let mut held = MemoryReservation::of(&self.service.process.memory);
        let bytes =
            replies.iter().map(|reply| reply.body.len() + 1).sum::<usize>() + last.body.len();
        if held.grow_to(bytes as u64 + 2).is_err() {
            let error =
                RpcError::internal("The server has no memory for the replies of this batch.");
            return Reply::of_error(&error, None);
        }
        let mut body = vec![b'['];
        for reply in &replies {
            body.extend_from_slice(&reply.body);
            body.push(b',');
        }
        body.extend_from_slice(&last.body);
        body.push(b']');
        Reply { status: StatusCode::OK, body, held }
    }

    async fn answer_request(
        &mut self,
        message: Message,
        id: &Json,
        revision: Revision,
    ) -> Result<Reply, RpcError> {
        let result = match (&*message.method, revision) {
            ("initialize", Revision::Handshake) => {
                let wanted = message.params.get("protocolVersion").and_then(Json::as_str);
                let wanted = wanted.ok_or_else(|| {
                    RpcError::params("`params.protocolVersion` must be a string.")
                })?;
                json!({
                    "protocolVersion": revision::agreed(wanted),
                    "capabilities": capabilities(),
                    "serverInfo": server_info(),
                    "instructions": self.instructions(),
                })
            }
            ("ping", Revision::Handshake) => json!({}),
            ("server/discover", Revision::Stateless) => json!({
                "supportedVersions": revision::supported().collect::<Vec<_>>(),
                "capabilities": capabilities(),
                "instructions": self.instructions(),
                "ttlMs": LIFETIME_MILLISECONDS,
                "cacheScope": "private",
            }),
            ("tools/list", _) => self.list_tools(&message, revision).await?,
            ("tools/call", _) => {
                let result = Box::pin(self.call_tool(message.params)).await?;
                return result.reply(id, revision);
            }
            (method, _) => {
                let status = match revision {
                    Revision::Stateless => StatusCode::NOT_FOUND,
                    Revision::Handshake => StatusCode::OK,
                };
                return Err(RpcError::new(status, -32601, format!("Method not found: {method}")));
            }
        };
        Ok(Reply::of_result(id, &completed(result, revision)))
    }

    async fn list_tools(&self, message: &Message, revision: Revision) -> Result<Value, RpcError> {
        let cursor = match message.params.get("cursor") {
            None => None,
            Some(Json::String(cursor)) => Some(cursor.as_str()),
            Some(_) => return Err(RpcError::params("`params.cursor` must be a string.")),
        };
        let work = async { tools::page(self.service, self.settings, &self.caller, cursor) };
        let page = run_limited(self.service, self.exchange.started, work).await;
        let tools::Page { tools, next } =
            page.map_err(|refusal| RpcError::of_refusal(&refusal))??;
        let mut result = json!({ "tools": tools });
        if let Some(next) = next {
            result["nextCursor"] = next.into();
        }
        if revision == Revision::Stateless {
            result["ttlMs"] = LIFETIME_MILLISECONDS.into();
            // The tools are those of the caller.
            result["cacheScope"] = "private".into();
        }
        Ok(result)
    }

    fn instructions(&self) -> &'static str {
        match self.settings.has_schema {
            true => {
                "Tools of a GraphQL API. Prefer tools made for a purpose. Otherwise find types and \
                 fields with search_schema, read them with introspect_type, and send a document to \
                 execute_operation."
            }
            false => "Tools of a GraphQL API. Each one executes a fixed operation.",
        }
    }
}

impl ToolResult {
    /// The message with this result. Clients that know no structured content read the text.
    fn reply(self, id: &Json, revision: Revision) -> Result<Reply, RpcError> {
        let Self { content, is_error, mut held } = self;
        let (text, structured) = match content {
            ToolContent::Json(body) => {
                // The text has escapes, and the reply has both.
                let bytes = body.len() as u64;
                if held.grow_to(bytes.saturating_mul(5)).is_err() {
                    return Err(RpcError::of_refusal(&Refusal::Overloaded));
                }
                let body = String::from_utf8(body).map_err(|_| {
                    let message = "The response is no UTF-8.";
                    RpcError::new(StatusCode::INTERNAL_SERVER_ERROR, -32603, message)
                })?;
                (Value::from(body.as_str()).to_string(), Some(body))
            }
            ToolContent::Text(text) => (Value::from(text).to_string(), None),
        };
        let rest = completed(json!({ "isError": is_error }), revision).to_string();
        let id = reply(id, &Value::Null);
        let head = id.strip_suffix(b"null}").unwrap_or(&id);
        let mut body = Vec::from(head);
        for part in ["{\"content\":[{\"type\":\"text\",\"text\":", &text, "}],"] {
            body.extend_from_slice(part.as_bytes());
        }
        if let Some(structured) = &structured {
            for part in ["\"structuredContent\":", structured, ","] {
                body.extend_from_slice(part.as_bytes());
            }
        }
        // `rest` begins with a brace.
        body.extend_from_slice(rest.get(1..).unwrap_or_default().as_bytes());
        body.push(b'}');
        Ok(Reply { status: StatusCode::OK, body, held })
    }
}

/// A result with the members that each one has since the revision without a handshake.
fn completed(mut result: Value, revision: Revision) -> Value {
    if revision == Revision::Stateless {
        result["resultType"] = "complete".into();
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": server_info() });
    }
    result
}

fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn server_info() -> Value {
    json!({ "name": "thalweg", "version": env!("CARGO_PKG_VERSION") })
}
