//! The API of Neo4j's GraphQL library (<https://neo4j.com/docs/graphql/>), in the forms of its
//! versions 3 and 7.
//!
//! It is made of type definitions, which also say what the source holds: a graph has no schema of its
//! own.
//!
//! * [`definitions`]: type definitions as they are written, to a model
//! * [`model`]: what type definitions say
//! * [`mod@catalog`]: the model as what the source holds
//! * [`introspected`]: type definitions for what is in a graph
//! * [`migration`]: what definitions want of the database
//! * [`rules`]: who may see and change what
//! * [`v7`]: the model as the API of versions 7, [`v3`]: as that of versions 3.18 to 3.20
//! * [`shared`]: what both versions have

pub mod catalog;
pub mod definitions;
pub mod introspected;
pub mod migration;
pub mod model;
pub mod rules;
mod shared;
mod unserved;
pub mod v3;
pub mod v7;

use std::sync::Arc;

use ::catalog::{Catalog, GraphSummary, Note};

use access::Restriction;
use api::federation::AppliedDirectives;
use api::{Api, add_live_queries};
use introspected::{Indexes, Introspected};
use model::{ApiVersion, Model, Placed};
pub use shared::text_filters;
use text_filters::TextFilter;

/// What the API is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose API it is.
    pub version: ApiVersion,
    /// What the type definitions say.
    pub model: Arc<Model>,
    /// Whether there are none, so that the model is still to be made of what is in the graph.
    pub is_introspected: bool,
    /// Whether inputs are left out that version 7 calls deprecated.
    pub exclude_deprecated: bool,
    /// Operators on texts beside those that there always are, in the order of the schema.
    pub filters: Vec<TextFilter>,
    /// Whether version 7's lists and connections have to be told how long they are.
    pub limit_required: bool,
    /// Each query is also a subscription, whose clients receive its new response after changes.
    pub live: bool,
}

/// The type definitions as they stand in a catalog.
#[derive(Debug)]
pub struct Declared<'o> {
    options: &'o Options,
    placed: Placed,
}

/// What definitions can say that a version does not do yet, as a message.
#[must_use]
pub fn unserved(model: &Model, version: ApiVersion) -> Option<String> {
    unserved::unserved(model, version)
}

/// Makes the model of what is in a graph, and says what that leaves out; none if there is nothing.
/// The other way, it is said what keeps definitions for it from being served.
pub fn model_of(
    summary: &GraphSummary,
    version: ApiVersion,
) -> Result<Option<(Model, Vec<Note>)>, String> {
    let Introspected { text, notes } =
        introspected::definitions(summary, version, Indexes::served(version));
    if text.is_empty() {
        return Ok(None);
    }
    let model = definitions::read(&text, version).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        problems.join("\n")
    })?;
    match unserved(&model, version) {
        Some(problem) => Err(problem),
        None => Ok(Some((model, notes))),
    }
}

/// Declares the type definitions in the catalog of a graph.
#[must_use]
pub fn declare<'o>(catalog: &mut Catalog, options: &'o Options) -> Declared<'o> {
    Declared { options, placed: catalog::declare(catalog, &options.model) }
}

impl Declared<'_> {
    /// Makes the API of the type definitions.
    #[must_use]
    pub fn api(&self) -> Api {
        let Self { options, placed } = self;
        let api = match options.version {
            ApiVersion::V3 => {
                let own = v3::Options { filters: options.filters.clone() };
                v3::api(&options.model, placed, &own)
            }
            ApiVersion::V7 => {
                let own = v7::Options {
                    exclude_deprecated: options.exclude_deprecated,
                    filters: options.filters.clone(),
                    limit_required: options.limit_required,
                    mutations: true,
                };
                v7::api(&options.model, placed, own)
            }
        };
        match options.live {
            true => add_live_queries(api),
            false => api,
        }
    }

    /// The access restrictions of the type definitions in the API that is made of them; or a rule
    /// that means nothing there.
    pub fn restrictions(&self, api: &Api) -> Result<Vec<Restriction>, String> {
        rules::restrictions(&self.options.model, &self.placed, api)
    }

    /// Directives of Apollo Federation of the type definitions.
    #[must_use]
    pub fn subgraph_directives(&self) -> &[AppliedDirectives] {
        &self.options.model.federation
    }
}
