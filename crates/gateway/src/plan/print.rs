//! Requests as text: for subgraphs, and for people.

use std::fmt::Write;

use graphql::operation::{Operation, OperationKind};
use graphql::schema::TypeId;
use graphql::value::Slot;

use super::entries::name_of;
use super::{
    Context, Document, Entities, Form, Part, Plan, Selection, context_variable, entities_key,
    representations_variable,
};
use crate::outline::{PositionId, Tree};
use crate::planner::{ContextId, ToldArguments};
use crate::supergraph::{FieldSetId, SetSelection, Supergraph};

/// The document of a part of a request.
#[must_use]
pub fn document(
    supergraph: &Supergraph,
    operation: &Operation,
    tree: &Tree,
    contexts: &[Context],
    part: Part<'_>,
) -> Document {
    let Part { fetch, lists } = part;
    let lists: Vec<&Entities> = lists.iter().filter_map(|list| fetch.entities.get(*list)).collect();
    let mut printer =
        Printer { supergraph, tree, place: 0, text: String::new(), variables: Vec::new() };
    printer.text.push('{');
    if let Some(root) = &fetch.root {
        printer.members(&root.selection);
    }
    for (place, list) in lists.iter().enumerate() {
        printer.place = place;
        printer.separate();
        let key = entities_key(place, lists.len());
        if key != "_entities" {
            printer.text.push_str(&key);
            printer.text.push(':');
        }
        printer.text.push_str("_entities(representations:$");
        printer.text.push_str(&representations_variable(place));
        printer.text.push_str("){");
        if list.typename {
            printer.text.push_str("__typename");
        }
        for (r#type, selection) in &list.types {
            // The types are said of all.
            let typename = selection.typename && !list.typename;
            let selection = Selection { typename, ..selection.clone() };
            if typename || !selection.fields.is_empty() || !selection.fragments.is_empty() {
                printer.fragment(*r#type, &selection);
            }
        }
        printer.text.push('}');
    }
    printer.text.push('}');
    let Printer { text: body, variables, .. } = printer;
    let mut text = match (fetch.kind, lists.is_empty() && variables.is_empty()) {
        (OperationKind::Query, true) => String::new(),
        (OperationKind::Query, false) => "query".to_owned(),
        (OperationKind::Mutation, _) => "mutation".to_owned(),
        (OperationKind::Subscription, _) => "subscription".to_owned(),
    };
    if !(lists.is_empty() && variables.is_empty()) {
        text.push('(');
        let mut separator = "";
        for (place, list) in lists.iter().enumerate() {
            text.push_str(separator);
            text.push('$');
            text.push_str(&representations_variable(place));
            text.push_str(":[_Any!]!");
            separator = ",";
            for (context, value) in
                list.told.iter().filter_map(|told| Some((*told, contexts.get(told.index())?)))
            {
                text.push_str(",$");
                text.push_str(&context_variable(place, context));
                text.push(':');
                text.push_str(&graphql::print_type(&supergraph.schema, value.r#type));
            }
        }
        for slot in &variables {
            let variable = operation.variable(*slot);
            text.push_str(separator);
            text.push('$');
            text.push_str(&variable.name);
            text.push(':');
            text.push_str(&graphql::print_type(&supergraph.api.schema, variable.r#type));
            // With it a variable that may be null may stand where null may not.
            if let Some(default) = &variable.default {
                text.push('=');
                text.push_str(&graphql::print_default(default));
            }
            separator = ",";
        }
        text.push(')');
    }
    text.push_str(&body);
    let mut head = b"{\"query\":".to_vec();
    head.extend_from_slice(&json_text(&text));
    head.extend_from_slice(b",\"variables\":{");
    Document { text: text.into(), head: head.into(), variables }
}

fn json_text(text: &str) -> Vec<u8> {
    // Writing a text to memory cannot fail.
    serde_json_bytes::serde_json::to_vec(text).unwrap_or_default()
}

struct Printer<'p> {
    supergraph: &'p Supergraph,
    tree: &'p Tree,
    /// The list of entities that is printed.
    place: usize,
    text: String,
    variables: Vec<Slot>,
}

impl Printer<'_> {
    fn separate(&mut self) {
        if self.text.ends_with(|last: char| last == '_' || last.is_ascii_alphanumeric()) {
            self.text.push(' ');
        }
    }

    fn members(&mut self, selection: &Selection) {
        if selection.typename {
            self.separate();
            self.text.push_str("__typename");
        }
        for asked in &selection.fields {
            self.separate();
            let item = self.tree.item(asked.item);
            let name = name_of(&item.what);
            if &*asked.key != name {
                self.text.push_str(&asked.key);
                self.text.push(':');
            }
            self.text.push_str(name);
            self.told(&item.arguments.text, &asked.told);
            if !item.arguments.text.is_empty() {
                for slot in &item.arguments.variables {
                    if !self.variables.contains(slot) {
                        self.variables.push(*slot);
                    }
                }
            }
            if let Some(below) = &asked.below {
                self.text.push('{');
                self.members(below);
                self.text.push('}');
            }
        }
        for (on, selection) in &selection.fragments {
            self.fragment(*on, selection);
        }
    }

    /// Arguments: those that the operation gives, and those whose values objects above say.
    fn told(&mut self, given: &str, told: &ToldArguments) {
        if given.is_empty() && told.is_empty() {
            return;
        }
        self.text.push('(');
        self.text.push_str(given);
        for (name, context) in told {
            if !self.text.ends_with('(') {
                self.text.push(',');
            }
            self.text.push_str(name);
            self.text.push_str(":$");
            self.text.push_str(&context_variable(self.place, *context));
        }
        self.text.push(')');
    }

    fn fragment(&mut self, on: TypeId, selection: &Selection) {
        self.text.push_str("...on ");
        self.text.push_str(&self.supergraph.schema[on].name);
        self.text.push('{');
        self.members(selection);
        self.text.push('}');
    }
}

/// A plan for people: a line for each request, and one for each kind of entities in it.
#[must_use]
pub fn print(supergraph: &Supergraph, plan: &Plan) -> String {
    let mut text = String::new();
    for (place, fetch) in plan.fetches.iter().enumerate() {
        let name = &supergraph.subgraph(fetch.subgraph).name;
        let needs: Vec<String> =
            fetch.needs.iter().map(|need| (need.index() + 1).to_string()).collect();
        let after =
            if needs.is_empty() { String::new() } else { format!(" after {}", needs.join(", ")) };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{}. {name}{after}: {}", place + 1, fetch.document.text);
        for list in &fetch.entities {
            for entry in &list.entries {
                let sets: Vec<String> = entry
                    .keys
                    .iter()
                    .chain(&entry.inputs)
                    .map(|set| print_set(supergraph, *set))
                    .collect();
                let path = path(supergraph, &plan.tree, entry.position);
                let types = match entry.on {
                    Some(on) => vec![&*supergraph.schema[on].name],
                    None => supergraph
                        .members(&entry.types)
                        .map(|object| &*supergraph.schema[object].name)
                        .collect(),
                };
                let on = types.join(" | ");
                let told = told(supergraph, plan, &list.told);
                let _ = writeln!(text, "   {on} {{ {} }} at {path}{told}", sets.join(" "));
            }
        }
    }
    text
}

/// What is told of the objects above, ` with prop of t`.
fn told(supergraph: &Supergraph, plan: &Plan, told: &[ContextId]) -> String {
    let mut text = String::new();
    for context in told.iter().filter_map(|told| plan.contexts.get(told.index())) {
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

/// The one value that a form says, `size.height`. Recursion is bounded by the nesting of field sets.
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

/// Where a position stands in the answer, `users.reviews`.
fn path(supergraph: &Supergraph, tree: &Tree, mut position: PositionId) -> String {
    let mut names = Vec::new();
    while let Some(parent) = tree.position(position).parent {
        let item = tree.item(parent);
        let lists = match &item.what {
            crate::outline::What::Field { field, .. } => supergraph.schema[*field].r#type.is_list(),
            crate::outline::What::Typename | crate::outline::What::Introspection => false,
        };
        names.push(if lists { format!("{}[]", item.key) } else { item.key.to_string() });
        position = item.position;
    }
    names.reverse();
    names.join(".")
}
