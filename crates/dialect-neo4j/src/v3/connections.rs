//! Relationships as connections, with their properties.

use super::build::Build;
use super::objects::with_reason;
use super::related::{directed_argument, null_connection};
use super::relations::{Relation, members, target_name};
use super::roles::{filter, limit, of_variant};
use super::texts::NEGATION;
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput};
use api::binding::{
    ArgumentRole, ConnectionField, FieldBinding, FilterRole, InputBinding, OrderRole, RowsForm,
};

impl<'m> Build<'m> {
    /// The connection of a relationship, its conditions, and the condition on it.
    pub(super) fn add_connection(&mut self, relation: &Relation<'m>) {
        self.add_edges(relation);
        let connection = relation.shared("Connection");
        let edges = format!("[{}!]!", relation.shared("Relationship"));
        let fields = [
            ("edges", &*edges, ConnectionField::Edges),
            ("totalCount", "Int!", ConnectionField::TotalCount),
            ("pageInfo", "PageInfo!", ConnectionField::PageInfo),
        ];
        for (name, r#type, field) in fields {
            self.show(&connection, name, r#type, FieldBinding::Connection(field));
        }
        let r#where = relation.shared("ConnectionWhere");
        self.add_connection_where(relation, &r#where);
        let name = format!("{}Connection", relation.field.name);
        let of_source = format!("{}Where", relation.source);
        self.add_any(&of_source, &name, &r#where, relation, null_connection());
        self.add_quantities(&of_source, &name, (&connection, &r#where), relation, false);

        let sort = self.add_connection_sort(relation);
        if !relation.field.offers.on_read {
            return;
        }
        let binding = self.rows(relation, RowsForm::Connection);
        let field = DraftField::new(&name, &format!("{connection}!"), binding);
        let mut field = with_reason(field, relation.reason());
        field.arguments.push(DraftInput::lenient("where", &r#where, FilterRole::Conditions));
        field.arguments.push(DraftInput::new("first", "Int", limit(self.most(relation))));
        field.arguments.push(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset));
        field.arguments.extend(directed_argument(relation));
        if let Some(sort) = sort {
            field.arguments.push(DraftInput::lenient(
                "sort",
                &format!("[{sort}!]"),
                ArgumentRole::Sort,
            ));
        }
        self.draft.add_field(relation.source, field);
    }

    fn add_connection_where(&mut self, relation: &Relation<'m>, r#where: &str) {
        let target = relation.relationship.target;
        if let Target::Union(_) = target {
            let all = members(self.model, target);
            for place in &all {
                let member = &self.model.nodes[*place].name;
                let of_member = format!("{}{member}ConnectionWhere", relation.shared(""));
                self.put_logic(&of_member, ["OR", "AND", "NOT"]);
                self.put_both(&of_member, "node", &format!("{member}Where"));
                self.put_edge_conditions(relation, &of_member);
                self.put(r#where, member, &of_member, of_variant(&all, *place));
            }
            return;
        }
        self.put_logic(r#where, ["AND", "OR", "NOT"]);
        self.put_edge_conditions(relation, r#where);
        let name = target_name(self.model, target);
        self.put_both(r#where, "node", &format!("{name}Where"));
    }

    /// How many rows a list on the other side has at most.
    fn most(&self, relation: &Relation<'m>) -> Option<u32> {
        match relation.relationship.target {
            Target::Node(place) => self.model.nodes[place].limit.max,
            Target::Interface(place) => self.model.interfaces[place].limit.max,
            Target::Union(_) => None,
        }
    }

    fn put_edge_conditions(&mut self, relation: &Relation<'m>, r#where: &str) {
        if let Some(properties) = relation.properties(self) {
            self.put_both(r#where, "edge", &format!("{}Where", properties.name));
        }
    }

    /// A condition, and what the library calls its negation: it takes both alike.
    fn put_both(&mut self, r#where: &str, name: &str, r#type: &str) {
        self.put(r#where, name, r#type, filter());
        self.put_for(r#where, &format!("{name}_NOT"), r#type, filter(), Some(NEGATION));
    }

    /// The type of the orders of a connection, if it can be ordered by anything.
    fn add_connection_sort(&mut self, relation: &Relation<'m>) -> Option<String> {
        let sort = relation.shared("ConnectionSort");
        let of = || InputBinding::lenient(OrderRole::Sort);
        let edge = relation.properties(self).map(|properties| format!("{}Sort", properties.name));
        let node = match relation.relationship.target {
            Target::Union(_) => None,
            target => Some(format!("{}Sort", target_name(self.model, target))),
        };
        // The types that all node types have are made before all of this.
        let node = node.filter(|node| self.draft.has(node));
        if edge.is_none() && node.is_none() {
            return None;
        }
        if let Some(edge) = edge {
            self.put(&sort, "edge", &edge, of());
        }
        if let Some(node) = node {
            self.put(&sort, "node", &node, of());
        }
        Some(sort)
    }
}
