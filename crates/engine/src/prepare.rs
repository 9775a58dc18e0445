//! Everything above the line: what is made once a document, or once a document and variable
//! structure, and cached.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use dialects::{Introspection, LowerError, Lowered};
use graphql::operation::{FieldRef, Location, Operation, OperationKind, Selection};
use graphql::variables::{Steering, Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use response::{Held, Sink};
use sources::neo4j::program::GraphProgram;
use sources::{Plan, Session, SourceError};

use crate::authorize::PolicySetId;
use crate::authorize::read::authorize;
use crate::cost::Cost;
use crate::engine::{Engine, Lets};

/// The most structures of one document that are kept for one combination of rules.
const STRUCTURES: usize = 64;

/// The most plans of one document that are kept for all of them.
const PLANS: usize = 1_024;

/// The most room that is made for an answer before it is there.
const ROOM: usize = 64 << 10;

/// The room of an answer that is expected to need more than that, before anything is written.
const LITTLE_ROOM: usize = 4 << 10;

/// The most room that is made at once, because the last answer needed it.
const MOST_EXPECTED: usize = 2 << 20;

/// A plan that depends on more than this of the variables is not kept: 64 of them would be large,
/// and each of them would be compared with each request.
const OBSERVATIONS: usize = 512;

/// About how many bytes the documents and plans may take.
const CACHE_BYTES: u64 = 64 << 20;

/// A document as it was sent, validated, with its plans.
#[derive(Debug)]
pub struct Document {
    pub operation: Operation,
    text: Box<str>,
    /// Whether it asks for the schema: such answers are not kept.
    introspects: bool,
    plans: RwLock<Vec<Arc<Prepared>>>,
    /// A number by which whoever counts requests knows the name of the operation again.
    pub label: OnceLock<u16>,
    /// About how many bytes it takes with its plans.
    weight: AtomicU64,
}

/// A plan and the variables it is for.
#[derive(Debug)]
pub struct Prepared {
    structure: Structure,
    /// What it is let to do; `None`: everything.
    policies: Option<PolicySetId>,
    pub request: ir::Request,
    pub plan: Arc<Plan>,
    echoes: Vec<ir::Operand>,
    cost: Cost,
    /// How many bytes its last answer had.
    last_answer: AtomicUsize,
}

/// Documents by their text, compared as a whole.
#[derive(Debug)]
pub struct DocumentCache(Cache<Key, Kept, Weight>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    text: Box<str>,
    operation_name: Option<Box<str>>,
}

struct KeyRef<'a> {
    text: &'a str,
    operation_name: Option<&'a str>,
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        KeyRef { text: &self.text, operation_name: self.operation_name.as_deref() }.hash(state);
    }
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.operation_name.hash(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.text == &*key.text && self.operation_name == key.operation_name.as_deref()
    }
}

/// A document with its weight when it was last weighed: the cache subtracts what it has added.
#[derive(Clone, Debug)]
struct Kept {
    document: Arc<Document>,
    weight: u64,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Key, Kept> for Weight {
    fn weight(&self, _: &Key, kept: &Kept) -> u64 {
        kept.weight
    }
}

impl Prepared {
    /// What the request is estimated to cost with these variables, in rows.
    pub(crate) fn cost(&self, variables: &Variables) -> u64 {
        self.cost.estimate(sources::Variables::of(&variables.values))
    }

    /// What the answer holds of the request itself, as JSON texts.
    pub(crate) fn echoes(&self, variables: &Variables) -> Result<Vec<Box<[u8]>>, SourceError> {
        let variables = sources::Variables::of(&variables.values);
        let text = |operand| {
            let text = sources::operand::json(operand, variables)?;
            Ok(text.into_bytes().into_boxed_slice())
        };
        self.echoes.iter().map(text).collect()
    }

    /// A sink with the beginning of an answer, and room for one like the last: where a buffer grows
    /// on the way, what is in it is copied. For a long one the room is made when it is written, since
    /// many requests may wait for their turn.
    pub(crate) fn begin(&self, beginning: &[u8], budget: u64, held: Held) -> Sink {
        let last = self.last_answer.load(Ordering::Relaxed);
        // A sink looks for more room before the last eighth is needed.
        let expected = last + last / 4 + 64;
        let room = if expected <= ROOM { expected } else { LITTLE_ROOM };
        let mut answer = Vec::with_capacity(room);
        answer.extend_from_slice(beginning);
        Sink::new(answer, budget, held).expecting(expected.min(MOST_EXPECTED))
    }

    /// Remembers how long an answer was.
    pub(crate) fn end(&self, answer: &[u8]) {
        self.last_answer.store(answer.len(), Ordering::Relaxed);
    }

    /// About how many bytes it takes.
    fn weight(&self) -> u64 {
        let statement = |level: &sources::relational::Level| {
            // Its texts with bounds are made when they are sent; most are not.
            let bounded = level
                .bounded
                .as_ref()
                .map_or(0, |bounded| 300 + 3 * bounded.length() + 16 * bounded.texts());
            2_400 + 2 * level.text.len() + bounded + 200 * level.parameters.len()
        };
        let statements: usize = self.plan.program.all_levels().map(statement).sum();
        let graph = self.plan.program.graph().into_iter().flat_map(GraphProgram::statements);
        let texts: usize = graph.map(|one| one.text.len() + 200 * one.parameters.len()).sum();
        let statements = statements + texts;
        let Plan { shape, .. } = &*self.plan;
        let answer = 130 * shape.fields.len() + 100 * shape.nodes.len();
        let outputs = 60 * self.request.outputs as usize;
        let structure = 800 * self.structure.observations.len();
        (statements + answer + outputs + structure) as u64
    }
}

/// About how many bytes an operation takes with its text, which is kept twice. The figures here
/// and for plans are what an allocator has counted, and a test counts again.
fn weight(operation: &Operation, text: &str) -> u64 {
    let sets = &operation.selection_sets;
    let selections: usize = sets.iter().map(|set| set.selections.len()).sum();
    let variables = 600 * operation.variables.len();
    (1_024 + 2 * text.len() + 200 * sets.len() + 160 * selections + variables) as u64
}

impl DocumentCache {
    pub(crate) fn new() -> Self {
        let documents = usize::try_from(CACHE_BYTES / 8_192).unwrap_or(1_024);
        Self(Cache::with_weighter(documents, CACHE_BYTES, Weight))
    }
}

/// What the cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cached {
    pub documents: usize,
    /// About how many bytes they take with their plans.
    pub bytes: u64,
}

impl Engine {
    /// What the cache of documents holds.
    #[must_use]
    pub fn cached(&self) -> Cached {
        Cached { documents: self.documents.0.len(), bytes: self.documents.0.weight() }
    }

    /// The document of a request, parsed and validated unless it is known.
    pub(crate) fn document(
        &self,
        request: &Request,
        is_known: &mut bool,
    ) -> Result<Arc<Document>, Vec<GraphQLError>> {
        let operation_name = request.operation_name.as_deref();
        let key = KeyRef { text: &request.query, operation_name };
        if let Some(kept) = self.documents.0.get(&key) {
            *is_known = true;
            return Ok(kept.document);
        }
        let operation = self.validator.operation(
            &self.api.schema,
            &request.query,
            operation_name,
            &self.limits.document,
        )?;
        let introspects = match introspected(&operation) {
            Some(location) if !self.limits.introspection => {
                return Err(vec![introspection_disabled(location)]);
            }
            introspected => introspected.is_some(),
        };
        let weight = weight(&operation, &request.query);
        let document = Arc::new(Document {
            operation,
            text: request.query.as_str().into(),
            introspects,
            plans: RwLock::new(Vec::new()),
            label: OnceLock::new(),
            weight: AtomicU64::new(weight),
        });
        let (key, kept) = entry(&document, operation_name);
        self.documents.0.insert(key, kept);
        Ok(document)
    }

    /// The plan of a document for these variables and this session, lowered, authorized and
    /// compiled unless it is known.
    pub(crate) fn plan(
        &self,
        document: &Arc<Document>,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
        is_known: &mut bool,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        let lets = self.lets(session)?;
        let policies = lets.id();
        let plans = document.plans.read().unwrap_or_else(PoisonError::into_inner);
        let known = plans
            .iter()
            .find(|known| known.policies == policies && known.structure.matches(variables));
        if let Some(known) = known {
            *is_known = true;
            return Ok(Arc::clone(known));
        }
        drop(plans);
        let mut lowered = self.lower(document, operation_name, variables)?;
        let refused = match &lets {
            Lets::Everything => None,
            Lets::Policies(set) => Some(authorize(&self.catalog, set, &mut lowered.request)),
            Lets::Rules(set) => Some(set.authorize(&self.catalog, &mut lowered.request)),
        };
        if let Some(refused) = refused {
            refused.tell(&self.catalog, &mut lowered);
        }
        let program = self
            .source
            .compile(&self.catalog, &lowered.request)
            .map_err(|error| vec![compile_error(&error)])?;
        let plan = Arc::new(Plan { program, shape: lowered.shape });
        let cost = Cost::new(&lowered.request, self.limits.cost);
        let Lowered { request, echoes, structure, .. } = lowered;
        let last_answer = AtomicUsize::new(0);
        let prepared =
            Arc::new(Prepared { structure, policies, request, plan, echoes, cost, last_answer });
        if !document.introspects && prepared.structure.observations.len() <= OBSERVATIONS {
            let mut plans = document.plans.write().unwrap_or_else(PoisonError::into_inner);
            let mut own = plans.iter().enumerate().filter(|(_, plan)| plan.policies == policies);
            let oldest = own.next().map_or(0, |(place, _)| place);
            let is_full = own.count() + 1 >= STRUCTURES;
            if is_full || plans.len() >= PLANS {
                let oldest = plans.remove(if is_full { oldest } else { 0 });
                document.weight.fetch_sub(oldest.weight(), Ordering::Relaxed);
            }
            document.weight.fetch_add(prepared.weight(), Ordering::Relaxed);
            plans.push(Arc::clone(&prepared));
            drop(plans);
            // Weighed again. That is no use of it: a document that is sent once would seem to be
            // one that is sent often, and take the place of those that are. One that had to go in
            // the meantime does not come back.
            let (key, kept) = entry(document, operation_name);
            drop(self.documents.0.replace(key, kept, true));
        }
        Ok(prepared)
    }

    /// What a document asks for with these variables.
    pub(crate) fn lower(
        &self,
        document: &Document,
        operation_name: Option<&str>,
        variables: &Variables,
    ) -> Result<Lowered, Vec<GraphQLError>> {
        let introspection = self.introspect(document, operation_name, variables)?;
        let steering = Steering::new(variables);
        let operation = &document.operation;
        dialects::lower(&self.api, operation, steering, &introspection, self.limits.document.fields)
            .map_err(|error| vec![lower_error(&error)])
    }

    fn introspect(
        &self,
        document: &Document,
        operation_name: Option<&str>,
        variables: &Variables,
    ) -> Result<Introspection, Vec<GraphQLError>> {
        if !document.introspects || document.operation.kind != OperationKind::Query {
            return Ok(Introspection::new());
        }
        let answers = self.validator.introspect(
            &self.api.schema,
            &document.text,
            operation_name,
            &self.limits.document,
            &document.operation,
            variables,
        )?;
        Ok(answers.into_iter().map(|(name, answer)| (name.into(), answer.into())).collect())
    }
}

/// A document as the cache keeps it.
fn entry(document: &Arc<Document>, operation_name: Option<&str>) -> (Key, Kept) {
    let text = document.text.clone();
    let weight = document.weight.load(Ordering::Relaxed);
    let key = Key { text, operation_name: operation_name.map(Into::into) };
    (key, Kept { document: Arc::clone(document), weight })
}

/// Where the operation selects `__schema` or `__type`, if it does anywhere: below conditions that
/// do not hold, too.
fn introspected(operation: &Operation) -> Option<Location> {
    let mut selections = operation.selection_sets.iter().flat_map(|set| &set.selections);
    selections.find_map(|selection| match selection {
        Selection::Field(field) if field.field == FieldRef::Introspection => Some(field.location),
        Selection::Field(_) | Selection::Fragment { .. } => None,
    })
}

fn introspection_disabled(location: Location) -> GraphQLError {
    let message = "This server does not answer questions about its schema: `__schema` and \
        `__type` are disabled, `__typename` is not.";
    GraphQLError::new(ErrorCode::IntrospectionDisabled, message).at(location)
}

fn lower_error(error: &LowerError) -> GraphQLError {
    match error {
        LowerError::Refused { message, location } => {
            GraphQLError::new(ErrorCode::BadUserInput, String::from(&**message)).at(*location)
        }
        LowerError::TooManyFields(error) => (*error).into(),
        LowerError::TooManyInputs | LowerError::TooManyValues => {
            GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string())
        }
        LowerError::NotOffered { .. } => {
            GraphQLError::new(ErrorCode::NotSupported, error.to_string())
        }
        LowerError::NestedTooDeep | LowerError::ConditionsTooDeep { .. } => {
            GraphQLError::new(ErrorCode::QueryTooDeep, error.to_string())
        }
        LowerError::Misplaced { .. } => crate::respond::our_bug(&error.to_string()),
    }
}

fn compile_error(error: &sources::relational::CompileError) -> GraphQLError {
    use sources::relational::CompileError;
    let code = match error {
        CompileError::NotSupported { .. } => ErrorCode::NotSupported,
        CompileError::NoLabel { .. } => ErrorCode::PermissionDenied,
        CompileError::TooManyLevels
        | CompileError::TooManyParameters { .. }
        | CompileError::TooManyTables { .. }
        | CompileError::TooManyColumns { .. } => ErrorCode::QueryTooComplex,
    };
    GraphQLError::new(code, error.to_string())
}
