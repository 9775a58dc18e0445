//! Usage of a schema: how often the operations of clients use each of its parts.
//!
//! A request is counted in its document: one atomic addition, and no allocation. The counts of
//! documents become those of parts when they are read, and when a document leaves the cache. So the
//! memory is that of the schema's parts, whatever clients send: names of operations and of clients
//! are limited, and further ones are counted together.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use graphql::operation::{Operation, OperationKind};
use graphql::schema::Schema;
use graphql::usage::{UsedPart, used_parts};

/// The most operations that are counted by name; more are counted as [`OTHER`].
const MOST_OPERATIONS: usize = 1_000;

/// The most clients that are counted by name, one bit each.
const MOST_CLIENTS: usize = 62;

/// The bits of clients without a name, and of those beyond the limit.
const NO_CLIENT: u32 = 62;
const OTHER_CLIENT: u32 = 63;

/// Longer names of operations and clients are not kept.
const MOST_NAME_BYTES: usize = 100;

/// A name that no operation or client has: those beyond the limit.
pub const OTHER: &str = "(other)";

/// Usage of the schemas that a process serves, for its lifetime.
#[derive(Debug, Default)]
pub struct Usage(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    parts: Counted<Part>,
    operations: Counted<OperationKey>,
    clients: HashMap<Box<str>, u32>,
    /// Documents in caches, and some that have left it.
    documents: Vec<Weak<DocumentUsage>>,
    /// The number of documents above which the list is cleared of those that have left.
    most_documents: usize,
}

/// Keys with the totals of documents that have left the cache.
#[derive(Debug)]
struct Counted<K> {
    places: HashMap<Arc<K>, u32>,
    all: Vec<(Arc<K>, Totals)>,
}

impl<K> Default for Counted<K> {
    fn default() -> Self {
        Self { places: HashMap::new(), all: Vec::new() }
    }
}

/// A part of a schema by its name: schemas change while the process runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A schema coordinate.
    Coordinate(Box<str>),
    /// All that a value of an input type may contain, because a variable has the type.
    VariableType(Box<str>),
}

/// An operation by its name; none for those without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationKey {
    pub kind: OperationKind,
    pub name: Option<Box<str>>,
}

impl Hash for OperationKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind as u8, &self.name).hash(state);
    }
}

/// How often and when something was used, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub requests: u64,
    pub first: u64,
    pub last: u64,
    /// By client, a bit.
    clients: u64,
}

/// Usage of one document by its requests.
#[derive(Debug)]
pub struct DocumentUsage {
    usage: Arc<Usage>,
    operation: u32,
    parts: Box<[u32]>,
    requests: AtomicU64,
    first: AtomicU64,
    last: AtomicU64,
    clients: AtomicU64,
}

/// A client of an API in the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client(u32);

/// The counts of a moment.
#[derive(Clone, Debug, Default)]
pub struct UsageCounts {
    pub operations: Vec<(Arc<OperationKey>, Totals)>,
    pub parts: Vec<(Arc<Part>, Totals)>,
    /// By bit: the name; none for clients without one.
    clients: Vec<(u32, Option<Box<str>>)>,
}

impl Usage {
    /// Counts of a document of a schema, whose requests are counted in the result.
    #[must_use]
    pub fn document(
        self: &Arc<Self>,
        schema: &Schema,
        operation: &Operation,
    ) -> Arc<DocumentUsage> {
        let parts = used_parts(schema, operation);
        let parts = parts.into_iter().map(|part| match part {
            UsedPart::VariableType(_) => Part::VariableType(part.coordinate(schema).into()),
            UsedPart::Type(_)
            | UsedPart::Field(..)
            | UsedPart::Argument(..)
            | UsedPart::InputField(..)
            | UsedPart::EnumValue(..)
            | UsedPart::Directive(_)
            | UsedPart::DirectiveArgument(..) => Part::Coordinate(part.coordinate(schema).into()),
        });
        let parts: Vec<Part> = parts.collect();
        let name = operation.name.as_deref();
        let name = name.map(|name| if name.len() > MOST_NAME_BYTES { OTHER } else { name });
        let mut state = self.lock();
        let parts = parts.into_iter().map(|part| state.parts.place(part)).collect();
        let key = OperationKey { kind: operation.kind, name: name.map(Into::into) };
        let is_full = state.operations.all.len() >= MOST_OPERATIONS;
        let is_other = is_full && !state.operations.places.contains_key(&key);
        let name = if is_other { Some(OTHER.into()) } else { key.name };
        let operation = state.operations.place(OperationKey { name, ..key });
        let document = Arc::new(DocumentUsage {
            usage: Arc::clone(self),
            operation,
            parts,
            requests: AtomicU64::default(),
            first: AtomicU64::default(),
            last: AtomicU64::default(),
            clients: AtomicU64::default(),
        });
        state.add(&document);
        document
    }

    /// The client with a name.
    #[must_use]
    pub fn client(&self, name: Option<&str>) -> Client {
        let Some(name) = name else { return Client(NO_CLIENT) };
        let mut state = self.lock();
        if let Some(bit) = state.clients.get(name) {
            return Client(*bit);
        }
        let next = state.clients.len();
        if next >= MOST_CLIENTS || name.len() > MOST_NAME_BYTES {
            return Client(OTHER_CLIENT);
        }
        state.clients.insert(name.into(), next as u32);
        Client(next as u32)
    }

    /// The counts so far, operations in the order of their first use, parts sorted.
    #[must_use]
    pub fn counts(&self) -> UsageCounts {
        let state = self.lock();
        let mut parts = state.parts.all.clone();
        let mut operations = state.operations.all.clone();
        // They are dropped after the lock: the last owner of a document takes it.
        let documents: Vec<_> = state.documents.iter().filter_map(Weak::upgrade).collect();
        let clients = state.clients.iter().map(|(name, bit)| (*bit, Some(name.clone())));
        let fixed = [(NO_CLIENT, None), (OTHER_CLIENT, Some(OTHER.into()))];
        let mut clients: Vec<_> = clients.chain(fixed).collect();
        drop(state);
        clients.sort_unstable_by_key(|(bit, _)| *bit);
        for document in &documents {
            let totals = document.totals();
            add_at(&mut operations, document.operation, totals);
            document.parts.iter().for_each(|part| add_at(&mut parts, *part, totals));
        }
        operations.retain(|(_, totals)| totals.requests > 0);
        parts.retain(|(_, totals)| totals.requests > 0);
        parts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        UsageCounts { operations, parts, clients }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Counts are added one by one, so a panic leaves valid ones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, document: &Arc<DocumentUsage>) {
        if self.documents.len() >= self.most_documents {
            self.documents.retain(|document| document.strong_count() > 0);
            self.most_documents = (self.documents.len() * 2).max(64);
        }
        self.documents.push(Arc::downgrade(document));
    }
}

impl<K: Eq + Hash> Counted<K> {
    fn place(&mut self, key: K) -> u32 {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        // Four billion keys cannot be held in memory.
        let place = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let key = Arc::new(key);
        self.all.push((Arc::clone(&key), Totals::default()));
        self.places.insert(key, place);
        place
    }
}

fn add_at<K>(all: &mut [(K, Totals)], place: u32, totals: Totals) {
    if let Some((_, sum)) = all.get_mut(place as usize) {
        sum.add(totals);
    }
}

impl Totals {
    fn add(&mut self, other: Self) {
        if other.requests == 0 {
            return;
        }
        self.first = if self.requests == 0 { other.first } else { self.first.min(other.first) };
        self.last = self.last.max(other.last);
        self.requests += other.requests;
        self.clients |= other.clients;
    }
}

impl DocumentUsage {
    /// Counts a request at a time in seconds since 1970.
    pub fn count(&self, client: Client, now: u64) {
        if self.requests.fetch_add(1, Ordering::Relaxed) == 0 {
            self.first.store(now, Ordering::Relaxed);
        }
        // Most requests change neither, so that threads share the memory.
        if self.last.load(Ordering::Relaxed) < now {
            self.last.store(now, Ordering::Relaxed);
        }
        let bit = 1 << client.0;
        if self.clients.load(Ordering::Relaxed) & bit == 0 {
            self.clients.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn totals(&self) -> Totals {
        let last = self.last.load(Ordering::Relaxed);
        let first = self.first.load(Ordering::Relaxed);
        Totals {
            requests: self.requests.load(Ordering::Relaxed),
            // Another thread may be counting the first request.
            first: if first == 0 { last } else { first },
            last,
            clients: self.clients.load(Ordering::Relaxed),
        }
    }
}

/// Keeps the counts of a document that leaves the cache.
impl Drop for DocumentUsage {
    fn drop(&mut self) {
        let totals = self.totals();
        let mut state = self.usage.lock();
        add_at(&mut state.operations.all, self.operation, totals);
        for part in &self.parts {
            add_at(&mut state.parts.all, *part, totals);
        }
    }
}

impl UsageCounts {
    /// The names of the clients of a total; none stands for clients without a name.
    pub fn clients(&self, totals: Totals) -> impl Iterator<Item = Option<&str>> {
        let of = self.clients.iter().filter(move |(bit, _)| totals.clients & (1 << bit) != 0);
        of.map(|(_, name)| name.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use graphql::schema::{FieldDefinition, TypeDefinition, TypeKind, TypeRef};
    use graphql::{DocumentLimits, Validator};

    use super::*;

    fn schema() -> Schema {
        let mut schema = Schema::default();
        let mut named = |name: &str, kind| {
            let definition = TypeDefinition { name: name.into(), description: None, kind };
            schema.add_type(definition).unwrap()
        };
        let int = named("Int", TypeKind::Scalar);
        named("Boolean", TypeKind::Scalar);
        let fields = Vec::new();
        let query = named("Query", TypeKind::Object { fields, interfaces: Default::default() });
        schema.query = Some(query);
        for name in ["a", "b"] {
            schema.add_field(query, FieldDefinition::new(name, TypeRef::named(int)));
        }
        schema
    }

    fn document(usage: &Arc<Usage>, text: &str) -> Arc<DocumentUsage> {
        let schema = schema();
        let operation =
            Validator::new(&schema).operation(&schema, text, None, &DocumentLimits::default());
        usage.document(&schema, &operation.unwrap())
    }

    fn printed(usage: &Usage) -> Vec<String> {
        let counts = usage.counts();
        let line = |name: String, totals: Totals| {
            let clients: Vec<_> =
                counts.clients(totals).map(|name| name.unwrap_or("-").to_owned()).collect();
            let Totals { requests, first, last, .. } = totals;
            format!("{name} {requests} {first}-{last} {}", clients.join(","))
        };
        let operations = counts.operations.iter().map(|(key, totals)| {
            line(format!("{:?} {:?}", key.kind, key.name.as_deref()), *totals)
        });
        let parts = counts.parts.iter().map(|(part, totals)| line(format!("{part:?}"), *totals));
        operations.chain(parts).collect()
    }

    #[test]
    fn counts_of_documents_are_those_of_their_parts() {
        let usage = Arc::new(Usage::default());
        let (one, other) = (document(&usage, "query A { a }"), document(&usage, "{ a b }"));
        let web = usage.client(Some("web"));
        assert_eq!(web, usage.client(Some("web")));
        one.count(web, 5);
        one.count(web, 7);
        other.count(usage.client(None), 6);
        let expected = [
            r#"Query Some("A") 2 5-7 web"#,
            "Query None 1 6-6 -",
            r#"Coordinate("Int") 3 5-7 web,-"#,
            r#"Coordinate("Query") 3 5-7 web,-"#,
            r#"Coordinate("Query.a") 3 5-7 web,-"#,
            r#"Coordinate("Query.b") 1 6-6 -"#,
        ];
        assert_eq!(printed(&usage), expected);
        // A document that leaves the cache takes no counts with it.
        drop((one, other));
        assert_eq!(printed(&usage), expected);
        assert!(usage.lock().documents.iter().all(|document| document.strong_count() == 0));
    }

    #[test]
    fn documents_without_requests_use_nothing() {
        let usage = Arc::new(Usage::default());
        let document = document(&usage, "{ a }");
        assert_eq!(printed(&usage), [""; 0]);
        drop(document);
        assert_eq!(printed(&usage), [""; 0]);
    }

    #[test]
    fn names_of_clients_and_operations_are_limited() {
        let usage = Arc::new(Usage::default());
        for number in 0..MOST_OPERATIONS + 5 {
            let document = document(&usage, &format!("query Q{number} {{ a }}"));
            document.count(usage.client(Some(&format!("client {number}"))), 1);
        }
        let counts = usage.counts();
        assert_eq!(counts.operations.len(), MOST_OPERATIONS + 1);
        let (key, totals) = counts.operations.last().unwrap();
        assert_eq!((key.name.as_deref(), totals.requests), (Some(OTHER), 5));
        assert_eq!(counts.clients(*totals).collect::<Vec<_>>(), [Some(OTHER)]);
        let (_, totals) = &counts.parts[2];
        assert_eq!(totals.requests, MOST_OPERATIONS as u64 + 5);
        assert_eq!(counts.clients(*totals).count(), MOST_CLIENTS + 1);
        // The list of documents does not grow with the requests.
        assert!(usage.lock().documents.len() <= 128);
    }
}
