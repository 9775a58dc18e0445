//! Notes: parts of a source that introspection or naming could not represent. Each is reported and
//! omitted, alone.

use std::fmt;

/// A finding about a source, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// The name of the subject, for messages: `public.post.body`.
    pub subject: Box<str>,
    pub message: Box<str>,
    pub remedy: Box<str>,
}

/// Kinds of notes, in the order in which `thalweg check` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// Two things would get the same name in the API.
    Collision,
    /// A thing has no representation and is not in the API.
    LeftOut,
    /// A type is known by its name only and is served as text.
    UnmappedType,
    /// A declaration does not fit the source.
    Declaration,
    /// A table is served together with its partitions, and some foreign keys belong to these.
    Partitioned,
    /// Opaque ids of rows differ from those of the system that the dialect follows.
    NodeId,
    /// A part of what a user configured has no effect.
    Unserved,
    /// A part of what a user configured does not fit the source, and is left out.
    Inconsistent,
    /// A role does not inherit a permission, since the roles that it inherits from have different ones.
    Uninherited,
    /// Something needs a collation or a function that the source does not have.
    UnknownName,
    /// The reverse of a foreign key scans the whole table. The remedy is a statement.
    UnindexedRelationship,
    /// Something asks all servers of a distributed database.
    Distributed,
}

impl NoteKind {
    /// The word that `thalweg check` prints.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::LeftOut => "left out",
            Self::UnmappedType => "unmapped type",
            Self::Declaration => "declaration without effect",
            Self::Partitioned => "partitioned table",
            Self::NodeId => "node id of its own",
            Self::Unserved => "part without effect",
            Self::Inconsistent => "inconsistent part",
            Self::Uninherited => "permission not inherited",
            Self::UnknownName => "unknown name",
            Self::UnindexedRelationship => "unindexed foreign key",
            Self::Distributed => "step to all servers",
        }
    }

    /// The number of them, in words.
    #[must_use]
    pub fn count(self, number: usize) -> String {
        let several = match self {
            _ if number == 1 => self.label(),
            Self::Collision => "collisions",
            Self::LeftOut => "left out",
            Self::UnmappedType => "unmapped types",
            Self::Declaration => "declarations without effect",
            Self::Partitioned => "partitioned tables",
            Self::NodeId => "node ids of their own",
            Self::Unserved => "parts without effect",
            Self::Inconsistent => "inconsistent parts",
            Self::Uninherited => "permissions not inherited",
            Self::UnknownName => "unknown names",
            Self::UnindexedRelationship => "unindexed foreign keys",
            Self::Distributed => "steps to all servers",
        };
        format!("{number} {several}")
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: {} Remedy: {}",
            self.kind.label(),
            self.subject,
            self.message,
            self.remedy
        )
    }
}
