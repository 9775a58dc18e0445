//! Claims of names: the first to claim a name keeps it, the others are reported.

use catalog::{Note, NoteKind};
use graphql::schema::is_name;
use rustc_hash::FxHashMap;

/// The names within one scope, each with a phrase for its owner.
#[derive(Debug, Default)]
pub(super) struct Claims {
    owners: FxHashMap<Box<str>, Box<str>>,
}

/// An object that needs a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claimant<'a> {
    /// The object to rename: `public.person.node_id`.
    pub(super) subject: &'a str,
    /// Its part with the name: `type`, `field`.
    pub(super) what: &'a str,
}

impl Claims {
    /// Takes a name; a note gives the reason if it is not free.
    pub(super) fn claim(&mut self, name: &str, claimant: Claimant<'_>) -> Result<(), Note> {
        let Claimant { subject, what } = claimant;
        if !is_name(name) {
            return Err(Note {
                kind: NoteKind::LeftOut,
                subject: subject.into(),
                message: format!("its {what} would have no name that GraphQL allows: {name:?}.")
                    .into(),
                remedy: format!("rename {subject}.").into(),
            });
        }
        match self.owners.get(name) {
            Some(owner) => Err(Note {
                kind: NoteKind::Collision,
                subject: subject.into(),
                message: format!(
                    "its {what} would be called {name}, which is already {owner}; it is left out."
                )
                .into(),
                remedy: format!("rename {subject}, or the other.").into(),
            }),
            None => {
                self.owners.insert(name.into(), format!("the {what} of {subject}").into());
                Ok(())
            }
        }
    }

    /// True if the name is taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.owners.contains_key(name)
    }

    /// Takes a name for the API itself.
    pub(super) fn reserve(&mut self, name: &str, owner: &str) {
        self.owners.insert(name.into(), owner.into());
    }
}
