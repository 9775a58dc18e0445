//! Type definitions: text to [`Model`].
//!
//! The rules are Dgraph's: what it accepts is accepted, and what it refuses is refused, but for
//! functions in JavaScript, which nothing runs here. All mistakes are reported in one run.
//!
//! * `settings`: settings in comments
//! * `empty_arguments`: a form of Dgraph's grammar
//! * `types`: names of types; `reserved`: names that are taken
//! * `directives`: directives, their locations and arguments
//! * `inherited`: fields that types have from their interfaces
//! * `declared`: types and fields with their directives
//! * `composite`: types and interfaces; `plain`: unions, enums and input types
//! * `field`: fields; `search`, `default`, `predicate`, `custom`: their directives
//! * `inverse`: relations with a field at both ends
//! * `generate`, `secret`, `auth`, `federation`: directives of types
//! * `shared_predicates`: predicates that several fields share
//! * `recorded`: definitions without their secrets

mod auth;
mod composite;
mod custom;
mod declared;
mod default;
mod directives;
mod empty_arguments;
mod federation;
mod field;
mod generate;
mod inherited;
mod inverse;
mod plain;
mod predicate;
mod recorded;
mod reserved;
mod search;
mod secret;
mod settings;
mod shared_predicates;
mod types;

use graphql::definitions::{Definitions, SchemaDefinition};
use graphql::parse_definitions;

use crate::model::Model;
use declared::OwnerKind;
pub use graphql::definitions::problem::DefinitionProblem;
use graphql::definitions::problem::{At, Problems};
pub use recorded::without_secrets;
use types::Types;

/// Reads type definitions. The mistakes are in the order of the text.
pub fn read(text: &str) -> Result<Model, Vec<DefinitionProblem>> {
    let mut problems = Problems::default();
    let settings = settings::read(text, &mut problems);
    let definitions = parse_definitions(&empty_arguments::blank(text))
        .map_err(|errors| errors.iter().map(DefinitionProblem::syntax).collect::<Vec<_>>())?;
    let types = Types::new(&definitions, &mut problems);
    reserved::check(&definitions, &types, &mut problems);
    check_schemas(&definitions.schemas, &mut problems);
    let secrets = &settings.secrets;
    let composites = composite::read(&types, secrets, &mut problems);
    federation::check(&types, &composites, &mut problems);
    shared_predicates::check(&composites, &mut problems);
    let mut roots =
        |kind, definition| composite::roots(&types, kind, secrets, definition, &mut problems);
    let queries = roots(OwnerKind::Query, types.query);
    let mutations = roots(OwnerKind::Mutation, types.mutation);
    let model = Model {
        types: composite::finish(&types, &composites, &mut problems),
        unions: plain::unions(&types, &mut problems),
        enums: plain::enums(&types, &mut problems),
        inputs: plain::inputs(&types, &mut problems),
        queries,
        mutations,
        settings,
    };
    check_content(&definitions, &model, &mut problems);
    problems.finish(model)
}

/// The root types have the names that they have without a schema definition.
fn check_schemas(schemas: &[SchemaDefinition], problems: &mut Problems) {
    for schema in schemas {
        for (operation, named) in &schema.operations {
            let expected = match *operation {
                "query" => "Query",
                "mutation" => "Mutation",
                _ => "Subscription",
            };
            if &*named.name != expected {
                let at = At::definitions(named.line, named.column);
                let message = format!(
                    "the type of the operation `{operation}` is `{expected}`, not `{}`: remove \
                     `schema`, it is generated",
                    named.name
                );
                problems.refuse(at, message);
            }
        }
    }
}

/// Reports definitions without an API; other mistakes may be the reason.
fn check_content(definitions: &Definitions, model: &Model, problems: &mut Problems) {
    let has_fields = !model.queries.is_empty() || !model.mutations.is_empty();
    if problems.is_empty() && !has_fields && model.types.iter().all(|one| one.is_remote) {
        let line = definitions.types.first().map_or(1, |definition| definition.line);
        let message = "they have no type that is stored: define one, as in \
                       `type Post { id: ID! title: String! }`";
        problems.refuse(At::definitions(line, 1), message);
    }
}

#[cfg(test)]
mod tests;
