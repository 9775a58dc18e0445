//! Catalogs that have one of everything.

use catalog::builder::NewField;
use catalog::{Attribute, Catalog, EntityKind, EnumLabel, Scalar, Type};

use crate::tables::Tables;

fn labels(labels: &[&str]) -> Vec<EnumLabel> {
    let label = |label: &&str| EnumLabel { label: (*label).into(), description: None };
    labels.iter().map(label).collect()
}

/// People, their posts and tags: keys of one and of two columns, no key, relations of all kinds.
pub(crate) fn catalog() -> Catalog {
    let int = || Type::Scalar(Scalar::Int32);
    let text = || Type::Scalar(Scalar::Text);
    let mut tables = Tables::default();
    let space = Tables::namespace;
    let mood = tables.builder.r#enum(
        space(),
        "mood".into(),
        labels(&["sad", "very-happy", ""]),
        Some("How one feels.".into()),
    );
    let email = tables.builder.domain(
        space(),
        "email".into(),
        Type::Scalar(Scalar::CaseInsensitiveText),
        false,
        None,
    );
    let address = tables.builder.composite(space(), "address".into(), None);
    let attribute = |name: &str, r#type| Attribute { name: name.into(), r#type, description: None };
    tables
        .builder
        .set_attributes(address, vec![attribute("street", text()), attribute("zip_code", int())]);

    let no_pk = tables.table("no_pk", &[("a", int(), true)]);
    let person =
        tables.builder.entity(space(), "person".into(), EntityKind::Table, Some("A human.".into()));
    let columns = [
        ("id", int(), false, Some("Counts up.")),
        ("full_name", text(), false, None),
        ("mail", Type::Domain(email), true, None),
        ("mood", Type::Enum(mood), true, None),
        ("home", Type::Composite(address), true, None),
    ];
    for (name, r#type, nullable, description) in columns {
        let field = NewField {
            name: name.into(),
            r#type,
            nullable,
            has_default: false,
            generated: None,
            description: description.map(Into::into),
        };
        tables.builder.field(person, field);
    }
    tables.primary(person, &["id"]);
    tables.unique(person, &["mail"]);
    let secret =
        tables.table("person_secret", &[("person_id", int(), false), ("secret", text(), true)]);
    tables.primary(secret, &["person_id"]);
    let post = tables.table(
        "post",
        &[
            ("id", Type::Scalar(Scalar::Int64), false),
            ("author_id", int(), false),
            ("editor_id", int(), true),
            ("headline", text(), false),
        ],
    );
    tables.primary(post, &["id"]);
    tables.unique(post, &["author_id", "headline"]);
    let post_tag = tables.table(
        "post_tag",
        &[("post_id", Type::Scalar(Scalar::Int64), false), ("tag_id", int(), false)],
    );
    tables.primary(post_tag, &["post_id", "tag_id"]);
    let tag = tables.table("tag", &[("id", int(), false), ("parent_id", int(), true)]);
    tables.primary(tag, &["id"]);

    tables.foreign(post, &["author_id"], person, &["id"]);
    tables.foreign(post, &["editor_id"], person, &["id"]);
    tables.foreign(secret, &["person_id"], person, &["id"]);
    tables.foreign(post_tag, &["post_id"], post, &["id"]);
    tables.foreign(post_tag, &["tag_id"], tag, &["id"]);
    tables.foreign(tag, &["parent_id"], tag, &["id"]);
    let _ = no_pk;
    tables.finish()
}

/// A table with a column of every type.
pub(crate) fn all_types() -> Catalog {
    let mut tables = Tables::default();
    let space = Tables::namespace;
    let builder = &mut tables.builder;
    let size = builder.r#enum(space(), "size".into(), labels(&["small", "large"]), None);
    let scalar = Type::Scalar;
    let shirt_size = builder.domain(
        space(),
        "shirt_size".into(),
        Type::Enum(size),
        true,
        Some("S or L.".into()),
    );
    let inner = builder.composite(space(), "inner_part".into(), None);
    let attributes =
        vec![Attribute { name: "size".into(), r#type: Type::Enum(size), description: None }];
    builder.set_attributes(inner, attributes);
    let outer = builder.composite(space(), "outer_part".into(), None);
    let inners = Type::List(Box::new(Type::Composite(inner)));
    builder.set_attributes(
        outer,
        vec![
            Attribute { name: "inner".into(), r#type: Type::Composite(inner), description: None },
            Attribute { name: "inners".into(), r#type: inners, description: None },
        ],
    );
    let outer_domain =
        builder.domain(space(), "outer_domain".into(), Type::Composite(outer), false, None);
    let pause = builder.domain(space(), "pause".into(), scalar(Scalar::Interval), false, None);
    let int_range = builder.range(None, "int4range".into(), scalar(Scalar::Int32));
    let small_range = builder.range(space(), "smallrange".into(), scalar(Scalar::Int16));
    let ages = builder.domain(space(), "ages".into(), Type::Range(int_range), false, None);
    let columns = [
        ("boolean", scalar(Scalar::Boolean), true),
        ("int2", scalar(Scalar::Int16), true),
        ("int4", scalar(Scalar::Int32), true),
        ("int8", scalar(Scalar::Int64), true),
        ("float4", scalar(Scalar::Float32), true),
        ("float8", scalar(Scalar::Float64), true),
        ("numeric", scalar(Scalar::Decimal { precision: Some(10), scale: Some(2) }), true),
        ("money", scalar(Scalar::Money), true),
        ("text", scalar(Scalar::Text), true),
        ("char3", scalar(Scalar::Character { length: 3 }), true),
        ("citext", scalar(Scalar::CaseInsensitiveText), true),
        ("uuid", scalar(Scalar::Uuid), true),
        ("json", scalar(Scalar::Json), true),
        ("jsonb", scalar(Scalar::Jsonb), true),
        ("xml", scalar(Scalar::Xml), true),
        ("date", scalar(Scalar::Date), true),
        ("time", scalar(Scalar::Time), true),
        ("timetz", scalar(Scalar::TimeWithZone), true),
        ("timestamp", scalar(Scalar::Timestamp), true),
        ("timestamptz", scalar(Scalar::TimestampWithZone), true),
        ("interval", scalar(Scalar::Interval), true),
        ("bytea", scalar(Scalar::Bytes), true),
        ("inet", scalar(Scalar::Inet), true),
        ("cidr", scalar(Scalar::Cidr), true),
        ("macaddr", scalar(Scalar::MacAddress), true),
        ("macaddr8", scalar(Scalar::MacAddress8), true),
        ("bits", scalar(Scalar::Bit), true),
        ("point", scalar(Scalar::Point), true),
        ("hstore", scalar(Scalar::KeyValue), true),
        ("oid", scalar(Scalar::ObjectId), true),
        ("regclass", scalar(Scalar::Other("regclass".into())), true),
        ("polygon", scalar(Scalar::Other("polygon".into())), true),
        ("size", Type::Enum(size), true),
        ("shirt_size", Type::Domain(shirt_size), true),
        ("outer_domain", Type::Domain(outer_domain), true),
        ("pause", Type::Domain(pause), true),
        ("ages", Type::Domain(ages), true),
        ("outer_part", Type::Composite(outer), true),
        ("int4range", Type::Range(int_range), true),
        ("smallrange", Type::Range(small_range), true),
        ("int4s", Type::List(Box::new(scalar(Scalar::Int32))), true),
        ("sizes", Type::List(Box::new(Type::Enum(size))), true),
    ];
    tables.table("all_types", &columns);
    tables.finish()
}
