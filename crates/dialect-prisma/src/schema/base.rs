//! Types that every schema has.

use api::binding::{
    ConnectionField, EdgeField, FieldBinding, PageInfoField, PayloadField, event_label,
};
use api::draft::{DraftField, DraftKind, DraftValue};
use api::{AggregateField, AggregateValue, ValueBinding};
use ir::{AggregateFunction, EventKind, Form, JsonTexts, ValueForm};
use response::Leaf;

use super::builder::{Builder, described_field};
use super::groups;
use super::section::Section;
use crate::model::{EnumIndex, FieldKind, Model, ScalarType, TypeIndex};

const DESCRIBED_LONG: &str = "The `Long` scalar type represents non-fractional signed whole numeric \
     values.\nLong can represent values between -(2^63) and 2^63 - 1.";

/// Adds the types that do not depend on the datamodel, and those that some fields need.
pub(super) fn add(build: &mut Builder<'_>) {
    for name in ["ID", "String", "Int", "Float", "Boolean"] {
        build.draft.add_plain(Section, name, DraftKind::Scalar { form: None });
    }
    let form = Some(ValueForm::Integer64);
    build.described("Long", DESCRIBED_LONG, DraftKind::Scalar { form });
    let form = Some(ValueForm::PartialMoment);
    build.draft.add_plain(Section, "DateTime", DraftKind::Scalar { form });
    let form = Some(ValueForm::Json(JsonTexts::CheckedDocuments));
    build.described("Json", "Raw JSON value", DraftKind::Scalar { form });
    if has_fields(build.model, ScalarType::Uuid) {
        let about = "A type 4 UUID according to IETF RFC 4122.";
        build.described("UUID", about, DraftKind::Scalar { form: None });
    }
    // Prisma's schema has no enums without fields.
    let enums = build.model.enums.iter().enumerate();
    let is_used = |index| has_fields(build.model, ScalarType::Enum(EnumIndex(index)));
    for (_, r#enum) in enums.filter(|(index, _)| is_used(*index)) {
        let values = r#enum.values.iter().zip(&r#enum.labels);
        let values =
            values.map(|(name, label)| DraftValue::new(name, ValueBinding::Label(label.clone())));
        build.values(&r#enum.name, values.collect());
    }
    let count = PayloadField::AffectedRows;
    let count = DraftField::new("count", "Long!", FieldBinding::Payload(count));
    let about = "The number of nodes that have been affected by the Batch operation.";
    build.object("BatchPayload", vec![described_field(count, about)]);
    add_page_info(build);
    let values = EventKind::ALL.map(event_label);
    let values = values.map(|name| DraftValue::new(name, ValueBinding::Label(name.into())));
    build.values("MutationType", values.into());
    let id = DraftField::new(
        "id",
        "ID!",
        FieldBinding::Refused("It is a field of an interface.".into()),
    );
    let id = described_field(id, "The id of the object.");
    let kind = DraftKind::Interface { fields: vec![id], interfaces: Vec::new() };
    build.described("Node", "An object with an ID", kind);
}

/// True if a type has a field of a scalar type.
fn has_fields(model: &Model, wanted: ScalarType) -> bool {
    let mut fields = model.types.iter().flat_map(|r#type| &r#type.fields);
    fields.any(|field| match &field.kind {
        FieldKind::Scalar(scalar) => scalar.r#type == wanted,
        FieldKind::ScalarList { r#type, .. } => *r#type == wanted,
        FieldKind::Relation { .. } => false,
    })
}

fn add_page_info(build: &mut Builder<'_>) {
    let fields = [
        (
            "hasNextPage",
            "Boolean!",
            PageInfoField::HasNextPage,
            "When paginating forwards, are there more items?",
        ),
        (
            "hasPreviousPage",
            "Boolean!",
            PageInfoField::HasPreviousPage,
            "When paginating backwards, are there more items?",
        ),
        (
            "startCursor",
            "String",
            PageInfoField::StartCursor,
            "When paginating backwards, the cursor to continue.",
        ),
        (
            "endCursor",
            "String",
            PageInfoField::EndCursor,
            "When paginating forwards, the cursor to continue.",
        ),
    ];
    let fields = fields.map(|(name, r#type, field, about)| {
        described_field(DraftField::new(name, r#type, FieldBinding::PageInfo(field)), about)
    });
    let about = "Information about pagination in a connection.";
    build.described("PageInfo", about, DraftKind::object(fields.into()));
}

/// Adds the connection of a type, its edges, and its aggregate.
pub(super) fn add_connection(build: &mut Builder<'_>, index: TypeIndex) {
    let name = &*build.r#type(index).name;
    let field = |name, r#type: String, binding, about| {
        described_field(DraftField::new(name, &r#type, binding), about)
    };
    let connection = |field| FieldBinding::Connection(field);
    let aggregate = connection(ConnectionField::PageAggregates);
    let groups = groups::field(build, index);
    let mut fields = vec![
        field(
            "pageInfo",
            "PageInfo!".to_owned(),
            connection(ConnectionField::PageInfo),
            "Information to aid in pagination.",
        ),
        field(
            "edges",
            format!("[{name}Edge]!"),
            connection(ConnectionField::Edges),
            "A list of edges.",
        ),
        DraftField::new("aggregate", &format!("Aggregate{name}!"), aggregate),
    ];
    fields.extend(groups);
    let about = "A connection to a list of items.";
    build.described(&format!("{name}Connection"), about, DraftKind::object(fields));
    let edge = |field| FieldBinding::Edge(field);
    let fields = vec![
        field(
            "node",
            format!("{name}!"),
            edge(EdgeField::Node),
            "The item at the end of the edge.",
        ),
        field(
            "cursor",
            "String!".to_owned(),
            edge(EdgeField::Cursor),
            "A cursor for use in pagination.",
        ),
    ];
    build.described(&format!("{name}Edge"), "An edge in a connection.", DraftKind::object(fields));
    let count = AggregateValue {
        function: AggregateFunction::Count,
        field: None,
        leaf: Leaf::Int,
        form: Form::Stored,
        absent: Some(b"0".as_slice().into()),
    };
    let count = FieldBinding::Aggregate(AggregateField::Value(vec![count].into()));
    let mut fields = vec![DraftField::new("count", "Int!", count)];
    fields.extend(groups::functions(build, index));
    build.object(&format!("Aggregate{name}"), fields);
}
