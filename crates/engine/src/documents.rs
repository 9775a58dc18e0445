//! Document cache: documents by their text, with the plans of each.

use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use dialects::RoleViewId;
use graphql::heap::HeapSize;
use graphql::operation::{FieldRef, Location, Operation, OperationKind, Selection};
use graphql::schema::Schema;
use graphql::variables::{Structure, Variables};
use graphql::{ErrorCode, GraphQLError, Request, Validator, View};
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use crate::cache;
use crate::limits::Limits;
use crate::usage::DocumentUsage;

/// The most structures of one document that are kept for one kind of session.
const STRUCTURES: usize = 64;

/// The most plans of one document that are kept for all of them.
const PLANS: usize = 1_024;

/// A plan that depends on more than this of the variables is not kept: 64 of them would be large,
/// and each of them would be compared with each request.
const OBSERVATIONS: usize = 512;

/// About how many bytes the documents and plans may take.
const CACHE_BYTES: u64 = 64 << 20;

/// Number of shards of the cache, each with a lock and an equal share of the bytes. It does not
/// grow with the processors: a plan that is larger than a share could never be kept.
const SHARDS: u64 = 8;

/// About how many bytes the cache itself takes for a document.
const ENTRY: usize = 120;

/// Approximate bytes of a document beside its plans: the list of plans, and the data that they
/// share.
const PLAN_LIST: u64 = 280;

/// The source of the root fields of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The first one has all of them, or fields of the schema itself.
    First,
    /// A further one has all of them, and all that they select.
    Further(u16),
    /// There are several sources.
    Several,
}

/// A document as it was sent, validated.
#[derive(Debug)]
pub struct Document {
    pub operation: Operation,
    text: Arc<str>,
    /// Whether the operation selects the schema: such answers are not cached.
    introspects: bool,
    /// The view of the schema that it was validated against.
    view: Option<RoleViewId>,
    /// Whether a fragment has `@defer`.
    pub(crate) defers: bool,
    /// A number that identifies the operation's name for metrics.
    pub label: OnceLock<u16>,
    /// Its requests, if they are counted.
    pub usage: OnceLock<Arc<DocumentUsage>>,
    /// The source of its fields, where there are several.
    pub(crate) owner: OnceLock<Owner>,
}

/// A plan in the cache.
pub(crate) trait CachedPlan {
    /// The part of a session that plans depend on.
    type Key: PartialEq;
    /// Data of a document that all its plans share, made with the first.
    type Shared: Debug;

    fn key(&self) -> &Self::Key;

    /// The variables that the plan depends on.
    fn structure(&self) -> &Structure;

    /// About how many bytes it takes.
    fn weight(&self) -> u64;

    /// Whether its weight has grown since it was measured.
    fn has_grown(&self) -> bool;
}

/// A plan with its weight when it was last weighed.
#[derive(Debug)]
struct WeighedPlan<P> {
    plan: Arc<P>,
    weight: u64,
}

/// A document with its plans.
#[derive(Debug)]
pub(crate) struct CachedDocument<P: CachedPlan> {
    pub(crate) document: Arc<Document>,
    pub(crate) shared: OnceLock<P::Shared>,
    plans: RwLock<Vec<WeighedPlan<P>>>,
    /// About how many bytes it takes with its plans.
    weight: AtomicU64,
}

/// Documents by their text, compared as a whole, and by the view of the schema.
#[derive(Debug)]
pub(crate) struct DocumentCache<P: CachedPlan>(Cache<Key, Weighed<P>, Weight>);

/// Contents of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cached {
    pub documents: usize,
    /// About how many bytes they take with their plans.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    text: Arc<str>,
    operation_name: Option<Box<str>>,
    view: Option<RoleViewId>,
}

struct KeyRef<'a> {
    text: &'a str,
    operation_name: Option<&'a str>,
    view: Option<RoleViewId>,
}

/// The schema as a session sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionView<'s> {
    pub(crate) schema: View<'s>,
    /// `None`: everything is visible.
    pub(crate) id: Option<RoleViewId>,
}

impl<'s> From<&'s Schema> for SessionView<'s> {
    fn from(schema: &'s Schema) -> Self {
        Self { schema: schema.into(), id: None }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { text, operation_name, view } = self;
        KeyRef { text, operation_name: operation_name.as_deref(), view: *view }.hash(state);
    }
}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.operation_name.hash(state);
        self.view.hash(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.text == &*key.text
            && self.operation_name == key.operation_name.as_deref()
            && self.view == key.view
    }
}

/// A document with the weight that was measured last: the cache subtracts the weight that it has
/// added.
#[derive(Debug)]
struct Weighed<P: CachedPlan> {
    known: Arc<CachedDocument<P>>,
    weight: u64,
}

impl<P: CachedPlan> Clone for Weighed<P> {
    fn clone(&self) -> Self {
        Self { known: Arc::clone(&self.known), weight: self.weight }
    }
}

#[derive(Clone, Debug)]
struct Weight;

impl<P: CachedPlan> Weighter<Key, Weighed<P>> for Weight {
    fn weight(&self, _: &Key, kept: &Weighed<P>) -> u64 {
        kept.weight
    }
}

impl Document {
    /// The text of the document.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same, for keys that keep it.
    pub(crate) fn shared_text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns true if it selects the schema.
    pub(crate) fn introspects(&self) -> bool {
        self.introspects
    }

    /// The number of its view of the schema; `None` if it has all of it.
    pub(crate) fn view_number(&self) -> Option<u32> {
        self.view.map(RoleViewId::number)
    }

    /// Parses and validates the document of a request.
    fn new(
        validator: &Validator,
        view: SessionView<'_>,
        limits: &Limits,
        request: &Request,
    ) -> Result<Self, Vec<GraphQLError>> {
        let name = request.operation_name.as_deref();
        let operation = validator.operation(view.schema, &request.query, name, &limits.document)?;
        let introspects = match introspected(&operation) {
            Some(location) if !limits.introspection => {
                return Err(vec![introspection_disabled(location)]);
            }
            introspected => introspected.is_some(),
        };
        let text = request.query.as_str().into();
        let defers = operation.has_defer();
        let (label, usage) = (OnceLock::new(), OnceLock::new());
        let owner = OnceLock::new();
        Ok(Self { operation, text, introspects, view: view.id, defers, label, usage, owner })
    }

    /// The answers of `__schema` and `__type`, by their names in the answer; of mutations none, which
    /// have no such fields.
    pub(crate) fn introspect(
        &self,
        validator: &Validator,
        schema: View<'_>,
        limits: &Limits,
        operation_name: Option<&str>,
        variables: &Variables,
    ) -> Result<Vec<(String, Vec<u8>)>, Vec<GraphQLError>> {
        if !self.introspects || self.operation.kind != OperationKind::Query {
            return Ok(Vec::new());
        }
        let (text, operation) = (&self.text, &self.operation);
        validator.introspect(schema, text, operation_name, &limits.document, operation, variables)
    }

    /// About how many bytes it takes with its entry in the cache. A test compares these figures, and
    /// those of plans, with an allocator's.
    fn weight(&self) -> u64 {
        (ENTRY + size_of::<Self>() + self.text.len() + self.operation.heap_size()) as u64
    }
}

impl<P: CachedPlan> CachedDocument<P> {
    /// The plan for these variables and this kind of session, if there is one.
    pub(crate) fn plan(&self, key: &P::Key, variables: &Variables) -> Option<Arc<P>> {
        let plans = self.plans.read().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |plan: &P| plan.key() == key && plan.structure().matches(variables);
        let known = plans.iter().find(|kept| is_wanted(&kept.plan));
        known.map(|kept| Arc::clone(&kept.plan))
    }

    /// A document as the cache keeps it.
    fn entry(self: &Arc<Self>, operation_name: Option<&str>) -> (Key, Weighed<P>) {
        let text = Arc::clone(&self.document.text);
        let weight = self.weight.load(Ordering::Relaxed);
        let view = self.document.view;
        let key = Key { text, operation_name: operation_name.map(Into::into), view };
        (key, Weighed { known: Arc::clone(self), weight })
    }
}

impl<P: CachedPlan> DocumentCache<P> {
    pub(crate) fn new() -> Self {
        let documents = usize::try_from(CACHE_BYTES / 8_192).unwrap_or(1_024);
        Self(cache::bounded(CACHE_BYTES, documents, SHARDS, Weight))
    }

    pub(crate) fn cached(&self) -> Cached {
        Cached { documents: self.0.len(), bytes: self.0.weight() }
    }

    /// The document of a request, parsed and validated unless it is known.
    pub(crate) fn document(
        &self,
        validator: &Validator,
        view: SessionView<'_>,
        limits: &Limits,
        request: &Request,
        is_known: &mut bool,
    ) -> Result<Arc<CachedDocument<P>>, Vec<GraphQLError>> {
        let operation_name = request.operation_name.as_deref();
        let key = KeyRef { text: &request.query, operation_name, view: view.id };
        if let Some(kept) = self.0.get(&key) {
            *is_known = true;
            return Ok(kept.known);
        }
        let document = Document::new(validator, view, limits, request)?;
        let name = operation_name.map_or(0, str::len) as u64;
        let weight = AtomicU64::new(document.weight() + name);
        let document = Arc::new(document);
        let plans = RwLock::new(Vec::new());
        let known = Arc::new(CachedDocument { document, shared: OnceLock::new(), plans, weight });
        let (key, kept) = known.entry(operation_name);
        self.0.insert(key, kept);
        Ok(known)
    }

    /// Keeps a plan of a document for the requests that come.
    pub(crate) fn keep(
        &self,
        known: &Arc<CachedDocument<P>>,
        operation_name: Option<&str>,
        plan: &Arc<P>,
    ) {
        if known.document.introspects || plan.structure().observations.len() > OBSERVATIONS {
            return;
        }
        let mut plans = known.plans.write().unwrap_or_else(PoisonError::into_inner);
        // Threads that plan the same at once make it several times; it is kept once.
        let is_alike =
            |other: &P| other.key() == plan.key() && other.structure() == plan.structure();
        if plans.iter().any(|kept| is_alike(&kept.plan)) {
            return;
        }
        let of_same = |other: &WeighedPlan<P>| other.plan.key() == plan.key();
        let mut own = plans.iter().enumerate().filter(|(_, other)| of_same(other));
        let oldest = own.next().map_or(0, |(place, _)| place);
        let is_full = own.count() + 1 >= STRUCTURES;
        if is_full || plans.len() >= PLANS {
            let oldest = plans.remove(if is_full { oldest } else { 0 });
            known.weight.fetch_sub(oldest.weight, Ordering::Relaxed);
        }
        let weight = plan.weight();
        let list = if plans.is_empty() { PLAN_LIST } else { 0 };
        known.weight.fetch_add(weight + list, Ordering::Relaxed);
        plans.push(WeighedPlan { plan: Arc::clone(plan), weight });
        drop(plans);
        self.replace(known, operation_name);
    }

    /// Weighs a plan again that has grown, if it is still kept.
    pub(crate) fn reweigh(
        &self,
        known: &Arc<CachedDocument<P>>,
        operation_name: Option<&str>,
        plan: &Arc<P>,
    ) {
        let mut plans = known.plans.write().unwrap_or_else(PoisonError::into_inner);
        let kept = plans.iter_mut().find(|kept| Arc::ptr_eq(&kept.plan, plan));
        // Another thread may have done it.
        let Some(kept) = kept.filter(|kept| kept.plan.has_grown()) else { return };
        known.weight.fetch_sub(kept.weight, Ordering::Relaxed);
        kept.weight = plan.weight();
        known.weight.fetch_add(kept.weight, Ordering::Relaxed);
        drop(plans);
        self.replace(known, operation_name);
    }

    /// Weighs a cached document again. This does not count as a use of it: otherwise a document
    /// that is sent once would look like a frequent one, and displace those that are. One that was
    /// evicted meanwhile does not come back.
    fn replace(&self, known: &Arc<CachedDocument<P>>, operation_name: Option<&str>) {
        let (key, kept) = known.entry(operation_name);
        drop(self.0.replace(key, kept, true));
    }
}

/// The location of `__schema` or `__type` in the operation, if it is selected: below conditions
/// that do not hold, too.
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

#[cfg(test)]
mod tests {
    use dialects::RoleViews;
    use graphql::schema::{FieldDefinition, TypeDefinition, TypeKind, TypeRef};
    use graphql::{Position, Visibility};
    use serde_json_bytes::Map;

    use super::*;

    /// Documents are cached before they have plans.
    #[derive(Debug)]
    enum NoPlan {}

    impl CachedPlan for NoPlan {
        type Key = ();
        type Shared = ();

        fn key(&self) -> &Self::Key {
            match *self {}
        }

        fn structure(&self) -> &Structure {
            match *self {}
        }

        fn weight(&self) -> u64 {
            match *self {}
        }

        fn has_grown(&self) -> bool {
            match *self {}
        }
    }

    #[test]
    fn a_document_is_cached_for_each_view_of_the_schema() {
        let mut schema = Schema::default();
        let mut named = |name: &str, kind| {
            let definition = TypeDefinition { name: name.into(), description: None, kind };
            schema.add_type(definition).unwrap()
        };
        let int = named("Int", TypeKind::Scalar);
        let query =
            named("Query", TypeKind::Object { fields: Vec::new(), interfaces: Default::default() });
        schema.query = Some(query);
        let [_, hidden] = ["a", "b"]
            .map(|name| schema.add_field(query, FieldDefinition::new(name, TypeRef::named(int))));
        let mut views = RoleViews::default();
        let is_allowed = |position| position != Position::Field(hidden);
        let view = Visibility::new(&schema, is_allowed, |_| false, |_| false);
        views.insert("reader", view);
        let id = views.find("reader");
        let visibility = id.and_then(|id| views.get(id));
        let part = SessionView { schema: View::new(&schema, visibility), id };
        let whole = SessionView::from(&schema);

        let (cache, validator) = (DocumentCache::<NoPlan>::new(), Validator::new(&schema));
        let document = |view, text: &str| {
            let query = text.to_owned();
            let (variables, extensions) = (Map::new(), Map::new());
            let request = Request { query, variables, extensions, ..Request::default() };
            let mut is_known = false;
            let limits = Limits::default();
            let found = cache.document(&validator, view, &limits, &request, &mut is_known);
            (found.is_ok(), is_known)
        };
        assert_eq!(document(whole, "{ b }"), (true, false));
        assert_eq!(document(whole, "{ b }"), (true, true));
        // Neither the cached document nor its error is that of the other view.
        assert_eq!(document(part, "{ b }"), (false, false));
        assert_eq!(document(whole, "{ b }"), (true, true));
        assert_eq!(document(part, "{ a }"), (true, false));
        assert_eq!(document(part, "{ a }"), (true, true));
        assert_eq!(document(whole, "{ a }"), (true, false));
    }
}
