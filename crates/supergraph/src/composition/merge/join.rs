//! Directives of the join specification. <https://specs.apollo.dev/join/v0.5/>

use graphql::definitions::{Directive, Literal};

use super::fields::FieldMerge;
use super::{Merger, Source};
use crate::composition::directives::Written;
use crate::composition::field_sets;
use crate::composition::roles::split_context;
use crate::composition::schema::{Applied, Field, Input, Kind, Type, all, find, has};
use crate::composition::specifications::Meaning;

impl<'s> Merger<'s> {
    /// Returns the directives of a type: its subgraphs with their keys, interfaces and members.
    pub(super) fn join_type(&self, sources: &[Source<'s, Type>]) -> Vec<Directive> {
        let mut directives = Vec::new();
        for source in sources {
            let graph = &self.graphs[source.graph];
            let Some(composite) = source.element.composite() else { continue };
            for interface in &composite.interfaces {
                let written = Written::new("join__implements").symbol("graph", graph);
                directives.push(written.text("interface", interface.name.clone()).done());
            }
        }
        for source in sources {
            let keys: Vec<_> = all(&source.element.applied, Meaning::Key).collect();
            if keys.is_empty() {
                directives.push(self.join_type_in(source, None));
            }
            for key in keys {
                directives.push(self.join_type_in(source, Some(key)));
            }
        }
        for source in sources {
            let Kind::Union(members) = &source.element.kind else { continue };
            for member in members {
                let graph = &self.graphs[source.graph];
                let written = Written::new("join__unionMember").symbol("graph", graph);
                directives.push(written.text("member", member.name.clone()).done());
            }
        }
        directives
    }

    fn join_type_in(&self, source: &Source<'s, Type>, key: Option<&Applied>) -> Directive {
        let r#type = source.element;
        let mut written = Written::new("join__type").symbol("graph", &self.graphs[source.graph]);
        if let Some(key) = key {
            written = written.text("key", field_sets::text(key).unwrap_or_default());
            if key.is_in_extension || has(&r#type.applied, Meaning::Extends) {
                written = written.with("extension", Literal::Boolean(true));
            }
            if let Some(resolvable) = key.argument("resolvable") {
                written = written.with("resolvable", resolvable.clone());
            }
        }
        if r#type.is_interface_object() {
            written = written.with("isInterfaceObject", Literal::Boolean(true));
        }
        written.done()
    }

    /// Returns the directives of a field. Without directives each subgraph that has the type
    /// resolves the field.
    pub(super) fn join_field(&self, merge: &FieldMerge<'_, 's>) -> Vec<Directive> {
        if !self.needs_join(merge) {
            return Vec::new();
        }
        let sources = merge.sources.iter();
        let sources = sources.filter(|source| !merge.overrides.is_removed(source.graph));
        sources.map(|source| self.join_field_in(merge, source)).collect()
    }

    fn needs_join(&self, merge: &FieldMerge<'_, 's>) -> bool {
        !merge.is_same_type
            || merge.sources.len() < merge.parents.len()
            || merge.overrides.has_effect()
            || merge.sources.iter().any(|source| {
                let Field { applied, roles, arguments, .. } = source.element;
                roles.is_external
                    || has(applied, Meaning::Requires)
                    || has(applied, Meaning::Provides)
                    || arguments.iter().any(is_contextual)
            })
    }

    fn join_field_in(&self, merge: &FieldMerge<'_, 's>, source: &Source<'s, Field>) -> Directive {
        let Field { applied, roles, r#type, arguments, .. } = source.element;
        let mut written = Written::new("join__field").symbol("graph", &self.graphs[source.graph]);
        for (name, meaning) in [("requires", Meaning::Requires), ("provides", Meaning::Provides)] {
            if let Some(text) = find(applied, meaning).and_then(field_sets::text) {
                written = written.text(name, text);
            }
        }
        if !merge.is_same_type {
            written = written.text("type", r#type.to_string());
        }
        if roles.is_external {
            written = written.with("external", Literal::Boolean(true));
        }
        if let Some(from) = find(applied, Meaning::Override).and_then(|it| it.text("from")) {
            written = written.text("override", from.clone());
        }
        if merge.overrides.is_used(source.graph) {
            written = written.with("usedOverridden", Literal::Boolean(true));
        }
        if let Some(label) = merge.overrides.label(source.graph) {
            written = written.text("overrideLabel", label.clone());
        }
        let contextual = arguments.iter().filter_map(|it| self.context_argument(source.graph, it));
        let contextual: Vec<_> = contextual.collect();
        if !contextual.is_empty() {
            written = written.with("contextArguments", Literal::List(contextual));
        }
        written.done()
    }

    /// Returns an argument with a context value as an object of the directive.
    fn context_argument(&self, graph: usize, argument: &Input) -> Option<Literal> {
        let source = find(&argument.applied, Meaning::FromContext)?;
        let (context, selection) = split_context(source.text("field")?)?;
        let text = |text: String| Literal::String(text.into());
        Some(Literal::Object(vec![
            ("context".into(), text(self.context_name(graph, context))),
            ("name".into(), text(argument.name.as_ref().to_owned())),
            ("type".into(), text(argument.r#type.to_string())),
            ("selection".into(), text(selection.to_owned())),
        ]))
    }

    /// Returns the name of a context in the supergraph: contexts of different subgraphs are
    /// different.
    pub(super) fn context_name(&self, graph: usize, context: &str) -> String {
        [&*self.subgraph(graph).name, "__", context].concat()
    }

    /// Returns the directives of an input field.
    pub(super) fn join_input(
        &self,
        sources: &[Source<'s, Input>],
        parents: usize,
        is_same_type: bool,
    ) -> Vec<Directive> {
        if is_same_type && sources.len() == parents {
            return Vec::new();
        }
        let directives = sources.iter().map(|source| {
            let graph = &self.graphs[source.graph];
            let mut written = Written::new("join__field").symbol("graph", graph);
            if !is_same_type {
                written = written.text("type", source.element.r#type.to_string());
            }
            written.done()
        });
        directives.collect()
    }
}

/// Whether the value of an argument is taken from a context; clients do not see it.
pub(super) fn is_contextual(argument: &Input) -> bool {
    has(&argument.applied, Meaning::FromContext)
}
