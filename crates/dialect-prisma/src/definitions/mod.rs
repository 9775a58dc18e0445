//! Datamodels: text to [`Model`].
//!
//! The rules are those of Prisma's server: what it accepts is accepted, and what it refuses is
//! refused. What it reads past, as directives that it does not know, is refused too. All mistakes are
//! reported in one run. <https://github.com/prisma/prisma1>, `servers/deploy`, and
//! `docs/1.34/06-Datamodel-and-Migrations`.
//!
//! * `version`: versions 1.0 and 1.1
//! * `names`: names of types and enums
//! * `directives`: directives, their locations and arguments
//! * `fields`: fields with their types; `keys`, `defaults`: their directives
//! * `relations`: fields of relations in pairs, and the storage of relations
//! * `links`: types that are tables of relations
//! * `places`: names of tables and columns; `renames`: names before a migration

mod defaults;
mod directives;
mod fields;
mod keys;
mod links;
mod names;
mod places;
mod relations;
mod renames;
mod version;

pub use graphql::definitions::problem::DefinitionProblem;
use graphql::definitions::problem::{At, Problems};
use graphql::parse_definitions;

use crate::model::Model;
use names::Names;
pub(crate) use names::is_relation_name;
pub(crate) use relations::generated as generated_name;
use version::Version;

/// Reads a datamodel. The mistakes are in the order of the text.
pub fn read(text: &str) -> Result<Model, Vec<DefinitionProblem>> {
    let definitions = parse_definitions(text)
        .map_err(|errors| errors.iter().map(DefinitionProblem::syntax).collect::<Vec<_>>())?;
    let mut problems = Problems::default();
    let version = Version::of(&definitions);
    let names = Names::new(&definitions, version, &mut problems);
    let enums = names.enums(version, &mut problems);
    let (mut types, related) = fields::read(&names, &enums, version, &mut problems);
    let links = links::read(&names, version, &mut problems);
    let relations = relations::read(&names, &related, &links, version, &mut problems);
    relations.finish(&mut types);
    // Relations that are refused have no place.
    if problems.is_empty() {
        places::check(&names, &related, &types, &relations.relations, &mut problems);
    }
    renames::check(&names, &types, &mut problems);
    // A datamodel of enums alone is valid, as in Prisma; there is no API of it.
    if types.is_empty() && enums.is_empty() && problems.is_empty() {
        let message =
            "there is no type: define one, as in `type Post { id: ID! @id title: String! }`";
        problems.refuse(At::definitions(1, 1), message);
    }
    problems.finish(Model { types, enums, relations: relations.relations })
}

#[cfg(test)]
mod tests;
