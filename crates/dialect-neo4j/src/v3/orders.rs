//! Orders and pages of lists.

use ir::ValueRef;

use super::build::{Build, reason};
use super::classes::{USUAL, stored};
use super::roles::{Values, limit, unserved};
use super::texts::{sort_option, sort_type};
use crate::model::ModelField;
use crate::shared::draft::{DraftInput, DraftKind};
use api::binding::{ArgumentRole, InputBinding, OrderRole};
use api::plural::VERSION_8;

/// The enum of directions.
const DIRECTION: &str = "SortDirection";

impl Build<'_> {
    /// The input types for the order and the page of lists of a node type.
    pub(super) fn add_node_orders(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let most = node.limit.max;
        let several = self.names[place].pascal_plural();
        let sort = self.add_sort(&node.name, &node.fields, Values::Node(place), &several);
        let options = format!("{}Options", node.name);
        if let Some(sort) = sort {
            self.put_sort(&options, &format!("[{sort}!]"), &sort_option(&several, &sort));
        }
        self.put_page(&options, ["limit", "offset"], most);
    }

    /// The same of an interface.
    pub(super) fn add_interface_orders(&mut self, place: usize) {
        let interface = &self.model.interfaces[place];
        let most = interface.limit.max;
        let several = VERSION_8.pluralize(&interface.name);
        let options = format!("{}Options", interface.name);
        self.put_page(&options, ["limit", "offset"], most);
        let (name, fields) = (&interface.name, &interface.fields);
        if let Some(sort) = self.add_sort(name, fields, Values::Interface(place), &several) {
            self.put_sort(&options, &format!("[{sort}]"), &sort_option(&several, &sort));
        }
    }

    /// The page of lists of unions.
    pub(super) fn add_query_options(&mut self) {
        self.put_page("QueryOptions", ["offset", "limit"], None);
    }

    /// The order by the properties of a relationship: by all that are shown, lists too.
    pub(super) fn add_edge_orders(&mut self, place: usize) {
        let properties = &self.model.properties[place];
        let sort = format!("{}Sort", properties.name);
        self.draft.input(&sort);
        for one in stored(&properties.fields, &USUAL) {
            if let Some(field) = Values::Edge(place).field(self.placed, one.place)
                && one.field.offers.on_read
            {
                let binding = InputBinding::lenient(OrderRole::Edge(field));
                self.put(&sort, &one.field.name, DIRECTION, binding);
            }
        }
    }

    /// The type of orders, if rows can be ordered by anything.
    fn add_sort(
        &mut self,
        name: &str,
        fields: &[ModelField],
        values: Values,
        several: &str,
    ) -> Option<String> {
        let mut sortable = stored(fields, &USUAL);
        sortable.retain(|one| !one.property.is_list && one.field.offers.sortable);
        let given = self.statement_orders(values);
        if sortable.is_empty() && given.is_empty() {
            return None;
        }
        let sort = format!("{name}Sort");
        let kind = DraftKind::Input { fields: Vec::new(), form: None };
        self.draft.add(&sort, Some(&sort_type(several, &sort)), kind);
        for one in sortable {
            let binding = match values.place(self, one.place) {
                Some(ValueRef::Field { field, .. }) => {
                    InputBinding::lenient(OrderRole::Field(field))
                }
                Some(ValueRef::Common(place)) => InputBinding::lenient(OrderRole::Common(place)),
                _ => unserved("An order by what statements give of nodes of several types"),
            };
            self.put_for(&sort, &one.field.name, DIRECTION, binding, reason(one.field));
        }
        for input in given {
            self.draft.add_input(&sort, input);
        }
        Some(sort)
    }

    fn put_sort(&mut self, options: &str, r#type: &str, description: &str) {
        let binding = InputBinding::lenient(ArgumentRole::Sort);
        let input = DraftInput::new("sort", r#type, binding).described(description);
        self.draft.add_input(options, input);
    }

    fn put_page(&mut self, options: &str, names: [&str; 2], most: Option<u32>) {
        for name in names {
            let binding = match name {
                "limit" => limit(most),
                _ => InputBinding::lenient(ArgumentRole::Offset),
            };
            self.put(options, name, "Int", binding);
        }
    }
}
