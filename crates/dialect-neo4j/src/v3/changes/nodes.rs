//! What is done along relationships to nodes of one type.

use super::{Nodes, nested_write, rank};
use crate::shared::draft::DraftInput;
use crate::v3::build::Build;
use crate::v3::relations::{Owner, Relation, has_relationships, unique};
use crate::v3::roles::filter;
use crate::v3::texts::OVERWRITE;
use api::binding::{InputBinding, NestedWriteVerb, SeveralRole, Way, WriteRole};
use graphql::value::Const;

/// The words of what is done along a relationship: of the field, and in the names of types.
const CREATE: Word = Word { field: "create", name: "Create", verb: NestedWriteVerb::Create };
const CONNECT: Word =
    Word { field: "connect", name: "Connect", verb: NestedWriteVerb::ConnectOnce };
const DELETE: Word = Word { field: "delete", name: "Delete", verb: NestedWriteVerb::Delete };
const DISCONNECT: Word =
    Word { field: "disconnect", name: "Disconnect", verb: NestedWriteVerb::Disconnect };

#[derive(Clone, Copy, Debug)]
struct Word {
    field: &'static str,
    name: &'static str,
    verb: NestedWriteVerb,
}

impl<'m> Build<'m> {
    pub(super) fn add_changes_of_nodes(&mut self, relation: &Relation<'m>, node: usize) {
        let model = self.model;
        let node_type = &model.nodes[node];
        let (source, reason) = (relation.source, relation.reason());
        let of_create = relation.shared("FieldInput");
        let of_update = relation.shared("UpdateFieldInput");
        self.draft.input(&of_create);
        let r#where = relation.shared("ConnectionWhere");
        self.put(&of_update, "where", &r#where, filter());
        if let Owner::Node(_) = relation.owner {
            let binding = self.along(relation);
            let field = &relation.field.name;
            self.put_for(&format!("{source}CreateInput"), field, &of_create, binding, reason);
        }
        let all_parents = [(&*of_update, Nodes::Found), (&*of_create, Nodes::New)];
        let nested = relation.nested();
        let has_unique = !unique(node_type).is_empty();
        if nested.connect_or_create && has_unique {
            let r#type = self.add_connect_or_create(relation, node, &relation.shared(""));
            for (parent, nodes) in all_parents {
                let binding = nested_write(nodes, None, NestedWriteVerb::ConnectOrCreate);
                self.put(parent, "connectOrCreate", &r#type, binding);
            }
        }
        if nested.create {
            self.add_create_field(relation, &node_type.name);
            self.put_done(relation, CREATE, &all_parents, "RelationInput");
        }
        if nested.connect {
            self.add_connect_field(relation, node);
            self.put_done(relation, CONNECT, &all_parents, "ConnectInput");
        }
        if nested.update {
            let listed = relation.one_or_list(&of_update);
            let binding = self.along(relation);
            let parent = format!("{source}UpdateInput");
            self.put_for(&parent, &relation.field.name, &listed, binding, reason);
            let update = relation.shared("UpdateConnectionInput");
            let along_node = InputBinding::lenient(WriteRole::NestedNode);
            self.put(&update, "node", &format!("{}UpdateInput", node_type.name), along_node);
            if let Some(edge) = self.edge_update(relation) {
                let along_edge = InputBinding::lenient(WriteRole::NestedEdge);
                self.put(&update, "edge", &edge, along_edge);
            }
            let binding = nested_write(Nodes::Found, None, NestedWriteVerb::Update);
            self.put(&of_update, "update", &update, binding);
        }
        for (is_offered, word) in [(nested.delete, DELETE), (nested.disconnect, DISCONNECT)] {
            if !is_offered {
                continue;
            }
            let all = format!("{}Input", word.name);
            self.put_done(relation, word, &[(&of_update, Nodes::Found)], &all);
            let name = relation.shared(&format!("{}FieldInput", word.name));
            self.put(&name, "where", &r#where, filter());
            if has_relationships(node_type) {
                let further = format!("{}{}Input", node_type.name, word.name);
                self.put(
                    &name,
                    word.field,
                    &further,
                    InputBinding::lenient(WriteRole::FurtherWrites),
                );
            }
        }
        if has_unique {
            let name = relation.shared("ConnectOrCreateFieldInput");
            let parent = format!("{source}ConnectOrCreateInput");
            let listed = relation.one_or_list(&name);
            let binding = self.done_along(relation, NestedWriteVerb::ConnectOrCreate);
            self.put(&parent, &relation.field.name, &listed, binding);
        }
    }

    /// The type of what is connected, or created where it is not there, of the types that begin so;
    /// or a list of it.
    pub(super) fn add_connect_or_create(
        &mut self,
        relation: &Relation<'m>,
        node: usize,
        prefix: &str,
    ) -> String {
        let own = &self.model.nodes[node].name;
        let name = format!("{prefix}ConnectOrCreateFieldInput");
        let on_create = format!("{name}OnCreate");
        let values = self.add_absent_values(node);
        let along_node = InputBinding::lenient(WriteRole::NestedNode);
        self.put(&on_create, "node", &format!("{values}!"), along_node);
        let is_required = relation.edge_input(self).is_required;
        if let Some(edge) = relation.edge_create(self, is_required) {
            let along_edge = InputBinding::lenient(WriteRole::NestedEdge);
            self.put(&on_create, "edge", &edge, along_edge);
        }
        let r#where = format!("{own}ConnectOrCreateWhere");
        let key = InputBinding::lenient(WriteRole::NestedKey);
        self.put(&r#where, "node", &format!("{own}UniqueWhere!"), key);
        let within = || InputBinding::lenient(WriteRole::Inputs);
        self.put(&name, "where", &format!("{}!", r#where), within());
        self.put(&name, "onCreate", &format!("{on_create}!"), within());
        relation.one_or_list(&name)
    }

    fn add_create_field(&mut self, relation: &Relation<'m>, node: &str) {
        let name = relation.shared("CreateFieldInput");
        let binding = InputBinding::lenient(WriteRole::NestedNode);
        self.put(&name, "node", &format!("{node}CreateInput!"), binding);
        self.put_new_edge(relation, &name);
    }

    fn add_connect_field(&mut self, relation: &Relation<'m>, node: usize) {
        let node = &self.model.nodes[node];
        let name = relation.shared("ConnectFieldInput");
        let r#where = format!("{}ConnectWhere", node.name);
        self.put(&r#where, "node", &format!("{}Where!", node.name), filter());
        self.put(&name, "where", &r#where, filter());
        if has_relationships(node) {
            let further = relation.one_or_list(&format!("{}ConnectInput", node.name));
            self.put(&name, "connect", &further, InputBinding::lenient(WriteRole::FurtherWrites));
        }
        self.put_new_edge(relation, &name);
        let (source, field) = (relation.source, &relation.field.name);
        let one = if relation.relationship.is_list { " for a specific " } else { "" };
        let other = if relation.relationship.is_list { &*node.name } else { "" };
        let otherwise = format!("{source}.{field} required exactly once{one}{other}").into();
        let binding = InputBinding::lenient(WriteRole::Overwrite { otherwise });
        let overwrite = DraftInput::new("overwrite", "Boolean!", binding);
        let overwrite = overwrite.described(OVERWRITE).defaulted(Const::Boolean(true));
        self.draft.add_input(&name, overwrite);
    }

    fn put_new_edge(&mut self, relation: &Relation<'m>, parent: &str) {
        let is_required = relation.edge_input(self).is_required;
        if let Some(edge) = relation.edge_create(self, is_required) {
            self.put(parent, "edge", &edge, InputBinding::lenient(WriteRole::NestedEdge));
        }
    }

    /// The type of what becomes of the properties of a relationship.
    pub(super) fn edge_update(&self, relation: &Relation<'m>) -> Option<String> {
        let properties =
            relation.properties(self).filter(|_| relation.edge_input(self).is_there)?;
        Some(format!("{}UpdateInput", properties.name))
    }

    /// Gives the types of a relationship a field that something is done by, and the type that says
    /// what is done along all relationships of the owner.
    fn put_done(
        &mut self,
        relation: &Relation<'m>,
        word: Word,
        parents: &[(&str, Nodes)],
        all: &str,
    ) {
        let name = relation.shared(&format!("{}FieldInput", word.name));
        let listed = relation.one_or_list(&name);
        for (parent, nodes) in parents {
            self.put(parent, word.field, &listed, nested_write(*nodes, None, word.verb));
        }
        let binding = self.done_along(relation, word.verb);
        let parent = format!("{}{all}", relation.source);
        self.put_for(&parent, &relation.field.name, &listed, binding, relation.reason());
    }

    pub(super) fn done_along(
        &self,
        relation: &Relation<'m>,
        verb: NestedWriteVerb,
    ) -> InputBinding {
        match (self.way(relation), relation.several) {
            (Some(way), _) => nested_write(Nodes::Found, Some(way), verb),
            (None, Some(ways)) => {
                InputBinding::lenient(WriteRole::Several(SeveralRole::NestedWrite {
                    ways,
                    verb,
                    rank: rank(Nodes::Found, verb),
                }))
            }
            (None, None) => super::nowhere(),
        }
    }

    pub(super) fn along(&self, relation: &Relation<'m>) -> InputBinding {
        match (self.way(relation), relation.several) {
            (Some(way), _) => InputBinding::lenient(WriteRole::NestedWrites(way)),
            (None, Some(ways)) => {
                InputBinding::lenient(WriteRole::Several(SeveralRole::Among { ways }))
            }
            (None, None) => super::nowhere(),
        }
    }

    /// How nodes are changed along a relationship: as it is written.
    fn way(&self, relation: &Relation<'m>) -> Option<Way> {
        let way = relation.way()?;
        let properties = relation.relationship.properties;
        let edge = properties.and_then(|place| self.placed.properties.get(place));
        Some(Way { hop: way.written, entity: way.entity, edge: edge.map(|(entity, _)| *entity) })
    }
}
