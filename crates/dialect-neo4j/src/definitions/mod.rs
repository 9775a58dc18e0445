//! Reads type definitions: text to [`Model`].
//!
//! What the library takes is taken and what it refuses is refused, in either version, by rules that
//! are the library's and words that are ours. Everything that is wrong is told at once, each with
//! its line, so that a file is mended in one go. What is understood but not served yet is refused
//! too, with the reason among [`Unserved`]: an API that left something out without a word would
//! answer wrongly.
//!
//! 1. `written`: definitions and their extensions as one type of each name
//! 2. `directives`: which directives there are, where they may stand and what they may say
//! 3. `types`: what each type is: nodes, properties of relationships, interfaces and so on
//! 4. `conformance`: what GraphQL asks of interfaces and unions; `plurals`: names that would clash
//! 5. `node`, `composite`: the types; `field`, `property`, `constant`, `relationship`: their fields;
//!    `offers`: what they offer; `searches`: their indexes; `shown`: fields that only types have;
//!    `statement`, `statement_text`, `statement_v3`, `statement_column`: fields of statements of the
//!    author's own; `plain`: the types that only these have
//! 6. `claims`, `rules`, `auth`: who may see and change what
//! 7. `federated`: what is said to routers of a federated graph
//! 8. `problem`: what is told of all of it

mod auth;
mod claims;
mod composite;
mod conformance;
mod constant;
mod directives;
mod federated;
mod field;
mod node;
mod offers;
mod plain;
mod plurals;
mod problem;
mod property;
mod relationship;
mod rules;
mod searches;
mod shown;
mod statement;
mod statement_column;
mod statement_text;
mod statement_v3;
mod types;
mod written;

use graphql::parse_definitions;

use crate::model::{ApiVersion, Model};
use problem::{At, Problems};
pub use problem::{DefinitionProblem, ProblemKind, Unserved};
use statement::Of;
use types::Types;

/// What type definitions say, or everything that is wrong with them, by line.
pub fn read(text: &str, version: ApiVersion) -> Result<Model, Vec<DefinitionProblem>> {
    let mut definitions = parse_definitions(text)
        .map_err(|errors| errors.iter().map(DefinitionProblem::syntax).collect::<Vec<_>>())?;
    let mut problems = Problems::default();
    written::forget_own_directives(&mut definitions);
    let written = written::merge(&definitions, &mut problems);
    let types = Types::new(version, &written, &definitions, &mut problems);
    conformance::check(&types, &mut problems);
    plurals::check(&types, &mut problems);
    let nodes = node::nodes(&types, &mut problems);
    searches::check_queries(&types, &nodes, &mut problems);
    let claims = claims::names(version, &types.claims, &mut problems);
    let mut model = Model {
        restrictions: Vec::new(),
        claims,
        nodes,
        properties: composite::properties(&types, &mut problems),
        interfaces: composite::interfaces(&types, &mut problems),
        unions: composite::unions(&types, &mut problems),
        enums: composite::enums(&types, &mut problems),
        scalars: composite::scalars(&types),
        objects: plain::objects(&types, &mut problems),
        inputs: plain::input_types(&types, &mut problems),
        queries: statement::roots(&types, (Of::Query, types.query.as_ref()), &mut problems),
        mutations: statement::roots(&types, (Of::Mutation, types.mutation.as_ref()), &mut problems),
        offers: offers::offers(version, None, types.schema()),
        federation: federated::said(version, &written, &definitions.schemas, &mut problems),
    };
    model.restrictions = rules::restrictions(&types, &model, &mut problems);
    plain::check(&types, &model, &mut problems);
    // Statements of one's own are an API without any.
    if model.nodes.is_empty() && model.queries.is_empty() {
        let hint = match version {
            ApiVersion::V3 => "define a `type`",
            ApiVersion::V7 => "give a `type` the directive `@node`",
        };
        problems.wrong_if_none(At::schema(1), format!("nothing is a type of nodes: {hint}"));
    }
    problems.finish(model)
}

#[cfg(test)]
mod tests;
