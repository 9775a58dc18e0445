//! The API of Dgraph's GraphQL (<https://docs.dgraph.io/graphql/>): type definitions become a
//! database, and the API of it.
//!
//! * [`definitions`]: type definitions, from text to the model
//! * [`model`]: the meaning of type definitions
//! * [`stored`]: their storage, and the place of each field in it
//! * [`located`]: the places of type definitions in a catalog
//! * `language_tags`: the languages of a field
//! * `resolvers`: HTTP requests of custom fields
//! * [`schema`]: the API of type definitions
//! * `rules`: rules of `@auth`
//! * [`transferred`]: the names of types and predicates in imports and exports

pub mod definitions;
mod federated;
mod language_tags;
pub mod located;
pub mod model;
mod resolvers;
mod rules;
pub mod schema;
pub mod stored;
pub mod transferred;

use std::sync::Arc;

use access::Restriction;
use api::Api;
use api::federation::AppliedDirectives;
use catalog::Catalog;
use storage::plan::Places;

use located::Located;
use model::Model;

/// Options of the API.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub model: Arc<Model>,
    /// The places of the model's storage in the tables of the database.
    pub places: Arc<Places>,
    /// True if conditions can be nested along relations, which Dgraph lacks.
    pub nested_filters: bool,
}

/// Type definitions with their places in a catalog.
#[derive(Debug)]
pub struct Declared<'o> {
    options: &'o Options,
    located: Located,
    federated: Vec<AppliedDirectives>,
}

// Numbers of rules come from texts, so none of them is not a number.
impl Eq for Options {}

/// Finds the type definitions in a catalog, and declares the relationships that it lacks.
#[must_use]
pub fn declare<'o>(catalog: &mut Catalog, options: &'o Options) -> Declared<'o> {
    let stored = stored::stored(&options.model);
    let Options { model, places, .. } = options;
    let located = Located::find(model, &stored, places, catalog);
    Declared { options, located, federated: federated::directives(model) }
}

impl Declared<'_> {
    /// Directives of Apollo Federation of the type definitions.
    #[must_use]
    pub fn subgraph_directives(&self) -> &[AppliedDirectives] {
        &self.federated
    }

    /// The restrictions that the rules of `@auth` are, or a rule that the API cannot answer.
    pub fn restrictions(&self, api: &Api) -> Result<Vec<Restriction>, String> {
        rules::restrictions(&self.options.model, &self.located, api)
    }

    /// Makes the API of the type definitions.
    #[must_use]
    pub fn api(&self) -> Api {
        let Options { model, nested_filters, .. } = self.options;
        schema::api(model, &self.located, *nested_filters)
    }
}
