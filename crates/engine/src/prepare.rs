//! Everything above the line: what is made once a document, or once a document and variable
//! structure, and cached.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use dialects::{Introspection, LowerError};
use graphql::operation::{FieldRef, Operation, OperationKind, Selection};
use graphql::variables::{Steering, Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use sources::Plan;

use crate::engine::Engine;

/// The most structures of one document that are kept.
const STRUCTURES: usize = 64;

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
}

/// A plan and the variables it is for.
#[derive(Debug)]
pub struct Prepared {
    structure: Structure,
    pub request: ir::Request,
    pub plan: Arc<Plan>,
}

/// Documents by their text, compared as a whole.
#[derive(Debug)]
pub struct DocumentCache(Cache<Key, Arc<Document>, Weight>);

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

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Key, Arc<Document>> for Weight {
    fn weight(&self, key: &Key, _: &Arc<Document>) -> u64 {
        // An operation and its plans grow with its text; the factor was read off the published
        // queries.
        4_096 + 24 * key.text.len() as u64
    }
}

impl DocumentCache {
    pub(crate) fn new() -> Self {
        let documents = usize::try_from(CACHE_BYTES / 8_192).unwrap_or(1_024);
        Self(Cache::with_weighter(documents, CACHE_BYTES, Weight))
    }
}

impl Engine {
    /// The document of a request, parsed and validated unless it is known.
    pub(crate) fn document(&self, request: &Request) -> Result<Arc<Document>, Vec<GraphQLError>> {
        let operation_name = request.operation_name.as_deref();
        let key = KeyRef { text: &request.query, operation_name };
        if let Some(document) = self.documents.0.get(&key) {
            return Ok(document);
        }
        let operation = self.validator.operation(
            &self.api.schema,
            &request.query,
            operation_name,
            &self.limits,
        )?;
        let introspects = introspects(&operation);
        let document = Arc::new(Document {
            operation,
            text: request.query.as_str().into(),
            introspects,
            plans: RwLock::new(Vec::new()),
        });
        let key = Key {
            text: request.query.as_str().into(),
            operation_name: operation_name.map(Into::into),
        };
        self.documents.0.insert(key, Arc::clone(&document));
        Ok(document)
    }

    /// The plan of a document for these variables, lowered and compiled unless it is known.
    pub(crate) fn plan(
        &self,
        document: &Document,
        operation_name: Option<&str>,
        variables: &Variables,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        let known = document.plans.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.iter().find(|known| known.structure.matches(variables)) {
            return Ok(Arc::clone(known));
        }
        drop(known);
        let introspection = self.introspect(document, operation_name, variables)?;
        let steering = Steering::new(variables);
        let operation = &document.operation;
        let lowered = dialects::lower(&self.api, operation, steering, &introspection)
            .map_err(|error| vec![lower_error(&error)])?;
        let program = self
            .source
            .compile(&self.catalog, &lowered.request)
            .map_err(|error| vec![compile_error(&error)])?;
        let plan = Arc::new(Plan { program, shape: lowered.shape });
        let prepared =
            Arc::new(Prepared { structure: lowered.structure, request: lowered.request, plan });
        if !document.introspects && prepared.structure.observations.len() <= OBSERVATIONS {
            let mut plans = document.plans.write().unwrap_or_else(PoisonError::into_inner);
            if plans.len() >= STRUCTURES {
                plans.remove(0);
            }
            plans.push(Arc::clone(&prepared));
        }
        Ok(prepared)
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
            &self.limits,
            &document.operation,
            variables,
        )?;
        Ok(answers.into_iter().map(|(name, answer)| (name.into(), answer.into())).collect())
    }
}

/// Whether the operation selects `__schema` or `__type` anywhere.
fn introspects(operation: &Operation) -> bool {
    operation.selection_sets.iter().flat_map(|set| &set.selections).any(|selection| {
        matches!(selection, Selection::Field(field) if field.field == FieldRef::Introspection)
    })
}

fn lower_error(error: &LowerError) -> GraphQLError {
    match error {
        LowerError::Refused { message, location } => {
            GraphQLError::new(ErrorCode::BadUserInput, String::from(&**message)).at(*location)
        }
        LowerError::TooManyFields(error) => (*error).into(),
        LowerError::TooManyInputs => {
            GraphQLError::new(ErrorCode::QueryTooComplex, error.to_string())
        }
        LowerError::NotOffered { .. } => {
            GraphQLError::new(ErrorCode::NotSupported, error.to_string())
        }
    }
}

fn compile_error(error: &sources::relational::CompileError) -> GraphQLError {
    use sources::relational::CompileError;
    let code = match error {
        CompileError::NotSupported { .. } => ErrorCode::NotSupported,
        CompileError::TooManyLevels => ErrorCode::QueryTooComplex,
    };
    GraphQLError::new(code, error.to_string())
}
