//! What was added to an API so far, so that what is like it is there once.

use std::sync::Arc;

use graphql::schema::{FieldDefinition, InputDefinition, InputId, TypeRef};
use rustc_hash::FxHashMap;

use crate::binding::{
    FieldBinding, FilterRole, InputBinding, InputRole, RowsBinding, RowsFrom, Subject, WriteRole,
};

/// How many of the last subjects are compared with a new one: operators on one value stand next to
/// each other, and those on a few things that are made of it take turns.
const SUBJECTS: usize = 12;

/// What was added so far, by what tells most of it: where that agrees, the last one is compared.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) fields: FxHashMap<Signature, graphql::schema::FieldId>,
    pub(super) inputs: FxHashMap<Signature, InputId>,
    /// The last subjects of operators; the next one takes the place of the oldest.
    subjects: Vec<Arc<Subject>>,
    oldest: usize,
}

/// Where the name and the description stand, of which there is only one each; the type; and the
/// number of the catalog's thing that is meant, if it is one of those of which there are many.
pub(super) type Signature = (usize, usize, TypeRef, Option<usize>);

impl Known {
    /// Shares the subject of a condition with its neighbours: there are many conditions, and several
    /// on each value. New ones are copied, so that what is kept stands together.
    pub(super) fn share(&mut self, role: &mut InputRole) {
        if let InputRole::Filter(role) = role {
            self.share_in_filter(role);
        }
    }

    fn share_in_filter(&mut self, role: &mut FilterRole) {
        match role {
            FilterRole::On { subject, .. } | FilterRole::Operators(subject) => {
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
            _ => None,
        };
        let FieldDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }

    pub(super) fn of_input(definition: &InputDefinition, binding: &InputBinding) -> Signature {
        let meant = match binding.role {
            InputRole::Write(WriteRole::Stored(field))
            | InputRole::Filter(FilterRole::Equal(field)) => Some(field.index()),
            _ => None,
        };
        let InputDefinition { name, description, r#type, .. } = definition;
        (place(Some(name)), place(description.as_ref()), *r#type, meant)
    }
}

/// Where a text stands.
fn place(text: Option<&Arc<str>>) -> usize {
    text.map_or(0, |text| text.as_ptr() as usize)
}
