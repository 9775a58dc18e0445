//! Directives that clients may say in operations: those of the subgraphs' own.
//! <https://spec.graphql.org/draft/#ExecutableDirectiveLocation>

use graphql::definitions::{Definitions, Directive, DirectiveDefinition as Written};
use graphql::schema::{DirectiveDefinition, DirectiveLocation};

use super::links::Meaning;
use super::read::Reader;

/// Those of the specification, which are decided here, and two whose answers come in parts, which no
/// subgraph is asked for.
const NOT_TOLD: [&str; 7] =
    ["skip", "include", "deprecated", "specifiedBy", "oneOf", "defer", "stream"];

/// Adds what operations may say to the schema.
pub(super) fn read(reader: &mut Reader<'_>, definitions: &Definitions) {
    for written in &definitions.directives {
        let locations = locations(written);
        if locations.is_empty()
            || NOT_TOLD.contains(&&*written.name)
            || reader.links.is_theirs(&written.name)
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
}

/// Where a directive can be told to subgraphs. What they are sent has fragments of its own, so nothing
/// of the definitions of the client's is left, and what stands at a spread stands at a fragment in its
/// place.
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
