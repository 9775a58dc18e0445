//! Deduplication of an API's definitions and bindings.

use std::sync::Arc;

use catalog::FieldId;
use graphql::schema::{FieldDefinition, InputDefinition, InputId, TypeRef};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::binding::{
    AggregateField, ArgumentRole, FieldBinding, FilterRole, InputBinding, InputRole, Meaning,
    OrderRole, RowsBinding, RowsFrom, Subject, WriteRole,
};

/// The number of recent subjects that are compared with a new one: operators on one value are
/// adjacent, and those on several aggregates of it alternate.
const SUBJECTS: usize = 12;

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
}

/// Addresses of the interned name and description; the type; and the index of the catalog's object,
/// if it has one.
pub(super) type Signature = (usize, usize, TypeRef, Option<usize>);

impl Deduplication {
    /// Shares texts of refusals, and the subject of a condition with its neighbours: there are many conditions, and
    /// several on each value. New ones are copied, to keep shared ones together in memory.
    pub(super) fn share(&mut self, binding: &mut InputBinding) {
        if let InputRole::Filter(role) = &mut binding.role {
            self.share_in_filter(role);
        }
        for meaning in [&mut binding.null, &mut binding.empty] {
            if let Meaning::Refuse(text) = meaning {
                match self.texts.get(text) {
                    Some(known) => *text = Arc::clone(known),
                    None => {
                        self.texts.insert(Arc::clone(text));
                    }
                }
            }
        }
    }

    fn share_in_filter(&mut self, role: &mut FilterRole) {
        match role {
            FilterRole::On { subject, .. }
            | FilterRole::Operators(subject)
            | FilterRole::OperatorsOfElements(subject) => {
                self.share_subject(subject);
            }
            FilterRole::Negated(role) => self.share_in_filter(role),
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
            FieldBinding::Aggregate(AggregateField::Value(values)) => {
                values.first().and_then(|value| value.field).map(FieldId::index)
            }
            _ => None,
        };
        let FieldDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }

    pub(super) fn of_input(definition: &InputDefinition, binding: &InputBinding) -> Signature {
        let meant = match binding.role {
            InputRole::Write(WriteRole::Stored(field))
            | InputRole::Write(WriteRole::Assign { field, .. })
            | InputRole::Argument(ArgumentRole::StreamFrom(field))
            | InputRole::Order(OrderRole::Field(field))
            | InputRole::Filter(FilterRole::Equal(field)) => Some(field.index()),
            _ => None,
        };
        let InputDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }
}

/// The address of a text.
fn place(text: Option<&Arc<str>>) -> usize {
    text.map_or(0, |text| text.as_ptr() as usize)
}
