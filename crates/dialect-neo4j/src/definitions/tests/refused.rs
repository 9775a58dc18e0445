//! What version 7 refuses, and how it is told.

use super::*;

/// A field of a type of nodes that is refused; `expected` follows `line 1: A.b: `.
#[track_caller]
fn refuse_field(definition: &str, expected: &[&str]) {
    let text = format!("type A @node {{ a: Int b: {definition} }} enum E {{ X Y }} scalar S");
    let expected: Vec<String> = expected.iter().map(|one| format!("line 1: A.b: {one}")).collect();
    let expected: Vec<&str> = expected.iter().map(|one| &**one).collect();
    refuse(&text, &expected);
}

/// A type that is refused; `expected` follows `line 1: `.
#[track_caller]
fn refuse_type(definitions: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|one| format!("line 1: {one}")).collect();
    let expected: Vec<&str> = expected.iter().map(|one| &**one).collect();
    refuse(&format!("{definitions} type Other @node {{ a: Int }}"), &expected);
}

#[test]
fn everything_is_told_at_once_by_line() {
    refuse(
        "type B @node {\n  c: Nothing\n  d: [A]\n}\ntype A @node @nodes {\n  a: Int @id\n}\nextend type C { a: Int }",
        &[
            "line 2: B.c: there is no type `Nothing`",
            "line 3: B.d: a field of `A` that is no relationship needs a function in JavaScript, and \
             none runs here; instead, add `@relationship(type:, direction:)`",
            "line 5: A: there is no directive `@nodes`: is the name right?",
            "line 6: A.a: `@id` makes values of type ID only",
            "line 8: C: it is extended, but not defined: write `type C` without `extend`",
            "line 8: C: a type without `@node` that no statement gives (add `@node` if nodes are meant) is not served yet: \
             types of objects that are neither nodes nor properties are not",
        ],
    );
}

#[test]
fn a_text_without_nodes_is_refused() {
    let expected =
        ["line 1: the schema: nothing is a type of nodes: give a `type` the directive `@node`"];
    refuse("", &expected);
    refuse("enum E { X }", &expected);
}

#[test]
fn broken_syntax_is_refused_with_its_line() {
    for text in ["type A @node {\n a Int }", "type A @node {\n a: Int", "{ a }", "\u{0}", "type"] {
        let problems = read(text, ApiVersion::V7).expect_err(text);
        assert_eq!(problems[0].kind, ProblemKind::Wrong, "{text}");
    }
    let problems =
        read("type A @node {\n a Int }", ApiVersion::V7).expect_err("a colon is missing");
    assert_eq!(problems[0].line, 2);
}

#[test]
fn values_of_properties_have_types() {
    refuse_field("[String]", &["a property holds no list with nulls: write `[String!]`"]);
    refuse_field("[[Int!]!]", &["a property holds no lists of lists"]);
    refuse_field("Nothing", &["there is no type `Nothing`"]);
    let unrelated = "a field of `A` that is no relationship needs a function in JavaScript, and none \
           runs here; instead, add `@relationship(type:, direction:)`";
    refuse_field("A", &[unrelated]);
    refuse_field("[A!]!", &[unrelated]);
    refuse_type(
        "type P @relationshipProperties { a: Int } type A @node { p: P }",
        &["A.p: `P` is of properties of relationships: it belongs to \
           `@relationship(properties:)`, not to fields"],
    );
    refuse_type(
        "type P @relationshipProperties { o: [Other!] n: [Int] }",
        &[
            "P.o: a field of `Other` that is no relationship needs a function in JavaScript, and \
             none runs here; instead, let properties of relationships be values",
            "P.n: a property holds no list with nulls: write `[Int!]`",
        ],
    );
}

#[test]
fn relationships_lead_to_lists_of_nodes() {
    let relationship = "@relationship(type: \"T\", direction: IN)";
    let list = "a relationship leads to lists without nulls: write `[A!]!`";
    for wrong in ["[A]", "[A!]", "[A]!", "[[A!]!]!"] {
        refuse_field(&format!("{wrong} {relationship}"), &[list]);
    }
    refuse_field(
        &format!("A! {relationship}"),
        &["nothing sees to it that there is one: write `A`, which may be null, or `[A!]!`"],
    );
    refuse_field(
        &format!("[Int!]! {relationship}"),
        &["`Int` is of values, and relationships lead to nodes"],
    );
    refuse_field(
        &format!("[E!]! {relationship}"),
        &["`E` is of values, and relationships lead to nodes"],
    );
    refuse_field(&format!("[B!]! {relationship}"), &["there is no type `B`"]);
    refuse_field(
        "[A!]! @relationship(type: \"\", direction: IN)",
        &["`@relationship(type:)` is empty: a relationship has a type"],
    );
    refuse_field(
        "[A!]! @relationship(type: \"T\", direction: IN, properties: \"P\")",
        &["`@relationship(properties:)` names `P`, which is not defined: write \
           `type P @relationshipProperties`"],
    );
    refuse_field(
        "[A!]! @relationship(type: \"T\", direction: IN, properties: \"A\")",
        &["`@relationship(properties:)` names `A`, which is no `type` with \
           `@relationshipProperties`"],
    );
}

#[test]
fn one_way_is_there_once() {
    let two = |first: &str, second: &str| {
        format!(
            "type A @node {{ a: [Other!]! @relationship({first}) b: [Other!]! @relationship({second}) }}"
        )
    };
    let (out, r#in) = ("type: \"T\", direction: OUT", "type: \"T\", direction: IN");
    refuse_type(
        &two(out, out),
        &["A: `a` and `b` are the same relationship: of one type, in one direction, to the same \
           nodes"],
    );
    v7(&format!("{} type Other @node {{ a: Int }}", two(out, r#in)));
    let deprecated = two(out, out).replace(") b:", ") @deprecated b:");
    v7(&format!("{deprecated} type Other @node {{ a: Int }}"));
}

#[test]
fn arguments_are_what_the_directive_takes() {
    refuse_field("Int @alias", &["`@alias` wants `property:`"]);
    refuse_field("Int @alias(property: 1)", &["`@alias(property:)` is a text in quotes"]);
    refuse_field("Int @alias(property: null)", &["`@alias(property:)` must not be null"]);
    refuse_field(
        "Int @alias(property: \"\")",
        &["`@alias(property:)` is empty: a property has a name"],
    );
    refuse_field(
        "Int @alias(property: \"x\", name: \"x\")",
        &["`@alias(name:)` is unknown: `@alias` has `property`"],
    );
    refuse_field("ID @id(unique: true)", &["`@id(unique:)` is unknown: `@id` has no arguments"]);
    refuse_field(
        "Int @alias(property: \"x\", property: \"y\")",
        &["`@alias(property:)` is said twice"],
    );
    refuse_field(
        "[A!]! @relationship(type: \"T\", direction: BOTH)",
        &["`@relationship(direction:)` is one of IN, OUT"],
    );
    refuse_field(
        "[A!]! @relationship(type: \"T\", direction: \"IN\")",
        &["`@relationship(direction:)` is one of IN, OUT"],
    );
    refuse_field("[A!]! @relationship(type: \"T\")", &["`@relationship` wants `direction:`"]);
    refuse_field(
        "DateTime @timestamp(operations: [CREATE, DELETE])",
        &["`@timestamp(operations:)` is a list of CREATE, UPDATE"],
    );
    refuse_field("Int @sortable(byValue: 1)", &["`@sortable(byValue:)` is `true` or `false`"]);
    refuse_type(
        "type A @node(labels: [\"B\", 1]) { a: Int }",
        &["A: `@node(labels:)` is a list of texts in quotes"],
    );
}

#[test]
fn directives_stand_where_they_belong() {
    refuse_field("Int @node", &["`@node` belongs to a type, not to a field"]);
    refuse_type(
        "type A @node @alias(property: \"a\") { a: Int }",
        &["A: `@alias` belongs to a field, not to a type"],
    );
    refuse_type(
        "enum E @limit { X @id }",
        &[
            "E: `@limit` belongs to a type or an interface, not to an enum",
            "E.X: `@id` belongs to a field, not to a value of an enum",
        ],
    );
    refuse_type(
        "interface I { a: Int @id b: Int @default(value: 1) c: ID @relayId }",
        &[
            "I.a: it belongs to the types that implement the interface: say it there",
            "I.a: `@id` makes values of type ID only",
            "I.b: it belongs to the types that implement the interface: say it there",
            "I.c: `@relayId` belongs to fields of nodes",
        ],
    );
    refuse_type(
        "type P @relationshipProperties { a: [Other!]! @relationship(type: \"T\", direction: IN) }",
        &["P.a: properties of relationships have no relationships themselves"],
    );
}

#[test]
fn directives_exclude_each_other() {
    refuse_field(
        "[A!]! @relationship(type: \"T\", direction: IN) @alias(property: \"x\")",
        &["`@alias` and `@relationship` exclude each other: leave one out"],
    );
    refuse_field(
        "DateTime @timestamp @id",
        &["`@id` and `@timestamp` exclude each other: leave one out"],
    );
    refuse_type(
        "type A @node @relationshipProperties { a: Int }",
        &["A: `@relationshipProperties` and `@node` exclude each other: leave one out"],
    );
    refuse_field("ID @id @id", &["`@id` stands on line 1 already"]);
}

#[test]
fn what_makes_values_makes_them_of_its_type() {
    refuse_field("String @id", &["`@id` makes values of type ID only"]);
    refuse_field("[ID!] @id", &["`@id` makes no lists"]);
    refuse_field("[DateTime!] @timestamp", &["`@timestamp` makes no lists"]);
    for wrong in ["Date", "LocalDateTime", "String"] {
        refuse_field(
            &format!("{wrong} @timestamp"),
            &["`@timestamp` makes values of type DateTime or Time, which have a zone"],
        );
    }
}

#[test]
fn constants_are_of_the_type_of_the_field() {
    let check = |definition: &str, expected: &str| refuse_field(definition, &[expected]);
    check("Int @default(value: \"1\")", "`@default(value:)` is a whole number of 32 bits");
    check("Int @default(value: 2147483648)", "`@default(value:)` is a whole number of 32 bits");
    check("BigInt @default(value: 1.5)", "`@default(value:)` is a whole number of 64 bits");
    check("Float @default(value: 1e999)", "`@default(value:)` is a number");
    check("String @default(value: X)", "`@default(value:)` is a text in quotes");
    check("ID @default(value: 1)", "`@default(value:)` is a text in quotes");
    check("Boolean @coalesce(value: \"true\")", "`@coalesce(value:)` is `true` or `false`");
    check("E @default(value: Z)", "`@default(value:)` is one of its enum's, as X, Y");
    check("E @default(value: \"X\")", "`@default(value:)` is one of its enum's, as X, Y");
    check(
        "[Int!] @default(value: 1)",
        "`@default(value:)` is a list, each a whole number of 32 bits",
    );
    check(
        "[Int!] @default(value: [1, null])",
        "`@default(value:)` is a list, each a whole number of 32 bits",
    );
    check(
        "Date @default(value: \"2021-02-29\")",
        "`@default(value:)` is a text like \"2020-12-31\" or \"2020-12-31T23:59:59.999Z\"",
    );
    check("Time @default(value: \"25:00\")", "`@default(value:)` is a text like \"23:59:59Z\"");
    for wrong in ["Point", "CartesianPoint", "Duration", "S"] {
        check(
            &format!("{wrong} @default(value: \"1\")"),
            "`@default` cannot say values of its type",
        );
    }
    for wrong in ["Point", "DateTime", "BigInt", "S"] {
        check(
            &format!("{wrong} @coalesce(value: \"1\")"),
            "`@coalesce` cannot say values of its type",
        );
    }
    check("Int @default", "`@default` wants `value:`");
}

#[test]
fn a_node_has_one_global_id_and_no_other_field_of_its_name() {
    refuse_type(
        "type A @node { a: ID @relayId b: ID @relayId }",
        &["A: `a` is its global id already: it has one only"],
    );
    let clash = "A: with a global id the field `id` is that: rename this one, and keep the \
                 property's name by `@alias(property: \"id\")`";
    refuse_type("type A @node { a: ID @relayId id: ID }", &[clash]);
    refuse_type("type A @node { id: ID @relayId }", &[clash]);
    v7("type A @node { id: ID @relayId @alias(property: \"x\") }");
}

#[test]
fn limits_are_positive_and_in_order() {
    let check = |said: &str, expected: &str| {
        refuse_type(&format!("type A @node @limit({said}) {{ a: Int }}"), &[expected]);
    };
    check("default: 0", "A: the default of its limit is 0, but at least 1");
    check("max: -1", "A: the max of its limit is -1, but at least 1");
    check("default: 5, max: 4", "A: the default of its limit is 5, but 4 at most");
    check("max: 3000000000", "A: `@limit(max:)` is a whole number of 32 bits");
}

#[test]
fn reserved_names_are_refused() {
    refuse_type(
        "type PageInfo @node { a: Int }",
        &["PageInfo: `PageInfo` belongs to the paging of connections: rename it"],
    );
    refuse_type(
        "enum MovieConnection { X }",
        &["MovieConnection: names that end in `Connection` belong to the paging of connections: \
           rename it"],
    );
    refuse_type(
        "interface Node { a: Int }",
        &["Node: `Node` belongs to global ids: rename it, and say `@node(labels: [\"Node\"])`"],
    );
    for name in ["DateTime", "String", "Point", "SortDirection"] {
        refuse_type(
            &format!("scalar {name}"),
            &[&format!(
                "{name}: a type of this name is there without being defined: leave this one out"
            )],
        );
    }
    refuse_type(
        "type __A @node { __b: Int }",
        &[
            "__A: names that begin with two underscores belong to introspection: rename it",
            "__A.__b: names that begin with two underscores belong to introspection: rename it",
        ],
    );
    refuse_type(
        "type P @relationshipProperties { cursor: Int }",
        &["P.cursor: an edge of a connection has `node` and `cursor`: rename it, and keep the \
           property's name by `@alias(property:)`"],
    );
}

#[test]
fn nothing_is_there_twice() {
    refuse_type("type A @node { a: Int a: Int }", &["A.a: it is a field on line 1 already"]);
    refuse_type(
        "type A @node { a: Int } type A { a: String }",
        &["A.a: it is String, but Int on line 1"],
    );
    refuse_type("enum A { X } scalar A", &["A: on line 1 there is a `enum` of its name"]);
    refuse_type("enum E { X X }", &["E.X: it is a value on line 1 already"]);
    refuse_type("union U = Other | Other", &["U: `Other` is a member of it twice"]);
    refuse_type(
        "interface I { a: Int } type A implements I & I @node { a: Int }",
        &["A: `I` is implemented twice"],
    );
    refuse_type(
        "type A @node(labels: [\"C\"]) { a: Int } extend type A @node(labels: [\"B\"])",
        &["A: `@node` stands on line 1 already"],
    );
}

#[test]
fn types_have_something() {
    refuse_type("type A @node", &["A: it has no fields: it wants one at least"]);
    refuse_type("interface I", &["I: it has no fields: it wants one at least"]);
    refuse_type("enum E", &["E: an enum has one value at least"]);
    refuse_type("union U", &["U: a union has one type at least"]);
}

#[test]
fn interfaces_are_implemented_wholly() {
    let check = |interface: &str, r#type: &str, expected: &[&str]| {
        refuse_type(
            &format!("interface I {{ {interface} }} type A implements I @node {{ {type} }}"),
            expected,
        );
    };
    check("a: Int", "b: Int", &["A: it has no field `a: Int`, which `I` has on line 1"]);
    check("a: Int!", "a: Int", &["A.a: it is Int, but Int! in `I` on line 1"]);
    check("a: [Int!]", "a: Int", &["A.a: it is Int, but [Int!] in `I` on line 1"]);
    check(
        "a: [Other!]! @declareRelationship",
        "a: [A!]! @relationship(type: \"T\", direction: IN)",
        &["A.a: it is [A!]!, but [Other!]! in `I` on line 1"],
    );
    refuse_type(
        "type A implements I & E & Other @node { a: Int } enum E { X }",
        &[
            "A: there is no interface `I`",
            "A: `E` is no interface that it could implement",
            "A: `Other` is no interface that it could implement",
        ],
    );
    refuse_type(
        "interface I implements J { a: Int } interface J implements I { a: Int }",
        &["I: it and `J` implement each other", "J: it and `I` implement each other"],
    );
    refuse_type(
        "interface I implements I { a: Int }",
        &["I: an interface cannot implement itself"],
    );
    refuse_type(
        "interface J { a: Int } interface I implements J { a: Int } \
         type A implements I @node { a: Int }",
        &["A: it has to implement `J` too, as `I` does"],
    );
}

#[test]
fn a_type_may_be_narrower_than_its_interface() {
    v7(
        "interface I { u: [U!]! @declareRelationship i: [I!]! @declareRelationship a: Int } union U = A \
         type A implements I @node { a: Int! \
           u: [A!]! @relationship(type: \"T\", direction: IN) \
           i: [A!]! @relationship(type: \"S\", direction: IN) }",
    );
}

#[test]
fn declared_relationships_are_made_good() {
    refuse_type(
        "interface I { a: [Other!]! @relationship(type: \"T\", direction: IN) }",
        &["I.a: `@relationship` belongs to types of nodes: say `@declareRelationship` here, and \
           this in the types that implement it"],
    );
    refuse_type(
        "type A @node { a: [Other!]! @declareRelationship }",
        &["A.a: `@declareRelationship` belongs to fields of interfaces: say \
           `@relationship(type:, direction:)` here"],
    );
    refuse_type(
        "interface I { a: [Other!]! @declareRelationship } type A implements I @node { a: [Other!]! }",
        &[
            "A.a: a field of `Other` that is no relationship needs a function in JavaScript, and none \
             runs here; instead, add `@relationship(type:, direction:)`",
            "A.a: `I` declares it as a relationship: add `@relationship(type:, direction:)`",
        ],
    );
}

#[test]
fn unions_are_of_nodes() {
    refuse_type(
        "union U = Other | E | Nothing enum E { X }",
        &["U: `E` is no type of nodes, as members are", "U: there is no type `Nothing`"],
    );
}

#[test]
fn the_schema_and_a_type_do_not_say_the_same() {
    refuse_type(
        "extend schema @query(read: false) type A @node @query { a: Int }",
        &["A: `@query` is said of the schema: say it there or of types"],
    );
    refuse_type(
        "extend schema @query(read: true) extend schema @query(aggregate: true)",
        &["the schema: `@query` stands on line 1 already"],
    );
    refuse_type(
        "schema { query: Root }",
        &["the schema: the type of query operations is always `Query`"],
    );
}

#[test]
fn plurals_are_of_one_type() {
    refuse_type(
        "type Movie @node { a: Int } type Movies @node { a: Int } union U @plural(value: \"others\") = Movie",
        &[
            "Movies: its plural is `movies`, as that of `Movie`: say another one by `@plural(value:)`",
            "U: its plural is `others`, as that of `Other`: say another one by `@plural(value:)`",
        ],
    );
}

#[test]
fn names_for_fields_are_names() {
    refuse_type(
        "type A @node @plural(value: \"a(b\") { a: Int } type B @node @plural(value: \"1\") { a: Int }",
        &[
            "A: of its plural \"a(b\" no name of a field can be made",
            "B: of its plural \"1\" no name of a field can be made",
        ],
    );
    refuse_type(
        "type A @node @plural(value: \"\") { a: Int }",
        &["A: of its plural \"\" no name of a field can be made"],
    );
    refuse_type("type A @node(labels: [\"\"]) { a: Int }", &["A: one of its labels is empty"]);
    refuse_type(
        r#"type A @node(labels: ["a\u0000"]) { a: Int @alias(property: "\u0000") }"#,
        &[
            "A.a: `@alias(property:)` has a zero byte, and no name in a graph has one",
            "A: one of its labels has a zero byte, and no name in a graph has one",
        ],
    );
}

#[test]
fn directives_of_the_other_form_say_what_there_is_instead() {
    refuse_field(
        "Int @private",
        &["`@private` is of form 3; in form 7 there is `@selectable`, `@settable`, `@filterable` \
           and `@sortable`"],
    );
    refuse_type(
        "type A @node @exclude { a: Int }",
        &["A: `@exclude` is of form 3; in form 7 there is `@query` and `@mutation`"],
    );
}

#[test]
fn nodes_are_put_in_groups_by_single_values_of_their_own() {
    let values = "`@groupBy` takes values of type Boolean, Float, ID, Int and String";
    refuse_field("[Int!] @groupBy", &["`@groupBy` takes no lists"]);
    refuse_field("DateTime @groupBy", &[values]);
    refuse_field("E @groupBy", &[values]);
    let statement = "@cypher(statement: \"RETURN this AS a\", columnName: \"a\")";
    refuse_field(&format!("A {statement} @groupBy"), &[values]);
    let of_nodes = "`@groupBy` belongs to the fields of nodes";
    refuse_type("interface I { a: Int @groupBy }", &[&format!("I.a: {of_nodes}")]);
    refuse_type(
        "type P @relationshipProperties { a: Int @groupBy }",
        &[&format!("P.a: {of_nodes}")],
    );
}
