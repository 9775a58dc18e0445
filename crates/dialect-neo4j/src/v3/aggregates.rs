//! What is shown of many rows together.

use ir::{AggregateFunction, Form};
use response::Leaf;

use super::build::Build;
use super::classes::{OF_AGGREGATES, stored};
use super::relations::{Part, Relation, target_name};
use super::roles::Values;
use crate::model::{ApiVersion, ModelField, PropertyType};
use crate::shared::values::{leaf, type_name};
use api::binding::{AggregateField, AggregateValue, FieldBinding};

/// A function as the API shows it.
struct Shown {
    name: &'static str,
    function: AggregateFunction,
    /// The type of what it makes.
    r#type: PropertyType,
    leaf: Leaf,
}

impl<'m> Build<'m> {
    /// The type of what is made of all nodes of a type.
    pub(super) fn add_node_aggregates(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        let name = format!("{}AggregateSelection", node.name);
        self.add_count(&name);
        self.add_values(&name, &node.fields, Values::Node(place));
    }

    /// The type of what is made of the nodes that a relationship leads to, and of its properties.
    pub(super) fn add_related_aggregates(&mut self, relation: &Relation<'m>) -> String {
        let target = relation.relationship.target;
        let (source, upper) = (relation.source, relation.upper());
        let base = format!("{source}{}{upper}", target_name(self.model, target));
        let name = format!("{base}AggregationSelection");
        self.add_count(&name);
        for Part { field, word, fields, values } in relation.parts(self.model) {
            let of = format!("{base}{word}AggregateSelection");
            if self.add_values(&of, fields, values) {
                self.show(&name, field, &of, FieldBinding::Aggregate(AggregateField::Object));
            }
        }
        name
    }

    fn add_count(&mut self, name: &str) {
        let count = Shown {
            name: "count",
            function: AggregateFunction::Count,
            r#type: PropertyType::Int,
            leaf: Leaf::Int,
        };
        self.show(name, count.name, "Int!", count.binding());
    }

    /// Adds the properties to a type of aggregates; whether there is any.
    fn add_values(&mut self, name: &str, fields: &[ModelField], values: Values) -> bool {
        let mut any = false;
        for one in stored(fields, &OF_AGGREGATES) {
            let is_shown = one.field.offers.on_aggregate && !one.property.is_list;
            let functions = functions(&one.property.r#type);
            let Some(place) = values.place(self, one.place) else { continue };
            if !is_shown || functions.is_empty() {
                continue;
            }
            let required = one.property.is_required;
            let r#type = self.add_functions(&one.property.r#type, required, functions);
            let binding = FieldBinding::Aggregate(AggregateField::Of { place, once: false });
            self.show(name, &one.field.name, &format!("{}!", r#type), binding);
            any = true;
        }
        any
    }

    /// The type of what functions make of values of a type, which all properties of it share.
    fn add_functions(
        &mut self,
        r#type: &PropertyType,
        is_required: bool,
        functions: Vec<Shown>,
    ) -> String {
        let (suffix, mark) = if is_required { ("NonNullable", "!") } else { ("Nullable", "") };
        let name = format!("{}AggregateSelection{suffix}", type_name(self.model, r#type));
        if !self.draft.has(&name) {
            for shown in functions {
                let result = format!("{}{mark}", type_name(self.model, &shown.r#type));
                self.show(&name, shown.name, &result, shown.binding());
            }
        }
        name
    }
}

impl Shown {
    fn binding(&self) -> FieldBinding {
        let value = AggregateValue {
            function: self.function,
            field: None,
            leaf: self.leaf.clone(),
            form: Form::Stored,
            absent: None,
        };
        FieldBinding::Aggregate(AggregateField::Value([value].into()))
    }
}

fn own_leaf(r#type: &PropertyType) -> Leaf {
    leaf(r#type, ApiVersion::V3)
}

/// The functions of values of a type; none where nothing is made of them.
fn functions(r#type: &PropertyType) -> Vec<Shown> {
    use AggregateFunction::{Average, LongestText, Maximum, Minimum, ShortestText, Total};
    let same =
        |name, function| Shown { name, function, r#type: r#type.clone(), leaf: own_leaf(r#type) };
    let average = || match r#type {
        // The average of integers need not be one. That of large ones is a text all the same.
        PropertyType::Int => {
            let r#type = PropertyType::Float;
            Shown { name: "average", function: Average, leaf: own_leaf(&r#type), r#type }
        }
        PropertyType::BigInt => Shown { leaf: Leaf::FloatText, ..same("average", Average) },
        _ => same("average", Average),
    };
    match r#type {
        PropertyType::Id | PropertyType::String => {
            vec![same("shortest", ShortestText), same("longest", LongestText)]
        }
        PropertyType::Int | PropertyType::BigInt | PropertyType::Float => {
            vec![same("max", Maximum), same("min", Minimum), average(), same("sum", Total)]
        }
        PropertyType::Time
        | PropertyType::LocalTime
        | PropertyType::DateTime
        | PropertyType::LocalDateTime
        | PropertyType::Duration => vec![same("min", Minimum), same("max", Maximum)],
        PropertyType::Boolean
        | PropertyType::Date
        | PropertyType::Point
        | PropertyType::CartesianPoint
        | PropertyType::Enum(_)
        | PropertyType::Scalar(_) => Vec::new(),
    }
}
