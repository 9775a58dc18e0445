//! The fields of the root types: lists, connections and aggregates of nodes, and their changes.

use catalog::EntityId;

use super::build::Build;
use super::objects::{in_interface, with_reason};
use super::roles::{filter, limit};
use super::unserved;
use crate::model::NodeType;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::naming::upper_first;
use api::binding::{
    ArgumentRole, Change, ConnectionField, EdgeField, FieldBinding, InputBinding, MutationBinding,
    MutationForm, PayloadField, RowsBinding, RowsForm, RowsFrom, WriteRole,
};

/// What an update does along relationships: its arguments, with the ends of their types' names.
const ALONG: [(&str, &str); 5] = [
    ("connect", "ConnectInput"),
    ("disconnect", "DisconnectInput"),
    ("create", "RelationInput"),
    ("delete", "DeleteInput"),
    ("connectOrCreate", "ConnectOrCreateInput"),
];

impl Build<'_> {
    /// The field that finds any node by its global id, if there are such ids.
    pub(super) fn add_global_ids(&mut self) {
        if !(0..self.model.nodes.len()).any(|place| self.global_id(place).is_some()) {
            return;
        }
        let id = DraftField::new("id", "ID!", in_interface()).described("The id of the object.");
        let kind = DraftKind::Interface { fields: vec![id], interfaces: Vec::new() };
        self.draft.add("Node", Some("An object with an ID"), kind);
        let id = DraftInput::new("id", "ID!", InputBinding::lenient(ArgumentRole::GlobalId))
            .described("The ID of an object");
        // No id stands for the root itself.
        let node = DraftField::new("node", "Node", FieldBinding::Lookup { root: "" })
            .argument(id)
            .described("Fetches an object given its ID");
        self.draft.add_field("Query", node);
    }

    /// The root fields of a node type.
    pub(super) fn add_root_fields(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        if node.offers.read {
            self.add_list(place);
            self.add_root_connection(place);
        }
        if node.offers.aggregate {
            let name = format!("{}Aggregate", self.names[place].plural);
            let r#type = format!("{}AggregateSelection!", node.name);
            let binding = self.root_rows(place, RowsForm::Aggregate);
            let field = DraftField::new(&name, &r#type, binding);
            let mut field = field.argument(where_argument(node));
            field.arguments.extend(self.search_argument(place));
            self.put_root("Query", node, field);
        }
        let name = |verb: &str| format!("{verb}{}", self.names[place].pascal_plural());
        let (create, delete, update) = (name("create"), name("delete"), name("update"));
        if node.offers.create {
            self.add_create(place, &create);
        }
        if node.offers.delete {
            self.add_delete(place, &delete);
        }
        if node.offers.update {
            self.add_update(place, &update);
        }
    }

    fn add_list(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let r#type = format!("[{}!]!", node.name);
        let binding = self.root_rows(place, RowsForm::List);
        let options = format!("{}Options", node.name);
        let options =
            DraftInput::new("options", &options, InputBinding::lenient(ArgumentRole::Options));
        let mut field = DraftField::new(&self.names[place].plural, &r#type, binding)
            .argument(where_argument(node))
            .argument(options);
        field.arguments.extend(self.search_argument(place));
        self.put_root("Query", node, field);
    }

    fn add_root_connection(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let edge = format!("{}Edge", node.name);
        self.show(&edge, "cursor", "String!", FieldBinding::Edge(EdgeField::Cursor));
        let shown = format!("{}!", node.name);
        self.show(&edge, "node", &shown, FieldBinding::Edge(EdgeField::Node));
        let connection = format!("{}Connection", self.names[place].pascal_plural());
        let edges = format!("[{edge}!]!");
        for (name, r#type, field) in [
            ("totalCount", "Int!", ConnectionField::TotalCount),
            ("pageInfo", "PageInfo!", ConnectionField::PageInfo),
            ("edges", &*edges, ConnectionField::Edges),
        ] {
            self.show(&connection, name, r#type, FieldBinding::Connection(field));
        }
        let name = format!("{}Connection", self.names[place].plural);
        let binding = self.root_rows(place, RowsForm::Connection);
        let mut field = DraftField::new(&name, &format!("{connection}!"), binding)
            .argument(DraftInput::new("first", "Int", limit(node.limit.max)))
            .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset))
            .argument(where_argument(node));
        let sort = format!("{}Sort", node.name);
        if self.draft.has(&sort) {
            field = field.argument(DraftInput::lenient(
                "sort",
                &format!("[{sort}]"),
                ArgumentRole::Sort,
            ));
        }
        field.arguments.extend(self.search_argument(place));
        self.put_root("Query", node, field);
    }

    fn root_rows(&self, place: usize, form: RowsForm) -> FieldBinding {
        match self.placed.nodes.get(place) {
            Some(node) => FieldBinding::Rows(RowsBinding {
                from: RowsFrom::Entity,
                entity: node.entity,
                form,
                default_limit: self.default_limit(place, form),
            }),
            None => unserved("A type of nodes without a place"),
        }
    }

    fn add_create(&mut self, place: usize, name: &str) {
        let node = &self.model.nodes[place];
        let r#type = self.add_response(place, name, "CreateInfo!");
        let input = format!("[{}CreateInput!]!", node.name);
        let input = DraftInput::new("input", &input, InputBinding::lenient(WriteRole::Rows));
        let binding = self.change(place, Change::CreateNodes, true);
        self.put_root("Mutation", node, DraftField::new(name, &r#type, binding).argument(input));
    }

    fn add_delete(&mut self, place: usize, name: &str) {
        let node = &self.model.nodes[place];
        let binding = self.change(place, Change::DeleteNodes, false);
        let mut field =
            DraftField::new(name, "DeleteInfo!", binding).argument(where_argument(node));
        field.arguments.extend(self.further(node, "delete", "DeleteInput"));
        self.put_root("Mutation", node, field);
    }

    fn add_update(&mut self, place: usize, name: &str) {
        let node = &self.model.nodes[place];
        let r#type = self.add_response(place, name, "UpdateInfo!");
        let update = format!("{}UpdateInput", node.name);
        let update = DraftInput::new("update", &update, InputBinding::lenient(WriteRole::Inputs));
        let binding = self.change(place, Change::UpdateNodes, true);
        let mut field =
            DraftField::new(name, &r#type, binding).argument(where_argument(node)).argument(update);
        for (argument, suffix) in ALONG {
            field.arguments.extend(self.further(node, argument, suffix));
        }
        self.put_root("Mutation", node, field);
    }

    /// What is done along the relationships of the nodes, if they have any.
    fn further(&self, node: &NodeType, name: &str, suffix: &str) -> Option<DraftInput> {
        let r#type = format!("{}{suffix}", node.name);
        let binding = InputBinding::lenient(WriteRole::FurtherWrites);
        self.draft.has(&r#type).then(|| DraftInput::new(name, &r#type, binding))
    }

    /// The type of what a change gives.
    fn add_response(&mut self, place: usize, change: &str, info: &str) -> String {
        let node = &self.model.nodes[place];
        let name = format!("{}MutationResponse", upper_first(change));
        self.show(&name, "info", info, FieldBinding::Payload(PayloadField::Counters));
        let plural = self.names[place].plural.clone();
        let rows = format!("[{}!]!", node.name);
        self.show(&name, &plural, &rows, FieldBinding::Payload(PayloadField::Rows));
        format!("{name}!")
    }

    fn change(
        &self,
        place: usize,
        change: fn(EntityId) -> Change,
        gives_nodes: bool,
    ) -> FieldBinding {
        let Some(node) = self.placed.nodes.get(place) else {
            return unserved("A type of nodes without a place");
        };
        FieldBinding::Mutation(Box::new(MutationBinding {
            change: change(node.entity),
            returned: gives_nodes.then_some(node.entity),
            form: MutationForm::Payload,
            missing: None,
            unchanged: None,
        }))
    }

    fn put_root(&mut self, root: &str, node: &NodeType, field: DraftField) {
        self.draft.add_field(root, with_reason(field, node.deprecated.as_deref()));
    }
}

fn where_argument(node: &NodeType) -> DraftInput {
    DraftInput::new("where", &format!("{}Where", node.name), filter())
}
