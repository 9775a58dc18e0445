//! What each directive of version 7 that is served does to the model.

use super::*;
use crate::model::{
    Constant, FieldOffers, Limit, Made, ModelDirection, NestedOperations, Offers, PropertyType,
    QueryDirection, Target,
};

const MOVIES: &str = r#"
type Movie @node {
  id: ID! @id
  title: String!
  released: Int
  rating: Float
  tags: [String!]
  actors: [Person!]! @relationship(type: "ACTED_IN", direction: IN, properties: "ActedIn")
  directors: [Person!]! @relationship(type: "DIRECTED", direction: IN)
}
type Person @node {
  name: String!
  born: DateTime
  active: Boolean
  movies: [Movie!]! @relationship(type: "ACTED_IN", direction: OUT, properties: "ActedIn")
}
type ActedIn @relationshipProperties { role: String! }
"#;

#[test]
fn types_fields_and_lines_are_those_of_the_text() {
    let model = v7(MOVIES);
    let nodes: Vec<_> = model.nodes.iter().map(|node| (&*node.name, labels(node))).collect();
    assert_eq!(nodes, [("Movie", vec!["Movie"]), ("Person", vec!["Person"])]);
    let movie = &model.nodes[0];
    let expected = ["id", "title", "released", "rating", "tags", "actors", "directors"];
    assert_eq!(names(&movie.fields), expected);
    assert_eq!(movie.fields[1].line, 4);
    let id = property(&movie.fields[0]);
    assert_eq!((id.made, id.is_unique, id.is_required), (Some(Made::Id), true, true));
    let tags = property(&movie.fields[4]);
    assert_eq!((tags.is_list, tags.is_required, tags.are_elements_required), (true, false, true));
    let actors = way(&movie.fields[5]);
    assert_eq!((&*actors.r#type, actors.direction), ("ACTED_IN", ModelDirection::In));
    assert_eq!((actors.target, actors.properties), (Target::Node(1), Some(0)));
    assert!(actors.is_list && actors.is_required && actors.is_aggregated && !actors.is_declared);
    assert_eq!(way(&movie.fields[6]).properties, None);
    assert_eq!(way(&model.nodes[1].fields[3]).direction, ModelDirection::Out);
    assert_eq!(names(&model.properties[0].fields), ["role"]);
}

#[test]
fn every_built_in_type_is_a_property() {
    let types = [
        ("Boolean", PropertyType::Boolean),
        ("ID", PropertyType::Id),
        ("Int", PropertyType::Int),
        ("BigInt", PropertyType::BigInt),
        ("Float", PropertyType::Float),
        ("String", PropertyType::String),
        ("Date", PropertyType::Date),
        ("Time", PropertyType::Time),
        ("LocalTime", PropertyType::LocalTime),
        ("DateTime", PropertyType::DateTime),
        ("LocalDateTime", PropertyType::LocalDateTime),
        ("Duration", PropertyType::Duration),
        ("Point", PropertyType::Point),
        ("CartesianPoint", PropertyType::CartesianPoint),
        ("E", PropertyType::Enum(0)),
    ];
    for (name, expected) in types {
        assert_eq!(property(&field(&format!("a: {name}"))).r#type, expected, "{name}");
        assert!(property(&field(&format!("a: [{name}!]!"))).is_list, "{name}");
    }
}

#[test]
fn labels_and_plurals_are_as_they_are_said() {
    let model =
        v7("type A @node(labels: [\"B\", \"C\", \"B\"]) @plural(value: \"aaa\") { a: Int } \
         type D @node(labels: []) { a: Int } type E @node(labels: \"F`\\n\") { a: Int }");
    assert_eq!(labels(&model.nodes[0]), ["B", "C"]);
    assert_eq!(model.nodes[0].plural.as_deref(), Some("aaa"));
    assert_eq!(labels(&model.nodes[1]), ["D"]);
    assert_eq!(labels(&model.nodes[2]), ["F`\n"]);
}

#[test]
fn an_alias_is_the_name_of_the_property() {
    assert_eq!(&*field("a: Int @alias(property: \"b c\")").property, "b c");
    assert_eq!(&*field("a: Int").property, "a");
}

#[test]
fn defaults_are_of_the_type_of_the_field() {
    let check = |definition: &str, expected: Constant| {
        let field = field(&format!("a: {definition}"));
        assert_eq!(property(&field).default, Some(expected), "{definition}");
    };
    check("Int @default(value: -7)", Constant::Integer(-7));
    check("BigInt @default(value: 9007199254740993)", Constant::Integer(9_007_199_254_740_993));
    check("BigInt @default(value: \"12\")", Constant::Integer(12));
    check("Float @default(value: 1.50)", Constant::Float("1.50".into()));
    check("Float @default(value: 2)", Constant::Float("2".into()));
    check("Boolean @default(value: true)", Constant::Boolean(true));
    check("ID @default(value: \"x\")", Constant::Text("x".into()));
    check("E @default(value: Y)", Constant::Enum("Y".into()));
    check("Date @default(value: \"2020-02-29\")", Constant::Text("2020-02-29".into()));
    check("Time @default(value: \"10:00:00Z\")", Constant::Text("10:00:00Z".into()));
    check("[String!] @default(value: [])", Constant::List(Vec::new()));
    check("[Int!]! @default(value: [1])", Constant::List(vec![Constant::Integer(1)]));
}

#[test]
fn coalesced_values_are_beside_defaults() {
    let field = field("a: [E!] @coalesce(value: [X]) @default(value: [Y])");
    let property = property(&field);
    assert_eq!(property.coalesce, Some(Constant::List(vec![Constant::Enum("X".into())])));
    assert_eq!(property.default, Some(Constant::List(vec![Constant::Enum("Y".into())])));
}

#[test]
fn timestamps_are_made_when_they_say() {
    let made = |definition: &str| property(&field(&format!("a: {definition}"))).made;
    let timestamp = |on_create, on_update| Some(Made::Timestamp { on_create, on_update });
    assert_eq!(made("DateTime @timestamp"), timestamp(true, true));
    assert_eq!(made("DateTime! @timestamp(operations: [CREATE])"), timestamp(true, false));
    assert_eq!(made("Time @timestamp(operations: UPDATE)"), timestamp(false, true));
    assert_eq!(made("Time @timestamp(operations: [])"), timestamp(true, true));
    assert_eq!(made("Time"), None);
}

#[test]
fn global_ids_are_marked() {
    assert!(property(&field("a: ID! @id @relayId")).is_relay_id);
    assert!(property(&field("a: Int @relayId")).is_relay_id);
    assert!(!property(&field("a: ID! @id")).is_relay_id);
}

#[test]
fn relationships_say_how_they_are_followed_and_what_they_offer() {
    let text = |rest: &str| format!("as: [A!]! @relationship(type: \"T\", direction: OUT{rest})");
    let plain = field(&text(""));
    assert_eq!(way(&plain).query_direction, QueryDirection::Directed);
    assert_eq!(way(&plain).nested, NestedOperations::ALL);
    let rich = field(&text(
        ", queryDirection: UNDIRECTED, nestedOperations: [CREATE, CONNECT], aggregate: false",
    ));
    let rich = way(&rich);
    assert_eq!((rich.query_direction, rich.is_aggregated), (QueryDirection::Undirected, false));
    let NestedOperations { create, update, delete, connect, disconnect, .. } = rich.nested;
    assert_eq!([create, update, delete, connect, disconnect], [true, false, false, true, false]);
}

#[test]
fn fields_stand_where_they_say() {
    let offers = |directive: &str| field(&format!("a: Int {directive}")).offers;
    let all = FieldOffers::ALL;
    assert_eq!(offers(""), all);
    let not_aggregated = FieldOffers { on_aggregate: false, ..all };
    assert_eq!(offers("@selectable"), not_aggregated);
    assert_eq!(
        offers("@selectable(onRead: false, onAggregate: true)"),
        FieldOffers { on_read: false, ..all }
    );
    assert_eq!(offers("@settable(onCreate: false)"), FieldOffers { on_create: false, ..all });
    assert_eq!(offers("@settable(onUpdate: false)"), FieldOffers { on_update: false, ..all });
    assert_eq!(
        offers("@filterable(byValue: false)"),
        FieldOffers { by_value: false, by_aggregate: false, ..all }
    );
    assert_eq!(offers("@filterable(byAggregate: true)"), all);
    assert_eq!(offers("@sortable(byValue: false)"), FieldOffers { sortable: false, ..all });
    assert_eq!(offers("@groupBy"), FieldOffers { grouped: true, ..all });
}

#[test]
fn types_offer_what_they_say_or_the_schema_says() {
    let offers = |directives: &str, schema: &str| {
        let text = format!("type A @node {directives} {{ a: Int }} {schema}");
        v7(&text).nodes[0].offers
    };
    let all = Offers::default();
    assert_eq!(offers("", ""), all);
    assert_eq!(offers("@query", ""), Offers { aggregate: false, ..all });
    let nothing_read = Offers { read: false, connection: false, aggregate: false, ..all };
    assert_eq!(offers("@query(read: false)", ""), nothing_read);
    assert_eq!(
        offers("@query(read: false, connection: true, aggregate: true)", ""),
        Offers { read: false, ..all }
    );
    assert_eq!(
        offers("@mutation(operations: [CREATE])", ""),
        Offers { update: false, delete: false, ..all }
    );
    assert_eq!(offers("", "extend schema @query(read: false)"), nothing_read);
    assert_eq!(
        offers("", "extend schema @mutation(operations: [])"),
        Offers { create: false, update: false, delete: false, ..all }
    );
    let model = v7("type A @node { a: Int } extend schema @mutation(operations: [DELETE])");
    assert_eq!(model.offers, Offers { create: false, update: false, ..all });
}

#[test]
fn limits_are_read() {
    let limit =
        |said: &str| v7(&format!("type A @node @limit({said}) {{ a: Int }}")).nodes[0].limit;
    assert_eq!(limit("default: 5, max: 50"), Limit { default: Some(5), max: Some(50) });
    assert_eq!(limit("max: 2147483647"), Limit { default: None, max: Some(2_147_483_647) });
    assert_eq!(limit("default: null"), Limit::default());
}

#[test]
fn interfaces_have_their_implementations_and_declarations() {
    let model = v7(
        "\"Something made.\" interface Production implements Thing @limit(default: 3) @query(read: false) {\n\
         title: String! actors: [Actor!]! @declareRelationship(aggregate: false) }\n\
         interface Thing { title: String! }\n\
         type Film implements Production & Thing @node { title: String! \
           actors: [Actor!]! @relationship(type: \"A\", direction: IN) }\n\
         type Actor @node { name: String works: [Production!]! @relationship(type: \"A\", direction: OUT) }\n\
         type Series implements Thing & Production @node { title: String! episodes: Int \
           actors: [Actor!]! @relationship(type: \"A\", direction: IN) }",
    );
    let production = &model.interfaces[0];
    assert_eq!(production.description.as_deref(), Some("Something made."));
    assert_eq!(production.implementations, [0, 2]);
    assert_eq!(production.limit.default, Some(3));
    assert!(!production.offers.read && !production.offers.connection);
    assert_eq!(production.interfaces.len(), 1);
    let actors = way(&production.fields[1]);
    assert!(actors.is_declared && !actors.is_aggregated);
    assert_eq!(actors.target, Target::Node(1));
    assert_eq!(model.interfaces[1].implementations, [0, 2]);
    let interfaces: Vec<&str> = model.nodes[2].interfaces.iter().map(|name| &**name).collect();
    assert_eq!(interfaces, ["Thing", "Production"]);
    assert_eq!(way(&model.nodes[1].fields[1]).target, Target::Interface(0));
}

#[test]
fn fields_of_interfaces_that_only_types_have_are_shown() {
    let model = v7("interface I { a: Int bs: [B!]! @deprecated is: I c: Int }\n\
         type B implements I @node { a: Int c: Int bs: [B!]! @relationship(type: \"T\", direction: IN)\n\
         is: I @relationship(type: \"U\", direction: IN) }");
    let own = &model.interfaces[0];
    assert_eq!(names(&own.fields), ["a", "c"]);
    let shown: Vec<_> =
        own.shown.iter().map(|field| (&*field.name, &*field.r#type, field.before)).collect();
    assert_eq!(shown, [("bs", "[B!]!", 1), ("is", "I", 1)]);
    assert_eq!(own.shown[0].deprecated.as_deref(), Some("No longer supported"));
}

#[test]
fn the_schemas_query_is_of_interfaces_only_as_it_says() {
    let text = "interface I { a: Int } type A implements I @node { a: Int }";
    let model = v7(&format!("{text} extend schema @query(read: true, aggregate: true)"));
    assert!(model.nodes[0].offers.connection && !model.interfaces[0].offers.connection);
    assert!(model.interfaces[0].offers.read);
}

#[test]
fn unions_enums_and_scalars_are_read() {
    let model = v7("union U @plural(value: \"us\") @query(read: false) = | B | A\n\
         type A @node { e: E s: S u: [U!]! @relationship(type: \"T\", direction: OUT) }\n\
         type B @node { a: Int }\n\
         enum E { X \"why\" Y @deprecated(reason: \"old\") Z @deprecated }\n\
         scalar S @specifiedBy(url: \"https://example.org\")");
    assert_eq!(model.unions[0].members, [1, 0]);
    assert_eq!(model.unions[0].plural.as_deref(), Some("us"));
    assert!(!model.unions[0].offers.read);
    assert_eq!(way(&model.nodes[0].fields[2]).target, Target::Union(0));
    assert_eq!(property(&model.nodes[0].fields[1]).r#type, PropertyType::Scalar(0));
    let values = model.enums[0].values.iter();
    let values: Vec<_> = values.map(|one| (&*one.name, one.deprecated.as_deref())).collect();
    assert_eq!(values, [("X", None), ("Y", Some("old")), ("Z", Some("No longer supported"))]);
    assert_eq!(model.enums[0].values[1].description.as_deref(), Some("why"));
    assert_eq!(model.scalars[0].specified_by.as_deref(), Some("https://example.org"));
}

#[test]
fn deprecated_fields_keep_their_reason() {
    assert_eq!(field("a: Int @deprecated(reason: \"b\")").deprecated.as_deref(), Some("b"));
    assert_eq!(field("a: Int").deprecated, None);
}

#[test]
fn extensions_are_merged() {
    let model = v7("extend type A @plural(value: \"aaa\") { b: Int @alias(property: \"c\") }\n\
         type A @node { a: Int }\n\
         extend type A implements I @node { a: Int @deprecated }\n\
         interface I { a: Int } extend interface I { b: Int }\n\
         extend enum E { Y } enum E { X } union U = A extend union U @plural(value: \"u\") = B\n\
         type B @node { a: Int } type B { b: Int }");
    let a = &model.nodes[0];
    assert_eq!((names(&a.fields), a.plural.as_deref()), (vec!["b", "a"], Some("aaa")));
    assert!(a.fields[1].deprecated.is_some());
    assert_eq!(names(&model.interfaces[0].fields), ["a", "b"]);
    assert_eq!(model.enums[0].values.len(), 2);
    assert_eq!((model.unions[0].members.len(), model.unions[0].plural.as_deref()), (2, Some("u")));
    assert_eq!(names(&model.nodes[1].fields), ["a", "b"]);
}

#[test]
fn what_is_said_twice_holds_where_it_says_more() {
    let model =
        v7("extend type A @node type A @node(labels: [\"B\"]) { a: Int } extend type A @node \
         extend schema @query extend schema @query(read: false) extend schema @query");
    assert_eq!(labels(&model.nodes[0]), ["B"]);
    assert!(!model.nodes[0].offers.read);
    let model = v7("type A @node @plural(value: \"aaa\") { a: Int @alias(property: \"x\") } \
         type A @plural(value: \"bbb\") { a: Int @alias(property: \"y\") }");
    assert_eq!(model.nodes[0].plural.as_deref(), Some("bbb"));
    assert_eq!(&*model.nodes[0].fields[0].property, "y");
}

#[test]
fn names_that_graphql_lets_through_are_taken() {
    let model = v7("type type @node { type: String query: Int }");
    assert_eq!(names(&model.nodes[0].fields), ["type", "query"]);
    let model = v7("type Connection @node { constructor: Int hasOwnProperty: Int AND: Int }");
    assert_eq!(&*model.nodes[0].name, "Connection");
}
