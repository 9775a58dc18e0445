//! Filters by computed columns, and of functions' sets.

use std::sync::Arc;

use catalog::{EntityId, EntityKind, FieldId, Type};
use graphql::schema::TypeId;
use ir::{Call, ValueRef};

use super::{FilterOptions, Filters, add_type, argument, cases, composites, operators};
use crate::api_types::ComputedValue;
use crate::build::Build;
use crate::claims::Claims;
use crate::entity::Served;
use api::binding::{CompositePlace, FilterRole, InputBinding, Subject};

/// The computed columns of an entity that have filters, with the types of the filters.
pub(super) fn computed(build: &mut Build<'_>, entity: EntityId) -> Vec<(ComputedValue, TypeId)> {
    let by_option = build.options.connection_filter.as_ref();
    if !by_option.is_some_and(|options| options.computed_columns) {
        return Vec::new();
    }
    let catalog = build.catalog;
    let mut found = Vec::new();
    for computed in build.computed.get(&entity).cloned().unwrap_or_default() {
        if !build.offers_filter_by(computed.function) {
            continue;
        }
        let Some(filter) = operators::find(build, &catalog[computed.field].r#type) else {
            continue;
        };
        found.push((computed, filter));
    }
    found
}

/// Adds the filters by computed columns.
pub(super) fn add_computed(build: &mut Build<'_>, entity: EntityId, filters: &mut Filters<'_>) {
    for (ComputedValue { function, name, field, .. }, r#type) in computed(build, entity) {
        let (plain, ignoring) = cases(&build.catalog[field].r#type);
        let call = Call { function, of_row: Some(Vec::new()), arguments: Vec::new() };
        let subject = Subject { place: ValueRef::Computed(call), plain, ignoring };
        let named = format!("{}()", build.catalog.function_name(function));
        filters.add_field(build, &name, r#type, FilterRole::Operators(Arc::new(subject)), &named);
    }
}

/// The type and the binding of the argument that filters a function's set. `name` is the type of
/// its rows; `columns` are those of the function's own rows.
pub(crate) fn argument_of_set(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    entity: EntityId,
    name: &str,
    columns: &[(FieldId, String)],
) -> Option<(TypeId, InputBinding)> {
    let options = build.options.connection_filter.as_ref()?;
    if !options.setof_functions {
        return None;
    }
    let catalog = build.catalog;
    match catalog[entity].kind {
        EntityKind::Table
        | EntityKind::View
        | EntityKind::MaterializedView
        | EntityKind::ForeignTable
        | EntityKind::Node => {
            let one = served.get(*build.places.get(&entity)?)?;
            Some((one.types?.filter?, argument(options)))
        }
        EntityKind::Record | EntityKind::Model => {
            let r#type = record(build, options, name, columns)?;
            Some((r#type, argument(options)))
        }
        EntityKind::Composite => {
            let mut composites = catalog.composites();
            let composite = composites.find(|composite| composite.rows == Some(entity))?;
            let r#type = composites::find(build, composite.id)?;
            let fields = catalog[entity].fields.clone().into();
            Some((
                r#type,
                options.object(FilterRole::Composite(CompositePlace::Row(Box::new(fields)))),
            ))
        }
        EntityKind::ValueSet => {
            let field = catalog.fields_of(entity).next()?;
            if let Type::Composite(id) = &field.r#type {
                let r#type = composites::find(build, *id)?;
                let role = FilterRole::Composite(CompositePlace::Field(field.id));
                return Some((r#type, options.object(role)));
            }
            // A list has no name of its own in the plugin, and so no filter.
            if let Type::Composite(_) | Type::List(_) = catalog.base_type(&field.r#type) {
                return None;
            }
            let r#type = operators::find(build, &field.r#type)?;
            let (plain, ignoring) = cases(&field.r#type);
            let subject = Subject { place: ValueRef::field(field.id), plain, ignoring };
            Some((r#type, options.object(FilterRole::Operators(Arc::new(subject)))))
        }
        EntityKind::Edge => None,
    }
}

/// The type of filters by the columns of a function.
fn record(
    build: &mut Build<'_>,
    options: &FilterOptions,
    name: &str,
    columns: &[(FieldId, String)],
) -> Option<TypeId> {
    let catalog = build.catalog;
    let mut fields = Vec::new();
    for (field, name) in columns {
        let value = &catalog[*field].r#type;
        let Some(found) = operators::find(build, value) else { continue };
        let (plain, ignoring) = cases(value);
        let subject = Subject { place: ValueRef::field(*field), plain, ignoring };
        fields.push((name, found, FilterRole::Operators(Arc::new(subject))));
    }
    if fields.is_empty() {
        return None;
    }
    let r#type = add_type(build, name, name)?;
    let mut filters = Filters { options, r#type, names: Claims::default() };
    for (field, found, role) in fields {
        filters.add_field(build, field, found, role, name);
    }
    if options.logical_operators {
        filters.add_logic(build, name);
    }
    Some(r#type)
}
