//! Names of one kind, each with the thing that has it.

use catalog::{Note, NoteKind};
use rustc_hash::FxHashMap;

/// The names in use.
#[derive(Debug, Default)]
pub(super) struct Names {
    owners: FxHashMap<Box<str>, Box<str>>,
}

impl Names {
    /// Names that the API itself has, whatever the source holds.
    pub(super) fn reserved(names: &[&str]) -> Self {
        let owner = |name: &&str| ((*name).into(), format!("the API's own {name}").into());
        Self { owners: names.iter().map(owner).collect() }
    }

    /// Who has the name.
    pub(super) fn owner(&self, name: &str) -> Option<&str> {
        self.owners.get(name).map(|owner| &**owner)
    }

    /// Gives a name to `owner`, or says who has it already.
    pub(super) fn claim(&mut self, name: &str, owner: &str) -> Result<(), Box<str>> {
        match self.owners.get(name) {
            Some(first) => Err(first.clone()),
            None => {
                self.owners.insert(name.into(), owner.into());
                Ok(())
            }
        }
    }
}

/// Something is left out because another thing came first. `what` begins the message, as in
/// `the type Member`.
pub(super) fn collision(subject: &str, what: &str, first: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::Collision,
        subject: subject.into(),
        message: format!("{what} belongs to {first}, so this is left out.").into(),
        remedy: remedy.into(),
    }
}

/// Something is left out because it cannot be represented.
pub(super) fn left_out(subject: &str, message: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
