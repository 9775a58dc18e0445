//! The one way from a source to an API: declare, read known rows, make.
//!
//! ```text
//! catalog of the source ─► Declaration::new ─► the rows that it wants ─► Declaration::make ─► Made
//! ```

use access::Restriction;
use catalog::{Catalog, EntityId, FieldId};

use api::check::{Misbound, misbound};
use api::federation::{self, FederationError, SaidOf};
use api::{Api, ConstraintMessage};

use crate::neo4j::model::Placed;
use crate::{Dialect, neo4j, phrag, postgraphile};

/// A source as a dialect sees it: its catalog, with the keys, relationships, entities and names that
/// the dialect's options and definitions declare of it.
#[derive(Debug)]
pub struct Declaration<'d> {
    pub catalog: Catalog,
    dialect: &'d Dialect,
    /// Where the definitions of a graph stand in the catalog.
    placed: Option<Placed>,
}

/// An API over a catalog, with its access rules.
#[derive(Debug)]
pub struct Made {
    pub catalog: Catalog,
    pub api: Api,
    /// Access restrictions of the definitions.
    pub restrictions: Vec<Restriction>,
    /// Texts for changes that a constraint refuses.
    pub messages: Vec<ConstraintMessage>,
}

/// Why a dialect makes no API of a source.
#[derive(Debug, thiserror::Error)]
pub enum DialectError {
    #[error("a rule of the type definitions means nothing: {0}")]
    Rules(String),
    #[error("the API cannot be a subgraph: {0}")]
    Federation(#[from] FederationError),
    /// A defect of the dialect, which no option and no source should reach.
    #[error("the API has an input that nothing reads: {0}")]
    Misbound(#[from] Misbound),
}

impl<'d> Declaration<'d> {
    /// Adds the declarations of the dialect to the catalog of a source.
    #[must_use]
    pub fn new(mut catalog: Catalog, dialect: &'d Dialect) -> Self {
        let placed = match dialect {
            Dialect::PostGraphile(options) => {
                postgraphile::declare(&mut catalog, options);
                None
            }
            Dialect::Phrag(_) => None,
            Dialect::Neo4j(options) => Some(neo4j::declare(&mut catalog, options)),
        };
        Self { catalog, dialect, placed }
    }

    /// The entities of whose rows the API is made, each with the fields that are wanted of them as
    /// texts. The catalog must know these rows before [`Self::make`].
    #[must_use]
    pub fn wanted_rows(&self) -> Vec<(EntityId, Vec<FieldId>)> {
        match self.dialect {
            Dialect::PostGraphile(options) => postgraphile::wanted_rows(&self.catalog, options),
            Dialect::Phrag(_) | Dialect::Neo4j(_) => Vec::new(),
        }
    }

    /// Makes the API, which can be a subgraph of a federated graph.
    pub fn make(self, federation: Option<&federation::Options>) -> Result<Made, DialectError> {
        let Self { catalog, dialect, placed } = self;
        let placed = placed.unwrap_or_default();
        let api = match dialect {
            Dialect::PostGraphile(options) => postgraphile::api(&catalog, options),
            Dialect::Phrag(options) => phrag::api(&catalog, options),
            Dialect::Neo4j(options) => neo4j::api(options, &placed),
        };
        let api = match federation {
            None => api,
            Some(options) => {
                federation::offer(api, &catalog, directives_of_types(dialect), options)?
            }
        };
        let restrictions = match dialect {
            Dialect::Neo4j(options) => {
                neo4j::restrictions(options, &placed, &api).map_err(DialectError::Rules)?
            }
            Dialect::PostGraphile(_) | Dialect::Phrag(_) => Vec::new(),
        };
        let messages = match dialect {
            Dialect::PostGraphile(options) => postgraphile::messages(&catalog, options),
            Dialect::Phrag(_) | Dialect::Neo4j(_) => Vec::new(),
        };
        match misbound(&api).into_iter().next() {
            Some(misbound) => Err(misbound.into()),
            None => Ok(Made { catalog, api, restrictions, messages }),
        }
    }
}

/// The directives of Apollo Federation that the definitions of a dialect have.
fn directives_of_types(dialect: &Dialect) -> &[SaidOf] {
    match dialect {
        Dialect::Neo4j(options) => &options.model.federation,
        Dialect::PostGraphile(_) | Dialect::Phrag(_) => &[],
    }
}
