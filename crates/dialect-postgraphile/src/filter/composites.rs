//! Filters by the attributes of composites.

use catalog::{CompositeId, Type};
use graphql::schema::TypeId;

use super::{Filters, add_type, cases, find as find_filter};
use crate::build::Build;
use crate::claims::Claims;
use crate::tags::omit::{Action, omits};
use crate::types::value_type;
use api::binding::{CompositePlace, FilterRole};

/// The type of filters by values of a composite; `None` if none of its attributes has filters.
pub(super) fn find(build: &mut Build<'_>, id: CompositeId) -> Option<TypeId> {
    let options = build.options.connection_filter.as_ref()?;
    let catalog = build.catalog;
    let value = value_type(build, &Type::Composite(id))?;
    let name = build.api.schema()[value.output.base].name.clone();
    if !options.allows_type(&name) {
        return None;
    }
    let filter_name = build.inflection.filter_type(&name);
    if let Some(known) = build.filters.get(&*filter_name) {
        return *known;
    }
    // During its construction, a recursive composite gets nothing for itself.
    build.filters.insert(filter_name.as_str().into(), None);
    let mut fields = Vec::new();
    for composites in [false, true] {
        for (place, attribute) in catalog[id].attributes.iter().enumerate() {
            if matches!(attribute.r#type, Type::Composite(_)) != composites {
                continue;
            }
            let tags = &build.annotations.attribute(id, place).tags;
            if omits(tags, Action::Filter) {
                continue;
            }
            let name = build.inflection.column(tags.text("name").unwrap_or(&attribute.name));
            let Some(found) = find_filter(build, &attribute.r#type) else { continue };
            let Ok(place) = u16::try_from(place) else { continue };
            let role = match &attribute.r#type {
                Type::Composite(_) => FilterRole::Composite(CompositePlace::Attribute(place)),
                other => {
                    let (plain, ignoring) = cases(other);
                    FilterRole::AttributeOperators { attribute: place, plain, ignoring }
                }
            };
            fields.push((name, found, role));
        }
    }
    if fields.is_empty() {
        return None;
    }
    let subject = &catalog[id].name;
    let r#type = add_type(build, &name, subject)?;
    build.filters.insert(filter_name.into(), Some(r#type));
    let mut filters = Filters { options, r#type, names: Claims::default() };
    for (name, found, role) in fields {
        filters.add_field(build, &name, found, role, subject);
    }
    if options.logical_operators {
        filters.add_logic(build, subject);
    }
    Some(r#type)
}
