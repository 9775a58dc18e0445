//! Executable directives of the subgraphs, which clients may use in operations.
//! <https://spec.graphql.org/draft/#ExecutableDirectiveLocation>

use graphql::definitions::{Definitions, Directive, DirectiveDefinition as Written};
use graphql::schema::{DirectiveDefinition, DirectiveLocation};

use super::links::Meaning;
use super::read::Reader;

/// Built-in directives, which the gateway evaluates, and those of incremental delivery: the gateway
/// evaluates `@defer` itself, and does not support `@stream`.
const NOT_FORWARDED: [&str; 7] =
    ["skip", "include", "deprecated", "specifiedBy", "oneOf", "defer", "stream"];

/// Adds the executable directives to the schema.
pub(super) fn read(reader: &mut Reader<'_>, definitions: &Definitions) {
    for written in &definitions.directives {
        let locations = locations(written);
        if locations.is_empty()
            || NOT_FORWARDED.contains(&&*written.name)
            || reader.links.is_of_specification(&written.name)
        {
            continue;
        }
        let is_hidden = |directives: &[Directive]| {
            directives.iter().any(|one| reader.links.meaning(one) == Meaning::Inaccessible)
        };
        let shown = written.arguments.iter().filter(|argument| !is_hidden(&argument.directives));
        let shown: Vec<_> = shown.collect();
        let inputs = shown.into_iter().filter_map(|argument| reader.input(argument));
        let inputs: Vec<_> = inputs.collect();
        let arguments = inputs.into_iter().map(|input| reader.schema.add_input(input)).collect();
        reader.schema.directives.push(DirectiveDefinition {
            name: written.name.clone(),
            description: written.description.clone(),
            arguments,
            locations,
            is_repeatable: written.is_repeatable,
        });
    }
    reader.schema.add_defer();
}

/// Returns the locations where a directive can be sent to subgraphs. Subgraph documents have
/// fragments of their own, so directives on fragment definitions are dropped, and those on spreads
/// become directives on inline fragments.
fn locations(written: &Written) -> Vec<DirectiveLocation> {
    let all = written.locations.iter().filter_map(|name| DirectiveLocation::of_name(name));
    let all: Vec<_> = all.collect();
    let is_told = |location: &DirectiveLocation| match location {
        DirectiveLocation::Query
        | DirectiveLocation::Mutation
        | DirectiveLocation::Subscription
        | DirectiveLocation::Field
        | DirectiveLocation::InlineFragment => true,
        DirectiveLocation::FragmentSpread => all.contains(&DirectiveLocation::InlineFragment),
        DirectiveLocation::FragmentDefinition | DirectiveLocation::VariableDefinition => false,
    };
    all.iter().copied().filter(is_told).collect()
}
