//! The stages from a source to an API: declare, read known rows, make.
//!
//! ```text
//! catalog of the source ─► Declaration::new ─► the rows that it wants ─► Declaration::make ─► DialectOutput
//! ```
//!
//! A schema-first dialect declares in the catalog what its definitions say, and keeps in its state
//! where that stands; the other dialects read the catalog and keep their options only.

use access::{Restriction, Roles};
use api::check::{Misbound, misbound};
use api::federation::{self, AppliedDirectives, EntityTypes, FederationError};
use api::{Api, ConstraintMessage};
use catalog::{Catalog, EntityId, FieldId};

use crate::{Dialect, dgraph, hasura, neo4j, phrag, postgraphile, prisma};

/// A source as a dialect sees it: its catalog, with the keys, relationships, entities and names that
/// the dialect's options and definitions declare of it.
#[derive(Debug)]
pub struct Declaration<'d> {
    pub catalog: Catalog,
    declared: Declared<'d>,
}

/// State of a dialect between its declarations and its API.
#[derive(Debug)]
enum Declared<'d> {
    PostGraphile(&'d postgraphile::Options),
    Phrag(&'d phrag::Options),
    Hasura(hasura::Declared<'d>),
    Neo4j(neo4j::Declared<'d>),
    Dgraph(dgraph::Declared<'d>),
    Prisma(prisma::Declared<'d>),
}

/// An API over a catalog, with its access rules.
#[derive(Debug)]
pub struct DialectOutput {
    pub catalog: Catalog,
    pub api: Api,
    /// Access restrictions of the definitions.
    pub restrictions: Vec<Restriction>,
    /// Roles with their permissions, if the definitions or the metadata have any.
    pub roles: Option<Roles>,
    /// Texts for changes that a constraint refuses.
    pub messages: Vec<ConstraintMessage>,
}

/// Why a dialect makes no API of a source.
#[derive(Debug, thiserror::Error)]
pub enum DialectError {
    #[error("a rule of the type definitions cannot be applied: {0}")]
    Rules(String),
    #[error(transparent)]
    Metadata(#[from] hasura::InconsistentMetadata),
    #[error(transparent)]
    Datamodel(#[from] prisma::MissingParts),
    #[error("the API cannot be a subgraph: {0}")]
    Federation(#[from] FederationError),
    /// A defect of the dialect, which no option and no source should reach.
    #[error("the API has an input that nothing reads: {0}")]
    Misbound(#[from] Misbound),
}

impl From<hasura::ApiError> for DialectError {
    fn from(error: hasura::ApiError) -> Self {
        match error {
            hasura::ApiError::Metadata(error) => Self::Metadata(error),
            hasura::ApiError::Federation(error) => Self::Federation(error),
        }
    }
}

impl<'d> Declaration<'d> {
    /// Adds the declarations of the dialect to the catalog of a source.
    #[must_use]
    pub fn new(mut catalog: Catalog, dialect: &'d Dialect) -> Self {
        let declared = match dialect {
            Dialect::PostGraphile(options) => {
                postgraphile::declare(&mut catalog, options);
                Declared::PostGraphile(options)
            }
            Dialect::Phrag(options) => Declared::Phrag(options),
            Dialect::Hasura(options) => Declared::Hasura(hasura::declare(&mut catalog, options)),
            Dialect::Neo4j(options) => Declared::Neo4j(neo4j::declare(&mut catalog, options)),
            Dialect::Dgraph(options) => Declared::Dgraph(dgraph::declare(&mut catalog, options)),
            Dialect::Prisma(options) => Declared::Prisma(prisma::declare(&mut catalog, options)),
        };
        Self { catalog, declared }
    }

    /// The entities of whose rows the API is made, each with the fields that are wanted of them as
    /// texts. The catalog must know these rows before [`Self::make`].
    #[must_use]
    pub fn wanted_rows(&self) -> Vec<(EntityId, Vec<FieldId>)> {
        match &self.declared {
            Declared::PostGraphile(options) => postgraphile::wanted_rows(&self.catalog, options),
            Declared::Hasura(declared) => declared.wanted_rows(),
            Declared::Phrag(_) | Declared::Neo4j(_) | Declared::Dgraph(_) | Declared::Prisma(_) => {
                Vec::new()
            }
        }
    }

    /// Makes the API, which can be a subgraph of a federated graph.
    pub fn make(
        self,
        federation: Option<&federation::Options>,
    ) -> Result<DialectOutput, DialectError> {
        let Self { catalog, declared } = self;
        let (api, roles) = declared.api(&catalog, federation)?;
        let restrictions = declared.restrictions(&api).map_err(DialectError::Rules)?;
        let messages = declared.messages(&catalog);
        match misbound(&api).into_iter().next() {
            Some(misbound) => Err(misbound.into()),
            None => Ok(DialectOutput { catalog, api, restrictions, roles, messages }),
        }
    }
}

impl Declared<'_> {
    /// The API, with the roles of its own if it has any.
    fn api(
        &self,
        catalog: &Catalog,
        federation: Option<&federation::Options>,
    ) -> Result<(Api, Option<Roles>), DialectError> {
        let api = match self {
            Self::PostGraphile(options) => postgraphile::api(catalog, options),
            Self::Phrag(options) => phrag::api(catalog, options),
            // Its roles see their part of the subgraph's fields, too.
            Self::Hasura(declared) => return Ok(declared.subgraph(catalog, federation)?),
            Self::Neo4j(declared) => declared.api(),
            Self::Dgraph(declared) => declared.api(),
            Self::Prisma(declared) => declared.api()?,
        };
        let api = match federation {
            None => api,
            Some(options) => {
                let types = &EntityTypes::All;
                federation::add_subgraph(api, catalog, self.subgraph_directives(), types, options)?
            }
        };
        Ok((api, None))
    }

    /// Directives of Apollo Federation that the definitions have.
    fn subgraph_directives(&self) -> &[AppliedDirectives] {
        match self {
            Self::Neo4j(declared) => declared.subgraph_directives(),
            Self::Dgraph(declared) => declared.subgraph_directives(),
            Self::PostGraphile(_) | Self::Phrag(_) | Self::Hasura(_) | Self::Prisma(_) => &[],
        }
    }

    /// Access restrictions, whose conditions are lowered by the API; or a rule that means nothing there.
    fn restrictions(&self, api: &Api) -> Result<Vec<Restriction>, String> {
        match self {
            Self::Neo4j(declared) => declared.restrictions(api),
            Self::Dgraph(declared) => declared.restrictions(api),
            Self::PostGraphile(_) | Self::Phrag(_) | Self::Hasura(_) | Self::Prisma(_) => {
                Ok(Vec::new())
            }
        }
    }

    fn messages(&self, catalog: &Catalog) -> Vec<ConstraintMessage> {
        match self {
            Self::PostGraphile(options) => postgraphile::messages(catalog, options),
            Self::Phrag(_)
            | Self::Neo4j(_)
            | Self::Dgraph(_)
            | Self::Hasura(_)
            | Self::Prisma(_) => Vec::new(),
        }
    }
}
