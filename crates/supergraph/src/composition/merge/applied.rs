//! Merge of applied directives: those of Federation and of GraphQL that supergraphs have.

use std::sync::Arc;

use graphql::definitions::{Directive as WrittenDirective, Literal};

use super::{Element, Merger, Source};
use crate::composition::directives::Written;
use crate::composition::schema::{Applied, all};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding};

/// Arguments of an applied directive.
pub(super) type Arguments = Vec<(Arc<str>, Literal)>;

impl<'s> Merger<'s> {
    /// Chooses the names of directives: those that subgraphs import them with.
    pub(super) fn rename_directives(&mut self) {
        let used: Vec<_> =
            self.subgraphs.iter().map(|subgraph| subgraph.applied_meanings()).collect();
        for directive in Directive::ALL {
            if directive.specification().is_none() {
                continue;
            }
            let names = self.subgraphs.iter().enumerate().filter_map(|(graph, subgraph)| {
                if !used[graph].contains(&Meaning::Merged(*directive)) {
                    return None;
                }
                let feature = subgraph.links.features.iter().find_map(|feature| {
                    let import = feature.imports.iter();
                    let mut import = import.filter(|import| {
                        let called = import.called.trim_start_matches('@');
                        subgraph.links.meaning(called) == Meaning::Merged(*directive)
                    });
                    import.next()
                });
                feature.map(|import| (graph, import.called.clone()))
            });
            let names: Vec<_> = names.collect();
            let Some((_, first)) = names.first() else { continue };
            if names.iter().any(|(_, name)| name != first) {
                let values = names.iter().map(|(graph, name)| (*graph, ["`", name, "`"].concat()));
                let message = format!(
                    "`@{}` is imported with different names: {}.",
                    directive.name(),
                    self.by_value(values)
                );
                let finding = Finding::new(Code::LinkImportNameMismatch, message)
                    .on(["@", directive.name()].concat())
                    .remedy("Import the directive with the same name in all subgraphs.");
                self.errors.push(finding);
            } else if first.trim_start_matches('@') != directive.name() {
                self.renamed.insert(*directive, first.trim_start_matches('@').into());
            }
        }
    }

    /// Returns the name of a directive in the supergraph.
    pub(super) fn name_of(&self, directive: Directive) -> Arc<str> {
        self.renamed.get(&directive).cloned().unwrap_or_else(|| directive.name().into())
    }

    pub(super) fn merge_applied<T: Element>(
        &mut self,
        coordinate: &str,
        sources: &[Source<'_, T>],
    ) -> Vec<WrittenDirective> {
        self.merge_applied_requiring(coordinate, sources, sources)
    }

    /// The same with the authorization requirements of these sources.
    pub(super) fn merge_applied_requiring<T: Element>(
        &mut self,
        coordinate: &str,
        sources: &[Source<'_, T>],
        requiring: &[Source<'_, T>],
    ) -> Vec<WrittenDirective> {
        let mut merged = Vec::new();
        let mut all_sources = sources.iter().chain(requiring);
        if all_sources.all(|source| source.element.applied().is_empty()) {
            return merged;
        }
        for directive in Directive::ALL {
            let sources = match directive {
                Directive::Authenticated | Directive::RequiresScopes | Directive::Policy => {
                    requiring
                }
                _ => sources,
            };
            let applied = sources.iter().flat_map(|source| {
                let applied = all(source.element.applied(), Meaning::Merged(*directive));
                applied.map(|applied| (source.graph, applied))
            });
            let applied: Vec<_> = applied.collect();
            if applied.is_empty() {
                continue;
            }
            self.directives.insert(*directive);
            if *directive == Directive::CacheTag {
                merged.extend(self.join_directives("federation__cacheTag", &applied));
                continue;
            }
            for arguments in self.merge_arguments_of(coordinate, *directive, &applied) {
                let written = Written::new(self.name_of(*directive));
                let written = arguments
                    .into_iter()
                    .fold(written, |written, (name, value)| written.with(&name, value));
                merged.push(written.done());
            }
        }
        self.merge_composed(coordinate, sources, &mut merged);
        merged.extend(self.join_connectors(sources));
        merged
    }

    /// Returns `@join__directive` for each directive that supergraphs have under the name that it has
    /// in subgraphs, with the subgraphs that have it.
    fn join_directives(&self, name: &str, applied: &[(usize, &Applied)]) -> Vec<WrittenDirective> {
        let mut distinct: Vec<(Arguments, Vec<Literal>)> = Vec::new();
        for (graph, one) in applied {
            let own = written(one);
            let graph = Literal::Enum(self.graphs[*graph].clone());
            match distinct.iter_mut().find(|(known, _)| is_same(known, &own)) {
                Some((_, graphs)) => graphs.push(graph),
                None => distinct.push((own, vec![graph])),
            }
        }
        let written = distinct.into_iter().map(|(arguments, graphs)| {
            Written::new("join__directive")
                .with("graphs", Literal::List(graphs))
                .text("name", name)
                .with("args", Literal::Object(arguments))
                .done()
        });
        written.collect()
    }

    /// Merges the directives of the schema itself.
    pub(super) fn merge_schema_directives(&mut self) {
        let sources: Vec<_> = (0..self.subgraphs.len())
            .map(|graph| Source { graph, element: self.subgraph(graph) })
            .collect();
        self.schema_directives = self.merge_applied("schema", &sources);
    }

    /// Returns the arguments of each directive in the supergraph.
    fn merge_arguments_of(
        &mut self,
        coordinate: &str,
        directive: Directive,
        applied: &[(usize, &Applied)],
    ) -> Vec<Arguments> {
        let mut distinct: Vec<Arguments> = Vec::new();
        for (graph, one) in applied {
            let mut own = arguments(directive, one);
            if directive == Directive::Context {
                for (_, value) in &mut own {
                    if let Literal::String(name) = value {
                        *value = Literal::String(self.context_name(*graph, name).into());
                    }
                }
            }
            if !distinct.iter().any(|known| is_same(known, &own)) {
                distinct.push(own);
            }
        }
        if distinct.len() < 2 {
            return distinct;
        }
        let combined = match directive {
            Directive::Tag | Directive::Context | Directive::CacheTag => return distinct,
            Directive::Deprecated | Directive::SpecifiedBy => {
                return vec![self.most_frequent((coordinate, directive.name()), applied)];
            }
            Directive::Cost => combine(&distinct, |_, one, other| greater(one, other)),
            Directive::ListSize => combine(&distinct, |name, one, other| match name {
                "assumedSize" => greater(one, other),
                "requireOneSlicingArgument" => Literal::Boolean(
                    *one == Literal::Boolean(true) && *other == Literal::Boolean(true),
                ),
                _ => union(one, other),
            }),
            Directive::RequiresScopes | Directive::Policy => {
                combine(&distinct, |_, one, other| conjunction(one, other))
            }
            // These have no arguments.
            Directive::Inaccessible | Directive::Authenticated | Directive::OneOf => {
                return distinct;
            }
        };
        let message = format!(
            "`@{}` on `{coordinate}` has different arguments in {}; the supergraph combines them.",
            directive.name(),
            self.named_subgraphs(distinct_graphs(applied))
        );
        let hint = Finding::new(Code::MergedNonRepeatableDirectiveArguments, message);
        self.hints.push(self.with_places(hint.on(coordinate), applied));
        vec![combined]
    }

    /// Returns the arguments that most subgraphs have.
    pub(super) fn most_frequent(
        &mut self,
        (coordinate, directive): (&str, &str),
        applied: &[(usize, &Applied)],
    ) -> Arguments {
        let mut counts: Vec<(Arguments, usize)> = Vec::new();
        for (_, one) in applied {
            let own = written(one);
            match counts.iter_mut().find(|(known, _)| is_same(known, &own)) {
                Some((_, count)) => *count += 1,
                None => counts.push((own, 1)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or_default();
        let chosen = counts.into_iter().find(|(_, count)| *count == most);
        let message = format!(
            "`@{}` on `{coordinate}` has different arguments in {}; the supergraph has the most \
             frequent ones.",
            directive,
            self.named_subgraphs(distinct_graphs(applied))
        );
        let hint = Finding::new(Code::InconsistentNonRepeatableDirectiveArguments, message);
        self.hints.push(self.with_places(hint.on(coordinate), applied));
        chosen.map(|(arguments, _)| arguments).unwrap_or_default()
    }

    fn with_places(&self, mut finding: Finding, applied: &[(usize, &Applied)]) -> Finding {
        let locations = applied.iter().map(|(graph, one)| self.subgraph(*graph).location(one.at()));
        finding.locations.extend(locations);
        finding
    }
}

fn distinct_graphs(applied: &[(usize, &Applied)]) -> Vec<usize> {
    let mut graphs: Vec<_> = applied.iter().map(|(graph, _)| *graph).collect();
    graphs.dedup();
    graphs
}

/// Returns arguments as written.
pub(super) fn written(applied: &Applied) -> Arguments {
    let arguments = applied.directive.arguments.iter();
    arguments.map(|argument| (argument.name.clone(), argument.value.clone())).collect()
}

fn arguments(directive: Directive, applied: &Applied) -> Arguments {
    let mut arguments = written(applied);
    // The coercion of a value to a list of one.
    let name = match directive {
        Directive::ListSize => Some(["slicingArguments", "sizedFields"].as_slice()),
        Directive::RequiresScopes => Some(["scopes"].as_slice()),
        Directive::Policy => Some(["policies"].as_slice()),
        _ => None,
    };
    for (_, value) in
        arguments.iter_mut().filter(|(own, _)| name.is_some_and(|names| names.contains(&&**own)))
    {
        if !matches!(value, Literal::List(_) | Literal::Null) {
            *value = Literal::List(vec![value.clone()]);
        }
    }
    arguments
}

/// Whether arguments are the same in any order.
pub(super) fn is_same(one: &Arguments, other: &Arguments) -> bool {
    one.len() == other.len() && one.iter().all(|argument| other.contains(argument))
}

/// Combines the values of each argument.
fn combine(all: &[Arguments], values: impl Fn(&str, &Literal, &Literal) -> Literal) -> Arguments {
    let mut combined = Arguments::new();
    for (name, value) in all.iter().flatten() {
        match combined.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = values(name, known, value),
            None => combined.push((name.clone(), value.clone())),
        }
    }
    combined
}

fn greater(one: &Literal, other: &Literal) -> Literal {
    let number = |literal: &Literal| match literal {
        Literal::Int(digits) => digits.parse::<i64>().ok(),
        _ => None,
    };
    if number(other) > number(one) { other.clone() } else { one.clone() }
}

fn items(literal: &Literal) -> Vec<Literal> {
    match literal {
        Literal::List(items) => items.clone(),
        Literal::Null => Vec::new(),
        other => vec![other.clone()],
    }
}

fn union(one: &Literal, other: &Literal) -> Literal {
    let mut all = items(one);
    for item in items(other) {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    Literal::List(all)
}

/// Combines alternatives of requirements: each alternative of one with each of the other.
pub(super) fn conjunction(one: &Literal, other: &Literal) -> Literal {
    let mut all: Vec<Literal> = Vec::new();
    for first in items(one) {
        for second in items(other) {
            let mut both = items(&union(&first, &second));
            both.sort_by_key(|item| match item {
                Literal::String(text) => Some(Arc::clone(text)),
                _ => None,
            });
            let both = Literal::List(both);
            if !all.contains(&both) {
                all.push(both);
            }
        }
    }
    // An alternative that requires more than another one is redundant.
    let redundant = |alternative: &Literal| {
        let own = items(alternative);
        all.iter().any(|other| {
            let other = items(other);
            other.len() < own.len() && other.iter().all(|item| own.contains(item))
        })
    };
    Literal::List(all.iter().filter(|alternative| !redundant(alternative)).cloned().collect())
}
