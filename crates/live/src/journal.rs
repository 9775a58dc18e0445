//! Journal of changes, for a store of answers that several servers share.
//!
//! A change and an answer have names, which are the same in each server: those of tables, columns and
//! values. If they have a name in common, the change concerns the answer. Names are as exact as the
//! index of this process, with one exception: only values of keys and of references have names.
//!
//! The journal keeps the names until they are taken. It begins again where changes may have been
//! missed: answers from before are unknown then.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::{AHashMap, AHashSet};
use catalog::{Catalog, EntityId, FieldId};
use source::changes::{Cell, ChangedRows, RowChange};
use tokio::sync::Notify;

use crate::dependencies::{Dependencies, ReadRows};
use crate::index::{Changed, RowValues, written};
use crate::value::FieldValue;
use crate::written::Written;

/// Limit of pending names; beyond it the changes invalidate all answers.
const MOST_WAITING: usize = 4096;

/// The most names of an answer's rows with some values: more are taken for all rows.
const MOST_OF_VALUES: usize = 100;

/// The most names of an answer.
const MOST_OF_ANSWER: usize = 250;

/// A name: bytes without a meaning, which servers compare.
pub type ChangeName = Box<[u8]>;

/// The changes since they were taken last.
#[derive(Debug)]
pub struct Journal {
    catalog: Arc<Catalog>,
    /// The fields of each entity whose values have names.
    keys: AHashMap<EntityId, Vec<FieldId>>,
    state: Mutex<State>,
    /// Notified when there are names to take.
    added: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    names: AHashSet<ChangeName>,
    /// True if the changes concern all answers: their names are not kept.
    concerns_all: bool,
    /// The number of times that it has begun.
    beginning: u64,
}

/// Subject of a name; each kind has its own first byte.
#[derive(Clone, Copy, Debug)]
enum Subject<'s> {
    /// Everything.
    All,
    /// A commit whose rows are not known.
    Commit,
    /// A change through a server, for answers that may depend on other entities than they name.
    Indirect,
    /// All rows of an entity, after a change of which no rows are known.
    Entity(EntityId),
    /// A changed row of an entity.
    Row(EntityId),
    /// A part of an entity's rows.
    Part(EntityId, Change, Extent<'s>),
}

/// Changed part of a row.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The row is new or deleted, or other sessions may read it.
    Existence,
    Field(FieldId),
}

/// Extent of rows that an answer reads or a change affects.
#[derive(Clone, Copy, Debug)]
enum Extent<'e> {
    All,
    Value(FieldId, &'e [u8]),
    /// With any value of a field, since it is not known.
    AnyValue(FieldId),
}

impl Journal {
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        let mut keys: AHashMap<EntityId, BTreeSet<FieldId>> = AHashMap::new();
        for entity in catalog.entities() {
            let own = keys.entry(entity.id).or_default();
            own.extend(entity.keys.iter().flat_map(|key| key.fields.iter().copied()));
        }
        for relationship in catalog.relationships() {
            keys.entry(relationship.from).or_default().extend(relationship.from_fields.iter());
            keys.entry(relationship.to).or_default().extend(relationship.to_fields.iter());
        }
        let keys = keys.into_iter().map(|(entity, own)| (entity, own.into_iter().collect()));
        Self { keys: keys.collect(), catalog, state: Mutex::default(), added: Arc::default() }
    }

    /// Is notified when there are names to take. One task may wait for it.
    #[must_use]
    pub fn added(&self) -> Arc<Notify> {
        Arc::clone(&self.added)
    }

    /// The number of times that it has begun: answers from before the last one may be outdated.
    #[must_use]
    pub fn beginning(&self) -> u64 {
        self.state().beginning
    }

    /// Forgets the names: changes may have been missed.
    pub fn begin_again(&self) {
        let mut state = self.state();
        *state = State { beginning: state.beginning + 1, ..State::default() };
    }

    /// Takes the names of the changes since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<ChangeName> {
        let mut state = self.state();
        let names = std::mem::take(&mut state.names);
        match std::mem::take(&mut state.concerns_all) {
            true => vec![self.name(Subject::All)],
            false => names.into_iter().collect(),
        }
    }

    /// Gives names back that were taken and not written.
    pub fn give_back(&self, names: Vec<ChangeName>) {
        self.extend(names.into_iter());
    }

    /// The names of an answer; `None` if there are too many to keep it. `is_exact` is false if the
    /// answer ends with the next commit.
    #[must_use]
    pub fn names_of(&self, dependencies: &Dependencies, is_exact: bool) -> Option<Vec<ChangeName>> {
        let Dependencies { entities, fields, views, is_timed, .. } = dependencies;
        let mut names = vec![self.name(Subject::All)];
        if !is_exact {
            names.push(self.name(Subject::Commit));
        }
        if *is_timed || !views.is_empty() {
            names.push(self.name(Subject::Indirect));
        }
        let general = names.len();
        for (entity, rows) in entities {
            names.push(self.name(Subject::Entity(*entity)));
            let own = fields.iter().filter(|field| self.catalog[**field].entity == *entity);
            let read: Vec<Change> =
                [Change::Existence].into_iter().chain(own.map(|own| Change::Field(*own))).collect();
            self.add_read(*entity, rows, &read, &mut names);
        }
        if names.len() > MOST_OF_ANSWER {
            // Coarser ones: any change of a row.
            names.truncate(general);
            for entity in entities.keys() {
                let rows = [Subject::Entity(*entity), Subject::Row(*entity)];
                names.extend(rows.map(|one| self.name(one)));
            }
        }
        // The same in each server, whatever the numbers of its entities are.
        names.sort_unstable();
        names.dedup();
        (names.len() <= MOST_OF_ANSWER).then_some(names)
    }

    /// Adds the names of rows that an answer reads.
    fn add_read(
        &self,
        entity: EntityId,
        rows: &ReadRows,
        read: &[Change],
        names: &mut Vec<ChangeName>,
    ) {
        let has_names = |value: &FieldValue| self.keys(entity).contains(&value.field);
        let extents: Vec<Extent<'_>> = match rows {
            ReadRows::Where(values)
                if values.iter().all(has_names)
                    && 2 * values.len() * read.len() <= MOST_OF_VALUES =>
            {
                let extents = values.iter().map(|FieldValue { field, text }| {
                    [Extent::Value(*field, text), Extent::AnyValue(*field)]
                });
                extents.flatten().collect()
            }
            ReadRows::All | ReadRows::Where(_) => vec![Extent::All],
        };
        for extent in extents {
            names.extend(read.iter().map(|one| self.name(Subject::Part(entity, *one, extent))));
        }
    }

    /// Adds a committed change of this process, as far as its request tells.
    pub(crate) fn add_written(&self, written: &Written) {
        match written {
            Written::Anything => {
                self.state().concerns_all = true;
                self.added.notify_one();
            }
            Written::Entities(entities) if entities.is_empty() => {}
            Written::Entities(entities) => {
                self.insert([Subject::Indirect]);
                self.insert(entities.iter().map(|entity| Subject::Entity(*entity)));
            }
        }
    }

    /// Adds a change that concerns all who read an entity.
    pub(crate) fn add_entity(&self, entity: EntityId) {
        self.insert([Subject::Entity(entity)]);
    }

    /// Adds a commit, for answers whose changes are not reported each.
    pub(crate) fn add_commit(&self) {
        self.insert([Subject::Commit]);
    }

    /// Adds a change that the feed has reported.
    pub(crate) fn add(&self, changed: &Changed<'_>) {
        match changed.rows {
            ChangedRows::Any => self.add_entity(changed.entity),
            ChangedRows::Rows(rows) => {
                self.insert([Subject::Row(changed.entity)]);
                rows.iter().for_each(|row| self.add_row(row, changed));
            }
        }
    }

    fn add_row(&self, row: &RowChange, changed: &Changed<'_>) {
        let entity = changed.entity;
        let changes: Vec<Change> = match written(row, changed) {
            None => vec![Change::Existence],
            Some(fields) => fields.into_iter().map(Change::Field).collect(),
        };
        self.add_parts(entity, &changes, Extent::All);
        for field in self.keys(entity) {
            match RowValues::of(*field, row, changed) {
                RowValues::Any => self.add_parts(entity, &changes, Extent::AnyValue(*field)),
                RowValues::Known(cells) => {
                    for cell in cells.iter().flatten() {
                        if let Cell::Text(text) = cell {
                            self.add_parts(entity, &changes, Extent::Value(*field, text));
                        }
                    }
                }
            }
        }
    }

    fn add_parts(&self, entity: EntityId, changes: &[Change], extent: Extent<'_>) {
        self.insert(changes.iter().map(|change| Subject::Part(entity, *change, extent)));
    }

    fn insert<'s>(&self, subjects: impl IntoIterator<Item = Subject<'s>>) {
        self.extend(subjects.into_iter().map(|subject| self.name(subject)));
    }

    fn extend(&self, names: impl Iterator<Item = ChangeName>) {
        let mut state = self.state();
        if state.concerns_all {
            return;
        }
        state.names.extend(names);
        if state.names.len() > MOST_WAITING {
            state.names.clear();
            state.concerns_all = true;
        }
        if state.concerns_all || !state.names.is_empty() {
            self.added.notify_one();
        }
    }

    fn keys(&self, entity: EntityId) -> &[FieldId] {
        self.keys.get(&entity).map_or(&[], Vec::as_slice)
    }

    fn name(&self, subject: Subject<'_>) -> ChangeName {
        let mut name = Vec::new();
        match subject {
            Subject::All => name.push(b'*'),
            Subject::Commit => name.push(b'c'),
            Subject::Indirect => name.push(b'i'),
            Subject::Entity(entity) => {
                name.push(b'e');
                self.add_entity_name(entity, &mut name);
            }
            Subject::Row(entity) => {
                name.push(b'r');
                self.add_entity_name(entity, &mut name);
            }
            Subject::Part(entity, change, extent) => {
                name.push(b'p');
                self.add_entity_name(entity, &mut name);
                match change {
                    Change::Existence => name.push(b'x'),
                    Change::Field(field) => self.add_field_name(b'f', field, &mut name),
                }
                match extent {
                    Extent::All => {}
                    Extent::Value(field, value) => {
                        self.add_field_name(b'v', field, &mut name);
                        name.extend_from_slice(value);
                    }
                    Extent::AnyValue(field) => self.add_field_name(b'u', field, &mut name),
                }
            }
        }
        name.into()
    }

    fn add_entity_name(&self, entity: EntityId, name: &mut Vec<u8>) {
        let entity = &self.catalog[entity];
        // Names of databases have no zeros, which separate them.
        name.extend_from_slice(entity.namespace.as_deref().unwrap_or_default().as_bytes());
        name.push(0);
        name.extend_from_slice(entity.name.as_bytes());
        name.push(0);
    }

    fn add_field_name(&self, kind: u8, field: FieldId, name: &mut Vec<u8>) {
        name.push(kind);
        name.extend_from_slice(self.catalog[field].name.as_bytes());
        name.push(0);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use catalog::builder::NewField;
    use catalog::{Builder, Capabilities, EntityKind, Key, KeyKind, Scalar, Type};
    use serde_json_bytes::Map;
    use source::Session;

    use super::*;
    use crate::cohort::{Cohort, CohortKey};
    use crate::index::Index;

    /// Numbers that are the same in each run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % bound
        }
    }

    /// Two tables with the columns `id`, which is a key, `a` and `b`.
    fn catalog() -> Arc<Catalog> {
        let mut builder = Builder::new(Capabilities::default());
        for name in ["one", "two"] {
            let entity =
                builder.entity(Some("public".into()), name.into(), EntityKind::Table, None);
            let fields = ["id", "a", "b"].map(|name| {
                let field = NewField {
                    name: name.into(),
                    r#type: Type::Scalar(Scalar::Int32),
                    nullable: true,
                    has_default: false,
                    generated: None,
                    description: None,
                };
                builder.field(entity, field)
            });
            let key = Key {
                name: "".into(),
                kind: KeyKind::Primary,
                fields: vec![fields[0]],
                enforced: true,
                deferrable: false,
                description: None,
            };
            builder.key(entity, key);
        }
        Arc::new(builder.finish())
    }

    fn fields(catalog: &Catalog, entity: EntityId) -> Vec<FieldId> {
        catalog.fields_of(entity).map(|field| field.id).collect()
    }

    fn dependencies(random: &mut Random, catalog: &Catalog) -> Dependencies {
        let mut made = Dependencies::default();
        for entity in catalog.entities().map(|entity| entity.id) {
            let own = fields(catalog, entity);
            let value = |number: usize| FieldValue {
                field: own[0],
                text: number.to_string().into_bytes().into(),
            };
            let rows = match random.below(3) {
                0 => continue,
                1 => ReadRows::All,
                _ => {
                    made.fields.insert(own[0]);
                    let count = random.below(3);
                    ReadRows::Where((0..count).map(|_| value(random.below(3))).collect())
                }
            };
            made.fields.extend(own.into_iter().filter(|_| random.below(2) == 0));
            made.entities.insert(entity, rows);
        }
        made
    }

    fn cells(random: &mut Random, is_after: bool) -> Option<Vec<Cell>> {
        (random.below(4) > 0).then(|| {
            let cell = |_| match random.below(8) {
                0 => Cell::Null,
                1 => Cell::Unknown,
                2 if is_after => Cell::Changed,
                _ => Cell::Text(random.below(3).to_string().into_bytes().into()),
            };
            (0..3).map(cell).collect()
        })
    }

    /// Each change concerns the same answers by their names as by the index of cohorts.
    #[test]
    fn names_are_as_exact_as_the_index() {
        let (catalog, mut random) = (catalog(), Random(29));
        let journal = Journal::new(Arc::clone(&catalog));
        let mut counts = BTreeMap::new();
        for round in 0..20_000 {
            let dependencies = dependencies(&mut random, &catalog);
            let names = journal.names_of(&dependencies, true).unwrap();
            let key = CohortKey::new("", None, &Map::new(), &Session::default());
            let cohort = Arc::new(Cohort::watched(key, dependencies.clone(), Arc::default()));
            let mut index = Index::default();
            index.add(&cohort);
            let entity = EntityId::new(random.below(2));
            let own: Vec<_> = fields(&catalog, entity).into_iter().map(Some).collect();
            let row =
                RowChange { before: cells(&mut random, false), after: cells(&mut random, true) };
            let rows = match random.below(20) {
                0 => ChangedRows::Any,
                _ => ChangedRows::Rows(vec![row]),
            };
            let row_security = [false, random.below(4) == 0, false];
            let changed =
                Changed { entity, fields: &own, row_security: &row_security, rows: &rows };
            index.mark(&changed);
            journal.add(&changed);
            let taken = journal.take();
            let is_named = taken.iter().any(|name| names.contains(name));
            // An answer without a row of the entity keeps its name: nothing is gained by exactness there.
            let is_any = rows == ChangedRows::Any && dependencies.entities.contains_key(&entity);
            let is_concerned = cohort.is_dirty() || is_any;
            assert_eq!(is_named, is_concerned, "{round}: {dependencies:?} {changed:?}");
            *counts.entry(is_named).or_insert(0) += 1;
        }
        assert!(counts.values().all(|count| *count > 2_000), "{counts:?}");
    }

    #[test]
    fn many_changes_concern_all_answers() {
        let catalog = catalog();
        let journal = Journal::new(Arc::clone(&catalog));
        let own: Vec<_> = fields(&catalog, EntityId::new(0)).into_iter().map(Some).collect();
        let row = |number: usize| RowChange {
            before: None,
            after: Some(vec![Cell::Text(number.to_string().into_bytes().into()); 3]),
        };
        let rows = ChangedRows::Rows((0..5_000).map(row).collect());
        let (entity, row_security) = (EntityId::new(0), [false; 3]);
        journal.add(&Changed { entity, fields: &own, row_security: &row_security, rows: &rows });
        let taken = journal.take();
        assert_eq!(taken.len(), 1);
        let other = Dependencies::default();
        assert!(journal.names_of(&other, true).unwrap().contains(&taken[0]));
        assert_eq!(journal.take(), Vec::<ChangeName>::new());
        // What could not be written is taken again.
        journal.give_back(taken.clone());
        assert_eq!(journal.take(), taken);
        // What was missed is not told.
        journal.add_commit();
        let before = journal.beginning();
        journal.begin_again();
        assert_eq!((journal.take().len(), journal.beginning()), (0, before + 1));
    }

    #[tokio::test]
    async fn a_task_is_told_of_names_to_take() {
        let journal = Journal::new(catalog());
        let added = journal.added();
        let is_told = async || {
            let waiting = added.notified();
            tokio::time::timeout(std::time::Duration::ZERO, waiting).await.is_ok()
        };
        assert!(!is_told().await);
        journal.add_commit();
        assert!(is_told().await);
        let taken = journal.take();
        journal.give_back(Vec::new());
        assert!(!is_told().await);
        journal.give_back(taken);
        assert!(is_told().await);
        journal.add_written(&Written::Anything);
        assert!(is_told().await);
    }
}
