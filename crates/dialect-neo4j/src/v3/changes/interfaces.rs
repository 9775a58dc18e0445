//! What is done along relationships to the nodes of an interface, and what is said of its nodes.

use super::{Nodes, along_edge, along_node, further, nested_write};
use crate::model::Target;
use crate::v3::build::Build;
use crate::v3::relations::{Owner, Relation, has_relationships, members};
use crate::v3::roles::{Values, filter, of_variant, on_variant};
use api::binding::NestedWriteVerb;

/// What there is a type of for the node types of an interface.
const OF_IMPLEMENTATIONS: [&str; 5] =
    ["ConnectInput", "DeleteInput", "DisconnectInput", "UpdateInput", "Where"];

/// The types that lead from there along relationships.
const ALONG: [&str; 3] = ["ConnectInput", "DeleteInput", "DisconnectInput"];

impl<'m> Build<'m> {
    /// The inputs of an interface that come before those of its relationships.
    pub(in crate::v3) fn begin_interface(&mut self, place: usize) {
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
        self.put(&update, "_on", &of("UpdateInput"), on_variant());
        self.add_numbers(&update, &interface.fields, Values::Interface(place));
    }

    /// Those that come after them.
    pub(in crate::v3) fn end_interface(&mut self, place: usize) {
        let model = self.model;
        let name = &model.interfaces[place].name;
        let of = |suffix: &str| format!("{name}Implementations{suffix}");
        let all = members(model, Target::Interface(place));
        for member in &all {
            let node = &model.nodes[*member];
            let own = &node.name;
            let binding = || of_variant(&all, *member);
            self.put(&of("Where"), own, &format!("{own}Where"), binding());
            if has_relationships(node) {
                for suffix in ALONG {
                    self.put(&of(suffix), own, &format!("[{own}{suffix}!]"), binding());
                }
            }
            let create = format!("{name}CreateInput");
            self.put(&create, own, &format!("{own}CreateInput"), binding());
            self.put(&of("UpdateInput"), own, &format!("{own}UpdateInput"), binding());
        }
        for suffix in ALONG {
            if !self.draft.inputs_of(&of(suffix)).is_empty() {
                self.put(&format!("{name}{suffix}"), "_on", &of(suffix), on_variant());
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
        self.put(&connect_where, "node", &format!("{name}Where!"), filter());
        let connect = own("ConnectFieldInput");
        self.put_further(&connect, "connect", &format!("{name}ConnectInput"));
        if let Some(edge) = &edge {
            self.put(&connect, "edge", edge, along_edge());
        }
        self.put(&connect, "where", &connect_where, filter());
        for (field, word) in [("delete", "Delete"), ("disconnect", "Disconnect")] {
            let parent = own(&format!("{word}FieldInput"));
            self.put_further(&parent, field, &format!("{name}{word}Input"));
            self.put(&parent, "where", &r#where, filter());
        }
        let create = own("CreateFieldInput");
        self.put(&create, "node", &format!("{name}CreateInput!"), along_node());
        if let Some(edge) = &edge {
            self.put(&create, "edge", edge, along_edge());
        }
        let update = own("UpdateConnectionInput");
        if let Some(edge) = self.edge_update(relation) {
            self.put(&update, "edge", &edge, along_edge());
        }
        self.put(&update, "node", &format!("{name}UpdateInput"), along_node());

        let of_update = own("UpdateFieldInput");
        for (field, word, verb) in [
            ("connect", "Connect", NestedWriteVerb::ConnectOnce),
            ("create", "Create", NestedWriteVerb::Create),
            ("delete", "Delete", NestedWriteVerb::Delete),
            ("disconnect", "Disconnect", NestedWriteVerb::Disconnect),
        ] {
            let listed = relation.one_or_list(&own(&format!("{word}FieldInput")));
            self.put(&of_update, field, &listed, nested_write(Nodes::Found, None, verb));
        }
        self.put(
            &of_update,
            "update",
            &update,
            nested_write(Nodes::Found, None, NestedWriteVerb::Update),
        );
        self.put(&of_update, "where", &r#where, filter());
        let of_create = relation.shared("FieldInput");
        // A type that shares it with its interface takes what that has.
        if !self.draft.has(&of_create) {
            for (field, r#type, verb) in [
                ("create", &create, NestedWriteVerb::Create),
                ("connect", &connect, NestedWriteVerb::ConnectOnce),
            ] {
                let binding = nested_write(Nodes::New, None, verb);
                self.put(&of_create, field, &relation.one_or_list(r#type), binding);
            }
        }

        let field = &relation.field.name;
        if let Owner::Node(_) = relation.owner {
            let binding = self.along(relation);
            self.put(&format!("{source}CreateInput"), field, &of_create, binding);
        }
        for (parent, word, verb) in [
            ("ConnectInput", "ConnectFieldInput", Some(NestedWriteVerb::ConnectOnce)),
            ("DeleteInput", "DeleteFieldInput", Some(NestedWriteVerb::Delete)),
            ("DisconnectInput", "DisconnectFieldInput", Some(NestedWriteVerb::Disconnect)),
            ("RelationInput", "CreateFieldInput", Some(NestedWriteVerb::Create)),
            ("UpdateInput", "UpdateFieldInput", None),
        ] {
            let binding = match verb {
                Some(verb) => self.done_along(relation, verb),
                None => self.along(relation),
            };
            let listed = relation.one_or_list(&own(word));
            self.put(&format!("{source}{parent}"), field, &listed, binding);
        }
    }

    /// What is done from there on, if anything can be.
    fn put_further(&mut self, parent: &str, field: &str, r#type: &str) {
        self.draft.input(parent);
        if self.draft.has(r#type) {
            self.put(parent, field, r#type, further());
        }
    }
}
