//! Printer of subgraph documents.

use graphql::operation::{Operation, OperationKind};
use graphql::schema::{DirectiveLocation, TypeId};
use graphql::value::Slot;

use super::entries::name_of;
use super::fragments::{Pieces, Texts};
use super::{
    Context, Document, DocumentPart, Entities, FetchId, SelectedField, Selection, context_variable,
    entities_key, representations_variable,
};
use crate::outline::{Directives, OccurrenceDirectives, Tree};
use crate::planner::ContextArguments;
use supergraph::{SubgraphId, Supergraph};

/// Prints the document for a part of a fetch.
#[must_use]
pub fn document(
    supergraph: &Supergraph,
    operation: &Operation,
    tree: &Tree,
    contexts: &[Context],
    part: DocumentPart<'_>,
) -> Document {
    let DocumentPart { number, fetch, lists } = part;
    let subgraph = supergraph.subgraph(fetch.subgraph);
    let name = operation.name.as_deref().map(|name| operation_name(name, &subgraph.name, number));
    let mut printer = Printer {
        supergraph,
        tree,
        subgraph: fetch.subgraph,
        place: 0,
        texts: Texts::default(),
        variables: Vec::new(),
    };
    let directives = printer.directives(operation, fetch.kind);
    let mut root = Pieces::default();
    if let Some(entered) = &fetch.root {
        let r#type = tree.position(entered.position).r#type;
        printer.members(r#type, &entered.selection, &mut root);
    }
    for (place, list) in lists.iter().enumerate() {
        printer.place = place;
        printer.entities(list, lists.len(), &mut root);
    }
    let Printer { texts, variables, .. } = printer;
    let is_shorthand =
        name.is_none() && lists.is_empty() && variables.is_empty() && directives.is_empty();
    let mut text = match (fetch.kind, is_shorthand) {
        (OperationKind::Query, true) => String::new(),
        (OperationKind::Query, false) => "query".to_owned(),
        (OperationKind::Mutation, _) => "mutation".to_owned(),
        (OperationKind::Subscription, _) => "subscription".to_owned(),
    };
    if let Some(name) = &name {
        text.push(' ');
        text.push_str(name);
    }
    if !(lists.is_empty() && variables.is_empty()) {
        text.push('(');
        print_variables(supergraph, operation, contexts, (lists, &variables), &mut text);
        text.push(')');
    }
    text.push_str(&directives);
    texts.print(&supergraph.schema, root, &mut text);
    let mut head = b"{\"query\":".to_vec();
    head.extend_from_slice(&json_text(&text));
    if let Some(name) = &name {
        head.extend_from_slice(b",\"operationName\":");
        head.extend_from_slice(&json_text(name));
    }
    head.extend_from_slice(b",\"variables\":{");
    Document { text: text.into(), head: head.into(), variables }
}

/// Returns the name of a subgraph operation, in the form of Apollo's gateways: the client's name of
/// the operation, the subgraph, and the number of the fetch from 0.
fn operation_name(name: &str, subgraph: &str, number: FetchId) -> String {
    let mut text = [name, "__"].concat();
    // Names of subgraphs may have characters that names of operations may not.
    if subgraph.starts_with(|first: char| first.is_ascii_digit()) {
        text.push('_');
    }
    let characters = subgraph.chars().map(|one| if one == '-' { '_' } else { one });
    text.extend(characters.filter(|one| one.is_ascii_alphanumeric() || *one == '_'));
    text.push_str("__");
    text.push_str(&number.index().to_string());
    text
}

fn print_variables(
    supergraph: &Supergraph,
    operation: &Operation,
    contexts: &[Context],
    (lists, variables): (&[&Entities], &[Slot]),
    text: &mut String,
) {
    let mut separator = "";
    for (place, list) in lists.iter().enumerate() {
        text.push_str(separator);
        text.push('$');
        text.push_str(&representations_variable(place));
        text.push_str(":[_Any!]!");
        separator = ",";
        for (context, value) in
            list.contexts.iter().filter_map(|id| Some((*id, contexts.get(id.index())?)))
        {
            text.push_str(",$");
            text.push_str(&context_variable(place, context));
            text.push(':');
            text.push_str(&graphql::print_type(&supergraph.schema, value.r#type));
        }
    }
    for slot in variables {
        let variable = operation.variable(*slot);
        text.push_str(separator);
        text.push('$');
        text.push_str(&variable.name);
        text.push(':');
        text.push_str(&graphql::print_type(&supergraph.api.schema, variable.r#type));
        // A nullable variable with a default value is allowed at a non-null place.
        if let Some(default) = &variable.default {
            text.push('=');
            text.push_str(&graphql::print_default(default));
        }
        separator = ",";
    }
}

fn json_text(text: &str) -> Vec<u8> {
    // Writing a string to memory cannot fail.
    serde_json_bytes::serde_json::to_vec(text).unwrap_or_default()
}

struct Printer<'p> {
    supergraph: &'p Supergraph,
    tree: &'p Tree,
    subgraph: SubgraphId,
    /// Index of the list that is printed.
    place: usize,
    texts: Texts,
    variables: Vec<Slot>,
}

impl Printer<'_> {
    /// Prints the directives of the operation that a request of this kind may have.
    fn directives(&mut self, operation: &Operation, kind: OperationKind) -> Box<str> {
        let location = match kind {
            OperationKind::Query => DirectiveLocation::Query,
            OperationKind::Mutation => DirectiveLocation::Mutation,
            OperationKind::Subscription => DirectiveLocation::Subscription,
        };
        let schema = &self.supergraph.api.schema;
        let may_stand = |name: &str| {
            let definition = schema.find_directive(name);
            definition.is_some_and(|definition| definition.locations.contains(&location))
        };
        let names: Vec<&str> = operation.variables.iter().map(|variable| &*variable.name).collect();
        let applied = operation.directives.iter().filter(|directive| may_stand(&directive.name));
        let Directives { text, variables } = Directives::of_operation(schema, applied, &names);
        self.add_variables(&variables);
        text
    }

    fn add_variables(&mut self, variables: &[Slot]) {
        for slot in variables {
            if !self.variables.contains(slot) {
                self.variables.push(*slot);
            }
        }
    }

    fn entities(&mut self, list: &Entities, of: usize, pieces: &mut Pieces) {
        pieces.separate();
        let key = entities_key(self.place, of);
        if key != "_entities" {
            pieces.push(&key);
            pieces.push(":");
        }
        pieces.push("_entities(representations:$");
        pieces.push(&representations_variable(self.place));
        pieces.push(")");
        let mut below = Pieces::default();
        if list.typename {
            below.push("__typename");
        }
        for (r#type, selection) in &list.types {
            // `__typename` is printed once, for all types.
            let typename = selection.typename && !list.typename;
            let selection = Selection { typename, ..selection.clone() };
            if typename || !selection.fields.is_empty() || !selection.fragments.is_empty() {
                self.fragment(*r#type, &selection, &mut below);
            }
        }
        pieces.below(self.texts.add(None, below));
    }

    fn members(&mut self, parent: TypeId, selection: &Selection, pieces: &mut Pieces) {
        if selection.typename {
            pieces.separate();
            pieces.push("__typename");
        }
        for selected in &selection.fields {
            let directives = &self.tree.item(selected.item).arguments.directives;
            self.add_variables(&directives.variables);
            if directives.occurrences.is_empty() {
                self.field(parent, selected, &OccurrenceDirectives::default(), pieces);
            }
            for occurrence in &directives.occurrences {
                for fragment in &occurrence.fragments {
                    pieces.push("...");
                    pieces.push(fragment);
                    pieces.push("{");
                }
                self.field(parent, selected, occurrence, pieces);
                for _ in &occurrence.fragments {
                    pieces.push("}");
                }
            }
        }
        for (on, selection) in &selection.fragments {
            self.fragment(*on, selection, pieces);
        }
    }

    fn field(
        &mut self,
        parent: TypeId,
        selected: &SelectedField,
        occurrence: &OccurrenceDirectives,
        pieces: &mut Pieces,
    ) {
        pieces.separate();
        let item = self.tree.item(selected.item);
        let name = name_of(&item.kind);
        if &*selected.key != name {
            pieces.push(&selected.key);
            pieces.push(":");
        }
        pieces.push(name);
        self.arguments(&item.arguments.text, &selected.context_arguments, pieces);
        self.add_variables(&item.arguments.variables);
        pieces.push(&occurrence.field);
        if let Some(selection) = &selected.below {
            let below = self.type_of(parent, name);
            let mut inner = Pieces::default();
            // Without a type no fragment can be used.
            self.members(below.unwrap_or(parent), selection, &mut inner);
            let is_root = |id: TypeId| {
                let schema = &self.supergraph.schema;
                [schema.query, schema.mutation, schema.subscription].contains(&Some(id))
            };
            // Subgraphs may name their root types differently.
            pieces.below(self.texts.add(below.filter(|id| !is_root(*id)), inner));
        }
    }

    /// Returns the type of a field in the subgraph.
    fn type_of(&self, parent: TypeId, name: &str) -> Option<TypeId> {
        let field = self.supergraph.find_field(parent, name)?;
        let own = self.supergraph.field_in(field, self.subgraph).map(|own| own.r#type.base);
        Some(own.unwrap_or(self.supergraph.schema[field].r#type.base))
    }

    /// Prints arguments: those of the operation, and context arguments.
    fn arguments(&self, given: &str, context_arguments: &ContextArguments, pieces: &mut Pieces) {
        if given.is_empty() && context_arguments.is_empty() {
            return;
        }
        pieces.push("(");
        pieces.push(given);
        for (place, (name, context)) in context_arguments.iter().enumerate() {
            if place > 0 || !given.is_empty() {
                pieces.push(",");
            }
            pieces.push(name);
            pieces.push(":$");
            pieces.push(&context_variable(self.place, *context));
        }
        pieces.push(")");
    }

    fn fragment(&mut self, on: TypeId, selection: &Selection, pieces: &mut Pieces) {
        let mut inner = Pieces::default();
        self.members(on, selection, &mut inner);
        pieces.on(self.texts.add(Some(on), inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_subgraph_operations_are_names_of_graphql() {
        let check = |subgraph, expected| {
            assert_eq!(operation_name("Shop", subgraph, FetchId::new(3)), expected);
        };
        check("products", "Shop__products__3");
        check("product-reviews", "Shop__product_reviews__3");
        check("3d.models ü/2", "Shop___3dmodels2__3");
        check("-", "Shop_____3");
        check("é", "Shop____3");
    }
}
