//! The index of types by their names.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::schema::{TypeDefinition, TypeId};

/// Types by their names, which are those of the definitions: of each only the id is stored.
#[derive(Clone, Default)]
pub(crate) struct TypeNames(HashTable<TypeId>);

impl fmt::Debug for TypeNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeNames").finish_non_exhaustive()
    }
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

fn name(id: TypeId, types: &[TypeDefinition]) -> &str {
    types.get(id.index()).map_or("", |definition| &definition.name)
}

impl TypeNames {
    /// The names of all types.
    pub(crate) fn of(types: &[TypeDefinition]) -> Self {
        let mut names = Self(HashTable::with_capacity(types.len()));
        (0..types.len()).for_each(|index| names.insert(TypeId::new(index), types));
        names
    }

    pub(crate) fn find(&self, wanted: &str, types: &[TypeDefinition]) -> Option<TypeId> {
        self.0.find(hash(wanted), |id| name(*id, types) == wanted).copied()
    }

    /// Adds a type whose name no other one has.
    pub(crate) fn insert(&mut self, id: TypeId, types: &[TypeDefinition]) {
        self.0.insert_unique(hash(name(id, types)), id, |id| hash(name(*id, types)));
    }

    /// Removes a type, which still has its name.
    pub(crate) fn remove(&mut self, id: TypeId, types: &[TypeDefinition]) {
        if let Ok(entry) = self.0.find_entry(hash(name(id, types)), |known| *known == id) {
            entry.remove();
        }
    }
}
