//! Access rules as type definitions write them: `@authentication`, `@authorization`, version 3's `@auth`,
//! and the claims that they name.

use std::sync::Arc;

use access::{Restriction, RootType};
use graphql::definitions::Literal;

use super::wanted::Wanted;

/// A restriction as it is written, at a place of the model.
pub type WrittenRestriction = Restriction<WrittenPlace, WrittenNode>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenPlace {
    Schema,
    Root(RootType),
    /// A `@cypher` root field, by its place among those of the root.
    RootField {
        root: RootType,
        field: usize,
    },
    Node {
        node: usize,
        line: usize,
    },
    Field {
        node: usize,
        field: usize,
        line: usize,
    },
}

/// A condition on nodes as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenNode {
    /// An input object of the API's own filters.
    Words(Literal),
    /// The same of the conditions on events.
    OfEvents(Literal),
    /// A condition of version 3's `@auth`.
    Wanted(Wanted),
}

/// The claims of a token, by their names in the definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimNames(pub Vec<(Arc<str>, Box<str>)>);

impl ClaimNames {
    /// The path of a claim that the definitions name.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| **known == *name).map(|(_, path)| &**path)
    }

    /// The path of any claim: a name without a definition is the path itself.
    pub(crate) fn path(&self, said: &str) -> Box<str> {
        self.find(said).unwrap_or(said).into()
    }
}
