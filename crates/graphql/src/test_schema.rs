//! A small schema that the tests of this crate share, made by the arena's own functions.

use crate::operation::Operation;
use crate::schema::{
    DirectiveDefinition, DirectiveLocation, EnumValueDefinition, FieldDefinition, FieldId,
    InputDefinition, Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use crate::value::Const;
use crate::{DocumentLimits, Validator};

pub(crate) fn test_schema() -> Schema {
    let mut schema = Schema::default();
    schema.suggests_names = true;
    let scalars = ["Int", "Float", "String", "Boolean", "ID", "BigInt", "JSON"];
    let [int, float, string, boolean, id, big_int, json] =
        scalars.map(|name| named(&mut schema, name, TypeKind::Scalar));
    let node = named(&mut schema, "Node", interface());
    field(&mut schema, node.base, "id", id.non_null());
    let artist = named(&mut schema, "Artist", object(vec![node.base]));
    let album = named(&mut schema, "Album", object(vec![node.base]));
    let hit =
        named(&mut schema, "SearchHit", TypeKind::Union { members: vec![album.base, artist.base] });

    let order = named(&mut schema, "AlbumOrder", TypeKind::Enum { values: Vec::new() });
    enum_value(&mut schema, order.base, "TITLE_ASC", None);
    enum_value(&mut schema, order.base, "TITLE_DESC", Some("Use \"sort\"."));
    enum_value(&mut schema, order.base, "NATURAL", Some("No longer supported"));

    let filter = named(&mut schema, "AlbumFilter", TypeKind::InputObject { fields: Vec::new() });
    input_field(&mut schema, filter.base, "title", string, None);
    input_field(&mut schema, filter.base, "ids", int.non_null().list(), None);
    input_field(&mut schema, filter.base, "year", int.non_null(), Some(Const::Int(2000)));
    input_field(&mut schema, filter.base, "not", filter, None);
    input_field(&mut schema, filter.base, "order", order, Some(Const::Enum("NATURAL".into())));
    input_field(&mut schema, filter.base, "extra", json, None);
    let rating = named(&mut schema, "RatingInput", TypeKind::InputObject { fields: Vec::new() });
    input_field(&mut schema, rating.base, "stars", float.non_null(), None);
    input_field(&mut schema, rating.base, "public", boolean, Some(Const::Boolean(true)));

    field(&mut schema, artist.base, "id", id.non_null());
    field(&mut schema, artist.base, "name", string);
    let albums = field(&mut schema, artist.base, "albums", album.non_null().list().non_null());
    argument(&mut schema, albums, "first", int, None, None);
    argument(&mut schema, albums, "filter", filter, None, None);
    field(&mut schema, album.base, "id", id.non_null());
    field(&mut schema, album.base, "title", string.non_null());
    field(&mut schema, album.base, "price", float);
    field(&mut schema, album.base, "plays", big_int);
    field(&mut schema, album.base, "artist", artist);

    let query = named(&mut schema, "Query", object(Vec::new()));
    let node_field = field(&mut schema, query.base, "node", node);
    argument(&mut schema, node_field, "id", id.non_null(), None, None);
    let albums = field(&mut schema, query.base, "albums", album.list());
    argument(&mut schema, albums, "first", int, Some(Const::Int(10)), Some("How many."));
    let natural = Const::List(vec![Const::Enum("NATURAL".into())]);
    argument(&mut schema, albums, "orderBy", order.non_null().list(), Some(natural), None);
    argument(&mut schema, albums, "filter", filter, None, Some("Which."));
    let search = field(&mut schema, query.base, "search", hit.non_null().list());
    argument(&mut schema, search, "text", string.non_null(), None, None);
    argument(&mut schema, search, "matrix", int.list().list(), None, None);
    argument(&mut schema, search, "extra", json, None, None);
    let mutation = named(&mut schema, "Mutation", object(Vec::new()));
    let rate = field(&mut schema, mutation.base, "rate", album);
    argument(&mut schema, rate, "id", id.non_null(), None, None);
    argument(&mut schema, rate, "rating", rating.non_null(), None, None);

    schema.query = Some(query.base);
    schema.mutation = Some(mutation.base);
    let label = InputDefinition {
        description: Some("What it is called.".into()),
        ..input("label", string.non_null(), None)
    };
    let label = schema.add_input(label);
    schema.directives.push(DirectiveDefinition {
        name: "traced".into(),
        description: Some("How long it takes is written down.".into()),
        arguments: vec![label],
        locations: vec![
            DirectiveLocation::Query,
            DirectiveLocation::Field,
            DirectiveLocation::InlineFragment,
        ],
        is_repeatable: true,
    });
    let given = [
        input("seconds", int, Some(Const::Int(60))),
        input("by", order.list(), None),
        input("where", filter, None),
    ];
    let given = given.map(|input| schema.add_input(input));
    schema.directives.push(DirectiveDefinition {
        name: "cached".into(),
        description: None,
        arguments: given.into(),
        locations: vec![DirectiveLocation::Field],
        is_repeatable: false,
    });
    schema
}

fn named(schema: &mut Schema, name: &str, kind: TypeKind) -> TypeRef {
    let description = match name {
        "Album" => Some("A record.\nOf one artist.".into()),
        "BigInt" => Some("A 64-bit integer.".into()),
        _ => None,
    };
    TypeRef::named(
        schema.add_type(TypeDefinition { name: name.into(), description, kind }).unwrap(),
    )
}

fn object(interfaces: Vec<TypeId>) -> TypeKind {
    TypeKind::Object { fields: Vec::new(), interfaces: interfaces.into() }
}

fn interface() -> TypeKind {
    TypeKind::Interface { fields: Vec::new(), interfaces: Default::default() }
}

fn field(schema: &mut Schema, parent: TypeId, name: &str, r#type: TypeRef) -> FieldId {
    let description = (name == "title").then(|| "As on the sleeve.".into());
    let deprecated = (name == "plays").then(|| "Count \"listens\".".into());
    let arguments = Vec::new();
    let definition =
        FieldDefinition { name: name.into(), description, arguments, r#type, deprecated };
    schema.add_field(parent, definition)
}

fn argument(
    schema: &mut Schema,
    field: FieldId,
    name: &str,
    r#type: TypeRef,
    default: Option<Const>,
    description: Option<&str>,
) {
    let definition = InputDefinition {
        description: description.map(Into::into),
        ..input(name, r#type, default)
    };
    schema.add_argument(field, definition);
}

fn input_field(
    schema: &mut Schema,
    parent: TypeId,
    name: &str,
    r#type: TypeRef,
    default: Option<Const>,
) {
    schema.add_input_field(parent, input(name, r#type, default));
}

fn input(name: &str, r#type: TypeRef, default: Option<Const>) -> InputDefinition {
    InputDefinition {
        name: name.into(),
        description: None,
        r#type,
        default: default.map(Box::new),
        deprecated: None,
    }
}

fn enum_value(schema: &mut Schema, parent: TypeId, name: &str, deprecated: Option<&str>) {
    let deprecated = deprecated.map(Into::into);
    schema.add_enum_value(
        parent,
        EnumValueDefinition { name: name.into(), description: None, deprecated },
    );
}

/// A valid operation of the test schema.
pub(crate) fn test_operation(schema: &Schema, text: &str) -> Operation {
    Validator::new(schema).operation(schema, text, None, &DocumentLimits::default()).unwrap()
}
