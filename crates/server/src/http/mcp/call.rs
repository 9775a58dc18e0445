//! `tools/call`: the execution of a tool.

use engine::{Allowed, Delivery, Kind, MemoryReservation};
use graphql::operation::OperationKind;
use graphql::{ErrorCode, GraphQLError, Parameters, Request};
use hyper::StatusCode;
use serde_json::Value;
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::Call;
use super::message::RpcError;
use super::schema_tools::{self, SchemaTool, WrongArguments, check_names};
use super::settings::OperationTool;
use super::tools::{permitted, shows_schema};
use crate::http::exchange::Exchange;
use crate::http::execute::{Executed, Execution, count_operation, execute_found, find_document};
use crate::http::hasura;
use crate::http::persisted::Found;
use crate::http::refusal::Refusal;

/// The result of a tool.
pub(super) struct ToolResult {
    pub(super) content: Content,
    pub(super) is_error: bool,
    /// The memory of the content.
    pub(super) held: MemoryReservation,
}

pub(super) enum Content {
    /// A JSON object.
    Json(Vec<u8>),
    Text(String),
}

/// An operation to execute.
enum Operation {
    /// Of a document that the server was given.
    Known(Request),
    /// One that an agent has written.
    Written(Parameters),
}

impl ToolResult {
    fn of_value(value: &Value) -> Self {
        let content = Content::Json(value.to_string().into_bytes());
        Self { content, is_error: false, held: MemoryReservation::default() }
    }

    /// An error that the agent can correct.
    fn of_error(message: WrongArguments) -> Self {
        let content = Content::Text(message);
        Self { content, is_error: true, held: MemoryReservation::default() }
    }
}

impl Call<'_> {
    /// Executes a tool.
    pub(super) async fn call_tool(
        &mut self,
        mut params: Map<ByteString, Json>,
    ) -> Result<ToolResult, RpcError> {
        let Some(Json::String(name)) = params.remove("name") else {
            return Err(RpcError::params("`params.name` must be a string."));
        };
        let arguments = match params.remove("arguments") {
            Some(Json::Object(arguments)) => arguments,
            None => Map::new(),
            Some(_) => return Err(RpcError::params("`params.arguments` must be an object.")),
        };
        let name = name.as_str();
        let unknown = || RpcError::params(format!("Unknown tool: {name}"));
        match SchemaTool::find(name) {
            Some(_) if !shows_schema(self.service, self.settings, &self.caller) => Err(unknown()),
            Some(tool) => {
                let result = self.call_schema_tool(tool, arguments).await;
                Ok(result.unwrap_or_else(ToolResult::of_error))
            }
            None => {
                let tool = self.settings.find(name).ok_or_else(unknown)?;
                self.call_operation(tool, arguments).await.ok_or_else(unknown)
            }
        }
    }

    async fn call_schema_tool(
        &mut self,
        tool: SchemaTool,
        arguments: Map<ByteString, Json>,
    ) -> Result<ToolResult, WrongArguments> {
        tool.check(&arguments)?;
        let (service, caller) = (self.service, &self.caller);
        match tool {
            SchemaTool::Search => schema_tools::search(service, caller, &arguments)
                .map(|found| ToolResult::of_value(&found)),
            SchemaTool::Introspect => schema_tools::introspect(service, caller, &arguments)
                .map(|found| ToolResult::of_value(&found)),
            SchemaTool::Execute => {
                let parameters = Parameters::from_object(arguments);
                let parameters = parameters.map_err(|error| String::from(&*error.message))?;
                Ok(self.execute(Operation::Written(parameters)).await)
            }
        }
    }

    /// Executes the operation of a document; `None` if the caller may not.
    async fn call_operation(
        &mut self,
        tool: &OperationTool,
        arguments: Map<ByteString, Json>,
    ) -> Option<ToolResult> {
        let (mut request, document) = permitted(self.service, tool, &self.caller)?;
        let known = document.operation.variables.iter().map(|variable| &*variable.name);
        if let Err(error) = check_names(&arguments, known) {
            return Some(ToolResult::of_error(error));
        }
        request.variables = arguments;
        Some(self.execute(Operation::Known(request)).await)
    }

    /// Executes an operation, with a record as that of any other request.
    async fn execute(&mut self, operation: Operation) -> ToolResult {
        let mut exchange = Exchange::of_tool(self.service, self.exchange, self.headers);
        let executed = self.execute_recorded(operation, &mut exchange).await;
        if let Some(positions) = self.service.settings.positions {
            let is_refused = executed.is_err();
            positions.add_changes(&mut self.added, &exchange.report, is_refused);
        }
        let (status, result) = match executed {
            Ok(response) => {
                if response.kind != Kind::Executed {
                    exchange.record_errors(&response.body);
                }
                let has_failed = !exchange.report.codes.is_empty();
                let is_error = response.kind != Kind::Executed || has_failed;
                let (content, held) = (Content::Json(response.body.into()), response.held);
                (StatusCode::OK, ToolResult { content, is_error, held })
            }
            Err(refusal) => {
                let content = Content::Json(refusal.body_in(self.service.worker.error_form()));
                let status = refusal.status();
                if let Refusal::RateLimited(exceeded) = &refusal {
                    exchange.counted.clone_from(&exceeded.counted);
                }
                exchange.refusal = Some(refusal);
                let held = MemoryReservation::default();
                (status, ToolResult { content, is_error: true, held })
            }
        };
        self.exchange.counted.append(&mut exchange.counted);
        if let Content::Json(body) = &result.content {
            exchange.response_bytes = body.len() as u64;
        }
        exchange.end(status);
        result
    }

    async fn execute_recorded(
        &self,
        operation: Operation,
        exchange: &mut Exchange,
    ) -> Result<engine::Response, Refusal> {
        let (service, caller, client) = (self.service, &self.caller, exchange.client_address);
        let found = match operation {
            Operation::Known(request) => {
                hasura::check(service, &request, caller, client).map_err(Refusal::Operation)?;
                let counting = count_operation(service, &request, caller, client)?;
                let counted = counting.finish().await?;
                Found { request, learn: None, counted }
            }
            Operation::Written(parameters) => {
                let found = find_document(service, parameters, caller, client).await?;
                self.check_kind(&found.request)?;
                found
            }
        };
        // A hook may give the caller a role with which a document has a mutation.
        let allowed = match self.settings.allows_mutations {
            true => Allowed::All,
            false => Allowed::Queries,
        };
        let execution = Execution { caller, allowed, delivery: Delivery::Whole, incremental: None };
        let (began, report) = (exchange.started, &mut exchange.report);
        let executed = execute_found(service, found, execution, began, report).await?;
        let Executed { response, operation_name, counted } = executed;
        exchange.operation_name = operation_name;
        exchange.counted = counted;
        Ok(response)
    }

    /// Refuses mutations, unless they are allowed. The execution tells what is wrong with an invalid
    /// document.
    fn check_kind(&self, request: &Request) -> Result<(), Refusal> {
        let document = self.service.worker.document(request, &self.caller);
        let is_mutation =
            document.is_ok_and(|document| document.operation.kind == OperationKind::Mutation);
        match is_mutation && !self.settings.allows_mutations {
            true => Err(Refusal::Operation(GraphQLError::new(
                ErrorCode::MethodNotAllowed,
                "Agents may execute queries only; the option --mcp-mutations of the server allows \
                 mutations.",
            ))),
            false => Ok(()),
        }
    }
}
