//! Types that both versions of the API have whatever the definitions say, and the enums and scalars
//! that these say.

use graphql::schema::EnumValueDefinition;
use ir::{Comparison, Counter, Direction, ValueForm};
use response::{Leaf, Part};

use crate::model::{ApiVersion, Model};
use crate::shared::draft::{Draft, DraftField, DraftInput, DraftKind};
use api::binding::{
    FieldBinding, InputBinding, InputRole, OperatorRole, PageInfoField, PayloadField, ValueBinding,
    ValueShape,
};

/// The library's own scalars, with its descriptions of them.
const SCALARS: [(&str, &str); 7] = [
    (
        "BigInt",
        "A BigInt value up to 64 bits in size, which can be a number or a string if used inline, \
         or a string only if used as a variable. Always returned as a string.",
    ),
    ("Date", "A date, represented as a 'yyyy-mm-dd' string"),
    ("DateTime", "A date and time, represented as an ISO-8601 string"),
    ("Duration", "A duration, represented as an ISO 8601 duration string"),
    ("LocalDateTime", "A local datetime, represented as 'YYYY-MM-DDTHH:MM:SS'"),
    ("LocalTime", "A local time, represented as a time string without timezone information"),
    ("Time", "A time, represented as an RFC3339 time string"),
];

/// Adds them all: those that nothing leads to are left out in the end.
pub(crate) fn define(draft: &mut Draft, model: &Model, version: ApiVersion) {
    for name in ["Boolean", "Float", "ID", "Int", "String"] {
        draft.add(name, None, DraftKind::Scalar { form: None });
    }
    for (name, description) in SCALARS {
        // Version 3 hands moments on in UTC, so that one offset is as good as another.
        let form = (*name == *"DateTime" && version == ApiVersion::V3).then_some(ValueForm::Moment);
        draft.add(name, Some(description), DraftKind::Scalar { form });
    }
    for scalar in &model.scalars {
        // Values of scalars that the definitions bring along are stored as they are given.
        draft.add(&scalar.name, scalar.description.as_deref(), DraftKind::Scalar { form: None });
    }
    for known in &model.enums {
        let values = known.values.iter().map(|value| {
            let definition = EnumValueDefinition {
                description: value.description.clone(),
                deprecated: value.deprecated.clone().map(Into::into),
                ..EnumValueDefinition::new(&value.name)
            };
            (definition, ValueBinding::Label((&*value.name).into()))
        });
        let kind = DraftKind::Enum { values: values.collect() };
        draft.add(&known.name, known.description.as_deref(), kind);
    }
    directions(draft, version);
    page_info(draft);
    infos(draft, version);
    points(draft, version);
    let input = |name: &str, comparison| {
        let binding = InputBinding::lenient(OperatorRole::Compare(comparison));
        DraftInput::new(name, "Float", binding)
    };
    let bounds =
        vec![input("min", Comparison::GreaterOrEqual), input("max", Comparison::LessOrEqual)];
    let kind = DraftKind::Input { fields: bounds, form: None };
    draft.add("FloatWhere", Some("The input for filtering a float"), kind);
}

/// Version 3 describes fewer of these types.
fn described(version: ApiVersion, text: &str) -> Option<&str> {
    match version {
        ApiVersion::V3 => None,
        ApiVersion::V7 => Some(text),
    }
}

fn directions(draft: &mut Draft, version: ApiVersion) {
    let value = |name: &str, description: &str, direction| {
        let description = Some(description.into());
        let definition = EnumValueDefinition { description, ..EnumValueDefinition::new(name) };
        (definition, ValueBinding::Direction(direction))
    };
    let values = vec![
        value("ASC", "Sort by field values in ascending order.", Direction::Ascending),
        value("DESC", "Sort by field values in descending order.", Direction::Descending),
    ];
    let text = "An enum for sorting in either ascending or descending order.";
    draft.add("SortDirection", described(version, text), DraftKind::Enum { values });
}

fn page_info(draft: &mut Draft) {
    let field = |name: &str, r#type: &str, field| {
        DraftField::new(name, r#type, FieldBinding::PageInfo(field))
    };
    let fields = vec![
        field("hasNextPage", "Boolean!", PageInfoField::HasNextPage),
        field("hasPreviousPage", "Boolean!", PageInfoField::HasPreviousPage),
        field("startCursor", "String", PageInfoField::StartCursor),
        field("endCursor", "String", PageInfoField::EndCursor),
    ];
    let kind = DraftKind::Object { fields, interfaces: Vec::new() };
    draft.add("PageInfo", Some("Pagination information (Relay)"), kind);
}

/// Adds the types of the counters of mutations.
fn infos(draft: &mut Draft, version: ApiVersion) {
    let nodes_created = ("nodesCreated", Counter::RowsInserted);
    let nodes_deleted = ("nodesDeleted", Counter::RowsDeleted);
    let created = ("relationshipsCreated", Counter::LinksCreated);
    let deleted = ("relationshipsDeleted", Counter::LinksDeleted);
    let mut info = |name: &str, text: &str, counters: &[(&str, Counter)]| {
        let mut fields = Vec::with_capacity(counters.len() + 1);
        if version == ApiVersion::V3 {
            let bookmark = FieldBinding::Payload(PayloadField::Counter(Counter::Bookmark));
            fields.push(DraftField::new("bookmark", "String", bookmark));
        }
        fields.extend(counters.iter().map(|(name, counter)| {
            let binding = FieldBinding::Payload(PayloadField::Counter(*counter));
            DraftField::new(name, "Int!", binding)
        }));
        let text =
            format!("Information about the number of nodes and relationships {text} mutation");
        let kind = DraftKind::Object { fields, interfaces: Vec::new() };
        draft.add(name, described(version, &text), kind);
    };
    info("CreateInfo", "created during a create", &[nodes_created, created]);
    info("DeleteInfo", "deleted during a delete", &[nodes_deleted, deleted]);
    info(
        "UpdateInfo",
        "created and deleted during an update",
        &[nodes_created, nodes_deleted, created, deleted],
    );
}

fn points(draft: &mut Draft, version: ApiVersion) {
    let field = |name: &str, r#type: &str, part: Part| {
        // The response form follows from the part.
        let value = ValueShape::Leaf(Leaf::Float);
        DraftField::new(name, r#type, FieldBinding::Part { part, value })
    };
    let of_system =
        || [field("crs", "String!", Part::Crs), field("srid", "Int!", Part::Srid)].into_iter();
    let coordinates = [
        field("longitude", "Float!", Part::Longitude),
        field("latitude", "Float!", Part::Latitude),
        field("height", "Float", Part::Height),
    ];
    let fields = coordinates.into_iter().chain(of_system()).collect();
    let text = "A point in a coordinate system. For more information, see \
                https://neo4j.com/docs/graphql/4/type-definitions/types/spatial/#point";
    let kind = DraftKind::Object { fields, interfaces: Vec::new() };
    draft.add("Point", described(version, text), kind);
    let coordinates = [
        field("x", "Float!", Part::X),
        field("y", "Float!", Part::Y),
        field("z", "Float", Part::Z),
    ];
    let fields = coordinates.into_iter().chain(of_system()).collect();
    let text = "A point in a two- or three-dimensional Cartesian coordinate system or in a \
                three-dimensional cylindrical coordinate system. For more information, see \
                https://neo4j.com/docs/graphql/4/type-definitions/types/spatial/#cartesian-point";
    let kind = DraftKind::Object { fields, interfaces: Vec::new() };
    draft.add("CartesianPoint", described(version, text), kind);

    let mut input = |name: &str, text: &str, members: &[(&str, &str)]| {
        let members = members.iter().map(|(name, r#type)| DraftInput::new(name, r#type, member()));
        let kind = DraftKind::Input { fields: members.collect(), form: None };
        draft.add(name, described(version, text), kind);
    };
    input(
        "PointInput",
        "Input type for a point",
        &[("longitude", "Float!"), ("latitude", "Float!"), ("height", "Float")],
    );
    input(
        "CartesianPointInput",
        "Input type for a cartesian point",
        &[("x", "Float!"), ("y", "Float!"), ("z", "Float")],
    );
    input(
        "CartesianPointDistance",
        "Input type for a cartesian point with a distance",
        &[("point", "CartesianPointInput!"), ("distance", "Float!")],
    );
    let distance = DraftInput::new("distance", "Float!", member())
        .described("The distance in metres to be used when comparing two points");
    let fields = vec![DraftInput::new("point", "PointInput!", member()), distance];
    let kind = DraftKind::Input { fields, form: None };
    draft.add("PointDistance", described(version, "Input type for a point with a distance"), kind);
}

/// A part of a value that a request gives.
fn member() -> InputBinding {
    InputBinding::lenient(InputRole::Member)
}
