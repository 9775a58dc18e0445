//! `@override`: a field that another subgraph takes over.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#override>

use std::sync::Arc;

use super::{Merger, Source, is_object};
use crate::composition::schema::{Applied, Field, Type, find, has};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

/// Overridden sources of a field, by the index of the subgraph.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    /// No longer resolved, and not used in the subgraph otherwise.
    removed: Vec<usize>,
    /// No longer resolved, but in a field set or an interface of the subgraph.
    used: Vec<usize>,
    /// Resolved depending on a label.
    left: Vec<usize>,
    /// Label of a progressive override, of both subgraphs.
    labels: Vec<(usize, Arc<str>)>,
}

impl Overrides {
    pub(super) fn is_removed(&self, graph: usize) -> bool {
        self.removed.contains(&graph)
    }

    pub(super) fn is_used(&self, graph: usize) -> bool {
        self.used.contains(&graph)
    }

    /// Whether another subgraph takes the field over if a label is active.
    pub(super) fn is_left(&self, graph: usize) -> bool {
        self.left.contains(&graph)
    }

    /// Whether another subgraph takes the field over, at least if a label is active.
    pub(super) fn is_overridden(&self, graph: usize) -> bool {
        self.is_removed(graph) || self.is_used(graph) || self.is_left(graph)
    }

    pub(super) fn label(&self, graph: usize) -> Option<&Arc<str>> {
        let mut labels = self.labels.iter();
        labels.find(|(known, _)| *known == graph).map(|(_, label)| label)
    }

    /// Whether any source is overridden.
    pub(super) fn has_effect(&self) -> bool {
        !(self.removed.is_empty() && self.used.is_empty() && self.labels.is_empty())
    }
}

impl<'s> Merger<'s> {
    pub(super) fn overrides(
        &mut self,
        coordinate: &str,
        parents: &[Source<'s, Type>],
        sources: &[Source<'s, Field>],
    ) -> Overrides {
        let mut overrides = Overrides::default();
        for source in sources {
            if let Some(applied) = find(&source.element.applied, Meaning::Override)
                && let Some(from) = applied.text("from")
            {
                let mut parents = parents.iter();
                let parent = parents.find(|parent| parent.graph == source.graph);
                let Some(parent) = parent else { continue };
                if !is_object(parent.element) || parent.element.is_interface_object() {
                    self.report_interface(coordinate, parent, applied);
                    continue;
                }
                self.add_override(coordinate, sources, (source, applied, from), &mut overrides);
            }
        }
        overrides
    }

    fn report_interface(&mut self, coordinate: &str, parent: &Source<'s, Type>, applied: &Applied) {
        let subgraph = self.subgraph(parent.graph);
        let (code, words) = match parent.element.is_interface_object() {
            true => (Code::OverrideCollisionWithAnotherDirective, "interface object"),
            false => (Code::OverrideOnInterface, "interface"),
        };
        let message = format!(
            "`{coordinate}` is a field of an {words} in the subgraph \"{}\", which `@override` does \
             not support.",
            subgraph.name
        );
        let finding = Finding::new(code, message)
            .on(coordinate)
            .at(subgraph.location(applied.at()))
            .remedy("Remove `@override`.");
        self.errors.push(finding);
    }

    fn add_override(
        &mut self,
        coordinate: &str,
        sources: &[Source<'s, Field>],
        (source, applied, from): (&Source<'s, Field>, &Applied, &Arc<str>),
        overrides: &mut Overrides,
    ) {
        let own = &self.subgraph(source.graph).name;
        if let Some(label) = applied.text("label").filter(|label| !is_label(label)) {
            let message = format!(
                "The label \"{label}\" of `@override` on `{coordinate}` in the subgraph \"{own}\" is \
                 no label."
            );
            let finding = Finding::new(Code::OverrideLabelInvalid, message)
                .on(coordinate)
                .at(self.subgraph(source.graph).location(applied.at()))
                .remedy(
                    "Begin with a letter, followed by letters, digits, `_`, `-`, `:`, `.` and `/`; or \
                     write `percent(N)` with a number from 0 to 100.",
                );
            self.errors.push(finding);
        }
        let location = self.subgraph(source.graph).location(applied.at());
        let finding =
            |code, message: String| Finding::new(code, message).on(coordinate).at(location.clone());
        if own == from {
            let message = format!("The subgraph \"{own}\" overrides `{coordinate}` from itself.");
            self.errors.push(
                finding(Code::OverrideFromSelfError, message)
                    .remedy("Name another subgraph, or remove `@override`."),
            );
            return;
        }
        let Some(graph) = self.subgraphs.iter().position(|subgraph| subgraph.name == *from) else {
            let names = self.subgraphs.iter().map(|subgraph| &*subgraph.name);
            let similar = graphql::similar_names(from, names);
            let message = format!(
                "The subgraph \"{own}\" overrides `{coordinate}` from \"{from}\", which is no \
                 subgraph.{}",
                suggestion(&similar)
            );
            self.hints.push(finding(Code::FromSubgraphDoesNotExist, message));
            return;
        };
        let Some(left) = sources.iter().find(|other| other.graph == graph) else {
            let message = format!(
                "The subgraph \"{from}\" no longer has `{coordinate}`: `@override` in the subgraph \
                 \"{own}\" can be removed."
            );
            self.hints.push(finding(Code::OverrideDirectiveCanBeRemoved, message));
            return;
        };
        if has(&left.element.applied, Meaning::Override) {
            let message = format!(
                "`{coordinate}` is overridden in the subgraph \"{own}\" from \"{from}\", which \
                 overrides it as well."
            );
            let both = [*source, *left];
            let error = Finding::new(Code::OverrideSourceHasOverride, message)
                .on(coordinate)
                .remedy("Remove `@override` in one of the subgraphs.");
            let error = self.located(error, &both);
            self.errors.push(error);
            return;
        }
        if let Some((name, graph)) = collision(source, left) {
            let message = format!(
                "`@override` on `{coordinate}` in the subgraph \"{own}\" excludes `{name}` on the \
                 field in the subgraph \"{}\".",
                self.subgraph(graph).name
            );
            let both = [*source, *left];
            let error = Finding::new(Code::OverrideCollisionWithAnotherDirective, message)
                .on(coordinate)
                .remedy("Remove one of the directives.");
            let error = self.located(error, &both);
            self.errors.push(error);
            return;
        }
        let roles = left.element.roles;
        if roles.is_external {
            let message = format!(
                "`{coordinate}` is external in the subgraph \"{from}\": `@override` in the \
                 subgraph \"{own}\" can be removed."
            );
            self.hints.push(finding(Code::OverrideDirectiveCanBeRemoved, message));
            return;
        }
        let label = applied.text("label");
        if roles.is_used {
            overrides.used.push(graph);
        }
        if let Some(label) = label {
            let message = format!(
                "`{coordinate}` is being moved from the subgraph \"{from}\" to \"{own}\". Remove \
                 the field from \"{from}\" when the migration is complete."
            );
            self.hints.push(finding(Code::OverrideMigrationInProgress, message));
            overrides.left.push(graph);
            for graph in [source.graph, graph] {
                overrides.labels.push((graph, Arc::clone(label)));
            }
            return;
        }
        let message = match roles.is_used {
            true => format!(
                "`{coordinate}` of the subgraph \"{from}\" is overridden, and used in a field set \
                 or an interface there: mark it `@external`, or remove it with these uses."
            ),
            false => {
                overrides.removed.push(graph);
                format!("`{coordinate}` of the subgraph \"{from}\" is overridden: remove it.")
            }
        };
        let hint = Finding::new(Code::OverriddenFieldCanBeRemoved, message).on(coordinate);
        let hint = self.located(hint, &[*left]);
        self.hints.push(hint);
    }
}

/// Returns a directive that excludes an override, and its subgraph.
fn collision(
    source: &Source<'_, Field>,
    left: &Source<'_, Field>,
) -> Option<(&'static str, usize)> {
    let is_on_left = |meaning| has(&left.element.applied, meaning);
    if is_on_left(Meaning::Requires) {
        Some(("@requires", left.graph))
    } else if is_on_left(Meaning::Provides) {
        Some(("@provides", left.graph))
    } else {
        source.element.roles.is_external.then_some(("@external", source.graph))
    }
}

fn suggestion(similar: &[&str]) -> String {
    match similar {
        [] => String::new(),
        [first, ..] => format!(" Did you mean \"{first}\"?"),
    }
}

/// Whether a label is a name, or `percent(N)`.
fn is_label(label: &str) -> bool {
    if let Some(number) = label.strip_prefix("percent(").and_then(|rest| rest.strip_suffix(')')) {
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
        let is_digits = |text: &str, length: usize| {
            (1..=length).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        // A hundred has no decimals.
        return number == "100" || (is_digits(whole, 2) && is_digits(decimals, 8));
    }
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || "_-:./".contains(c))
}
