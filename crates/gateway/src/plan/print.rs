//! Printer of plans for people (`explain`).

use std::fmt::Write;

use super::{FetchId, Form, Plan};
use crate::outline::{PositionId, Tree};
use crate::planner::ContextId;
use supergraph::{FieldSetId, SetSelection, Supergraph};

/// Prints a plan: a line for each fetch, and one for each kind of entities in it.
#[must_use]
pub fn print(supergraph: &Supergraph, plan: &Plan) -> String {
    let mut text = String::new();
    for (place, fetch) in plan.fetches.iter().enumerate() {
        let name = &supergraph.subgraph(fetch.subgraph).name;
        let needs: Vec<String> =
            fetch.needs.iter().map(|need| (need.index() + 1).to_string()).collect();
        let after =
            if needs.is_empty() { String::new() } else { format!(" after {}", needs.join(", ")) };
        let is_initial =
            plan.parts.first().is_none_or(|initial| initial.contains(&FetchId::new(place)));
        let deferred = if is_initial { "" } else { ", deferred" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}. {name}{after}{deferred}: {}", place + 1, fetch.document.text);
        if let Some((connector, _)) = supergraph.connector(fetch.subgraph) {
            let _ = writeln!(text, "   {}", connector.request);
        }
        for list in &fetch.entities {
            for entry in &list.entries {
                let mut sets: Vec<String> = entry
                    .keys
                    .iter()
                    .chain(&entry.inputs)
                    .map(|set| print_set(supergraph, *set))
                    .collect();
                // A field of a connector requires its key.
                sets.dedup();
                let path = path(supergraph, &plan.tree, entry.position);
                let types = match entry.on {
                    Some(on) => vec![&*supergraph.schema[on].name],
                    None => supergraph
                        .members(&entry.types)
                        .map(|object| &*supergraph.schema[object].name)
                        .collect(),
                };
                let on = types.join(" | ");
                let contexts = print_contexts(supergraph, plan, &list.contexts);
                let _ = writeln!(text, "   {on} {{ {} }} at {path}{contexts}", sets.join(" "));
            }
        }
    }
    text
}

/// Prints contexts, as ` with prop of t`.
fn print_contexts(supergraph: &Supergraph, plan: &Plan, contexts: &[ContextId]) -> String {
    let mut text = String::new();
    for context in contexts.iter().filter_map(|id| plan.contexts.get(id.index())) {
        for (place, (position, _, form)) in context.sources.iter().enumerate() {
            text.push_str(if place == 0 { " with " } else { " or " });
            text.push_str(&value_of(form));
            let path = path(supergraph, &plan.tree, *position);
            text.push_str(if path.is_empty() { "" } else { " of " });
            text.push_str(&path);
        }
    }
    text
}

/// Prints the one value of a form, as `size.height`. Recursion is bounded by the nesting of field
/// sets.
fn value_of(form: &Form) -> String {
    let Some(member) = form.members.first() else { return String::new() };
    match member.below.first() {
        Some((_, below)) => [&member.name, ".", &*value_of(below)].concat(),
        None => member.name.to_string(),
    }
}

fn print_set(supergraph: &Supergraph, set: FieldSetId) -> String {
    let selections = supergraph.field_set(set).selections.iter().map(|selection| match selection {
        SetSelection::Typename => "__typename".to_owned(),
        SetSelection::Field { field, set, .. } => {
            let below = set.map(|set| format!(" {{ {} }}", print_set(supergraph, set)));
            format!("{}{}", supergraph.schema[*field].name, below.unwrap_or_default())
        }
        SetSelection::On(set) => {
            let on = &supergraph.schema[supergraph.field_set(*set).parent].name;
            format!("... on {on} {{ {} }}", print_set(supergraph, *set))
        }
    });
    selections.collect::<Vec<_>>().join(" ")
}

/// Prints the response path of a position, as `users.reviews`.
fn path(supergraph: &Supergraph, tree: &Tree, mut position: PositionId) -> String {
    let mut names = Vec::new();
    while let Some(parent) = tree.position(position).parent {
        let item = tree.item(parent);
        let lists = match &item.kind {
            crate::outline::ItemKind::Field { field, .. } => {
                supergraph.schema[*field].r#type.is_list()
            }
            crate::outline::ItemKind::Typename | crate::outline::ItemKind::Introspection => false,
        };
        names.push(if lists { format!("{}[]", item.key) } else { item.key.to_string() });
        position = item.position;
    }
    names.reverse();
    names.join(".")
}
