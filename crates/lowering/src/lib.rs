//! Operation → request and shape, by the bindings of an API.
//!
//! One lowering for every dialect. It looks at variables only through `Steering`, so that its
//! result holds for all values of the same structure.
//!
//! * [`selection`](self): `selection.rs`: fields of objects to outputs and shape nodes
//! * `paging.rs`: pages, from offsets or from cursors
//! * `call.rs`: calls of functions
//! * `connection.rs`: connections, edges, page information
//! * `aggregate.rs`: what is made of all rows of a set
//! * `grouped.rs`: rows in groups
//! * `arguments.rs`: arguments to filter, order and page
//! * `filter.rs`: conditions
//! * `pattern.rs`: what texts are matched with, to be checked
//! * `order.rs`: orders and the cursors that belong to them
//! * `input.rs`: values, whether literal or variable
//! * `outputs.rs`: the outputs of one set of rows
//! * `leaf.rs`: values with parts
//! * `mutation.rs`: root fields that change something
//! * `bulk.rs`: changes of several rows, and their guard
//! * `nested.rs`: changes of rows together with those that they are connected with
//! * `graph.rs`: changes of nodes of a graph, and of what they are related to
//! * `stored.rs`: what the inputs of a change say
//! * `entities.rs`: rows by federation's representations
//! * `variants.rs`: rows of several entities in one list
//! * `returned.rs`: what a change gives
//! * `rule.rs`: conditions that the author of an API says

mod aggregate;
mod arguments;
mod bulk;
mod call;
mod connection;
mod entities;
mod filter;
mod graph;
mod grouped;
mod input;
mod leaf;
mod mutation;
mod nested;
mod order;
mod outputs;
mod paging;
mod pattern;
mod returned;
pub mod rule;
mod selection;
mod stored;
#[cfg(test)]
mod tests;
mod variants;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use graphql::operation::{Location, Operation, OperationKind};
use graphql::schema::InputId;
use graphql::variables::{Steering, Structure};
use graphql::{Budget, TooManyFields};
use response::Shape;

use api::Api;
use outputs::Outputs;
pub use pattern::StatedPattern;

/// A lowered operation.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub request: ir::Request,
    pub shape: Shape,
    /// What the answer holds of the request itself, by its place there.
    pub echoes: Vec<Echoed>,
    /// What texts are matched with.
    pub patterns: Vec<StatedPattern>,
    /// What the variables had to be for this.
    pub structure: Structure,
}

/// What an answer holds of the request itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Echoed {
    /// A value as JSON, for [`response::Node::Echo`].
    Json(ir::Operand),
    /// Which key finds each of a list of federation representations, for
    /// [`response::Node::Representations`]; the types are in the order of their names.
    Sorted { list: ir::Operand, types: Arc<[Arc<ir::Represented>]> },
}

/// The answers to the root fields `__schema` and `__type`, by response name.
pub type Introspection = HashMap<Box<str>, Box<[u8]>>;

/// Why an operation cannot be lowered.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LowerError {
    /// An input value that validation lets through and the API does not.
    #[error("{message}")]
    Refused { message: Box<str>, location: Location },
    #[error("{0}")]
    TooManyFields(#[from] TooManyFields),
    #[error("The operation has too many conditions or orders.")]
    TooManyInputs,
    #[error("The operation has more than {VALUES} values to store.")]
    TooManyValues,
    /// A root field has more levels of relationships than the API allows. It never leaves this
    /// module: the field fails, the others are answered.
    #[error("the relationships of a root field are nested too deep")]
    NestedTooDeep,
    /// Conditions stand deeper within each other than whoever compiles them may go down. It never
    /// leaves this module either.
    #[error("Conditions can be nested {most} levels deep at most.")]
    ConditionsTooDeep { most: usize },
    #[error("The API has no {kind}.")]
    NotOffered { kind: &'static str },
    /// Our bug: a binding stands where no dialect may put it.
    #[error("a binding is misplaced: {what}")]
    Misplaced { what: &'static str },
}

impl LowerError {
    fn refused(message: &str, location: Location) -> Self {
        Self::Refused { message: message.into(), location }
    }
}

/// The most list elements and fields of input objects that one operation may steer with: each
/// becomes a condition, an order or a check of every later request.
const INPUTS: usize = 5_000;

/// The most values that one operation may store. One statement of PostgreSQL takes no more.
const VALUES: usize = 65_535;

/// What lowering reads, and what it counts.
struct Context<'a> {
    api: &'a Api,
    operation: &'a Operation,
    steering: &'a Steering<'a>,
    introspection: &'a Introspection,
    budget: Budget,
    /// How many inputs may still steer.
    inputs: Cell<usize>,
    /// How many values may still be stored.
    values: Cell<usize>,
    /// How many conditions stand around the one being lowered.
    nested: Cell<usize>,
    /// The input positions around the condition being lowered, and its own.
    inputs_around: RefCell<Vec<InputId>>,
    patterns: RefCell<Vec<StatedPattern>>,
    shape: Shape,
    next_output: u32,
    next_rows: u32,
    steps: Vec<ir::Step>,
    echoes: Vec<Echoed>,
    /// The root field being lowered.
    root: u32,
    /// How many levels of relationships are around the position.
    level: usize,
}

/// Lowers an operation that comes to at most so many selections with its fragments in their places.
pub fn lower(
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
    introspection: &Introspection,
    most_selections: usize,
) -> Result<Lowered, LowerError> {
    let root_type = match operation.kind {
        OperationKind::Query => api.schema.query.ok_or("query type"),
        OperationKind::Mutation => api.schema.mutation.ok_or("mutations"),
        OperationKind::Subscription => api.schema.subscription.ok_or("subscriptions"),
    };
    let root_type = root_type.map_err(|kind| LowerError::NotOffered { kind })?;
    let mut context = Context::new(api, operation, &steering, introspection, most_selections);
    let fields = context.root_fields(root_type, &[operation.root], true)?;
    let Context { mut shape, next_output, next_rows, steps, echoes, patterns, .. } = context;
    shape.root = Some(fields);
    let transactions = mutation::transactions(operation.kind, api.transactions, steps);
    let request = ir::Request {
        transactions,
        outputs: next_output,
        rows: next_rows,
        claimed_names: Vec::new(),
    };
    let (patterns, structure) = (patterns.into_inner(), steering.into_structure());
    Ok(Lowered { request, shape, echoes, patterns, structure })
}

impl<'a> Context<'a> {
    fn new(
        api: &'a Api,
        operation: &'a Operation,
        steering: &'a Steering<'a>,
        introspection: &'a Introspection,
        most_selections: usize,
    ) -> Self {
        Self {
            api,
            operation,
            steering,
            introspection,
            budget: Budget::new(most_selections),
            inputs: Cell::new(INPUTS),
            values: Cell::new(VALUES),
            nested: Cell::new(0),
            inputs_around: RefCell::default(),
            patterns: RefCell::default(),
            shape: Shape::default(),
            next_output: 0,
            next_rows: 0,
            steps: Vec::new(),
            echoes: Vec::new(),
            root: 0,
            level: 0,
        }
    }
}

impl Context<'_> {
    fn output_id(&mut self) -> ir::OutputId {
        let id = ir::OutputId(self.next_output);
        self.next_output += 1;
        id
    }

    fn rows_id(&mut self) -> ir::RowsId {
        let id = ir::RowsId(self.next_rows);
        self.next_rows += 1;
        id
    }
}
