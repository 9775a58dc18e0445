//! What is done along relationships to the nodes of a union: an object with a field for each type.

use super::of_several;
use crate::neo4j::three::build::Build;
use crate::neo4j::three::relations::{Owner, Relation, has_relationships, members, unique};

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
        for member in members(self.model, relation.relationship.target) {
            self.add_member_changes(relation, member);
        }
        let field = &relation.field.name;
        if let Owner::Node(_) = relation.owner {
            let create = relation.own("CreateInput");
            self.put(&format!("{source}CreateInput"), field, &create, of_several());
        }
        let create = relation.own("CreateFieldInput");
        self.put(&format!("{source}RelationInput"), field, &create, of_several());
        for all in ["UpdateInput", "ConnectInput", "DeleteInput", "DisconnectInput"] {
            self.put(&format!("{source}{all}"), field, &relation.own(all), of_several());
        }
    }

    fn add_member_changes(&mut self, relation: &Relation<'m>, member: usize) {
        let node = &self.model.nodes[member];
        let name = &node.name;
        let own = |suffix: &str| relation.own(&format!("{name}{suffix}"));
        let listed = |suffix: &str| relation.one_or_list(&own(suffix));
        let is_required = relation.edge_input(self).is_required;
        let edge = relation.edge_create(self, is_required);
        let r#where = format!("{}{name}ConnectionWhere", relation.shared(""));

        let create = own("CreateFieldInput");
        self.put(&create, "node", &format!("{name}CreateInput!"), of_several());
        let connect = own("ConnectFieldInput");
        let connect_where = format!("{name}ConnectWhere");
        let binding = crate::neo4j::three::roles::filter();
        self.put(&connect_where, "node", &format!("{name}Where!"), binding);
        self.put(&connect, "where", &connect_where, of_several());
        if has_relationships(node) {
            let further = relation.one_or_list(&format!("{name}ConnectInput"));
            self.put(&connect, "connect", &further, of_several());
        }
        if let Some(edge) = &edge {
            self.put(&create, "edge", edge, of_several());
            self.put(&connect, "edge", edge, of_several());
        }
        for (all, of_member) in WORDS {
            // What is created is said once for the relationship, not in a list.
            let r#type = match all {
                "CreateInput" => own(of_member),
                _ => listed(of_member),
            };
            self.put(&relation.own(all), name, &r#type, of_several());
        }
        let of_create = relation.own("CreateFieldInput");
        self.put(&of_create, name, &listed("CreateFieldInput"), of_several());

        let update = own("UpdateConnectionInput");
        if let Some(edge) = self.edge_update(relation) {
            self.put(&update, "edge", &edge, of_several());
        }
        self.put(&update, "node", &format!("{name}UpdateInput"), of_several());

        let of_update = own("UpdateFieldInput");
        self.put(&of_update, "where", &r#where, of_several());
        self.put(&of_update, "update", &update, of_several());
        let of_new = own("FieldInput");
        for (field, word) in [
            ("connect", "ConnectFieldInput"),
            ("disconnect", "DisconnectFieldInput"),
            ("create", "CreateFieldInput"),
            ("delete", "DeleteFieldInput"),
        ] {
            self.put(&of_update, field, &listed(word), of_several());
        }
        self.put(&of_new, "create", &listed("CreateFieldInput"), of_several());
        self.put(&of_new, "connect", &listed("ConnectFieldInput"), of_several());
        for (field, word) in [("delete", "Delete"), ("disconnect", "Disconnect")] {
            let parent = own(&format!("{word}FieldInput"));
            self.put(&parent, "where", &r#where, of_several());
            if has_relationships(node) {
                self.put(&parent, field, &format!("{name}{word}Input"), of_several());
            }
        }
        if unique(node).is_empty() {
            return;
        }
        let prefix = format!("{}{name}", relation.shared(""));
        let r#type = self.add_connect_or_create(relation, member, &prefix);
        self.put(&of_update, "connectOrCreate", &r#type, of_several());
        self.put(&of_new, "connectOrCreate", &r#type, of_several());
        let of_all = relation.own("ConnectOrCreateInput");
        self.put(&of_all, name, &listed("ConnectOrCreateFieldInput"), of_several());
        let parent = format!("{}ConnectOrCreateInput", relation.source);
        self.put(&parent, &relation.field.name, &of_all, of_several());
    }
}
