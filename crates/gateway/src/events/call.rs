//! Calls of an event-driven subgraph: the root fields of a request to it.

use bytes::Bytes;
use graphql::operation::{FieldRef, Operation, OperationKind};
use graphql::variables::{Steering, Variables};
use graphql::{
    Budget, CollectedField, DocumentLimits, GraphQLError, TooManyFields, Validator, collect_fields,
};
use serde_json_bytes::serde_json;
use serde_json_bytes::{ByteString, Map, Value as Json};
use supergraph::Supergraph;

use super::template::{Escaping, TopicError};
use super::{Action, EventField, EventSubgraph, ProviderKind};
use crate::arguments::{argument_values, variables_of};
use crate::execute::{EventError, write_event};
use crate::plan::Fetch;

/// The printed document of a fetch, resolved.
#[derive(Clone, Debug)]
pub struct EventFetch {
    operation: Operation,
}

graphql::heap_size!(struct EventFetch { operation });

/// A root field of a request, with the values of its arguments.
#[derive(Clone, Debug)]
pub struct Call<'f> {
    pub field: &'f EventField,
    root: CollectedField<'f>,
    arguments: Map<ByteString, Json>,
}

/// Limits of documents that the gateway has printed: those of client requests bound them.
const UNLIMITED: usize = usize::MAX;

impl EventFetch {
    /// Resolves the document of a fetch. `validator` is that of the composed schema.
    pub fn new(
        validator: &Validator,
        supergraph: &Supergraph,
        fetch: &Fetch,
    ) -> Result<Self, Vec<GraphQLError>> {
        let limits = DocumentLimits {
            tokens: UNLIMITED,
            depth: UNLIMITED,
            aliases: UNLIMITED,
            root_fields: UNLIMITED,
            fields: UNLIMITED,
            directives: UNLIMITED,
            directives_per_place: UNLIMITED,
            fragments: UNLIMITED,
            variables: UNLIMITED,
            ..DocumentLimits::default()
        };
        let text = &fetch.document.text;
        let operation = validator.operation(&supergraph.schema, text, None, &limits)?;
        Ok(Self { operation })
    }

    /// Returns the variables of the document; `client` is the operation of the client.
    #[must_use]
    pub fn variables(&self, client: &Operation, variables: &Variables) -> Variables {
        variables_of(&self.operation, client, variables)
    }

    /// Returns the calls of a request in their order. Fields without an event directive are left out:
    /// the schema was compared with the supergraph.
    pub fn calls<'f>(
        &'f self,
        subgraph: &'f EventSubgraph,
        supergraph: &'f Supergraph,
        variables: &Variables,
    ) -> Result<Vec<Call<'f>>, TooManyFields> {
        let (operation, schema) = (&self.operation, &supergraph.schema);
        let root = match operation.kind {
            OperationKind::Query => schema.query,
            OperationKind::Mutation => schema.mutation,
            OperationKind::Subscription => schema.subscription,
        };
        let Some(root) = root else { return Ok(Vec::new()) };
        let steering = Steering::new(variables);
        let mut budget = Budget::new(UNLIMITED);
        let fields =
            collect_fields(operation, schema, root, &[operation.root], &steering, &mut budget)?;
        let calls = fields.into_iter().filter_map(|root| {
            let FieldRef::Field(id) = root.field else { return None };
            let arguments = argument_values(schema, id, root.arguments, variables);
            Some(Call { field: subgraph.find_field(id)?, root, arguments })
        });
        Ok(calls.collect())
    }

    /// Returns the response to a subscription for an event.
    pub fn response(
        &self,
        supergraph: &Supergraph,
        variables: &Variables,
        call: &Call<'_>,
        event: &[u8],
    ) -> Result<Bytes, EventError> {
        let mut response = Response::default();
        response.add_event(self, supergraph, variables, call, event)?;
        Ok(response.finish())
    }
}

impl Call<'_> {
    /// Returns the topics of the call.
    pub fn topics(&self) -> Result<Vec<String>, TopicError> {
        let kind = self.field.provider.kind;
        let exact = match kind {
            ProviderKind::Nats => Escaping::NatsToken,
            ProviderKind::Redis => Escaping::RedisChannel,
        };
        match &self.field.action {
            Action::Request(topic) | Action::Publish(topic) => {
                Ok(vec![topic.topic(&self.arguments, exact)?])
            }
            Action::Subscribe { topics, .. } => {
                let escaping = match kind {
                    ProviderKind::Nats => Escaping::NatsToken,
                    ProviderKind::Redis => Escaping::RedisPattern,
                };
                let topics = topics.iter().map(|topic| topic.topic(&self.arguments, escaping));
                let mut topics = topics.collect::<Result<Vec<_>, _>>()?;
                // A topic that two templates result in has each event once.
                topics.sort_unstable();
                topics.dedup();
                Ok(topics)
            }
        }
    }

    /// Returns the arguments as a JSON object: the published event, or the body of a request.
    #[must_use]
    pub fn payload(&self) -> Bytes {
        // Writing to memory cannot fail, and all keys are strings.
        serde_json::to_vec(&self.arguments).unwrap_or_default().into()
    }

    /// Whether an event passes the filter.
    #[must_use]
    pub fn accepts(&self, event: &[u8]) -> bool {
        self.field.filter.as_ref().is_none_or(|filter| filter.accepts(event, &self.arguments))
    }
}

/// A response under construction.
#[derive(Debug, Default)]
pub struct Response {
    data: Vec<u8>,
    errors: Vec<u8>,
}

impl Response {
    /// Adds the value of a field, made of an event.
    pub fn add_event(
        &mut self,
        fetch: &EventFetch,
        supergraph: &Supergraph,
        variables: &Variables,
        call: &Call<'_>,
        event: &[u8],
    ) -> Result<(), EventError> {
        let mut value = Vec::new();
        let steering = Steering::new(variables);
        let (operation, schema) = (&fetch.operation, &supergraph.schema);
        write_event(schema, operation, &steering, &call.root, event, &mut value)?;
        self.begin_field(call);
        self.data.extend_from_slice(&value);
        Ok(())
    }

    /// Adds the result of a publication.
    pub fn add_publication(
        &mut self,
        fetch: &EventFetch,
        supergraph: &Supergraph,
        variables: &Variables,
        call: &Call<'_>,
        success: bool,
    ) -> Result<(), EventError> {
        let result: &[u8] = match success {
            true => b"{\"success\":true}",
            false => b"{\"success\":false}",
        };
        self.add_event(fetch, supergraph, variables, call, result)
    }

    /// Adds null for a field, with an error.
    pub fn add_error(&mut self, call: &Call<'_>, message: &str) {
        self.begin_field(call);
        self.data.extend_from_slice(b"null");
        if !self.errors.is_empty() {
            self.errors.push(b',');
        }
        self.errors.extend_from_slice(b"{\"message\":");
        append_text(&mut self.errors, message);
        self.errors.extend_from_slice(b",\"path\":[");
        append_text(&mut self.errors, call.root.response_name);
        self.errors.extend_from_slice(b"]}");
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn finish(self) -> Bytes {
        let mut text = b"{\"data\":{".to_vec();
        text.extend_from_slice(&self.data);
        text.push(b'}');
        if !self.errors.is_empty() {
            text.extend_from_slice(b",\"errors\":[");
            text.extend_from_slice(&self.errors);
            text.push(b']');
        }
        text.push(b'}');
        text.into()
    }

    fn begin_field(&mut self, call: &Call<'_>) {
        if !self.data.is_empty() {
            self.data.push(b',');
        }
        append_text(&mut self.data, call.root.response_name);
        self.data.push(b':');
    }
}

fn append_text(out: &mut Vec<u8>, text: &str) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}
