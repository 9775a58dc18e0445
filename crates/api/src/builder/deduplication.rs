//! Deduplication of an API's definitions and bindings.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use catalog::FieldId;
use graphql::schema::{FieldDefinition, InputDefinition, InputId, TypeRef};
use graphql::{SharedArena, Signatures};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::binding::{
    AggregateField, AggregateValue, ArgumentRole, BoundInput, ColumnBinding, FieldBinding,
    FilterRole, InputBinding, InputRole, Meaning, Meanings, OrderRole, RelatedRole, RowsBinding,
    RowsFrom, Subject, ValueBinding, WriteRole,
};

/// The number of recent subjects that are compared with a new one: operators on one value are
/// adjacent, and those on several aggregates of it alternate.
const SUBJECTS: usize = 12;

/// The number of different bindings of columns, and of lists of aggregates, that are compared with a
/// new one: one for each type.
const COLUMNS: usize = 64;

/// Definitions so far, by a signature: with an equal one, only the last one is compared.
#[derive(Debug, Default)]
pub(super) struct Deduplication {
    pub(super) fields: FxHashMap<Signature, graphql::schema::FieldId>,
    pub(super) inputs: FxHashMap<Signature, InputId>,
    /// The recent subjects of operators; the next one replaces the oldest.
    subjects: Vec<Arc<Subject>>,
    oldest: usize,
    /// Texts of refusals.
    texts: FxHashSet<Arc<Box<str>>>,
    /// Different meanings of null and empty inputs.
    meanings: FxHashSet<Arc<Meanings>>,
    /// Different bindings of columns.
    columns: Vec<Arc<ColumnBinding>>,
    /// Different lists of aggregates.
    aggregates: Vec<Arc<[AggregateValue]>>,
    field_bindings: Signatures<u64>,
    input_bindings: Signatures<u64>,
    value_bindings: Signatures<u64>,
}

/// Addresses of the interned name and description; the type; and the index of the catalog's object,
/// if it has one.
pub(super) type Signature = (usize, usize, TypeRef, Option<usize>);

impl Deduplication {
    /// Shares texts of refusals, and the subject of a condition with its neighbours: there are many
    /// conditions, and several on each value. New ones are copied, to keep shared ones together in memory.
    pub(super) fn share(&mut self, binding: &mut InputBinding) {
        if let InputRole::Filter(role) = &mut binding.role {
            self.share_in_filter(role);
        }
        self.share_meaning(&mut binding.null);
        self.share_meaning(&mut binding.empty);
    }

    fn share_meaning(&mut self, meaning: &mut Meaning) {
        let Meaning::Refuse(text) = meaning else { return };
        match self.texts.get(text) {
            Some(known) => *text = Arc::clone(known),
            None => {
                self.texts.insert(Arc::clone(text));
            }
        }
    }

    fn share_meanings(&mut self, meanings: Meanings) -> Arc<Meanings> {
        if let Some(known) = self.meanings.get(&meanings) {
            return Arc::clone(known);
        }
        let meanings = Arc::new(meanings);
        self.meanings.insert(Arc::clone(&meanings));
        meanings
    }

    /// Adds the binding of an input, which equal ones of other inputs share.
    pub(super) fn add_input_binding(
        &mut self,
        all: &mut SharedArena<BoundInput>,
        binding: InputBinding,
    ) {
        let mut hasher = FxHasher::default();
        let InputBinding { role, null, empty } = binding;
        let meanings = self.share_meanings(Meanings { null, empty });
        (Arc::as_ptr(&meanings) as usize).hash(&mut hasher);
        discriminant(&role).hash(&mut hasher);
        match &role {
            InputRole::Argument(role) => discriminant(role).hash(&mut hasher),
            InputRole::Filter(role) => hash_filter(role, &mut hasher),
            InputRole::Order(role) => discriminant(role).hash(&mut hasher),
            InputRole::Write(role) => discriminant(role).hash(&mut hasher),
            InputRole::Variant(_)
            | InputRole::Member
            | InputRole::Representations
            | InputRole::Ignored
            | InputRole::Refused(_) => {}
        }
        catalog_index(&role).hash(&mut hasher);
        all.push_shared(BoundInput { role, meanings }, hasher.finish(), &mut self.input_bindings);
    }

    /// Adds the binding of a field, which equal ones share.
    pub(super) fn add_field_binding(
        &mut self,
        all: &mut SharedArena<FieldBinding>,
        binding: FieldBinding,
    ) {
        let mut hasher = FxHasher::default();
        discriminant(&binding).hash(&mut hasher);
        match &binding {
            FieldBinding::Column(field) => field.hash(&mut hasher),
            FieldBinding::Rows(rows) => rows.entity.hash(&mut hasher),
            FieldBinding::Connection(field) => discriminant(field).hash(&mut hasher),
            FieldBinding::Edge(field) => discriminant(field).hash(&mut hasher),
            FieldBinding::PageInfo(field) => discriminant(field).hash(&mut hasher),
            FieldBinding::Payload(field) => discriminant(field).hash(&mut hasher),
            FieldBinding::Aggregate(field) => {
                discriminant(field).hash(&mut hasher);
                match field {
                    AggregateField::Function(function) => discriminant(function).hash(&mut hasher),
                    AggregateField::FieldValue { field, .. } => field.hash(&mut hasher),
                    _ => {}
                }
            }
            _ => {}
        }
        all.push_shared(binding, hasher.finish(), &mut self.field_bindings);
    }

    /// Adds the binding of an enum value, which equal ones share.
    pub(super) fn add_value_binding(
        &mut self,
        all: &mut SharedArena<ValueBinding>,
        binding: ValueBinding,
    ) {
        let mut hasher = FxHasher::default();
        discriminant(&binding).hash(&mut hasher);
        if let ValueBinding::Column(field) = &binding {
            field.hash(&mut hasher);
        }
        all.push_shared(binding, hasher.finish(), &mut self.value_bindings);
    }

    /// Shares the aggregates of a field with those of fields of the same type.
    pub(super) fn share_aggregates(&mut self, binding: &mut FieldBinding) {
        let FieldBinding::Aggregate(AggregateField::FieldValue { values, .. }) = binding else {
            return;
        };
        match self.aggregates.iter().find(|known| *known == values) {
            Some(known) => *values = Arc::clone(known),
            None if self.aggregates.len() < COLUMNS => self.aggregates.push(Arc::clone(values)),
            None => {}
        }
    }

    /// The binding of a column, shared with equal ones.
    pub(super) fn column(&mut self, binding: ColumnBinding) -> Arc<ColumnBinding> {
        if let Some(known) = self.columns.iter().find(|known| ***known == binding) {
            return Arc::clone(known);
        }
        let binding = Arc::new(binding);
        if self.columns.len() < COLUMNS {
            self.columns.push(Arc::clone(&binding));
        }
        binding
    }

    fn share_in_filter(&mut self, role: &mut FilterRole) {
        match role {
            FilterRole::On { subject, .. }
            | FilterRole::Operators(subject)
            | FilterRole::OperatorsOfElements(subject) => {
                self.share_subject(subject);
            }
            FilterRole::Negated(role) => self.share_in_filter(role),
            FilterRole::And { item } | FilterRole::Or { item } => self.share_meaning(item),
            _ => {}
        }
    }

    fn share_subject(&mut self, subject: &mut Arc<Subject>) {
        if let Some(known) = self.subjects.iter().find(|known| *known == subject) {
            *subject = Arc::clone(known);
            return;
        }
        *subject = Arc::new(subject.as_ref().clone());
        match self.subjects.get_mut(self.oldest) {
            Some(oldest) => *oldest = Arc::clone(subject),
            None => self.subjects.push(Arc::clone(subject)),
        }
        self.oldest = (self.oldest + 1) % SUBJECTS;
    }

    pub(super) fn of_field(definition: &FieldDefinition, binding: &FieldBinding) -> Signature {
        let meant = match binding {
            FieldBinding::Rows(RowsBinding {
                from: RowsFrom::Relation(hop) | RowsFrom::Nodes(hop),
                ..
            }) => Some(hop.relationship.index()),
            FieldBinding::Column(field) => Some(field.index()),
            FieldBinding::Aggregate(AggregateField::FieldValue { field, .. }) => {
                Some(field.index())
            }
            FieldBinding::Aggregate(AggregateField::Value(values)) => {
                values.first().and_then(|value| value.field).map(FieldId::index)
            }
            _ => None,
        };
        let FieldDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }

    pub(super) fn of_input(definition: &InputDefinition, binding: &InputBinding) -> Signature {
        let meant = catalog_index(&binding.role);
        let InputDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }
}

/// The index of the catalog's object that an input means.
fn catalog_index(role: &InputRole) -> Option<usize> {
    match role {
        InputRole::Write(WriteRole::Stored(field) | WriteRole::Assign { field, .. })
        | InputRole::Argument(ArgumentRole::StreamFrom(field))
        | InputRole::Order(OrderRole::Field(field))
        | InputRole::Filter(FilterRole::Equal(field)) => Some(field.index()),
        InputRole::Write(WriteRole::Related(RelatedRole::Limited(text))) => {
            Some(text.field.index())
        }
        _ => None,
    }
}

/// Hashes the kind of a condition, and the address of its subject, which equal ones share.
fn hash_filter(role: &FilterRole, hasher: &mut FxHasher) {
    discriminant(role).hash(hasher);
    match role {
        FilterRole::Negated(role) => hash_filter(role, hasher),
        FilterRole::Operator(operator) => discriminant(operator).hash(hasher),
        FilterRole::On { subject, operator } => {
            (Arc::as_ptr(subject) as usize).hash(hasher);
            discriminant(operator).hash(hasher);
        }
        FilterRole::Operators(subject) | FilterRole::OperatorsOfElements(subject) => {
            (Arc::as_ptr(subject) as usize).hash(hasher);
        }
        _ => {}
    }
}

/// The address of a text.
fn place(text: Option<&Arc<str>>) -> usize {
    text.map_or(0, |text| text.as_ptr() as usize)
}
