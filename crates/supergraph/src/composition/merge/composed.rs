//! `@composeDirective`: custom directives that subgraphs keep in the supergraph.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#composedirective>

use std::sync::Arc;

use graphql::definitions::{Directive as WrittenDirective, DirectiveDefinition, Literal};

use super::applied::{Arguments, is_same, written};
use super::document::import;
use super::enums::Usage;
use super::{Element, Merger, Source};
use crate::composition::directives::Written;
use crate::composition::links::Feature;
use crate::composition::schema::{Applied, all};
use crate::composition::specifications::{Directive, Meaning, OTHERS, SPECIFICATIONS};
use crate::composition::{Code, Finding};

/// Custom directives of the supergraph.
#[derive(Debug, Default)]
pub(super) struct Composed {
    directives: Vec<ComposedDirective>,
}

#[derive(Debug)]
struct ComposedDirective {
    /// Name in the subgraphs and the supergraph.
    name: Arc<str>,
    /// Name in the specification.
    original: Arc<str>,
    /// The newest link to the specification.
    feature: Feature,
    definition: DirectiveDefinition,
    /// Subgraphs that compose it.
    graphs: Vec<usize>,
}

/// A directive that a subgraph composes.
#[derive(Debug)]
struct Composing<'s> {
    graph: usize,
    applied: &'s Applied,
    /// Without `@`.
    name: Arc<str>,
    original: Arc<str>,
    feature: &'s Feature,
    definition: &'s DirectiveDefinition,
}

/// Returns the name of a specification of Federation's authors.
fn own_name(feature: &Feature) -> Option<&str> {
    feature.identity.strip_prefix(SPECIFICATIONS)?.strip_prefix('/')
}

/// Returns another name for a specification whose name is that of another one.
pub(super) fn other_name(name: &str) -> String {
    ["_0", name].concat()
}

/// Whether composition knows a specification.
fn is_specified(feature: &Feature) -> bool {
    let name = own_name(feature);
    matches!(name, Some("federation" | "join" | "core"))
        || OTHERS.iter().any(|(known, _)| name == Some(*known))
}

impl Composed {
    /// Whether a subgraph composes a directive.
    pub(super) fn is_composed_by(&self, name: &str, graph: usize) -> bool {
        let mut directives = self.directives.iter();
        directives.any(|own| &*own.name == name && own.graphs.contains(&graph))
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = DirectiveDefinition> {
        self.directives.iter().map(|directive| directive.definition.clone())
    }

    /// Whether a directive of this name is composed.
    pub(super) fn has(&self, name: &str) -> bool {
        self.directives.iter().any(|own| *own.name == *name)
    }

    /// Returns the prefixes of the types of the specifications.
    pub(super) fn prefixes(&self) -> Vec<String> {
        self.directives.iter().map(|own| [&*own.feature.called, "__"].concat()).collect()
    }

    /// Returns one link for each specification; `taken` are the names of other linked specifications.
    pub(super) fn links(&self, taken: &[&str]) -> Vec<WrittenDirective> {
        let mut links = Vec::new();
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for directive in &self.directives {
            let identity = &directive.feature.identity;
            if seen.contains(&identity) {
                continue;
            }
            seen.push(identity);
            let own = self.directives.iter().filter(|own| own.feature.identity == *identity);
            let versions = own.clone().map(|own| &own.feature);
            let Some(newest) = versions.max_by_key(|feature| feature.version) else { continue };
            let imports = own.map(|own| import(&["@", &own.original].concat(), &own.name));
            let imports = Literal::List(imports.collect());
            let mut written = Written::new("link").text("url", newest.url.clone());
            if taken.contains(&&*newest.name) && !self.has(&newest.name) {
                written = written.text("as", other_name(&newest.name));
            }
            links.push(written.with("import", imports).done());
        }
        links
    }
}

impl<'s> Merger<'s> {
    pub(super) fn compose_directives(&mut self) {
        let mut composing: Vec<Composing<'s>> = Vec::new();
        for graph in 0..self.subgraphs.len() {
            let subgraph = self.subgraph(graph);
            for applied in all(&subgraph.applied, Meaning::ComposeDirective) {
                composing.extend(self.composing(graph, applied));
            }
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        for one in &composing {
            if !names.contains(&one.name) {
                names.push(one.name.clone());
            }
        }
        for name in names {
            let own: Vec<_> = composing.iter().filter(|one| one.name == name).collect();
            if self.check_composing(&own, &composing) {
                self.add_composed(&own);
            }
        }
    }

    /// Resolves a `@composeDirective`; adds an error or a hint if it has no effect.
    fn composing(&mut self, graph: usize, applied: &'s Applied) -> Option<Composing<'s>> {
        let subgraph = self.subgraph(graph);
        let error = |message: String| {
            Finding::new(Code::DirectiveCompositionError, message)
                .at(subgraph.location(applied.at()))
        };
        let argument = match applied.argument("name") {
            Some(Literal::String(name)) if !name.is_empty() => name,
            _ => {
                let message = format!(
                    "`@composeDirective` in the subgraph \"{}\" has no name of a directive.",
                    subgraph.name
                );
                let remedy = "Write the name of a directive, such as \"@custom\".";
                self.errors.push(error(message).remedy(remedy));
                return None;
            }
        };
        let Some(name) = argument.strip_prefix('@') else {
            let message = format!(
                "`@composeDirective` in the subgraph \"{}\" names \"{argument}\" without `@`.",
                subgraph.name
            );
            self.errors.push(error(message).remedy(format!("Write \"@{argument}\".")));
            return None;
        };
        match subgraph.links.meaning(name) {
            Meaning::Custom => {}
            // Some composers need it there.
            Meaning::Merged(Directive::OneOf) => return None,
            Meaning::Merged(_) => {
                let message = format!(
                    "`@{name}` is in the supergraph without `@composeDirective` in the subgraph \
                     \"{}\".",
                    subgraph.name
                );
                let hint = Finding::new(Code::DirectiveCompositionInfo, message);
                self.hints.push(hint.at(subgraph.location(applied.at())));
                return None;
            }
            _ => {
                let message = format!(
                    "`@{name}` of Federation cannot be composed in the subgraph \"{}\".",
                    subgraph.name
                );
                let remedy = "Remove `@composeDirective`.";
                self.errors.push(error(message).remedy(remedy));
                return None;
            }
        }
        let definition = subgraph.directives.iter().find(|own| *own.name == *name);
        let Some(definition) = definition else {
            let names = subgraph.directives.iter().map(|own| &*own.name);
            let similar = graphql::similar_names(name, names);
            let suggestion = similar.first().map(|name| format!("Did you mean `@{name}`?"));
            let message = format!(
                "`@composeDirective` in the subgraph \"{}\" names `@{name}`, which is not defined.",
                subgraph.name
            );
            let remedy = suggestion.unwrap_or_else(|| "Define the directive.".to_owned());
            self.errors.push(error(message).remedy(remedy));
            return None;
        };
        let Some((feature, original)) = subgraph.links.feature_of(name) else {
            let message = format!(
                "`@{name}` in the subgraph \"{}\" cannot be composed, because it belongs to no linked \
                 specification.",
                subgraph.name
            );
            let remedy = format!(
                "Import it: `@link(url: \"https://example.com/{name}/v1.0\", import: [\"@{name}\"])`."
            );
            self.errors.push(error(message).remedy(remedy));
            return None;
        };
        if let Some("link" | "join" | "core" | "federation") = own_name(feature) {
            let message = format!(
                "`@{name}` of Federation cannot be composed in the subgraph \"{}\".",
                subgraph.name
            );
            self.errors.push(error(message).remedy("Remove `@composeDirective`."));
            return None;
        }
        if let Some(("link" | "join", _)) = name.split_once("__") {
            let message = format!(
                "`@{name}` in the subgraph \"{}\" has the name of a directive of Federation in \
                 supergraphs.",
                subgraph.name
            );
            let finding = Finding::new(Code::InvalidLinkDirectiveUsage, message)
                .at(subgraph.location(feature.at))
                .remedy("Import it with another name: `{ name: \"@name\", as: \"@other\" }`.");
            self.errors.push(finding);
            return None;
        }
        Some(Composing { graph, applied, name: name.into(), original, feature, definition })
    }

    /// Whether subgraphs agree on the specification of a directive, its name and its major version.
    fn check_composing(&mut self, own: &[&Composing<'s>], all: &[Composing<'s>]) -> bool {
        let Some(first) = own.first() else { return false };
        let problem = if own.iter().any(|one| {
            one.feature.identity != first.feature.identity || one.original != first.original
        }) {
            let values = own.iter().map(|one| {
                let url = &one.feature.identity;
                (one.graph, format!("`@{}` of {url}", one.original))
            });
            Some(format!(
                "`@{}` belongs to different specifications: {}.",
                first.name,
                self.by_value(values)
            ))
        } else if all.iter().any(|other| {
            other.name != first.name
                && other.original == first.original
                && other.feature.identity == first.feature.identity
        }) {
            let values = all.iter().filter(|other| {
                other.original == first.original && other.feature.identity == first.feature.identity
            });
            let values = values.map(|one| (one.graph, ["`@", &one.name, "`"].concat()));
            Some(format!(
                "`@{}` of {} is composed with different names: {}.",
                first.original,
                first.feature.identity,
                self.by_value(values)
            ))
        } else {
            let major = |feature: &Feature| feature.version.map(|version| version.major);
            let of_feature =
                || all.iter().filter(|one| one.feature.identity == first.feature.identity);
            let differ = of_feature().any(|one| major(one.feature) != major(first.feature));
            differ.then(|| {
                let values = of_feature().map(|one| {
                    let version = one.feature.version;
                    (one.graph, version.map(|it| it.to_string()).unwrap_or_default())
                });
                format!(
                    "The specification {} of `@{}` has different major versions: {}.",
                    first.feature.identity,
                    first.name,
                    self.by_value(values)
                )
            })
        };
        let Some(message) = problem else { return true };
        let mut finding = Finding::new(Code::DirectiveCompositionError, message)
            .on(["@", &first.name].concat())
            .remedy("Link the same specification with the same name and major version.");
        for one in own {
            finding.locations.push(self.subgraph(one.graph).location(one.applied.at()));
        }
        self.errors.push(finding);
        false
    }

    fn add_composed(&mut self, own: &[&Composing<'s>]) {
        let Some(newest) = own.iter().max_by_key(|one| one.feature.version) else { return };
        if newest.feature.identity.starts_with(SPECIFICATIONS)
            && Directive::ALL.iter().any(|known| *known.name() == *newest.feature.name)
        {
            return;
        }
        for argument in &newest.definition.arguments {
            let coordinate = ["@", &newest.name, "(", &argument.name, ":)"].concat();
            self.use_type(&argument.r#type, Usage::Input, &coordinate);
        }
        let graphs: Vec<_> = own.iter().map(|one| one.graph).collect();
        self.hint_not_composed(newest, &graphs);
        self.composed.directives.push(ComposedDirective {
            name: newest.name.clone(),
            original: newest.original.clone(),
            feature: newest.feature.clone(),
            definition: newest.definition.clone(),
            graphs,
        });
    }

    /// Adds hints for specifications without composed directives that subgraphs link in different
    /// major versions.
    pub(super) fn hint_versions_of_features(&mut self) {
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for subgraph in self.subgraphs {
            for feature in &subgraph.links.features {
                let identity = &feature.identity;
                let is_composed =
                    self.composed.directives.iter().any(|own| own.feature.identity == *identity);
                if seen.contains(&identity) || is_composed || is_specified(feature) {
                    continue;
                }
                seen.push(identity);
                self.hint_versions_of(identity);
            }
        }
    }

    fn hint_versions_of(&mut self, identity: &Arc<str>) {
        let linking: Vec<(usize, &Feature)> = self
            .subgraphs
            .iter()
            .enumerate()
            .filter_map(|(graph, subgraph)| {
                let mut features = subgraph.links.features.iter();
                Some((graph, features.find(|own| own.identity == *identity)?))
            })
            .collect();
        let major = |feature: &Feature| feature.version.map(|version| version.major);
        let first = linking.first().map(|(_, feature)| major(feature));
        if linking.iter().all(|(_, feature)| Some(major(feature)) == first) {
            return;
        }
        let versions = linking.iter().map(|(graph, feature)| {
            (*graph, feature.version.map(|version| version.to_string()).unwrap_or_default())
        });
        let message = format!(
            "The specification {identity}, of which nothing is composed, has different major \
             versions: {}.",
            self.by_value(versions)
        );
        let mut hint = Finding::new(Code::DirectiveCompositionInfo, message);
        for (graph, feature) in linking {
            hint.locations.push(self.subgraph(graph).location(feature.at));
        }
        self.hints.push(hint);
    }

    /// Adds a hint for subgraphs that have a directive of a composed specification with another
    /// name, or another major version, and do not compose it.
    fn hint_not_composed(&mut self, newest: &Composing<'s>, graphs: &[usize]) {
        for (graph, subgraph) in self.subgraphs.iter().enumerate() {
            if graphs.contains(&graph) {
                continue;
            }
            let features = subgraph.links.features.iter();
            let mut features = features.filter(|own| own.identity == newest.feature.identity);
            let Some(feature) = features.next() else { continue };
            let major = |feature: &Feature| feature.version.map(|version| version.major);
            if major(feature) != major(newest.feature) {
                let message = format!(
                    "The subgraph \"{}\" links another major version of {}, whose directives are \
                     composed.",
                    subgraph.name, feature.identity
                );
                let hint = Finding::new(Code::DirectiveCompositionInfo, message);
                self.hints.push(hint.at(subgraph.location(feature.at)));
            }
            let original = ["@", &newest.original].concat();
            let import = feature.imports.iter().find(|import| *import.name == *original);
            if let Some(import) = import
                && import.called.trim_start_matches('@') != &*newest.name
            {
                let message = format!(
                    "The subgraph \"{}\" has `{original}` as `{}`, which is composed as `@{}` in \
                     other subgraphs.",
                    subgraph.name, import.called, newest.name
                );
                let hint = Finding::new(Code::DirectiveCompositionWarn, message);
                self.hints.push(hint.at(subgraph.location(feature.at)));
            }
        }
    }

    /// Adds the composed custom directives of an element.
    pub(super) fn merge_composed<T: Element>(
        &mut self,
        coordinate: &str,
        sources: &[Source<'_, T>],
        merged: &mut Vec<WrittenDirective>,
    ) {
        for index in 0..self.composed.directives.len() {
            let directive = &self.composed.directives[index];
            let own = sources.iter().filter(|source| directive.graphs.contains(&source.graph));
            let applied = own.flat_map(|source| {
                let applied = all(source.element.applied(), Meaning::Custom);
                let applied = applied.filter(|one| one.directive.name == directive.name);
                applied.map(|one| (source.graph, one))
            });
            let applied: Vec<_> = applied.collect();
            let name = directive.name.clone();
            let mut distinct: Vec<Arguments> = Vec::new();
            for (_, one) in &applied {
                let own = written(one);
                if !distinct.iter().any(|known| is_same(known, &own)) {
                    distinct.push(own);
                }
            }
            if distinct.len() > 1 && !directive.definition.is_repeatable {
                distinct = vec![self.most_frequent((coordinate, &name), &applied)];
            }
            for arguments in distinct {
                let written = Written::new(name.clone());
                let written = arguments
                    .into_iter()
                    .fold(written, |written, (name, value)| written.with(&name, value));
                merged.push(written.done());
            }
        }
    }
}
