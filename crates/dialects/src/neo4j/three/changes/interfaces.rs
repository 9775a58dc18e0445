//! What is done along relationships to the nodes of an interface, and what is said of its nodes.

use super::of_several;
use crate::neo4j::model::Target;
use crate::neo4j::three::build::Build;
use crate::neo4j::three::relations::{Owner, Relation, has_relationships, members};
use crate::neo4j::three::roles::{Values, of_variant, on_variant};

/// What there is a type of for the node types of an interface.
const OF_IMPLEMENTATIONS: [&str; 5] =
    ["ConnectInput", "DeleteInput", "DisconnectInput", "UpdateInput", "Where"];

/// The types that lead from there along relationships.
const ALONG: [&str; 3] = ["ConnectInput", "DeleteInput", "DisconnectInput"];

impl<'m> Build<'m> {
    /// The inputs of an interface that come before those of its relationships.
    pub(in crate::neo4j::three) fn begin_interface(&mut self, place: usize) {
        let interface = &self.model.interfaces[place];
        let name = &interface.name;
        let of = |suffix: &str| format!("{name}Implementations{suffix}");
        for suffix in OF_IMPLEMENTATIONS {
            self.draft.input(&of(suffix));
        }
        let r#where = format!("{name}Where");
        self.add_conditions(&r#where, &interface.fields, Values::Interface(place));
        self.put(&r#where, "_on", &of("Where"), on_variant());
        self.draft.input(&format!("{name}CreateInput"));
        let update = format!("{name}UpdateInput");
        self.add_updated(&update, &interface.fields, Values::Interface(place));
        self.put(&update, "_on", &of("UpdateInput"), of_several());
        self.add_numbers(&update, &interface.fields, Values::Interface(place));
    }

    /// Those that come after them.
    pub(in crate::neo4j::three) fn end_interface(&mut self, place: usize) {
        let model = self.model;
        let name = &model.interfaces[place].name;
        let of = |suffix: &str| format!("{name}Implementations{suffix}");
        let all = members(model, Target::Interface(place));
        for member in &all {
            let node = &model.nodes[*member];
            let own = &node.name;
            let binding = of_variant(&all, *member);
            self.put(&of("Where"), own, &format!("{own}Where"), binding);
            if has_relationships(node) {
                for suffix in ALONG {
                    self.put(&of(suffix), own, &format!("[{own}{suffix}!]"), of_several());
                }
            }
            let create = format!("{name}CreateInput");
            self.put(&create, own, &format!("{own}CreateInput"), of_several());
            self.put(&of("UpdateInput"), own, &format!("{own}UpdateInput"), of_several());
        }
        for suffix in ALONG {
            if !self.draft.inputs_of(&of(suffix)).is_empty() {
                self.put(&format!("{name}{suffix}"), "_on", &of(suffix), of_several());
            }
        }
        self.fill(&format!("{name}CreateInput"));
        self.fill(&format!("{name}UpdateInput"));
        for suffix in OF_IMPLEMENTATIONS {
            self.fill(&of(suffix));
        }
    }

    pub(super) fn add_changes_of_interface(&mut self, relation: &Relation<'m>, place: usize) {
        let name = &self.model.interfaces[place].name;
        let source = relation.source;
        let own = |word: &str| relation.own(word);
        let is_required = relation.edge_input(self).has_required;
        let edge = relation.edge_create(self, is_required);
        let r#where = relation.shared("ConnectionWhere");

        let connect_where = format!("{name}ConnectWhere");
        self.put(&connect_where, "node", &format!("{name}Where!"), of_several());
        let connect = own("ConnectFieldInput");
        self.put_further(&connect, "connect", &format!("{name}ConnectInput"));
        if let Some(edge) = &edge {
            self.put(&connect, "edge", edge, of_several());
        }
        self.put(&connect, "where", &connect_where, of_several());
        for (field, word) in [("delete", "Delete"), ("disconnect", "Disconnect")] {
            let parent = own(&format!("{word}FieldInput"));
            self.put_further(&parent, field, &format!("{name}{word}Input"));
            self.put(&parent, "where", &r#where, of_several());
        }
        let create = own("CreateFieldInput");
        self.put(&create, "node", &format!("{name}CreateInput!"), of_several());
        if let Some(edge) = &edge {
            self.put(&create, "edge", edge, of_several());
        }
        let update = own("UpdateConnectionInput");
        if let Some(edge) = self.edge_update(relation) {
            self.put(&update, "edge", &edge, of_several());
        }
        self.put(&update, "node", &format!("{name}UpdateInput"), of_several());

        let of_update = own("UpdateFieldInput");
        for (field, word) in [
            ("connect", "Connect"),
            ("create", "Create"),
            ("delete", "Delete"),
            ("disconnect", "Disconnect"),
        ] {
            let listed = relation.one_or_list(&own(&format!("{word}FieldInput")));
            self.put(&of_update, field, &listed, of_several());
        }
        self.put(&of_update, "update", &update, of_several());
        self.put(&of_update, "where", &r#where, of_several());
        let of_create = relation.shared("FieldInput");
        self.put(&of_create, "create", &relation.one_or_list(&create), of_several());
        self.put(&of_create, "connect", &relation.one_or_list(&connect), of_several());

        let field = &relation.field.name;
        if let Owner::Node(_) = relation.owner {
            self.put(&format!("{source}CreateInput"), field, &of_create, of_several());
        }
        for (parent, word) in [
            ("ConnectInput", "ConnectFieldInput"),
            ("DeleteInput", "DeleteFieldInput"),
            ("DisconnectInput", "DisconnectFieldInput"),
            ("RelationInput", "CreateFieldInput"),
            ("UpdateInput", "UpdateFieldInput"),
        ] {
            let listed = relation.one_or_list(&own(word));
            self.put(&format!("{source}{parent}"), field, &listed, of_several());
        }
    }

    /// What is done from there on, if anything can be.
    fn put_further(&mut self, parent: &str, field: &str, r#type: &str) {
        self.draft.input(parent);
        if self.draft.has(r#type) {
            self.put(parent, field, r#type, of_several());
        }
    }
}
