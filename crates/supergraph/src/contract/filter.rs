//! Hides elements by their tags.

use std::sync::Arc;

use graphql::definitions::{Directive, TypeBody, TypeDefinition};
use rustc_hash::FxHashSet;

use super::Filter;
use super::elements::{Elements, visit};
use crate::composed::links::{Links, Meaning, text};
use crate::coordinate::Coordinate;

/// Hides the elements that the filter leaves out. Returns all tags of the supergraph.
pub(super) fn hide_by_tags(elements: &mut Elements, filter: &Filter) -> FxHashSet<Arc<str>> {
    let mut tags = FxHashSet::default();
    let mut hidden = Vec::new();
    for definition in elements.types() {
        let of_type: Vec<&str> = tags_of(&elements.links, &definition.directives).collect();
        visit(definition, &mut |coordinate, directives| {
            let own: Vec<&str> = tags_of(&elements.links, directives).collect();
            tags.extend(own.iter().map(|tag| Arc::from(*tag)));
            let has = |wanted: &[Arc<str>]| {
                wanted.iter().any(|tag| own.contains(&&**tag) || of_type.contains(&&**tag))
            };
            let is_filtered = is_filtered_by_inclusion(definition, &coordinate);
            let is_included = filter.include.is_empty() || !is_filtered || has(&filter.include);
            if has(&filter.exclude) || !is_included {
                hidden.push(coordinate);
            }
        });
    }
    elements.hidden.extend(hidden);
    // The type of queries stays: a contract without any query is an error.
    let query = elements.root("query").map(Arc::clone);
    let emptied = elements.types().filter(|definition| {
        !matches!(definition.body, TypeBody::Union(_))
            && query.as_ref() != Some(&definition.name)
            && elements.has_only_hidden_members(definition)
    });
    let emptied: Vec<_> = emptied.map(|definition| Coordinate::of_type(&definition.name)).collect();
    elements.hidden.extend(emptied);
    tags
}

/// Whether the included tags decide about an element: fields of objects and interfaces, and unions.
/// All others are included unless they have an excluded tag.
fn is_filtered_by_inclusion(definition: &TypeDefinition, coordinate: &Coordinate) -> bool {
    match (&definition.body, coordinate) {
        (TypeBody::Object(_) | TypeBody::Interface(_), Coordinate::Member { .. }) => true,
        (TypeBody::Union(_), _) => true,
        (_, _) => false,
    }
}

fn tags_of<'d>(
    links: &'d Links,
    directives: &'d [Directive],
) -> impl Iterator<Item = &'d str> + 'd {
    let tags = directives.iter().filter(|one| links.meaning(one) == Meaning::Tag);
    tags.filter_map(|directive| text(directive, "name"))
}
