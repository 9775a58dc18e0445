//! Entities and batches.

use super::{invalid, read_schema, valid};
use crate::code::Code;
use crate::connector::Resolves;
use crate::variables::Variable;

/// A query field that resolves an entity `T`, with its arguments and its type.
fn entity(arguments: &str, r#type: &str) -> String {
    format!(
        r#"type Query {{ t{arguments}: {type} @connect(source: "api", http: {{ GET: "/" }}, selection: "id o {{ k }}", entity: true) }}
        type T @key(fields: "id") {{ id: ID! o: O }} type O {{ k: Int }} input In {{ k: Int }}"#
    )
}

#[test]
fn query_fields_resolve_entities() {
    valid(&entity("(id: ID!)", "T"));
    invalid(&entity("", "T"), Code::EntityResolverArgumentMismatch, "`t` has no arguments");
    invalid(
        &entity("(x: ID!)", "T"),
        Code::EntityResolverArgumentMismatch,
        "`x` is no field of `T`",
    );
    invalid(&entity("(o: Int)", "T"), Code::EntityResolverArgumentMismatch, "of different types");
    invalid(
        &entity("(id: String)", "T"),
        Code::EntityResolverArgumentMismatch,
        "of different types",
    );
    invalid(&entity("(id: [ID])", "T"), Code::EntityResolverArgumentMismatch, "of different types");
    invalid(&entity("(id: ID!)", "T!"), Code::EntityTypeInvalid, "neither a list nor non-null");
    invalid(&entity("(id: ID!)", "[T]"), Code::EntityTypeInvalid, "neither a list nor non-null");
    let mutation = r#"type Query { a: Int @connect(source: "api", http: { GET: "/" }, selection: "$") }
        type Mutation { t(id: ID): T @connect(source: "api", http: { GET: "/" }, selection: "id", entity: true) }
        type T { id: ID }"#;
    invalid(mutation, Code::EntityNotOnRootQuery, "fields of the query type only");
}

#[test]
fn nested_keys_are_nested_arguments() {
    let schema = entity("(o: In)", "T").replace("fields: \"id\"", "fields: \"o { k }\"");
    valid(&schema);
    let other = entity("(o: In)", "T");
    invalid(&other, Code::MissingEntityConnector, "`T` has the key `id`");
}

/// A query field `a: T`, and the type `T` with these directives.
fn of_type(directives: &str) -> String {
    format!(
        r#"type Query {{ a: [T] @connect(source: "api", http: {{ GET: "/" }}, selection: "id o {{ k }}") }}
        type T {directives} {{ id: ID! n: Int @external o: O }} type O {{ k: Int }}"#
    )
}

#[test]
fn keys_have_connectors() {
    let by_this = r#"@key(fields: "id") @connect(source: "api", http: { GET: "/{$this.id}" }, selection: "id")"#;
    valid(&of_type(by_this));
    let without = r#"@key(fields: "id")"#;
    invalid(&of_type(without), Code::MissingEntityConnector, "no connector resolves it");
    valid(&of_type(r#"@key(fields: "id", resolvable: false)"#));
    let other = r#"@key(fields: "n") @connect(source: "api", http: { GET: "/{$this.id}" }, selection: "id")"#;
    invalid(&of_type(other), Code::MissingEntityConnector, "the key `n`");
    // External fields that it needs are no part of the key.
    let external = r#"type Query { a: Int @connect(source: "api", http: { GET: "/" }, selection: "$") }
        type T @key(fields: "id") { id: ID! weight: Int @external
          n: Int @connect(source: "api", http: { GET: "/{$this.id}/{$this.weight}" }, selection: "$.n") }"#;
    valid(external);
    // A connector of a field finds the object, too.
    let field = r#"type Query { a: Int @connect(source: "api", http: { GET: "/" }, selection: "$") }
        type T @key(fields: "id") { id: ID!
          n: Int @connect(source: "api", http: { GET: "/{$this.id}" }, selection: "$.n") }"#;
    valid(field);
}

#[test]
fn connectors_on_types_say_which_object() {
    let nothing = r#"@connect(source: "api", http: { GET: "/" }, selection: "id")"#;
    invalid(&of_type(nothing), Code::GraphqlError, "use `$this` or `$batch`");
    let both = r#"@connect(source: "api", http: { POST: "/{$this.id}", body: "ids: $batch.id" }, selection: "id")"#;
    invalid(&of_type(both), Code::GraphqlError, "by `$this`, or for many, by `$batch`");
}

#[test]
fn batches_are_read() {
    let batch = r#"@connect(source: "api", http: { POST: "/", body: "ids: $batch { id k: o.k }" }, selection: "$.results { id: key o { k } }", batch: { maxSize: 10 })"#;
    let reading = read_schema("v0.3", &of_type(batch));
    assert_eq!(reading.findings, []);
    let connector = &reading.connectors[1];
    assert_eq!(connector.resolves, Resolves::Type);
    assert_eq!(connector.batch.and_then(|batch| batch.max_size).map(usize::from), Some(10));
    let inputs = connector.inputs();
    assert_eq!(
        inputs.of(Variable::Batch).map(|members| members.field_set()).as_deref(),
        Some("id o { k }")
    );
}

#[test]
fn batches_are_checked() {
    let missing = r#"@connect(source: "api", http: { POST: "/", body: "ids: $batch.id" }, selection: "o { k }")"#;
    invalid(&of_type(missing), Code::InvalidSelection, "`selection` has no `id`");
    let nested =
        r#"@connect(source: "api", http: { POST: "/", body: "ids: $batch.o.k" }, selection: "id")"#;
    invalid(&of_type(nested), Code::InvalidSelection, "`selection` has no `o.k`");
    let object = r#"@connect(source: "api", http: { POST: "/", body: "ids: $batch.o" }, selection: "id o { k }")"#;
    let reading = read_schema("v0.3", &of_type(object));
    assert!(
        reading.findings.iter().any(|finding| finding.code == Code::InvalidBody),
        "{:?}",
        reading.findings
    );
    let zero = r#"@connect(source: "api", http: { POST: "/", body: "ids: $batch.id" }, selection: "id", batch: { maxSize: 0 })"#;
    invalid(&of_type(zero), Code::GraphqlError, "no whole number above 0");
    let unused = r#"@connect(source: "api", http: { POST: "/{$this.id}" }, selection: "id", batch: { maxSize: 1 })"#;
    invalid(&of_type(unused), Code::GraphqlError, "nothing of the request uses `$batch`");
    let scalar = r#"@connect(source: "api", http: { GET: "/{$batch.id}" }, selection: "id")"#;
    invalid(&of_type(scalar), Code::InvalidUrl, "`$batch.id` is a list");
}

#[test]
fn the_example_of_the_reference_is_valid() {
    let page = include_str!("../../../../../docs/connectors.md");
    let example = page.split("```graphql\n").nth(1).and_then(|rest| rest.split("```").next());
    let reading =
        crate::read::read(&super::schema::definitions("v0.3", example.unwrap_or_default()));
    assert_eq!(reading.findings, []);
    assert_eq!(reading.connectors.len(), 3);
}
