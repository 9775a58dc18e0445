//! The index of types by their names.

use std::fmt;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::ids::TypeId;

/// Types by their names. Of each only the id is stored: the caller knows its name.
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

impl TypeNames {
    /// The names of so many types.
    pub(crate) fn of<'n>(count: usize, name: impl Fn(TypeId) -> &'n str) -> Self {
        let mut names = Self(HashTable::with_capacity(count));
        (0..count).for_each(|index| names.insert(TypeId::new(index), &name));
        names
    }

    pub(crate) fn find<'n>(
        &self,
        wanted: &str,
        name: impl Fn(TypeId) -> &'n str,
    ) -> Option<TypeId> {
        self.0.find(hash(wanted), |id| name(*id) == wanted).copied()
    }

    /// Adds a type whose name no other one has.
    pub(crate) fn insert<'n>(&mut self, id: TypeId, name: impl Fn(TypeId) -> &'n str) {
        self.0.insert_unique(hash(name(id)), id, |id| hash(name(*id)));
    }

    /// Removes a type, which still has its name.
    pub(crate) fn remove<'n>(&mut self, id: TypeId, name: impl Fn(TypeId) -> &'n str) {
        if let Ok(entry) = self.0.find_entry(hash(name(id)), |known| *known == id) {
            entry.remove();
        }
    }
}
