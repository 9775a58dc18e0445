//! Registry of the dialects: pure functions from a catalog to an API in the style of a system that
//! people use.
//!
//! A dialect fills an [`Api`], which is a GraphQL schema with a binding for each field, input and
//! enum value. One shared [`lower()`] reads the bindings; a dialect has code of its own only for
//! names and for what it offers.
//!
//! * [`make`]: from a source to an API
//! * [`error_form`]: the form of its errors

pub mod error_form;
pub mod make;

use std::sync::Arc;

pub use api::binding::{EventMember, MemberKind};
pub use api::{
    Api, ConstraintMessage, Description, EntitiesBinding, LIVE_DIRECTIVE, LIVE_IF, LIVE_THROTTLE,
    Resolver, ResolverId, RoleViewId, RoleViews, TableRows, Transactions, Uninherited,
    UninheritedSubject, add_cached_directive, add_defer_directive, add_live_directive, describe,
    federation,
};
pub use dialect_dgraph as dgraph;
pub use dialect_hasura as hasura;
pub use dialect_neo4j as neo4j;
pub use dialect_phrag as phrag;
pub use dialect_postgraphile as postgraphile;
pub use dialect_prisma as prisma;
pub use error_form::ErrorForm;
pub use lowering::resolved::parts;
pub use lowering::{
    AFTER, ALL_ROOTS, BEFORE, Echoed, Introspection, LABELS, Listened, ListenedChannel,
    ListenedPart, LowerError, Lowered, POSITION, ResolvedSelection, STREAMED, StatedPassword,
    StatedPattern, Stream, TIME, event_slot, lower, lower_roots, lower_with_events,
};
pub use make::{Declaration, DialectError, DialectOutput};

/// The name of a dialect, with which options and case files choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialectName {
    Postgraphile,
    Phrag,
    Neo4j,
    Dgraph,
    Hasura,
    Prisma,
}

/// All dialects, with the words that name them and their help texts.
pub const DIALECTS: &[(&str, DialectName, &str)] = &[
    ("postgraphile", DialectName::Postgraphile, "The API of PostGraphile 4"),
    ("phrag", DialectName::Phrag, "The API of Phrag"),
    ("neo4j", DialectName::Neo4j, "The API of Neo4j's GraphQL library"),
    ("dgraph", DialectName::Dgraph, "The API of Dgraph's GraphQL"),
    ("hasura", DialectName::Hasura, "The API of Hasura GraphQL Engine 2"),
    ("prisma", DialectName::Prisma, "The API of Prisma 1"),
];

/// Which API a source is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    PostGraphile(postgraphile::Options),
    Phrag(phrag::Options),
    Neo4j(neo4j::Options),
    Dgraph(dgraph::Options),
    Hasura(hasura::Options),
    Prisma(prisma::Options),
}

impl Dialect {
    /// Its name, without its options.
    #[must_use]
    pub fn name(&self) -> DialectName {
        match self {
            Self::PostGraphile(_) => DialectName::Postgraphile,
            Self::Phrag(_) => DialectName::Phrag,
            Self::Neo4j(_) => DialectName::Neo4j,
            Self::Dgraph(_) => DialectName::Dgraph,
            Self::Hasura(_) => DialectName::Hasura,
            Self::Prisma(_) => DialectName::Prisma,
        }
    }
}

impl DialectName {
    /// The word that names the dialect.
    #[must_use]
    pub fn name(self) -> &'static str {
        let own = DIALECTS.iter().find(|(_, dialect, _)| *dialect == self);
        own.map_or("", |(name, ..)| name)
    }

    /// Whether the dialect serves graphs; the others serve tables.
    #[must_use]
    pub fn is_for_graphs(self) -> bool {
        match self {
            Self::Postgraphile | Self::Phrag | Self::Dgraph | Self::Hasura | Self::Prisma => false,
            Self::Neo4j => true,
        }
    }

    /// The dialect with its default options.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Postgraphile => Dialect::PostGraphile(postgraphile::Options::default()),
            Self::Phrag => Dialect::Phrag(phrag::Options::default()),
            Self::Neo4j => Dialect::Neo4j(neo4j::Options::default()),
            Self::Dgraph => Dialect::Dgraph(dgraph::Options::default()),
            Self::Hasura => Dialect::Hasura(hasura::Options::default()),
            Self::Prisma => Dialect::Prisma(prisma::Options::default()),
        }
    }
}

impl Dialect {
    /// What the definitions of a schema-first dialect store; `None` for the others.
    #[must_use]
    pub fn layout(&self) -> Option<storage::Layout> {
        match self {
            Self::Dgraph(options) => {
                Some(storage::Layout::Model(dgraph::stored::stored(&options.model).model))
            }
            Self::Prisma(options) => Some(prisma::stored::stored(&options.model)),
            Self::PostGraphile(_) | Self::Phrag(_) | Self::Neo4j(_) | Self::Hasura(_) => None,
        }
    }

    /// Sets the places of a schema-first dialect's definitions in the tables of a database.
    pub fn set_places(&mut self, places: storage::plan::Places) {
        match self {
            Self::Dgraph(options) => options.places = Arc::new(places),
            Self::PostGraphile(_)
            | Self::Phrag(_)
            | Self::Neo4j(_)
            | Self::Hasura(_)
            | Self::Prisma(_) => {}
        }
    }
}

/// The dialect that a word names.
#[must_use]
pub fn find_dialect(name: &str) -> Option<DialectName> {
    let named = DIALECTS.iter().find(|(known, ..)| *known == name);
    named.map(|(_, dialect, _)| *dialect)
}
