//! Authorization: which parts of an operation a client may read.
//!
//! A plan depends on the authorization requirements that the operation touches and the client does
//! not meet: an [`AccessSet`]. Clients with equal sets share plans.

use std::collections::BTreeSet;

use graphql::operation::{FieldRef, Operation, Selection};
use graphql::schema::{FieldId, TypeId, TypeKind};

use supergraph::{Alternatives, Requirement, RequirementId, Supergraph};

#[cfg(test)]
mod tests;

const BITS: usize = u64::BITS as usize;

/// Authorization data of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Whether the client is authenticated.
    pub is_authenticated: bool,
    pub scopes: BTreeSet<Box<str>>,
    /// Policies that hold for the client.
    pub policies: BTreeSet<Box<str>>,
}

/// Requirements of the fields and types in an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedRequirements(Set);

/// Requirements of an operation that the client does not meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AccessSet(Set);

/// A bit set without trailing zero words, so that equal sets are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Set(Vec<u64>);

graphql::heap_size!(struct Set(_));
graphql::heap_size!(struct AccessSet(_));

impl Set {
    fn insert(&mut self, id: RequirementId) {
        let word = id.index() / BITS;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (id.index() % BITS);
    }

    fn has(&self, id: RequirementId) -> bool {
        self.0.get(id.index() / BITS).is_some_and(|word| word >> (id.index() % BITS) & 1 == 1)
    }
}

impl Access {
    fn meets(&self, requirement: &Requirement) -> bool {
        let has_any = |alternatives: &Alternatives, names: &BTreeSet<Box<str>>| {
            alternatives.is_empty()
                || alternatives.iter().any(|all| all.iter().all(|name| names.contains(&**name)))
        };
        match requirement {
            Requirement::Authenticated => self.is_authenticated,
            Requirement::Scopes(scopes) => has_any(scopes, &self.scopes),
            Requirement::Policies(policies) => has_any(policies, &self.policies),
        }
    }

    /// Returns the requirements that deny access to parts of an operation.
    #[must_use]
    pub fn denied(&self, supergraph: &Supergraph, touched: &TouchedRequirements) -> AccessSet {
        let mut denied = Set::default();
        for (id, requirement) in supergraph.requirements.iter() {
            if touched.0.has(id) && !self.meets(requirement) {
                denied.insert(id);
            }
        }
        AccessSet(denied)
    }
}

impl TouchedRequirements {
    /// Collects the requirements of all fields in an operation, whatever its variables are; each
    /// selection set once, however often it is spread.
    #[must_use]
    pub fn new(supergraph: &Supergraph, operation: &Operation) -> Self {
        let mut touched = Self::default();
        if supergraph.requirements.is_empty() {
            return touched;
        }
        for set in &operation.selection_sets {
            let parent = supergraph.api.r#type(set.parent);
            for selection in &set.selections {
                let Selection::Field(selected) = selection else { continue };
                let FieldRef::Field(field) = selected.field else { continue };
                touched.add(supergraph, parent, supergraph.api.field(field));
            }
        }
        touched
    }

    /// Whether the operation has no requirements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    fn add(&mut self, supergraph: &Supergraph, parent: TypeId, field: FieldId) {
        self.add_type(supergraph, parent);
        self.add_field(supergraph, field);
        if !matches!(supergraph.schema[parent].kind, TypeKind::Interface { .. }) {
            return;
        }
        let name = &supergraph.schema[field].name;
        for object in supergraph.members(supergraph.possible(parent)) {
            self.add_type(supergraph, object);
            if let Some(own) = supergraph.find_field(object, name) {
                self.add_field(supergraph, own);
            }
        }
    }

    fn add_type(&mut self, supergraph: &Supergraph, id: TypeId) {
        supergraph.requirements.of_type(id).iter().for_each(|id| self.0.insert(*id));
    }

    fn add_field(&mut self, supergraph: &Supergraph, id: FieldId) {
        supergraph.requirements.of_field(id).iter().for_each(|id| self.0.insert(*id));
        self.add_type(supergraph, supergraph.schema[id].r#type.base);
    }
}

impl AccessSet {
    /// Whether the client may read the whole operation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    /// Whether the client fails one of these requirements.
    #[must_use]
    pub fn has_any(&self, requirements: &[RequirementId]) -> bool {
        requirements.iter().any(|id| self.0.has(*id))
    }
}
