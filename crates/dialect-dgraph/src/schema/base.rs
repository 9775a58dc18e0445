//! Types that every schema has, in Dgraph's order.

use std::sync::Arc;

use graphql::schema::DirectiveLocation;
use ir::{GeoOperator, GeometryForm, ValueForm};

use super::operators::{add_filters, add_ranges, refused};
use super::section::{Draft, DraftType, Section};
use api::binding::{
    FieldBinding, FilterRole, InputBinding, InputRole, OperatorRole, ValueBinding, ValueShape,
};
use api::draft::{DraftField, DraftInput, DraftKind, DraftValue};
use response::{Leaf, Part};

/// The text of positions that only definitions use.
const OF_DEFINITIONS: &str = "It is a part of type definitions.";

/// Conditions on places, those on points first.
const GEO_OPERATORS: [(&str, &str, GeoOperator); 4] = [
    ("near", "NearFilter", GeoOperator::Near),
    ("within", "WithinFilter", GeoOperator::Within),
    ("contains", "ContainsFilter", GeoOperator::Contains),
    ("intersects", "IntersectsFilter", GeoOperator::Intersects),
];

const INT64: &str = "The Int64 scalar type represents a signed 64‐bit numeric non‐fractional \
     value.\nInt64 can represent values in range [-(2^63),(2^63 - 1)].";

const DATE_TIME: &str = "The DateTime scalar type represents date and time as a string in RFC3339 \
     format.\nFor example: \"1985-04-12T23:20:50.52Z\" represents 20 mins 50.52 secs after the \
     23rd hour of Apr 12th 1985 in UTC.";

/// Enums of directives of definitions.
const INDEXES: [&str; 16] = [
    "int", "int64", "float", "bool", "hash", "exact", "term", "fulltext", "trigram", "regexp",
    "year", "month", "day", "hour", "geo", "hnsw",
];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const MODES: [&str; 2] = ["BATCH", "SINGLE"];

/// Members of the inputs of directives of definitions.
const AUTH_RULE: [(&str, &str); 4] =
    [("and", "[AuthRule]"), ("or", "[AuthRule]"), ("not", "AuthRule"), ("rule", "String")];
const CUSTOM_HTTP: [(&str, &str); 9] = [
    ("url", "String!"),
    ("method", "HTTPMethod!"),
    ("body", "String"),
    ("graphql", "String"),
    ("mode", "Mode"),
    ("forwardHeaders", "[String!]"),
    ("secretHeaders", "[String!]"),
    ("introspectionHeaders", "[String!]"),
    ("skipIntrospection", "Boolean"),
];
const QUERY_PARAMS: [&str; 4] = ["get", "query", "password", "aggregate"];
const MUTATION_PARAMS: [&str; 3] = ["add", "update", "delete"];

/// Directives of operations, with their argument.
pub(super) const DIRECTIVES: [(&str, (&str, &str), DirectiveLocation); 2] = [
    (CASCADE, ("fields", "[String]"), DirectiveLocation::Field),
    ("cacheControl", ("maxAge", "Int!"), DirectiveLocation::Query),
];

/// The directive of fields whose rows must have all selected fields.
pub(super) const CASCADE: &str = "cascade";

/// Adds the types.
pub(super) fn add(draft: &mut Draft) {
    for name in ["Int", "Float", "String", "Boolean"] {
        draft.add_plain(Section::Scalars, name, DraftKind::Scalar { form: None });
    }
    let form = Some(ValueForm::HexadecimalId);
    draft.add_plain(Section::Scalars, "ID", DraftKind::Scalar { form });
    let moment = Some(ValueForm::PartialMoment);
    for (name, description, form) in
        [("Int64", INT64, Some(ValueForm::Integer64)), ("DateTime", DATE_TIME, moment)]
    {
        draft.add(DraftType {
            name: name.into(),
            description: Some(description.into()),
            section: Section::Base,
            kind: DraftKind::Scalar { form },
        });
    }
    add_ranges(draft);
    add_enum(draft, "DgraphIndex", &INDEXES);
    add_input(draft, "AuthRule", &AUTH_RULE, OF_DEFINITIONS);
    add_enum(draft, "HTTPMethod", &METHODS);
    add_enum(draft, "Mode", &MODES);
    add_input(draft, "CustomHTTP", &CUSTOM_HTTP, OF_DEFINITIONS);
    add_input(draft, "DgraphDefault", &[("value", "String")], OF_DEFINITIONS);
    add_geo(draft);
    let booleans = |names: &[&'static str]| -> Vec<(&str, &str)> {
        names.iter().map(|name| (*name, "Boolean")).collect()
    };
    add_input(draft, "GenerateQueryParams", &booleans(&QUERY_PARAMS), OF_DEFINITIONS);
    add_input(draft, "GenerateMutationParams", &booleans(&MUTATION_PARAMS), OF_DEFINITIONS);
    add_filters(draft);
}

/// Places, and conditions on them.
fn add_geo(draft: &mut Draft) {
    let coordinates = ["longitude", "latitude"];
    let parts = [Part::Longitude, Part::Latitude];
    let fields = coordinates.iter().zip(parts).map(|(name, part)| {
        let value = ValueShape::Leaf(Leaf::Float);
        DraftField::new(name, "Float!", FieldBinding::Part { part, value })
    });
    draft.add_plain(Section::Base, "Point", DraftKind::object(fields.collect()));
    let [longitude, latitude] = coordinates.map(Into::into);
    let point = Arc::new(GeometryForm::Point { longitude, latitude });
    add_geometry(draft, "PointRef", &coordinates.map(|name| (name, "Float!")), Some(&point));
    let name = "coordinate".into();
    let near = GeometryForm::Near { distance: "distance".into(), name, point: point.clone() };
    let members = [("distance", "Float!"), ("coordinate", "PointRef!")];
    add_geometry(draft, "NearFilter", &members, Some(&near.into()));
    add_conditions(draft, "PointGeoFilter", &GEO_OPERATORS[..2]);
    let (rings, points) = ("coordinates".into(), "points".into());
    let polygon = Arc::new(GeometryForm::Polygon { rings, points, point: point.clone() });
    let polygons = "polygons".into();
    let several = Arc::new(GeometryForm::MultiPolygon { polygons, polygon: polygon.clone() });
    for (object, input, name, element, form) in [
        ("PointList", "PointListRef", "points", "Point", None),
        ("Polygon", "PolygonRef", "coordinates", "PointList", Some(&polygon)),
        ("MultiPolygon", "MultiPolygonRef", "polygons", "Polygon", Some(&several)),
    ] {
        let value = ValueShape::List(Box::new(ValueShape::Geometry));
        let binding = FieldBinding::Part { part: Part::Elements, value };
        let field = DraftField::new(name, &format!("[{element}!]!"), binding);
        draft.add_plain(Section::Base, object, DraftKind::object(vec![field]));
        add_geometry(draft, input, &[(name, &format!("[{element}Ref!]!"))], form);
    }
    let (point, polygon, several) = (
        ("point", "PointRef", point),
        ("polygon", "PolygonRef", polygon),
        ("multiPolygon", "MultiPolygonRef", several),
    );
    let only = (polygon.0, "PolygonRef!", polygon.2.clone());
    for (filter, geometries) in [
        ("WithinFilter", vec![only]),
        ("ContainsFilter", vec![point, polygon.clone()]),
        ("IntersectsFilter", vec![polygon, several]),
    ] {
        let members = geometries.iter().map(|(name, r#type, _)| (*name, *r#type));
        let members: Vec<(&str, &str)> = members.collect();
        let forms = geometries.into_iter().map(|(name, _, form)| (name.into(), form));
        let form = Arc::new(GeometryForm::OneOf(forms.collect()));
        add_geometry(draft, filter, &members, Some(&form));
    }
    add_conditions(draft, "PolygonGeoFilter", &GEO_OPERATORS);
}

/// Adds the input type of a place, or of the operand of a condition.
fn add_geometry(
    draft: &mut Draft,
    name: &str,
    members: &[(&str, &str)],
    form: Option<&Arc<GeometryForm>>,
) {
    let member = |(name, r#type): &(&str, &str)| {
        DraftInput::new(name, r#type, InputBinding::lenient(InputRole::Member))
    };
    let members = members.iter().map(member).collect();
    let form = form.map(|form| ValueForm::Geometry((**form).clone()));
    draft.add_plain(Section::Base, name, DraftKind::Input { members, form });
}

/// Adds the conditions on a place.
fn add_conditions(draft: &mut Draft, name: &str, operators: &[(&str, &str, GeoOperator)]) {
    let member = |(name, r#type, operator): &(&str, &str, GeoOperator)| {
        let role = FilterRole::Operator(OperatorRole::Geo(*operator));
        DraftInput::new(name, r#type, InputBinding::lenient(role))
    };
    let members = operators.iter().map(member).collect();
    draft.add_plain(Section::Base, name, DraftKind::input(members));
}

fn add_input(draft: &mut Draft, name: &str, members: &[(&str, &str)], text: &str) {
    let member = |(name, r#type): &(&str, &str)| DraftInput::new(name, r#type, refused(text));
    let members = members.iter().map(member).collect();
    draft.add_plain(Section::Base, name, DraftKind::input(members));
}

fn add_enum(draft: &mut Draft, name: &str, values: &[&str]) {
    let value = |name: &&str| DraftValue::new(name, ValueBinding::Refused(OF_DEFINITIONS.into()));
    let values = values.iter().map(value).collect();
    draft.add_plain(Section::Base, name, DraftKind::Enum { values });
}
