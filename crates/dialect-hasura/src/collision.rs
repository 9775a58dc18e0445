//! Names of one kind, each with its owner.

use std::sync::Arc;

use catalog::{Note, NoteKind};
use rustc_hash::FxHashMap;

/// The names in use.
#[derive(Debug, Default)]
pub(super) struct Names {
    owners: FxHashMap<Box<str>, Arc<str>>,
}

impl Names {
    /// Names of the API itself.
    pub(super) fn reserved<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let owner = |name: &str| (name.into(), format!("the API's own {name}").into());
        Self { owners: names.map(owner).collect() }
    }

    /// The owner of a name.
    pub(super) fn owner(&self, name: &str) -> Option<&str> {
        self.owners.get(name).map(|owner| &**owner)
    }

    /// Gives a name to `owner`, unless it has one.
    pub(super) fn claim(&mut self, name: &str, owner: &str) {
        self.owners.entry(name.into()).or_insert_with(|| owner.into());
    }

    /// The same for many names: a table claims those of all types that it might have.
    pub(super) fn claim_all(&mut self, names: impl IntoIterator<Item = String>, owner: &str) {
        let owner: Arc<str> = owner.into();
        for name in names {
            self.owners.entry(name.into()).or_insert_with(|| Arc::clone(&owner));
        }
    }
}

/// The note for an object that is omitted because of an earlier one with its name. `what` begins
/// the message, as in `the type album_aggregate`.
pub(super) fn collision(subject: &str, what: &str, first: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::Collision,
        subject: subject.into(),
        message: format!("{what} belongs to {first}, so this is left out.").into(),
        remedy: remedy.into(),
    }
}

/// The note for an object that is omitted because it cannot be represented.
pub(super) fn left_out(subject: &str, message: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
