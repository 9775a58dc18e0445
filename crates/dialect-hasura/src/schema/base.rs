//! Types of every API: scalars, directions, directives.

use api::ApiBuilder;
use api::binding::ValueBinding;
use catalog::SpatialKind;
use graphql::schema::{DirectiveDefinition, DirectiveLocation, InputDefinition, TypeRef};
use graphql::value::Const;
use ir::{Direction, JsonTexts, Nulls, ValueForm};

use super::Build;
use crate::draft::DraftValue;
use crate::plan::Plan;

/// The enum of directions.
pub(super) const ORDER_BY: &str = "order_by";

/// Directions with their descriptions.
const DIRECTIONS: [(&str, &str, Direction, Nulls); 6] = {
    use Direction::{Ascending, Descending};
    use Nulls::{First, Last};
    [
        ("asc", "in ascending order, nulls last", Ascending, Last),
        ("asc_nulls_first", "in ascending order, nulls first", Ascending, First),
        ("asc_nulls_last", "in ascending order, nulls last", Ascending, Last),
        ("desc", "in descending order, nulls first", Descending, First),
        ("desc_nulls_first", "in descending order, nulls first", Descending, First),
        ("desc_nulls_last", "in descending order, nulls last", Descending, Last),
    ]
};

pub(super) fn add(build: &mut Build<'_>) {
    for scalar in ["Int", "Float", "String", "Boolean"] {
        build.draft.scalar(scalar);
    }
    // Before the scalars of columns: the first type of a name stays.
    for r#enum in &build.plan.enums.types {
        let values = r#enum.values.iter().map(|value| {
            let binding = ValueBinding::Label(value.label.clone());
            let made = DraftValue::new(&value.name, "", binding).verbatim();
            made.described_by(value.description.as_deref())
        });
        build.draft.values(&r#enum.name, None, values.collect());
    }
    for planned in &build.plan.entities {
        for column in &planned.columns {
            build.draft.scalar(&column.values.scalar);
        }
    }
    let directions = DIRECTIONS.into_iter().map(|(name, description, direction, nulls)| {
        DraftValue::new(name, description, ValueBinding::Placed { direction, nulls })
    });
    let name = build.shared_type(ORDER_BY);
    build.draft.values(&name, Some("column ordering options"), directions.collect());
}

/// Binds the forms of input values: a text for a column of JSON is a JSON string, and values of
/// PostGIS are GeoJSON.
pub(super) fn bind_forms(builder: &mut ApiBuilder) {
    for scalar in ["json", "jsonb"] {
        if let Some(id) = builder.schema().find_type(scalar) {
            builder.bind_form(id, ValueForm::Json(JsonTexts::Strings));
        }
    }
    for kind in [SpatialKind::Geometry, SpatialKind::Geography, SpatialKind::Raster] {
        if let Some(id) = builder.schema().find_type(kind.name()) {
            builder.bind_form(id, ValueForm::Spatial(kind));
        }
    }
}

/// Says which label each value of an enum table has.
pub(super) fn bind_enums(plan: &Plan<'_>, builder: &mut ApiBuilder) {
    for r#enum in &plan.enums.types {
        let Some(r#type) = builder.schema().find_type(&r#enum.name) else { continue };
        let labels = r#enum.values.iter();
        let labels = labels.map(|value| (value.name.as_str().into(), value.label.clone()));
        builder.bind_form(r#type, ValueForm::Name(labels.collect()));
    }
}

/// Adds the directive of cached queries, which Hasura's community edition accepts without effect as
/// well.
pub(super) fn add_directives(builder: &mut ApiBuilder) {
    let find = |name| builder.schema().find_type(name).map(|id| TypeRef::named(id).non_null());
    let (Some(int), Some(boolean)) = (find("Int"), find("Boolean")) else { return };
    let argument = |name, description: &str, r#type, default| InputDefinition {
        description: Some(description.into()),
        default: Some(Box::new(default)),
        ..InputDefinition::new(name, r#type)
    };
    let arguments = vec![
        argument("ttl", "measured in seconds", int, Const::Int(60)),
        argument("refresh", "refresh the cache entry", boolean, Const::Boolean(false)),
    ];
    let definition = DirectiveDefinition {
        name: "cached".into(),
        description: Some("whether this query should be cached (Hasura Cloud only)".into()),
        arguments: Vec::new(),
        locations: vec![DirectiveLocation::Query],
        is_repeatable: false,
    };
    builder.add_directive(definition, arguments);
}
