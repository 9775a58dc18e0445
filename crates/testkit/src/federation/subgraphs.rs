//! Requests of the gateway to answers of subgraphs.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use gateway::execute::{self, FetchError, FetchRequest, FetchResponse};
use gateway::planner::Labels;
use graphql::schema::Schema;
use graphql::{DocumentLimits, Request, Validator};
use serde_json::{Value as Json, json};
use supergraph::SubgraphId;
use supergraph::Supergraph;

use super::clock::Clock;
use super::faults::Fault;
use super::interpret::{self, Interpreted};
use super::resolver::Resolver;
use super::schema_of;
use super::world::World;

/// The schemas of all subgraphs of a supergraph.
#[derive(Debug)]
pub struct Schemas(Vec<(Schema, Validator)>);

/// A request that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub subgraph: SubgraphId,
    /// From 1: how many answers it waited for, one after the other.
    pub wave: u64,
    pub body: String,
}

/// Changes the bytes of an answer.
pub type Change<'c> = dyn Fn(SubgraphId, u64, &mut Vec<u8>) + 'c;

/// Subgraphs over one world.
pub struct Subgraphs<'w> {
    world: &'w World<'w>,
    schemas: &'w Schemas,
    labels: &'w Labels,
    pub clock: Clock,
    /// Delay of answers: one tick, and up to this number of further ones.
    pub delays: u64,
    pub sent: RefCell<Vec<Sent>>,
    /// Faults by subgraph.
    pub faults: HashMap<SubgraphId, Fault>,
    /// A change of each answer's bytes, by its subgraph and its number.
    pub change: Option<&'w Change<'w>>,
    /// Requests that are not permitted.
    pub wrong: RefCell<Vec<String>>,
    requests: Cell<u64>,
}

impl fmt::Debug for Subgraphs<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Subgraphs").field("world", &self.world).finish_non_exhaustive()
    }
}

impl Schemas {
    #[must_use]
    pub fn new(supergraph: &Supergraph) -> Self {
        let schemas = supergraph.subgraph_ids().map(|id| schema_of(supergraph, id));
        Self(schemas.map(|schema| (Validator::new(&schema), schema)).map(|(v, s)| (s, v)).collect())
    }
}

/// Bounds for documents of the gateway, which may be longer than those of clients.
fn limits() -> DocumentLimits {
    DocumentLimits {
        tokens: 1_000_000,
        aliases: 100_000,
        root_fields: 10_000,
        fields: 1_000_000,
        fragments: 100_000,
        variables: 10_000,
        ..DocumentLimits::default()
    }
}

impl<'w> Subgraphs<'w> {
    #[must_use]
    pub fn new(world: &'w World<'w>, schemas: &'w Schemas, labels: &'w Labels) -> Self {
        Self {
            world,
            schemas,
            labels,
            clock: Clock::default(),
            delays: 0,
            sent: RefCell::default(),
            faults: HashMap::new(),
            change: None,
            wrong: RefCell::default(),
            requests: Cell::default(),
        }
    }

    fn answer(&self, subgraph: SubgraphId, body: &[u8]) -> Result<String, String> {
        let refused = |errors: Vec<graphql::GraphQLError>| {
            let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
            messages.join("; ")
        };
        let request = Request::from_json(body).map_err(|error| error.message)?;
        let place = usize::from(subgraph.0);
        let (schema, validator) = self.schemas.0.get(place).ok_or("there is no such subgraph")?;
        let name = request.operation_name.as_deref();
        let operation =
            validator.operation(schema, &request.query, name, &limits()).map_err(refused)?;
        let variables = graphql::coerce_variable_values(schema, &operation, &request.variables)
            .map_err(refused)?;
        let full = &self.world.supergraph.schema;
        let resolver = Resolver {
            world: self.world,
            subgraph: Some(subgraph),
            labels: self.labels,
            wrong: RefCell::default(),
        };
        let Interpreted { data, errors, has_nulled } =
            interpret::data(&resolver, (schema, full), &operation, &variables)?;
        if has_nulled && self.world.failing.is_none() {
            resolver.wrong.borrow_mut().push("a null stands where none may".to_owned());
        }
        let name = &self.world.supergraph.subgraph(subgraph).name;
        let wrong = resolver.wrong.take().into_iter();
        self.wrong
            .borrow_mut()
            .extend(wrong.map(|wrong| format!("{name}: {wrong}\n  {}", request.query)));
        let errors = match errors.is_empty() {
            true => String::new(),
            false => format!("\"errors\":{},", Json::from(errors)),
        };
        Ok(["{", &errors, "\"data\":", &data, "}"].concat())
    }
}

impl execute::Subgraphs for Subgraphs<'_> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let FetchRequest { subgraph, body, .. } = request;
        let wave = self.clock.now() + 1;
        let text = String::from_utf8_lossy(&body).into_owned();
        self.sent.borrow_mut().push(Sent { subgraph, wave, body: text });
        let answer = self.answer(subgraph, &body).unwrap_or_else(|message| {
            let name = &self.world.supergraph.subgraph(subgraph).name;
            let request = String::from_utf8_lossy(&body);
            self.wrong.borrow_mut().push(format!("{name}: {message}\n  {request}"));
            json!({ "errors": [{ "message": message }] }).to_string()
        });
        let number = self.requests.get() + 1;
        self.requests.set(number);
        // Not in the order of the requests.
        let late = (number * 7 + u64::from(subgraph.0) * 3) % (self.delays + 1);
        self.clock.wait(1 + late).await;
        match self.faults.get(&subgraph) {
            Some(fault) => fault.spoil(&answer).map(|answer| Bytes::from(answer).into()),
            None => {
                let mut answer = answer.into_bytes();
                if let Some(change) = self.change {
                    change(subgraph, number, &mut answer);
                }
                Ok(Bytes::from(answer).into())
            }
        }
    }
}
