//! Dialects: pure functions from a catalog to an API in the style of a system people use.
//!
//! A dialect is data: it fills an [`Api`], which is a GraphQL schema with a binding for each
//! field, input and enum value. One shared [`lower()`] reads the bindings; a dialect has code of
//! its own only for names and for what it offers.
//!
//! * [`api`]: the schema with its bindings
//! * [`binding`]: what a position means
//! * [`case`] for names
//! * [`postgraphile`], [`phrag`], [`neo4j`]: the dialects
//! * [`federation`]: an API as a subgraph of a federated graph
//! * [`lower()`]: operation → request and shape

pub mod api;
pub mod binding;
pub mod case;
mod epoch;
mod extremes;
pub mod federation;
pub mod lower;
pub mod neo4j;
pub mod phrag;
mod plural;
pub mod postgraphile;

pub use api::{Api, ApiBuilder, Transactions};
pub use binding::{
    AggregateField, AggregateValue, AlongVerb, AssignVerb, Change, ColumnBinding, ConnectionField,
    Cursors, EdgeField, EntitiesBinding, EntityBinding, EntityType, FieldBinding, GroupBy,
    InputBinding, InputRole, Meaning, MutationBinding, MutationForm, NodeIdBinding, OrderBy,
    PageInfoField, PayloadField, RowsBinding, RowsForm, RowsFrom, ValueBinding, ValueShape,
    VariantBinding, VariantsId, Way,
};
pub use lower::{Echoed, Introspection, LowerError, Lowered, StatedPattern, lower};

use catalog::{Catalog, EntityId, FieldId};

/// What is told of a change that a constraint does not let be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintMessage {
    pub namespace: Option<Box<str>>,
    /// The table or the domain.
    pub owner: Box<str>,
    pub constraint: Box<str>,
    pub text: Box<str>,
}

/// Which API a source is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    PostGraphile(postgraphile::Options),
    Phrag(phrag::Options),
    Neo4j(neo4j::Options),
}

/// Adds to a catalog what the dialect declares of the source: keys and foreign keys that it does
/// not have itself.
pub fn declare(catalog: &mut Catalog, dialect: &Dialect) {
    match dialect {
        Dialect::PostGraphile(options) => postgraphile::declare(catalog, options),
        Dialect::Phrag(_) => {}
        Dialect::Neo4j(options) => neo4j::declare(catalog, options),
    }
}

/// The entities whose rows the API is made from, each with the fields that are wanted of them as
/// texts. They are to be known to the catalog before the API is made.
#[must_use]
pub fn wanted_rows(catalog: &Catalog, dialect: &Dialect) -> Vec<(EntityId, Vec<FieldId>)> {
    match dialect {
        Dialect::PostGraphile(options) => postgraphile::wanted_rows(catalog, options),
        Dialect::Phrag(_) | Dialect::Neo4j(_) => Vec::new(),
    }
}

/// What the dialect's annotations say that is told of constraints.
#[must_use]
pub fn messages(catalog: &Catalog, dialect: &Dialect) -> Vec<ConstraintMessage> {
    match dialect {
        Dialect::PostGraphile(options) => postgraphile::messages(catalog, options),
        Dialect::Phrag(_) | Dialect::Neo4j(_) => Vec::new(),
    }
}

/// What the dialect's definitions say of who may see and change what, or what is wrong with it.
pub fn guards(dialect: &Dialect, api: &Api) -> Result<Vec<neo4j::rules::PlacedGuard>, String> {
    match dialect {
        Dialect::Neo4j(options) => neo4j::guards(options, api),
        Dialect::PostGraphile(_) | Dialect::Phrag(_) => Ok(Vec::new()),
    }
}

/// What a dialect itself says to routers of its API's types, where the API is a subgraph.
#[must_use]
pub fn said_to_routers(dialect: &Dialect) -> &[federation::SaidOf] {
    match dialect {
        Dialect::Neo4j(options) => &options.model.federation,
        Dialect::PostGraphile(_) | Dialect::Phrag(_) => &[],
    }
}

/// Makes the API of a catalog.
#[must_use]
pub fn api(catalog: &Catalog, dialect: &Dialect) -> Api {
    match dialect {
        Dialect::PostGraphile(options) => postgraphile::api(catalog, options),
        Dialect::Phrag(options) => phrag::api(catalog, options),
        Dialect::Neo4j(options) => neo4j::api(options),
    }
}
