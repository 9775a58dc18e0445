//! Lowering: operation → request and shape, by the bindings of an API.
//!
//! One lowering for every dialect. It reads variables only through `Steering`, so that its result
//! is valid for all values of the same structure.
//!
//! * [`selection`](self): `selection.rs`: fields of objects to outputs and shape nodes
//! * `paging.rs`: pagination by offsets or by cursors
//! * `call.rs`: calls of functions
//! * `connection.rs`: connections, edges, page information
//! * `aggregate.rs`: aggregates of all rows of a set
//! * `grouped.rs`: rows in groups
//! * `arguments.rs`: arguments to filter, order and page
//! * `filter.rs`: conditions; `cascade.rs`: rows that have all selected fields
//! * `pattern.rs`: patterns of text matches, for later checks
//! * `nearest.rs`: rows by the distances of their vectors
//! * `password.rs`: passwords, which are hashed and compared before
//! * `order.rs`: orders and their cursors
//! * `input.rs`: values, whether literal or variable
//! * `outputs.rs`: the outputs of one set of rows
//! * `leaf.rs`: values with parts
//! * `mutation.rs`: root fields of mutations
//! * `bulk.rs`: bulk changes with their limit; `new_rows.rs`: new rows as an insert
//! * `nested.rs`: nested writes of rows
//! * `graph.rs`: changes of nodes of a graph, with nested writes
//! * `stored.rs`: inputs of a change
//! * `event.rs`: subscriptions to events; `event_condition.rs`: conditions on events of rows
//! * `entities.rs`: rows by federation's representations
//! * `variants.rs`: rows of several entities in one list; `common_fields.rs`: fields of all of them
//! * `returned.rs`: results of changes; `row_events.rs`: events of changed rows
//! * [`resolved`]: fields whose values other servers give
//! * `rule.rs`: conditions of the API's author

mod aggregate;
mod arguments;
mod bulk;
mod call;
mod cascade;
mod common_fields;
mod connection;
mod count;
mod entities;
mod event;
mod event_condition;
mod filter;
mod graph;
mod grouped;
mod input;
mod json_path;
mod leaf;
mod mutation;
mod nearest;
mod nested;
mod new_rows;
mod objects;
mod order;
mod outputs;
mod paging;
mod password;
mod pattern;
mod reference;
mod related;
mod related_order;
mod required_fields;
pub mod resolved;
mod returned;
mod row_events;
pub mod rule;
mod selection;
mod stored;
mod stream;
#[cfg(test)]
mod tests;
mod tree;
mod variants;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use catalog::EntityId;
use graphql::operation::{Location, Operation, OperationKind};
use graphql::problem::Step;
use graphql::schema::{InputId, TypeId};
use graphql::variables::{Steering, Structure};
use graphql::{Budget, TooManyFields};
use http_resolvers::splice::Position;
use response::Shape;

use api::Api;
pub use event::{
    AFTER, BEFORE, LABELS, Listened, ListenedChannel, ListenedPart, Stream, TIME, event_slot,
};
use outputs::Outputs;
pub use password::StatedPassword;
pub use pattern::StatedPattern;
pub use resolved::{ALL_ROOTS, ResolvedSelection};
use row_events::RowEvents;
pub use stream::{POSITION, STREAMED};

/// A lowered operation.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub request: ir::Request,
    pub shape: Shape,
    /// Parts of the response that are copied from the request, by index.
    pub echoes: Vec<Echoed>,
    /// The patterns of text matches.
    pub patterns: Vec<StatedPattern>,
    /// The passwords, by the numbers of [`ir::Operand::Password`].
    pub passwords: Vec<StatedPassword>,
    /// Selections of fields whose values other servers give, by the numbers of their placeholders.
    pub resolved: Vec<ResolvedSelection>,
    /// Places of the placeholders in the response.
    pub positions: Vec<Position>,
    /// The events of a subscription that is executed for each of them.
    pub listened: Option<Listened>,
    /// The entities whose rows have events of a mutation, also of those that it does not write itself.
    pub changed: Vec<EntityId>,
    /// The required structure of the variables.
    pub structure: Structure,
}

/// A part of the response that is copied from the request.
#[derive(Clone, Debug, PartialEq)]
pub enum Echoed {
    /// A value as JSON, for [`response::Node::Echo`].
    Json(ir::Operand),
    /// The key of each of a list of federation representations, for
    /// [`response::Node::Representations`]; the types are in the order of their names.
    Sorted { list: ir::Operand, types: Arc<[Arc<ir::Represented>]> },
}

/// The responses of the root fields `__schema` and `__type`, by response name.
pub type Introspection = HashMap<Box<str>, Box<[u8]>>;

/// Reasons why an operation cannot be lowered.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LowerError {
    /// An input value that is valid in GraphQL and rejected by the API.
    #[error("{message}")]
    Refused { message: Box<str>, location: Location },
    /// The same for a part of the arguments, with the way to it.
    #[error("{message}")]
    RefusedWithin { message: Box<str>, location: Location, place: Vec<Step> },
    #[error("{0}")]
    TooManyFields(#[from] TooManyFields),
    #[error("The operation has too many conditions or orders.")]
    TooManyInputs,
    #[error("The operation has more than {VALUES} values to store.")]
    TooManyValues,
    /// A root field exceeds the depth limit of relationships. The error stays in this module: the
    /// field fails, the others are executed.
    #[error("the relationships of a root field are nested too deep")]
    NestedTooDeep,
    /// Conditions exceed the depth limit of their compilers. The error stays in this module, too.
    #[error("Conditions can be nested {most} levels deep at most.")]
    ConditionsTooDeep { most: usize },
    #[error("The API has no {kind}.")]
    NotOffered { kind: &'static str },
    /// A bug: a binding at a position where no dialect may put it.
    #[error("a binding is misplaced: {what}")]
    Misplaced { what: &'static str },
}

impl LowerError {
    fn refused(message: &str, location: Location) -> Self {
        Self::Refused { message: message.into(), location }
    }

    /// The error of an input, whose place within the arguments the callers complete.
    fn with_place(self) -> Self {
        match self {
            Self::Refused { message, location } => {
                Self::RefusedWithin { message, location, place: Vec::new() }
            }
            other => other,
        }
    }

    /// The index that its place begins with.
    fn index(&self) -> Option<usize> {
        match self {
            Self::RefusedWithin { place, .. } => match place.first() {
                Some(Step::Index(index)) => Some(*index),
                _ => None,
            },
            _ => None,
        }
    }

    /// The error without the index that its place begins with.
    fn without_index(mut self) -> Self {
        if let (Some(_), Self::RefusedWithin { place, .. }) = (self.index(), &mut self) {
            place.remove(0);
        }
        self
    }

    /// The error as that of the input around, if it has a place.
    fn within(mut self, steps: impl IntoIterator<Item = Step>) -> Self {
        if let Self::RefusedWithin { place, .. } = &mut self {
            place.splice(0..0, steps);
        }
        self
    }
}

/// Limit of list elements and fields of input objects that steer one operation: each becomes a
/// condition, an order or a check of every later request.
const INPUTS: usize = 5_000;

/// Limit of values that one operation may store. One statement of PostgreSQL takes no more.
const VALUES: usize = 65_535;

/// Inputs of lowering, and its counters.
struct Context<'a> {
    api: &'a Api,
    operation: &'a Operation,
    steering: &'a Steering<'a>,
    introspection: &'a Introspection,
    budget: Budget,
    /// The number of inputs that may still steer.
    inputs: Cell<usize>,
    /// The number of values that may still be stored.
    values: Cell<usize>,
    /// The number of enclosing conditions.
    nested: Cell<usize>,
    /// The enclosing input positions of the condition being lowered, and its own.
    inputs_around: RefCell<Vec<InputId>>,
    patterns: RefCell<Vec<StatedPattern>>,
    passwords: RefCell<Vec<StatedPassword>>,
    resolved: Vec<ResolvedSelection>,
    listened: Option<Listened>,
    /// The root fields that are lowered, by their indexes among the selected ones.
    roots: Range<usize>,
    shape: Shape,
    next_output: u32,
    next_rows: u32,
    steps: Vec<ir::Step>,
    /// Conditions of the steps that are added.
    when: Vec<ir::StepCondition>,
    /// The permissions by which they read and change rows.
    authority: ir::Authority,
    /// The events of changed rows, where they are wanted.
    events: Option<RowEvents>,
    /// The entities of changed rows.
    changed: Vec<EntityId>,
    echoes: Vec<Echoed>,
    /// The distance of the rows being lowered.
    distance: Option<ir::Distance>,
    /// The root field being lowered.
    root: u32,
    /// The number of enclosing levels of relationships.
    level: usize,
    /// True if rows of enclosing fields must have all selected fields.
    is_cascading: bool,
}

/// Lowers an operation with a limit of selections, fragments expanded.
pub fn lower(
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
    introspection: &Introspection,
    most_selections: usize,
) -> Result<Lowered, LowerError> {
    lower_roots(api, operation, steering, introspection, most_selections, ALL_ROOTS)
}

/// Lowers some of the root fields, by their indexes among the selected ones.
pub fn lower_roots(
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
    introspection: &Introspection,
    most_selections: usize,
    roots: Range<usize>,
) -> Result<Lowered, LowerError> {
    lower_parts(api, operation, steering, introspection, most_selections, (roots, None))
}

/// Lowers a mutation of which the answer has the events of changed rows: [`Shape::events`].
pub fn lower_with_events(
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
    introspection: &Introspection,
    most_selections: usize,
) -> Result<Lowered, LowerError> {
    let events = Some(RowEvents::default());
    lower_parts(api, operation, steering, introspection, most_selections, (ALL_ROOTS, events))
}

fn lower_parts(
    api: &Api,
    operation: &Operation,
    steering: Steering<'_>,
    introspection: &Introspection,
    most_selections: usize,
    (roots, events): (Range<usize>, Option<RowEvents>),
) -> Result<Lowered, LowerError> {
    let root_type = root_type(api, operation.kind)?;
    let mut context = Context::new(api, operation, &steering, introspection, most_selections);
    context.roots = roots;
    context.events = events;
    let fields = context.root_fields(root_type, &[operation.root], true)?;
    let positions = context.positions(root_type)?;
    let Context {
        mut shape,
        next_output,
        next_rows,
        steps,
        echoes,
        patterns,
        passwords,
        resolved,
        listened,
        events,
        changed,
        ..
    } = context;
    shape.root = Some(fields);
    shape.events = events.map(|events| Arc::new(events.finish()));
    let transactions = mutation::transactions(operation.kind, api.transactions, steps);
    let request = ir::Request {
        transactions,
        outputs: next_output,
        rows: next_rows,
        claimed_names: Vec::new(),
    };
    let (patterns, passwords) = (patterns.into_inner(), passwords.into_inner());
    let structure = steering.into_structure();
    Ok(Lowered {
        request,
        shape,
        echoes,
        patterns,
        passwords,
        resolved,
        positions,
        listened,
        changed,
        structure,
    })
}

fn root_type(api: &Api, kind: OperationKind) -> Result<TypeId, LowerError> {
    let root_type = match kind {
        OperationKind::Query => api.schema.query.ok_or("query type"),
        OperationKind::Mutation => api.schema.mutation.ok_or("mutations"),
        OperationKind::Subscription => api.schema.subscription.ok_or("subscriptions"),
    };
    root_type.map_err(|kind| LowerError::NotOffered { kind })
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
            passwords: RefCell::default(),
            resolved: Vec::new(),
            listened: None,
            roots: ALL_ROOTS,
            shape: Shape::default(),
            next_output: 0,
            next_rows: 0,
            steps: Vec::new(),
            when: Vec::new(),
            authority: ir::Authority::Session,
            events: None,
            changed: Vec::new(),
            echoes: Vec::new(),
            distance: None,
            root: 0,
            level: 0,
            is_cascading: false,
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
