//! What is done along relationships to the nodes of a union: an object with a field for each type.

use super::{Nodes, along_edge, along_node, further, nested_write};
use crate::v3::build::Build;
use crate::v3::relations::{Owner, Relation, has_relationships, members, unique};
use crate::v3::roles::{filter, of_variant};
use api::binding::NestedWriteVerb;

/// What there is a type of for each member, by the fields of what is updated.
const WORDS: [(&str, &str); 5] = [
    ("ConnectInput", "ConnectFieldInput"),
    ("CreateInput", "FieldInput"),
    ("DeleteInput", "DeleteFieldInput"),
    ("DisconnectInput", "DisconnectFieldInput"),
    ("UpdateInput", "UpdateFieldInput"),
];

impl<'m> Build<'m> {
    pub(super) fn add_changes_of_union(&mut self, relation: &Relation<'m>) {
        let source = relation.source;
        for (all, _) in WORDS {
            self.draft.input(&relation.own(all));
        }
        self.draft.input(&relation.own("CreateFieldInput"));
        let all = members(self.model, relation.relationship.target);
        for member in &all {
            self.add_member_changes(relation, (&all, *member));
        }
        let field = &relation.field.name;
        if let Owner::Node(_) = relation.owner {
            let create = relation.own("CreateInput");
            let binding = self.along(relation);
            self.put(&format!("{source}CreateInput"), field, &create, binding);
        }
        let create = relation.own("CreateFieldInput");
        let binding = self.done_along(relation, NestedWriteVerb::Create);
        self.put(&format!("{source}RelationInput"), field, &create, binding);
        let binding = self.along(relation);
        self.put(&format!("{source}UpdateInput"), field, &relation.own("UpdateInput"), binding);
        for (all, verb) in [
            ("ConnectInput", NestedWriteVerb::ConnectOnce),
            ("DeleteInput", NestedWriteVerb::Delete),
            ("DisconnectInput", NestedWriteVerb::Disconnect),
        ] {
            let binding = self.done_along(relation, verb);
            self.put(&format!("{source}{all}"), field, &relation.own(all), binding);
        }
    }

    fn add_member_changes(&mut self, relation: &Relation<'m>, (all, member): (&[usize], usize)) {
        let of_member = || of_variant(all, member);
        let node = &self.model.nodes[member];
        let name = &node.name;
        let own = |suffix: &str| relation.own(&format!("{name}{suffix}"));
        let listed = |suffix: &str| relation.one_or_list(&own(suffix));
        let is_required = relation.edge_input(self).is_required;
        let edge = relation.edge_create(self, is_required);
        let r#where = format!("{}{name}ConnectionWhere", relation.shared(""));

        let create = own("CreateFieldInput");
        self.put(&create, "node", &format!("{name}CreateInput!"), along_node());
        let connect = own("ConnectFieldInput");
        let connect_where = format!("{name}ConnectWhere");
        self.put(&connect_where, "node", &format!("{name}Where!"), filter());
        self.put(&connect, "where", &connect_where, filter());
        if has_relationships(node) {
            let r#type = relation.one_or_list(&format!("{name}ConnectInput"));
            self.put(&connect, "connect", &r#type, further());
        }
        if let Some(edge) = &edge {
            self.put(&create, "edge", edge, along_edge());
            self.put(&connect, "edge", edge, along_edge());
        }
        for (all, word) in WORDS {
            // What is created is said once for the relationship, not in a list.
            let r#type = match all {
                "CreateInput" => own(word),
                _ => listed(word),
            };
            self.put(&relation.own(all), name, &r#type, of_member());
        }
        let of_create = relation.own("CreateFieldInput");
        self.put(&of_create, name, &listed("CreateFieldInput"), of_member());

        let update = own("UpdateConnectionInput");
        if let Some(edge) = self.edge_update(relation) {
            self.put(&update, "edge", &edge, along_edge());
        }
        self.put(&update, "node", &format!("{name}UpdateInput"), along_node());

        let of_update = own("UpdateFieldInput");
        self.put(&of_update, "where", &r#where, filter());
        self.put(
            &of_update,
            "update",
            &update,
            nested_write(Nodes::Found, None, NestedWriteVerb::Update),
        );
        let of_new = own("FieldInput");
        for (field, word, verb) in [
            ("connect", "ConnectFieldInput", NestedWriteVerb::ConnectOnce),
            ("disconnect", "DisconnectFieldInput", NestedWriteVerb::Disconnect),
            ("create", "CreateFieldInput", NestedWriteVerb::Create),
            ("delete", "DeleteFieldInput", NestedWriteVerb::Delete),
        ] {
            self.put(&of_update, field, &listed(word), nested_write(Nodes::Found, None, verb));
        }
        let create = nested_write(Nodes::New, None, NestedWriteVerb::Create);
        self.put(&of_new, "create", &listed("CreateFieldInput"), create);
        let connect = nested_write(Nodes::New, None, NestedWriteVerb::ConnectOnce);
        self.put(&of_new, "connect", &listed("ConnectFieldInput"), connect);
        for (field, word) in [("delete", "Delete"), ("disconnect", "Disconnect")] {
            let parent = own(&format!("{word}FieldInput"));
            self.put(&parent, "where", &r#where, filter());
            if has_relationships(node) {
                self.put(&parent, field, &format!("{name}{word}Input"), further());
            }
        }
        if unique(node).is_empty() {
            return;
        }
        let prefix = format!("{}{name}", relation.shared(""));
        let r#type = self.add_connect_or_create(relation, member, &prefix);
        for (parent, nodes) in [(&of_update, Nodes::Found), (&of_new, Nodes::New)] {
            let binding = nested_write(nodes, None, NestedWriteVerb::ConnectOrCreate);
            self.put(parent, "connectOrCreate", &r#type, binding);
        }
        let of_all = relation.own("ConnectOrCreateInput");
        self.put(&of_all, name, &r#type, of_member());
        let parent = format!("{}ConnectOrCreateInput", relation.source);
        let binding = self.done_along(relation, NestedWriteVerb::ConnectOrCreate);
        self.put(&parent, &relation.field.name, &of_all, binding);
    }
}
