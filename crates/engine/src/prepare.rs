//! Preparation of requests: all stages before the source, made once per document, or once per
//! document and variable structure, and cached.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ::live::{Dependencies, ReadClaims, Written};
use access::{AccessSet, AccessSetId, authorize};
use catalog::Catalog;
use clients::byte_cache::CacheKey;
use dialects::{
    Echoed, Introspection, Listened, LowerError, Lowered, StatedPassword, StatedPattern,
};
use graphql::heap::HeapSize;
use graphql::operation::Operation;
use graphql::problem::{WITHIN_ARGUMENTS, written};
use graphql::variables::{Steering, Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request};
use response::{Echo, MemoryReservation, Recorded, Shape, Sink, Tape};
use source::{CompileError, Session, SourceError};
use sources::Plan;

use crate::answer_cache::{CacheWish, Obstacle};
use crate::cost::{Cost, KnownStatistics, Statistics};
use crate::documents::{Cached, CachedDocument, CachedPlan, Document};
use crate::engine::Engine;
use crate::enum_tables::shape;
use crate::incremental::DeferredPlan;
use crate::memory_size::{COUNTERS, MemorySize};
use crate::operands::operands_of;
use crate::passwords::PreparedPassword;
use crate::patterns::PatternLimits;
use crate::resolvers::ResolvedPlan;
use crate::respond::our_bug;
use crate::withhold::withhold;

/// Most bytes that are reserved for an answer in advance.
const ROOM: usize = 64 << 10;

/// The room of an answer that is expected to need more than that, before anything is written.
const LITTLE_ROOM: usize = 4 << 10;

/// The most room that is made at once, because the last answer needed it.
const MOST_EXPECTED: usize = 2 << 20;

/// A plan and the variables it is for.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) structure: Structure,
    pub(crate) key: PlanKey,
    pub request: Arc<ir::Request>,
    pub plan: Plan,
    echoes: Vec<Echoed>,
    cost: Cost,
    /// Patterns of text filters, to be checked before the request is sent.
    patterns: Box<[StatedPattern]>,
    /// Passwords, to be hashed and compared before the request is sent.
    pub(crate) passwords: Box<[PreparedPassword]>,
    /// Bytes of its last answer.
    last_answer: AtomicUsize,
    /// Number of values on its last tape, and bytes of their texts.
    last_tape: [AtomicUsize; 2],
    /// Fields whose values other servers give, if some are selected.
    pub(crate) resolved: Option<Box<ResolvedPlan>>,
    /// The events of a subscription to events.
    pub(crate) listened: Option<Box<Listened>>,
    /// The entities that it may change.
    pub(crate) written: Written,
    /// The plan whose changes have events, made when the first is wanted; `None` without such a plan.
    touched: OnceLock<Option<Plan>>,
    /// Root fields of a mutation that are executed after these.
    pub(crate) next: Option<Arc<Self>>,
    /// The deferred fragments of a plan in parts.
    pub(crate) deferred: Option<Box<DeferredPlan>>,
    /// The program's number of compiled forms when it was weighed.
    made: AtomicU32,
    /// Made when its answer is to be shared with other servers.
    fingerprint: OnceLock<CacheKey>,
    /// Made when its answer is to be cached.
    facts: OnceLock<Box<AnswerFacts>>,
}

/// Properties of a plan that decide whether its answers are cached, and which sessions share them.
/// They do not depend on values.
#[derive(Debug)]
pub(crate) struct AnswerFacts {
    pub(crate) claims: ReadClaims,
    pub(crate) is_volatile: bool,
}

/// The kind of session and of response that a plan is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlanKey {
    /// The access set of the session; `None`: everything is permitted.
    access_set: Option<AccessSetId>,
    /// Whether deferred fragments are executed apart.
    in_parts: bool,
    /// True for the plan of a mutation that also reads the events of its rows.
    with_events: bool,
}

impl PlanKey {
    pub(crate) fn of(access: Option<&AccessSet>) -> Self {
        Self { access_set: access.map(AccessSet::id), ..Self::default() }
    }

    pub(crate) fn in_parts(self) -> Self {
        Self { in_parts: true, ..self }
    }

    fn with_events(self) -> Self {
        Self { with_events: true, ..self }
    }

    /// The number of the access set.
    pub(crate) fn rules(self) -> Option<u32> {
        self.access_set.map(|set| set.0)
    }
}

impl CachedPlan for Prepared {
    type Key = PlanKey;
    type Shared = ();

    fn key(&self) -> &Self::Key {
        &self.key
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn weight(&self) -> u64 {
        let Self {
            structure,
            key: _,
            request,
            plan,
            echoes,
            cost,
            patterns,
            passwords,
            last_answer: _,
            last_tape: _,
            resolved,
            listened,
            written: _,
            touched,
            next,
            deferred,
            made,
            // Only plans of cached answers have these.
            fingerprint: _,
            facts: _,
        } = self;
        let shape = plan.shape();
        // Forms that are compiled from now on are not included.
        made.store(self.count_made(), Ordering::Relaxed);
        let own = size_of::<Self>() + size_of::<ir::Request>() + size_of::<Shape>() + 4 * COUNTERS;
        let heap = [
            structure.heap_size(),
            request.memory_size(),
            plan.memory_size(),
            shape.memory_size(),
            echoes.memory_size(),
            cost.memory_size(),
            patterns.memory_size(),
            passwords.memory_size(),
            resolved.as_ref().map_or(0, |resolved| resolved.weight()),
            listened.as_ref().map_or(0, |_| size_of::<Listened>()),
            touched.get().and_then(Option::as_ref).map_or(0, Plan::memory_size),
        ];
        let deferred = deferred.as_ref().map_or(0, |deferred| deferred.weight());
        let next = next.as_ref().map_or(0, |next| next.weight());
        (own + heap.iter().sum::<usize>()) as u64 + next + deferred
    }

    fn has_grown(&self) -> bool {
        self.made.load(Ordering::Relaxed) != self.count_made()
    }
}

impl Prepared {
    /// The number of compiled forms.
    fn count_made(&self) -> u32 {
        let deferred = self.deferred.iter().flat_map(|deferred| &deferred.fragments);
        let deferred: u32 = deferred.map(|fragment| fragment.prepared.count_made()).sum();
        self.plan.made() + u32::from(self.touched.get().is_some()) + deferred
    }

    /// The plan whose changes have events; `None` if it has none.
    pub(crate) fn touched(&self, engine: &Engine) -> Option<&Plan> {
        let touched = self.touched.get_or_init(|| {
            let made = engine.source.compile_touched(&engine.catalog, &self.request, &self.plan);
            made.unwrap_or_else(|error| {
                tracing::error!(%error, "a change is executed without events");
                None
            })
        });
        touched.as_ref()
    }

    /// The dependencies of all parts of the operation.
    pub(crate) fn dependencies(
        &self,
        catalog: &Catalog,
        variables: source::Variables<'_>,
    ) -> Dependencies {
        let mut all = Dependencies::of(&self.request, catalog, variables);
        // Values that other servers give may change at any time.
        all.is_timed |= self.has_resolved();
        if let Some(next) = &self.next {
            all.add(next.dependencies(catalog, variables));
        }
        all
    }

    /// A hash of the plan that is the same in each server that would answer by it: of what is read, with
    /// its names and the rules of the session, and of the form of the answer.
    pub(crate) fn fingerprint(&self, catalog: &Catalog) -> CacheKey {
        *self.fingerprint.get_or_init(|| {
            let names = ir::print(&self.request, catalog);
            let parts = format!("{:?}", (&self.request, self.plan.shape(), &self.echoes));
            CacheKey::of(&[names.as_bytes(), parts.as_bytes()])
        })
    }

    /// The properties that decide about the caching of its answers.
    pub(crate) fn facts(&self, engine: &Engine, variables: source::Variables<'_>) -> &AnswerFacts {
        self.facts.get_or_init(|| {
            let Dependencies { claims, is_volatile, .. } =
                self.dependencies(&engine.catalog, variables);
            Box::new(AnswerFacts { claims, is_volatile })
        })
    }

    /// The reason for which the answer is not cached, though that is wished.
    pub(crate) fn cache_obstacle(
        &self,
        document: &Document,
        wish: CacheWish,
        is_volatile: bool,
    ) -> Option<Obstacle> {
        match () {
            () if document.defers => Some(Obstacle::Deferred),
            () if document.introspects() => Some(Obstacle::Introspection),
            () if self.has_resolved() => Some(Obstacle::Resolved),
            () if !self.passwords.is_empty() => Some(Obstacle::Passwords),
            () if is_volatile && !wish.has_time => Some(Obstacle::Volatile),
            () => None,
        }
    }

    /// The reason for which the request is never executed in batches; `None` if it may be.
    pub(crate) fn batch_obstacle(&self) -> Option<&'static str> {
        if self.has_resolved() {
            return Some("other servers give values of its fields");
        }
        if !self.passwords.is_empty() {
            return Some("it compares passwords");
        }
        self.plan.batch_obstacle()
    }

    /// Returns true if nothing is read or changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.request.transactions.iter().all(|transaction| transaction.steps.is_empty())
    }

    /// The entities that all parts of the operation may change.
    pub(crate) fn all_written(&self) -> Written {
        let mut all = self.written.clone();
        if let Some(next) = &self.next {
            all.add(next.all_written());
        }
        all
    }

    /// The same, with the entities whose rows the database may delete with them.
    pub(crate) fn written_with_cascades(&self, catalog: &Catalog) -> Written {
        let mut all = self.written.clone().with_cascades(&self.request, catalog);
        if let Some(next) = &self.next {
            all.add(next.written_with_cascades(catalog));
        }
        all
    }

    /// Estimated cost of the request with these variables, in rows.
    pub(crate) fn cost(&self, variables: &Variables, session: &Session) -> u64 {
        // Which rows a role of PostgreSQL may read is known to the database alone.
        let statistics = match self.plan.has_roles() && session.settings.is_some() {
            true => Statistics::Ignored,
            false => Statistics::Counted,
        };
        let own = self.cost.estimate(operands_of(variables), statistics);
        own.saturating_add(self.next.as_ref().map_or(0, |next| next.cost(variables, session)))
    }

    /// Refuses patterns that are none, or are beyond a limit.
    pub(crate) fn check_patterns(
        &self,
        limits: PatternLimits,
        variables: &Variables,
    ) -> Result<(), GraphQLError> {
        limits.check(&self.patterns, operands_of(variables))?;
        match &self.next {
            Some(next) => next.check_patterns(limits, variables),
            None => Ok(()),
        }
    }

    /// Returns true if other servers give values of the answer.
    pub(crate) fn has_resolved(&self) -> bool {
        self.resolved.is_some() || self.next.is_some()
    }

    /// Values of the request that its answer repeats.
    pub(crate) fn echoes(
        &self,
        variables: source::Variables<'_>,
    ) -> Result<Vec<Echo>, SourceError> {
        let echo = |echoed: &Echoed| match echoed {
            Echoed::Json(operand) => {
                let text = source::operand::json(operand, variables)?;
                Ok(Echo::Json(text.into_bytes().into_boxed_slice()))
            }
            Echoed::Sorted { list, types } => {
                Ok(Echo::Sorted(source::operand::sort(list, types, variables)))
            }
        };
        self.echoes.iter().map(echo).collect()
    }

    /// A sink with the beginning of an answer, and room for one like the last: a buffer that grows
    /// is copied. The room for a long answer is allocated when it is written, since many requests
    /// may be queued.
    pub(crate) fn begin(&self, beginning: &[u8], budget: u64, held: MemoryReservation) -> Sink {
        let last = self.last_answer.load(Ordering::Relaxed);
        // A sink reserves more room before the last eighth is used.
        let expected = last + last / 4 + 64;
        let room = if expected <= ROOM { expected } else { LITTLE_ROOM };
        let mut answer = Vec::with_capacity(room);
        answer.extend_from_slice(beginning);
        Sink::new(answer, budget, held).expecting(expected.min(MOST_EXPECTED))
    }

    /// A tape with room for an answer like the last.
    pub(crate) fn begin_tape(&self, budget: u64, held: MemoryReservation) -> Tape {
        let [tokens, texts] = self.last_tape.each_ref().map(|last| {
            let last = last.load(Ordering::Relaxed);
            (last + last / 4 + 64).min(MOST_EXPECTED)
        });
        Tape::new(budget, held).expecting(tokens, texts)
    }

    /// Remembers how much stood on a tape.
    pub(crate) fn end_tape(&self, recorded: &Recorded) {
        let [tokens, texts] = &self.last_tape;
        tokens.store(recorded.tokens.len(), Ordering::Relaxed);
        texts.store(recorded.texts.len(), Ordering::Relaxed);
    }

    /// Bytes of the last answer.
    pub(crate) fn last_answer(&self) -> usize {
        self.last_answer.load(Ordering::Relaxed)
    }

    /// Remembers how long an answer was.
    pub(crate) fn end(&self, answer: &[u8]) {
        self.last_answer.store(answer.len(), Ordering::Relaxed);
    }
}

impl Engine {
    /// Contents of the document cache.
    #[must_use]
    pub fn cached(&self) -> Cached {
        self.documents.cached()
    }

    /// The document of a session's request, parsed and validated unless it is known.
    pub(crate) fn document(
        &self,
        request: &Request,
        session: &Session,
        is_known: &mut bool,
    ) -> Result<Arc<CachedDocument<Prepared>>, Vec<GraphQLError>> {
        let view = self.view(session)?;
        self.documents.document(&self.validator, view, &self.limits, request, is_known)
    }

    /// Weighs a plan of the cache again, if it keeps more than when it was weighed.
    pub(crate) fn reweigh(
        &self,
        known: &Arc<CachedDocument<Prepared>>,
        operation_name: Option<&str>,
        prepared: &Arc<Prepared>,
    ) {
        if prepared.has_grown() {
            self.documents.reweigh(known, operation_name, prepared);
        }
    }

    /// The plan of a document for these variables and this session, lowered, authorized and
    /// compiled unless it is known.
    pub(crate) fn plan(
        &self,
        known: &Arc<CachedDocument<Prepared>>,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
        is_known: &mut bool,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        let access = self.access_set(session)?;
        let access = access.as_deref();
        if let Some(plan) = known.plan(&PlanKey::of(access), variables) {
            *is_known = true;
            return Ok(plan);
        }
        let document = &known.document;
        let introspection = self.introspect(document, operation_name, variables, session)?;
        let most = self.limits.document.fields;
        let parts = dialects::parts(&self.api, &document.operation, variables, most);
        let mut next = None;
        // A part keeps the one after it; nearly always there is only one.
        for roots in parts.map_err(|error| vec![lower_error(&error)])?.into_iter().rev() {
            let lowered = self.lower_roots(document, variables, &introspection, roots)?;
            next = Some(Arc::new(self.compile(lowered, access, next)?));
        }
        let Some(prepared) = next else {
            return Err(vec![our_bug("an operation without parts")]);
        };
        self.documents.keep(known, operation_name, &prepared);
        Ok(prepared)
    }

    /// The plan of a mutation whose answer has the events of changed rows.
    pub(crate) fn plan_with_events(
        &self,
        known: &Arc<CachedDocument<Prepared>>,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
    ) -> Result<Arc<Prepared>, Vec<GraphQLError>> {
        let access = self.access_set(session)?;
        let access = access.as_deref();
        let key = PlanKey::of(access).with_events();
        if let Some(plan) = known.plan(&key, variables) {
            return Ok(plan);
        }
        let document = &known.document;
        let introspection = self.introspect(document, operation_name, variables, session)?;
        let (steering, most) = (Steering::new(variables), self.limits.document.fields);
        let (api, operation) = (&self.api, &document.operation);
        let lowered = dialects::lower_with_events(api, operation, steering, &introspection, most)
            .map_err(|error| vec![lower_error(&error)])?;
        let prepared = Arc::new(Prepared { key, ..self.compile(lowered, access, None)? });
        self.documents.keep(known, operation_name, &prepared);
        Ok(prepared)
    }

    /// Authorizes and compiles a part of an operation. `next` is the part after it.
    pub(crate) fn compile(
        &self,
        mut lowered: Lowered,
        access: Option<&AccessSet>,
        next: Option<Arc<Prepared>>,
    ) -> Result<Prepared, Vec<GraphQLError>> {
        let key = PlanKey::of(access);
        if let Some(set) = access {
            let authorized = authorize(&self.catalog, set, &mut lowered.request);
            withhold(&authorized, &self.catalog, &mut lowered);
        }
        let Lowered {
            request,
            shape,
            echoes,
            patterns,
            passwords,
            resolved,
            positions,
            listened,
            changed,
            mut structure,
        } = lowered;
        if let Some(next) = &next {
            // The plan is for variables that fit all parts.
            structure.observations.extend_from_slice(&next.structure.observations);
        }
        let resolved = ResolvedPlan::new(resolved, positions).map(Box::new);
        let mut written = Written::of(&request, &self.catalog);
        written.add(Written::Entities(changed.into_iter().collect()));
        let request = Arc::new(request);
        let plan = self
            .source
            .compile_kept(&self.catalog, &request, shape)
            .map_err(|error| vec![compile_error(&error)])?;
        let passwords = self.prepare_passwords(passwords)?;
        let is_open = |entity| access.is_none_or(|set| set.shows_all(&self.catalog, entity));
        let statistics = KnownStatistics { catalog: &self.catalog, is_open: &is_open };
        let cost = Cost::new(&request, self.limits.cost, &statistics);
        let patterns = patterns.into();
        let (last_answer, last_tape) = (AtomicUsize::new(0), [const { AtomicUsize::new(0) }; 2]);
        Ok(Prepared {
            structure,
            key,
            request,
            plan,
            echoes,
            cost,
            patterns,
            passwords,
            last_answer,
            last_tape,
            resolved,
            listened: listened.map(Box::new),
            written,
            touched: OnceLock::new(),
            next,
            deferred: None,
            made: AtomicU32::new(0),
            fingerprint: OnceLock::new(),
            facts: OnceLock::new(),
        })
    }

    /// Lowers a document with these variables.
    pub(crate) fn lower(
        &self,
        document: &Document,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
    ) -> Result<Lowered, Vec<GraphQLError>> {
        let introspection = self.introspect(document, operation_name, variables, session)?;
        self.lower_roots(document, variables, &introspection, dialects::ALL_ROOTS)
    }

    /// Lowers some of the root fields, by their indexes.
    fn lower_roots(
        &self,
        document: &Document,
        variables: &Variables,
        introspection: &Introspection,
        roots: Range<usize>,
    ) -> Result<Lowered, Vec<GraphQLError>> {
        self.lower_operation(&document.operation, variables, introspection, roots)
    }

    /// Lowers some of the root fields of an operation.
    pub(crate) fn lower_operation(
        &self,
        operation: &Operation,
        variables: &Variables,
        introspection: &Introspection,
        roots: Range<usize>,
    ) -> Result<Lowered, Vec<GraphQLError>> {
        let (steering, most) = (Steering::new(variables), self.limits.document.fields);
        dialects::lower_roots(&self.api, operation, steering, introspection, most, roots)
            .map_err(|error| vec![lower_error(&error)])
    }

    /// Compiles the reads of stored hashes.
    fn prepare_passwords(
        &self,
        stated: Vec<StatedPassword>,
    ) -> Result<Box<[PreparedPassword]>, Vec<GraphQLError>> {
        let prepare = |StatedPassword { given, stored, location }: StatedPassword| {
            let compile = |request| self.source.compile(&self.catalog, &request, shape(1));
            let stored = stored.map(compile).transpose();
            let stored = stored.map_err(|error| vec![compile_error(&error)])?;
            Ok(PreparedPassword { given, stored, location })
        };
        stated.into_iter().map(prepare).collect()
    }

    pub(crate) fn introspect(
        &self,
        document: &Document,
        operation_name: Option<&str>,
        variables: &Variables,
        session: &Session,
    ) -> Result<Introspection, Vec<GraphQLError>> {
        let (validator, schema) = (&self.validator, self.view(session)?.schema);
        let answers =
            document.introspect(validator, schema, &self.limits, operation_name, variables)?;
        Ok(answers.into_iter().map(|(name, answer)| (name.into(), answer.into())).collect())
    }
}

fn lower_error(error: &LowerError) -> GraphQLError {
    match error {
        LowerError::Refused { message, location } => {
            GraphQLError::new(ErrorCode::BadUserInput, String::from(&**message))
                .logged_as("An argument of the operation is refused.")
                .at(*location)
        }
        LowerError::RefusedWithin { message, location, place } => {
            let refused =
                lower_error(&LowerError::Refused { message: message.clone(), location: *location });
            refused.with_extension(WITHIN_ARGUMENTS, &written(place))
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

fn compile_error(error: &CompileError) -> GraphQLError {
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
