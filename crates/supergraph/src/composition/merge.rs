//! Merge of the types of all subgraphs.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/composition#rules-of-composition>

mod applied;
mod arguments;
mod authorization;
mod cache_control;
mod composed;
mod connectors;
mod descriptions;
mod document;

mod enums;
mod executable;
mod external;
mod fields;
mod graphs;
mod hierarchy;
mod implementations;
mod inaccessible;
mod inputs;
mod interface_objects;
mod join;
mod members;
mod missing;
mod overrides;
mod required_arguments;
mod sharing;
mod supergraph;
mod type_references;
mod types;
mod value_types;
mod wording;

use std::collections::BTreeSet;
use std::sync::Arc;

use graphql::definitions::{Directive as WrittenDirective, DirectiveDefinition, TypeDefinition};
use graphql::print_definitions;
use rustc_hash::FxHashMap;

use super::schema::{Applied, At, Field, Input, Kind, Subgraph, Type, Value};
use super::specifications::{Directive, FEDERATION_1};
use super::{Code, Composition, Finding};
use composed::Composed;
use enums::Usages;
use hierarchy::Hierarchy;

/// An element of the schema of a subgraph.
#[derive(Debug)]
struct Source<'s, T> {
    /// Index of the subgraph.
    graph: usize,
    element: &'s T,
}

impl<T> Clone for Source<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Source<'_, T> {}

/// Common parts of elements.
trait Element {
    fn at(&self) -> At;
    fn description(&self) -> Option<&Arc<str>>;
    fn applied(&self) -> &[Applied];
}

macro_rules! elements {
    ($($element:ty),+) => {
        $(impl Element for $element {
            fn at(&self) -> At {
                self.at
            }

            fn description(&self) -> Option<&Arc<str>> {
                self.description.as_ref()
            }

            fn applied(&self) -> &[Applied] {
                &self.applied
            }
        })+
    };
}

elements!(Type, Field, Input, Value);

impl Element for Subgraph {
    fn at(&self) -> At {
        At::default()
    }

    fn description(&self) -> Option<&Arc<str>> {
        None
    }

    fn applied(&self) -> &[Applied] {
        &self.applied
    }
}

/// The types of all subgraphs.
#[derive(Debug, Default)]
struct Types<'s> {
    /// By name, in the order of their first subgraph.
    all: Vec<(&'s Arc<str>, Vec<Source<'s, Type>>)>,
    /// Indexes of [`all`](Self::all).
    by_name: FxHashMap<&'s str, usize>,
    /// Subgraphs with interface objects, by name.
    interface_objects: FxHashMap<&'s str, Vec<Source<'s, Type>>>,
}

impl<'s> Types<'s> {
    fn new(subgraphs: &[&'s Subgraph]) -> Self {
        let mut types = Self::default();
        for (graph, subgraph) in subgraphs.iter().enumerate() {
            for r#type in &subgraph.types {
                let source = Source { graph, element: r#type };
                if r#type.is_interface_object() {
                    types.interface_objects.entry(&r#type.name).or_default().push(source);
                }
                match types.by_name.get(&*r#type.name) {
                    Some(index) => types.all[*index].1.push(source),
                    None => {
                        types.by_name.insert(&r#type.name, types.all.len());
                        types.all.push((&r#type.name, vec![source]));
                    }
                }
            }
        }
        types
    }
}

/// State of a merge.
#[derive(Debug)]
struct Merger<'s> {
    subgraphs: &'s [&'s Subgraph],
    /// Enum values of the subgraphs in the supergraph.
    graphs: Vec<Arc<str>>,
    hierarchy: Hierarchy<'s>,
    types: Arc<Types<'s>>,
    /// Positions in which enums are used.
    usages: FxHashMap<Arc<str>, Usages>,
    /// Directives that are in the supergraph.
    directives: BTreeSet<Directive>,
    /// Names of directives in the supergraph that are imported with another name.
    renamed: FxHashMap<Directive, Arc<str>>,
    /// Directives of the schema itself.
    schema_directives: Vec<WrittenDirective>,
    /// Custom directives that subgraphs compose.
    composed: Composed,
    /// Directives of operations that all subgraphs define.
    executable: Vec<DirectiveDefinition>,
    errors: Vec<Finding>,
    hints: Vec<Finding>,
}

/// Merges subgraphs, which are sorted by name.
pub(crate) fn merge(subgraphs: &[&Subgraph]) -> Composition {
    let mut merger = Merger {
        subgraphs,
        graphs: graphs::names(subgraphs),
        hierarchy: Hierarchy::new(subgraphs),
        types: Arc::new(Types::new(subgraphs)),
        usages: FxHashMap::default(),
        directives: BTreeSet::new(),
        renamed: FxHashMap::default(),
        schema_directives: Vec::new(),
        composed: Composed::default(),
        executable: Vec::new(),
        errors: Vec::new(),
        hints: Vec::new(),
    };
    merger.rename_directives();
    merger.compose_directives();
    merger.hint_versions_of_features();
    merger.merge_executable_directives();
    merger.merge_schema_directives();
    merger.hints.extend(subgraphs.iter().flat_map(|subgraph| subgraph.hints.iter().cloned()));
    merger.hint_versions();
    merger.hint_cache_control();
    let mut types = merger.merge_types();
    merger.add_fields_of_interface_objects(&mut types);
    merger.require_of_implementations(&mut types);
    merger.check_queries(&types);
    // Later checks would find the consequences of earlier errors.
    if merger.errors.is_empty() {
        merger.check_implementations(&types);
        merger.check_transitive_requirements(&types);
        merger.check_required_arguments(&types);
    }
    if merger.errors.is_empty() {
        merger.check_merged_fields(&types);
    }
    if merger.errors.is_empty() {
        merger.check_inaccessible(&types);
    }
    let definitions = merger.errors.is_empty().then(|| merger.document(types));
    if let Some(definitions) = &definitions {
        merger.check_supergraph(definitions);
    }
    let is_valid = merger.errors.is_empty();
    let supergraph = definitions.filter(|_| is_valid).map(|it| print_definitions(&it));
    Composition { supergraph, errors: merger.errors, hints: merger.hints }
}

impl<'s> Merger<'s> {
    /// Returns a type of all subgraphs.
    fn find_sources(&self, name: &str) -> &[Source<'s, Type>] {
        self.types.by_name.get(name).map_or(&[], |index| &self.types.all[*index].1)
    }

    fn subgraph(&self, graph: usize) -> &'s Subgraph {
        self.subgraphs[graph]
    }

    /// Adds the locations of elements to a finding.
    fn located<T: Element>(&self, mut finding: Finding, sources: &[Source<'_, T>]) -> Finding {
        let locations =
            sources.iter().map(|source| self.subgraph(source.graph).location(source.element.at()));
        finding.locations.extend(locations);
        finding
    }

    /// Adds a hint for each subgraph that links a specification of a newer Federation than its own.
    fn hint_versions(&mut self) {
        for subgraph in self.subgraphs {
            let (own, effective) =
                (subgraph.links.federation, subgraph.links.effective_federation());
            if own == effective || own == FEDERATION_1 {
                continue;
            }
            let message = format!(
                "The subgraph \"{}\" links Federation {own}, and a specification of Federation \
                 {effective}, whose rules it has.",
                subgraph.name
            );
            let hint = Finding::new(Code::ImplicitlyUpgradedFederationVersion, message);
            let own = subgraph.links.features.iter().find(|feature| &*feature.name == "federation");
            let at = own.map(|feature| feature.at).unwrap_or_default();
            self.hints.push(hint.at(subgraph.location(at)));
        }
    }

    fn check_queries(&mut self, types: &[TypeDefinition]) {
        let sources = self.find_sources("Query");
        let has_fields = sources.iter().any(|source| !source.element.fields().is_empty());
        if has_fields || types.is_empty() {
            return;
        }
        let finding = Finding::new(Code::NoQueries, "No subgraph has fields of the type `Query`.")
            .on("Query")
            .remedy("Add a field to `Query` in at least one subgraph.");
        self.errors.push(finding);
    }
}

/// Whether a type is an object.
fn is_object(r#type: &Type) -> bool {
    matches!(r#type.kind, Kind::Object(_))
}
