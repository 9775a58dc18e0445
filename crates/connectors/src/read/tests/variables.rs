//! Variables of expressions.

use super::{invalid, valid, valid_in};
use crate::code::Code;

/// A query field with arguments and with these arguments of `@connect`.
fn query(http: &str, selection: &str) -> String {
    format!(
        r#"
        type Query {{
          a(id: ID, ids: [ID!], input: In, json: JSON): String
            @connect(source: "api", http: {{ {http} }}, selection: "{selection}")
        }}
        input In {{ name: String, more: In, list: [Int] }}
        scalar JSON
        "#
    )
}

#[test]
fn arguments_exist() {
    valid(&query(r#"POST: "/{$args.id}", body: "$args.input { name more { name } } ""#, "$.a"));
    valid(&query(r#"POST: "/{$args.json.anything}", body: "$args""#, "$args.id"));
    valid(&query(r#"GET: "/", queryParams: "$args""#, "$"));
    valid(&query(r#"GET: "/", queryParams: "id: $args.ids""#, "$"));
    valid(&query(r#"GET: "/", path: "$args.ids""#, "$"));
    let unknown = query(r#"GET: "/{$args.name}""#, "$");
    invalid(&unknown, Code::UndefinedArgument, "there is no `name` in `$args`: there are `id`");
    let nested = query(r#"GET: "/{$args.input.more.other}""#, "$");
    invalid(&nested, Code::UndefinedArgument, "no `other` in `$args.input.more`");
    let scalar = query(r#"GET: "/{$args.id.x}""#, "$");
    invalid(&scalar, Code::UndefinedArgument, "`$args.id` has no members");
    let body = query(r#"POST: "/", body: "$args.input { nope }""#, "$");
    invalid(&body, Code::UndefinedArgument, "`http.body`, line 1, column 15: there is no `nope`");
    let none = r#"type Query { a: String @connect(source: "api", http: { GET: "/{$args.x}" }, selection: "$") }"#;
    invalid(none, Code::UndefinedArgument, "`a` has no arguments");
}

#[test]
fn urls_and_headers_need_scalars() {
    let list = query(r#"GET: "/{$args.ids}""#, "$");
    invalid(&list, Code::InvalidUrl, "`$args.ids` is a list, and a scalar is needed: join a list");
    let object = query(r#"GET: "/{$args.input}""#, "$");
    invalid(&object, Code::InvalidUrl, "`$args.input` is an object");
    let header = query(r#"GET: "/", headers: [{ name: "x", value: "{$args.input.list}" }]"#, "$");
    invalid(&header, Code::InvalidHeader, "`$args.input.list` is a list");
    valid(&query(r#"GET: "/{$args.ids->joinNotNull(',')}""#, "$"));
    let path = query(r#"GET: "/", path: "$args.id""#, "$");
    invalid(&path, Code::InvalidUrl, "`$args.id` is no list, and a list of scalars is needed");
    let parameters = query(r#"GET: "/", queryParams: "$args.id""#, "$");
    invalid(&parameters, Code::InvalidUrl, "`$args.id` is a scalar, and an object is needed");
}

/// An object type with a connector on the field `b`, whose URL has this expression.
fn field(expression: &str) -> String {
    format!(
        r#"
        type Query {{ a: T @connect(source: "api", http: {{ GET: "/" }}, selection: "id o {{ n }} u {{ n }}") }}
        type T {{
          id: ID
          o: O
          u: O
          b: String @connect(source: "api", http: {{ GET: "/{{{expression}}}" }}, selection: "$")
        }}
        type O {{ n: Int }}
        "#
    )
}

#[test]
fn fields_exist() {
    valid(&field("$this.id"));
    valid(&field("$this.o.n"));
    valid(&field("$([$this.id, $this.o.n])->joinNotNull('-')"));
    invalid(&field("$this.nope"), Code::UndefinedField, "there is no field `nope` in `T`");
    invalid(&field("$this.o.nope"), Code::UndefinedField, "there is no field `nope` in `O`");
    invalid(&field("$this.id.x"), Code::UndefinedField, "`$this.id` has no members");
    invalid(&field("$this.b"), Code::CircularReference, "needs the field itself");
    invalid(&field("$this->jsonStringify"), Code::InvalidUrl, "name the fields that are needed");
    invalid(&field("$this.o->jsonStringify"), Code::InvalidUrl, "such as `$this.o { id }`");
    invalid(&field("$batch.id->joinNotNull('')"), Code::InvalidUrl, "no `$batch` on a field");
    let root = r#"type Query { a: Int @connect(source: "api", http: { GET: "/{$this.a}" }, selection: "$") }"#;
    invalid(root, Code::UndefinedField, "no `$this` on a field of `Query`");
}

#[test]
fn abstract_types_are_no_inputs() {
    let schema = r#"
        type Query { a: T @connect(source: "api", http: { GET: "/" }, selection: "id") }
        type T { id: ID, i: I @external
          b: String @connect(source: "api", http: { GET: "/{$this.i.n}" }, selection: "$") }
        interface I { n: Int }
    "#;
    invalid(schema, Code::UnsupportedVariableType, "of the type `I`");
}

#[test]
fn mappings_of_responses_are_of_their_types() {
    let with = |more: &str| {
        format!(
            r#"type Query {{ a: String @connect(source: "api", http: {{ GET: "/" }}, selection: "$", {more}) }}"#
        )
    };
    valid(&with(
        r#"errors: { message: "$('no')", extensions: "a: $status b: $response.headers.x->first" }"#,
    ));
    valid(&with(r#"isSuccess: "$status->match([200, true], [@, false])""#));
    valid(&with(r#"isSuccess: "ok""#.replace("ok", "$.ok").as_str()));
    let message = with(r#"errors: { message: "$status" }"#);
    invalid(&message, Code::InvalidSelection, "`$status` is a number, and a string is needed");
    let message = with(r#"errors: { message: "a: b" }"#);
    invalid(&message, Code::InvalidSelection, "it makes an object, and has to make a string");
    let extensions = with(r#"errors: { extensions: "$status" }"#);
    invalid(&extensions, Code::InvalidSelection, "an object is needed");
    let success = with(r#"isSuccess: "$('yes')""#);
    invalid(
        &success,
        Code::InvalidSelection,
        "it makes another scalar, and has to make true or false",
    );
    let headers = with(r#"isSuccess: "$response.status->eq(1)""#);
    invalid(&headers, Code::UndefinedField, "it has `$response.headers` only");
}

#[test]
fn environment_variables_are_texts() {
    let get = |url: &str| {
        format!(
            r#"type Query {{ a: String @connect(source: "api", http: {{ GET: "{url}" }}, selection: "$") }}"#
        )
    };
    invalid(&get("/{$env.A.b}"), Code::UndefinedField, "`$env.A` is a text and has no members");
    invalid(&get("/{$env}"), Code::InvalidUrl, "`$env` is an object, and a scalar is needed");
    valid(&get("/{$config.a.b}"));
}

#[test]
fn variables_are_of_all_versions() {
    let env = r#"type Query { a: String @connect(source: "api", http: { GET: "/{$env.A}" }, selection: "$") }"#;
    valid_in("v0.1", env);
}
