//! A graph of names and values that nobody should have chosen.

use catalog::Coverage;
use catalog::GraphValue::{
    Boolean, Bytes, CartesianPoint, Date, DateTime, Duration, Float, GeographicPoint, Integer,
    LocalDateTime, LocalTime, Nothing, Other, Text, Time, WideInteger,
};
use expect_test::expect;

use super::*;

#[test]
fn values_of_all_types() {
    let scalars = [
        ("boolean", Boolean),
        ("date", Date),
        ("dateTime", DateTime),
        ("duration", Duration),
        ("float", Float),
        ("integer", Integer),
        ("localDateTime", LocalDateTime),
        ("localTime", LocalTime),
        ("place", GeographicPoint),
        ("plane", CartesianPoint),
        ("text", Text),
        ("time", Time),
        ("wide", WideInteger),
    ];
    let mut properties: Vec<GraphProperty> =
        scalars.iter().map(|(name, value)| always(name, value.clone())).collect();
    properties.extend(scalars.into_iter().map(|(name, value)| {
        let name = [name, "s"].concat();
        GraphProperty { always: false, ..list(&name, value) }
    }));
    properties.extend([
        mixed("number", vec![GraphType::scalar(Integer), GraphType::scalar(Float)]),
        mixed(
            "numbers",
            vec![GraphType::list(Nothing), GraphType::list(WideInteger), GraphType::list(Integer)],
        ),
        mixed("several", vec![GraphType::scalar(Text), GraphType::scalar(Integer)]),
        mixed("both", vec![GraphType::scalar(Text), GraphType::list(Text)]),
        mixed(
            "places2",
            vec![GraphType::scalar(GeographicPoint), GraphType::scalar(CartesianPoint)],
        ),
        list("empty", Nothing),
        always("bytes", Bytes),
        always("vector", Other("VECTOR".into())),
    ]);
    let summary =
        GraphSummary { nodes: vec![nodes("All", 1, properties)], ..GraphSummary::default() };
    check(
        &summary,
        ApiVersion::V7,
        &expect![[r##"
        # Left out: "both", as its values are of several types: String, list of String.
        # Left out: "bytes", as its values are of the type "ByteArray".
        # Left out: "empty", as all its values are empty lists.
        # Left out: "places2", as its values are of several types: Point, cartesian Point.
        # Left out: "several", as its values are of several types: Integer, String.
        # Left out: "vector", as its values are of the type "VECTOR".
        type All @node {
          boolean: Boolean!
          booleans: [Boolean!]
          date: Date!
          dateTime: DateTime!
          dateTimes: [DateTime!]
          dates: [Date!]
          duration: Duration!
          durations: [Duration!]
          float: Float!
          floats: [Float!]
          integer: Int!
          integers: [Int!]
          localDateTime: LocalDateTime!
          localDateTimes: [LocalDateTime!]
          localTime: LocalTime!
          localTimes: [LocalTime!]
          number: Float
          numbers: [BigInt!]
          place: Point!
          places: [Point!]
          plane: CartesianPoint!
          planes: [CartesianPoint!]
          text: String!
          texts: [String!]
          time: Time!
          times: [Time!]
          wide: BigInt!
          wides: [BigInt!]
        }
        -- left out: All.both: it is no field, as its values are of several types: String, list of String. Remedy: make its values those of one type.
        -- left out: All.bytes: it is no field, as its values are of the type "ByteArray". Remedy: store what the API is to show in another type.
        -- left out: All.empty: it is no field, as all its values are empty lists. Remedy: write the property into the type by hand.
        -- left out: All.places2: it is no field, as its values are of several types: Point, cartesian Point. Remedy: make its values those of one type.
        -- left out: All.several: it is no field, as its values are of several types: Integer, String. Remedy: make its values those of one type.
        -- left out: All.vector: it is no field, as its values are of the type "VECTOR". Remedy: store what the API is to show in another type.
    "##]],
    );
}

#[test]
fn hostile_names_stay_inside_their_quotes() {
    let hostile = "a\"b\\c`d'e\n}\ntype Evil {";
    let other = "\u{202e}größe 🎬";
    let summary = GraphSummary {
        nodes: vec![
            nodes(
                hostile,
                2,
                vec![
                    always(hostile, Text),
                    always(other, Integer),
                    always("", Integer),
                    mixed("x\n# y", vec![GraphType::scalar(Text), GraphType::scalar(Integer)]),
                    always("odd\ntype", Other("V\n\"".into())),
                ],
            ),
            nodes(other, 1, Vec::new()),
            nodes("Alone", 1, Vec::new()),
            nodes("", 7, vec![always("x", Integer)]),
        ],
        relationships: vec![relationships(
            hostile,
            vec![always("node", Text), always("cursor", Text), always(hostile, Text)],
        )],
        triples: vec![
            triple(hostile, hostile, other),
            triple(hostile, "`", hostile),
            triple("", "LOOSE\n", other),
        ],
        constraints: vec![
            constraint(hostile, hostile, &[hostile], GraphConstraintKind::Key),
            constraint(hostile, hostile, &[hostile, other], GraphConstraintKind::Unique),
        ],
        indexes: vec![
            index(hostile, hostile, &[hostile], GraphIndexKind::Fulltext),
            index("none\n", "Missing", &["a"], GraphIndexKind::Fulltext),
            index("numbers", hostile, &[other], GraphIndexKind::Fulltext),
        ],
        coverage: Coverage::Sample { most: 1000 },
        ..GraphSummary::default()
    };
    check(
        &summary,
        ApiVersion::V7,
        &expect![[r##"
        # Written from a part of the graph: 1000 nodes of each label and relationships of each type at most.
        # Left out: nodes without a label, of which there are 7 at least.
        # Left out: relationships "LOOSE\n" from or to nodes without a label.
        # Left out: the index "none\n", as no node has the label "Missing".
        # Left out: the index "numbers" of the label "a\"b\\c`d'e\n}\ntype Evil {", over nothing that is a field.
        # Left out: nodes with the label "Alone", which have nothing that could be a field.

        # Unique together: "a\"b\\c`d'e\n}\ntype Evil {", "\u202Egröße 🎬".
        # Left out: "odd\ntype", as its values are of the type "V\n\"".
        # Left out: "x\n# y", as its values are of several types: Integer, String.
        type ABCDeTypeEvil @node(labels: ["a\"b\\c`d'e\n}\ntype Evil {"]) @fulltext(indexes: [{ indexName: "a\"b\\c`d'e\n}\ntype Evil {", queryName: "searchAbcDeTypeEvils", fields: ["aBCDeTypeEvil"] }]) {
          # Unique.
          aBCDeTypeEvil: String! @alias(property: "a\"b\\c`d'e\n}\ntype Evil {")
          grosse: Int! @alias(property: "\u202Egröße 🎬")
          property: Int! @alias(property: "")
          aBcdeTypeEvilGrosses: [Grosse!]! @relationship(type: "a\"b\\c`d'e\n}\ntype Evil {", direction: OUT, properties: "ABCDeTypeEvilProperties")
          abcDeTypeEvilsU0060: [ABCDeTypeEvil!]! @relationship(type: "`", direction: IN)
          u0060AbcDeTypeEvils: [ABCDeTypeEvil!]! @relationship(type: "`", direction: OUT)
        }

        type Grosse @node(labels: ["\u202Egröße 🎬"]) {
          abcDeTypeEvilsABcdeTypeEvil: [ABCDeTypeEvil!]! @relationship(type: "a\"b\\c`d'e\n}\ntype Evil {", direction: IN, properties: "ABCDeTypeEvilProperties")
        }

        type ABCDeTypeEvilProperties @relationshipProperties {
          aBCDeTypeEvil: String! @alias(property: "a\"b\\c`d'e\n}\ntype Evil {")
          cursorProperty: String! @alias(property: "cursor")
          nodeProperty: String! @alias(property: "node")
        }
        -- left out: ABCDeTypeEvil."odd\ntype": it is no field, as its values are of the type "V\n\"". Remedy: store what the API is to show in another type.
        -- left out: ABCDeTypeEvil."x\n# y": it is no field, as its values are of several types: Integer, String. Remedy: make its values those of one type.
        -- left out: nodes: nodes without a label, of which there are 7 at least. Remedy: give the nodes a label.
        -- left out: "LOOSE\n": relationships "LOOSE\n" from or to nodes without a label. Remedy: give the nodes a label.
        -- left out: "none\n": the index "none\n", as no node has the label "Missing". Remedy: write the type by hand, or read the graph again when there are such nodes.
        -- left out: numbers: the index "numbers" of the label "a\"b\\c`d'e\n}\ntype Evil {", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
        -- left out: Alone: nodes with the label "Alone", which have nothing that could be a field. Remedy: give the nodes a property.
    "##]],
    );
    check(
        &summary,
        ApiVersion::V3,
        &expect![[r##"
        # Written from a part of the graph: 1000 nodes of each label and relationships of each type at most.
        # Left out: nodes without a label, of which there are 7 at least.
        # Left out: relationships "LOOSE\n" from or to nodes without a label.
        # Left out: the index "none\n", as no node has the label "Missing".
        # Left out: the index "numbers" of the label "a\"b\\c`d'e\n}\ntype Evil {", over nothing that is a field.
        # Left out: nodes with the label "Alone", which have nothing that could be a field.

        # Unique together: "a\"b\\c`d'e\n}\ntype Evil {", "\u202Egröße 🎬".
        # Left out: "odd\ntype", as its values are of the type "V\n\"".
        # Left out: "x\n# y", as its values are of several types: Integer, String.
        type ABCDeTypeEvil @node(labels: ["a\"b\\c`d'e\n}\ntype Evil {"]) @fulltext(indexes: [{ indexName: "a\"b\\c`d'e\n}\ntype Evil {", queryName: "searchAbcDeTypeEvils", fields: ["aBCDeTypeEvil"] }]) {
          aBCDeTypeEvil: String! @alias(property: "a\"b\\c`d'e\n}\ntype Evil {") @unique
          grosse: Int! @alias(property: "\u202Egröße 🎬")
          property: Int! @alias(property: "")
          aBcdeTypeEvilGrosses: [Grosse!]! @relationship(type: "a\"b\\c`d'e\n}\ntype Evil {", direction: OUT, properties: "ABCDeTypeEvilProperties")
          abcDeTypeEvilsU0060: [ABCDeTypeEvil!]! @relationship(type: "`", direction: IN)
          u0060AbcDeTypeEvils: [ABCDeTypeEvil!]! @relationship(type: "`", direction: OUT)
        }

        type Grosse @node(labels: ["\u202Egröße 🎬"]) {
          abcDeTypeEvilsABcdeTypeEvil: [ABCDeTypeEvil!]! @relationship(type: "a\"b\\c`d'e\n}\ntype Evil {", direction: IN, properties: "ABCDeTypeEvilProperties")
        }

        interface ABCDeTypeEvilProperties @relationshipProperties {
          aBCDeTypeEvil: String! @alias(property: "a\"b\\c`d'e\n}\ntype Evil {")
          cursorProperty: String! @alias(property: "cursor")
          nodeProperty: String! @alias(property: "node")
        }
        -- left out: ABCDeTypeEvil."odd\ntype": it is no field, as its values are of the type "V\n\"". Remedy: store what the API is to show in another type.
        -- left out: ABCDeTypeEvil."x\n# y": it is no field, as its values are of several types: Integer, String. Remedy: make its values those of one type.
        -- left out: nodes: nodes without a label, of which there are 7 at least. Remedy: give the nodes a label.
        -- left out: "LOOSE\n": relationships "LOOSE\n" from or to nodes without a label. Remedy: give the nodes a label.
        -- left out: "none\n": the index "none\n", as no node has the label "Missing". Remedy: write the type by hand, or read the graph again when there are such nodes.
        -- left out: numbers: the index "numbers" of the label "a\"b\\c`d'e\n}\ntype Evil {", over nothing that is a field. Remedy: write the property of the index into the type by hand, or drop the index.
        -- left out: Alone: nodes with the label "Alone", which have nothing that could be a field. Remedy: give the nodes a property.
    "##]],
    );
}

#[test]
fn a_graph_without_anything_has_no_definitions() {
    check(&GraphSummary::default(), ApiVersion::V7, &expect![[""]]);
    let bare =
        GraphSummary { nodes: vec![nodes("Bare", 1, Vec::new())], ..GraphSummary::default() };
    check(
        &bare,
        ApiVersion::V7,
        &expect![[r#"
        -- left out: Bare: nodes with the label "Bare", which have nothing that could be a field. Remedy: give the nodes a property.
    "#]],
    );
}
