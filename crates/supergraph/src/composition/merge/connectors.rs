//! `@connect` and `@source` in the supergraph: as `@join__directive`, with the subgraph that has them.
//! <https://specs.apollo.dev/connect/v0.4/>

use std::sync::Arc;

use graphql::definitions::{Directive as WrittenDirective, Literal};

use super::applied::written;
use super::document::import;
use super::{Element, Merger, Source};
use crate::composition::connectors::link_of;
use crate::composition::directives::Written;
use crate::composition::schema::all;
use crate::composition::specifications::Meaning;

/// Connector directives, with their names in the specification.
const DIRECTIVES: [(Meaning, &str); 2] =
    [(Meaning::Source, "source"), (Meaning::Connect, "connect")];

impl Merger<'_> {
    /// Returns the connectors and sources of an element; they have the names of their specification.
    pub(super) fn join_connectors<T: Element>(
        &self,
        sources: &[Source<'_, T>],
    ) -> Vec<WrittenDirective> {
        let mut directives = Vec::new();
        for source in sources {
            for (meaning, name) in DIRECTIVES {
                for applied in all(source.element.applied(), meaning) {
                    directives.push(self.joined(source.graph, name, written(applied)));
                }
            }
        }
        directives
    }

    /// Returns the links of the supergraph to the specification: the newest version, and that of each
    /// subgraph.
    pub(super) fn connector_links(&self) -> Vec<WrittenDirective> {
        let linked = self.subgraphs.iter().enumerate();
        let linked = linked.filter_map(|(graph, subgraph)| Some((graph, link_of(subgraph)?)));
        let linked: Vec<_> = linked.collect();
        let Some((_, newest)) = linked.iter().max_by_key(|(_, feature)| feature.version) else {
            return Vec::new();
        };
        let written = Written::new("link").text("url", newest.url.clone());
        let mut links = vec![written.symbol("for", &"EXECUTION".into()).done()];
        for (graph, feature) in &linked {
            let url = Literal::String(feature.url.clone());
            let imports = DIRECTIVES.map(|(_, name)| import(&["@", name].concat(), name));
            let arguments =
                vec![("url".into(), url), ("import".into(), Literal::List(imports.to_vec()))];
            links.push(self.joined(*graph, "link", arguments));
        }
        links
    }

    fn joined(
        &self,
        graph: usize,
        name: &str,
        arguments: Vec<(Arc<str>, Literal)>,
    ) -> WrittenDirective {
        let graph = Literal::Enum(self.graphs[graph].clone());
        Written::new("join__directive")
            .with("graphs", Literal::List(vec![graph]))
            .text("name", name)
            .with("args", Literal::Object(arguments))
            .done()
    }
}
