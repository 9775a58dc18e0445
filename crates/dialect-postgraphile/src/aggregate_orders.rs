//! Orders by aggregates of related rows, as in the plugin pg-aggregates.
//!
//! The plugin has each function of each column of each related entity. Unsupported ones are in the
//! schema here as well, and fail with the database's message when used.

use std::sync::Arc;

use catalog::{Relationship, Type};
use graphql::schema::{EnumValueDefinition, TypeId, TypeKind};
use ir::{AggregateFunction, Form, Hop, HopDirection};
use response::Leaf;
use rustc_hash::FxHashSet;

use super::aggregates::{SPECIFICATIONS, Specification, has_aggregates, made};
use super::build::Build;
use super::entity::{Column, Served};
use super::order::DIRECTIONS;
use super::tags::omit::Action;
use api::binding::{AggregateValue, OrderBy, ValueBinding};
use api::has_extremes;

/// Adds the orders of all entities by aggregates of the rows that refer to theirs.
pub(super) fn add(build: &mut Build<'_>, served: &[Served<'_>]) {
    if !build.options.aggregates {
        return;
    }
    let catalog = build.catalog;
    for one in served {
        let Some(order) = one.types.and_then(|types| types.order) else { continue };
        let mut orders = Orders::new(build, order);
        for id in &one.entity.incoming {
            let relationship = &catalog[*id];
            let place = build.places.get(&relationship.from);
            let Some(from) = place.and_then(|place| served.get(*place)) else { continue };
            // A to-one relation has no aggregates.
            let is_single =
                from.entity.keys.iter().any(|key| key.fields == relationship.from_fields);
            let shown = |field: &catalog::FieldId| from.column(*field).is_some();
            if has_aggregates(build, from)
                && !is_single
                && build.is_readable(relationship.from)
                && relationship.from_fields.iter().all(shown)
                && build.offers_relationship(relationship, Action::Read)
            {
                orders.add_relation(build, relationship, from);
            }
        }
    }
}

/// An enum of orders, with its names.
struct Orders {
    r#type: TypeId,
    names: FxHashSet<Arc<str>>,
}

impl Orders {
    fn new(build: &Build<'_>, r#type: TypeId) -> Self {
        let schema = build.api.schema();
        let names = match &schema[r#type].kind {
            TypeKind::Enum { values } => values.iter().map(|value| schema[*value].name.clone()),
            _ => return Self { r#type, names: FxHashSet::default() },
        };
        Self { r#type, names: names.collect() }
    }

    fn add_relation(
        &mut self,
        build: &mut Build<'_>,
        relationship: &Relationship,
        from: &Served<'_>,
    ) {
        let relation = build.backward_many_name(relationship);
        let hop = Hop { relationship: relationship.id, direction: HopDirection::Backward };
        let count = Box::new(AggregateValue {
            function: AggregateFunction::Count,
            field: None,
            leaf: Leaf::KeyNumber,
            form: Form::Stored,
            absent: None,
        });
        for (suffix, direction) in DIRECTIONS {
            let name = build.inflection.order_by_count(&relation, suffix);
            let (value, cursor_name) = (count.clone(), name.as_str().into());
            let order_by = OrderBy::Related { hop, value, direction, cursor_name };
            self.add_value(build, &name, ValueBinding::Order(order_by));
        }
        for specification in SPECIFICATIONS {
            for column in &from.columns {
                let value = ordered(build, column, specification);
                for (suffix, direction) in DIRECTIONS {
                    let column_name = build.column_name(column.field);
                    let name = build.inflection.order_by_aggregate(
                        &relation,
                        specification.name,
                        column_name,
                        suffix,
                    );
                    let cursor_name = name.as_str().into();
                    let binding = match &value {
                        Ok(value) => {
                            let value = Box::new(value.clone());
                            ValueBinding::Order(OrderBy::Related {
                                hop,
                                value,
                                direction,
                                cursor_name,
                            })
                        }
                        Err(text) => ValueBinding::Refused(text.clone()),
                    };
                    self.add_value(build, &name, binding);
                }
            }
        }
    }

    /// Adds a value, unless its name is taken: columns come before aggregates.
    fn add_value(&mut self, build: &mut Build<'_>, name: &str, binding: ValueBinding) {
        if self.names.insert(name.into()) {
            build.api.add_enum_value(self.r#type, EnumValueDefinition::new(name), binding);
        }
    }
}

/// The sort key, or the database's error where it cannot sort.
fn ordered(
    build: &mut Build<'_>,
    column: &Column,
    specification: Specification,
) -> Result<AggregateValue, Box<str>> {
    let Specification { function, .. } = specification;
    let field_type: &Type = build.catalog.base_type(&build.catalog[column.field].r#type);
    let extreme = matches!(function, AggregateFunction::Minimum | AggregateFunction::Maximum);
    let (leaf, form) = if extreme && has_extremes(field_type) {
        (column.value.json.clone(), column.value.form)
    } else if let (false, Some(made)) = (extreme, made(build, column, function)) {
        (Leaf::KeyNumber, made.form)
    } else {
        return Err(specification.refusal(build.column_name(column.field)));
    };
    Ok(AggregateValue { function, field: Some(column.field), leaf, form, absent: None })
}
