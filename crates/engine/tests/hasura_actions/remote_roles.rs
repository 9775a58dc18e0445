//! What roles see of remote schemas, and relationships that begin or end there.

use dialects::hasura;
use engine::Worker;
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use testkit::http::HttpServer;

use super::remote::reply;
use super::{Client, Database, TRACKED, ask, block_on, dialect_of, local, open};

/// A request by the session variables of its client.
type ExpectedRequest<'a> = (Value, &'a str);

fn editor(variables: &[(&str, &str)]) -> Value {
    let mut session = json!({ "x-hasura-role": "editor" });
    for (name, value) in variables {
        session[*name] = (*value).into();
    }
    session
}

fn admin() -> Value {
    json!({ "x-hasura-role": "admin" })
}

/// Answers requests, each with the documents that the other server received.
fn check(
    metadata: &str,
    change: fn(&mut hasura::Options),
    requests: &[ExpectedRequest<'_>],
    expect: &Expect,
) {
    let server = HttpServer::start(reply);
    let metadata = metadata.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let text = block_on(async {
        let mut dialect = dialect_of(&metadata).unwrap();
        change(&mut dialect);
        let engine = match open(&database, dialect, local()).await {
            Ok(engine) => engine,
            Err(error) => return format!("{error}\n"),
        };
        let worker = Worker::new(engine);
        drop(server.received());
        let mut text = String::new();
        for (session, request) in requests {
            let client = Client { session: Some(session.clone()), headers: &[] };
            text.push_str(&ask(&worker, request, &json!({}), &client).await);
            text.push('\n');
            let mut bodies: Vec<_> =
                server.received().into_iter().map(|received| received.body).collect();
            bodies.sort();
            for body in bodies {
                let body: Value = serde_json::from_str(&body).unwrap();
                let query = body["query"].as_str().unwrap().replace('\n', " ");
                text.push_str(&format!("  {query}\n"));
            }
        }
        text
    });
    expect.assert_eq(&text);
}

/// A remote schema with these further keys of its definition and of itself.
fn shop(definition: &str, keys: &str) -> String {
    format!(
        "
remote_schemas:
  - name: shop
    definition:
      url: http://SERVER/graphql
      {definition}
    {keys}
"
    )
}

const PREFIXED: &str = "customization: {type_names: {prefix: shop_}, field_names: \
     [{parent_type: query_root, prefix: shop_}, {parent_type: mutation_root, prefix: shop_}]}";

const PERMISSION: &str = r#"permissions:
      - role: editor
        definition:
          schema: |
            schema { query: query_root }
            type query_root {
              author_by_pk(id: Int! @preset(value: "x-hasura-author-id")): author
              book(where: book_bool_exp, limit: Int, order_by: [book_order_by!] @preset(value: {id: desc})): [book!]!
            }
            type author { id: Int! name: String! }
            type book { title: String! author: author }
            input book_bool_exp { author_id: Int_comparison_exp id: Int_comparison_exp }
            input book_order_by { id: order_by }
            enum order_by { desc }
            input Int_comparison_exp { _eq: Int @preset(value: "X-Hasura-Author-Id") _gt: Int }"#;

#[test]
fn roles_see_the_part_of_their_permission() {
    let metadata = [TRACKED, &shop(PREFIXED, PERMISSION)].concat();
    let one = || editor(&[("x-hasura-author-id", "1")]);
    check(
        &metadata,
        |_| {},
        &[
            (
                one(),
                "{ shop_author_by_pk { name } shop_book(where: {author_id: {_gt: 0}}) { title } }",
            ),
            (one(), "{ shop_book(limit: 1) { __typename author { name } } }"),
            (one(), "{ shop_author_by_pk(id: 2) { name } }"),
            (one(), "{ shop_author_by_pk { books { id } } }"),
            (one(), "{ shop_book(where: {title: {_eq: \"One\"}}) { id } }"),
            // The same field of another type is not visible.
            (one(), "{ shop_book(limit: 1) { author { id } id } }"),
            (one(), "{ shop_author { id } }"),
            (one(), "mutation { shop_delete_author_by_pk(id: 1) { id } }"),
            (one(), "{ __type(name: \"shop_Int_comparison_exp\") { inputFields { name } } }"),
            (one(), "{ __type(name: \"shop_order_by\") { enumValues { name } } }"),
            (editor(&[]), "{ shop_author_by_pk { name } }"),
            (editor(&[("x-hasura-author-id", "1x")]), "{ shop_author_by_pk { name } }"),
            (json!({"x-hasura-role": "other"}), "{ shop_author_by_pk(id: 1) { name } }"),
            (admin(), "{ shop_author_by_pk(id: 2) { books { title } } }"),
        ],
        &expect![[r#"
            {"data":{"shop_author_by_pk":{"name":"Ada"},"shop_book":[{"title":"Two"},{"title":"One"}]}}
              query { author_by_pk(id: 1){ name } }
              query { book(order_by: {id: desc}, where: {author_id: {_gt: 0, _eq: 1}}){ title } }
            {"data":{"shop_book":[{"__typename":"shop_book","author":{"name":"Bob"}}]}}
              query { book(limit: 1, order_by: {id: desc}){ __typename author{ name } } }
            {"errors":[{"message":"'shop_author_by_pk' has no argument named 'id'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_author_by_pk"}}]}
            {"errors":[{"message":"field 'books' not found in type: 'shop_author'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_author_by_pk.selectionSet.books"}}]}
            {"errors":[{"message":"field 'title' not found in type: 'shop_book_bool_exp'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_book.args.where.title"}}]}
            {"errors":[{"message":"field 'id' not found in type: 'shop_book'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_book.selectionSet.id"}}]}
            {"errors":[{"message":"field 'shop_author' not found in type: 'query_root'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_author"}}]}
            {"errors":[{"message":"no mutations exist","extensions":{"code":"validation-failed","path":"$"}}]}
            {"data":{"__type":{"inputFields":[{"name":"_gt"}]}}}
            {"data":{"__type":null}}
            {"errors":[{"message":"\"x-hasura-author-id\" session variable expected, but not found","extensions":{"code":"not-found","path":"$"}}]}
            {"errors":[{"message":"\"1x\" cannot be coerced into an Int value","extensions":{"code":"coercion-error","path":"$"}}]}
            {"errors":[{"message":"field 'shop_author_by_pk' not found in type: 'query_root'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_author_by_pk"}}]}
            {"data":{"shop_author_by_pk":{"books":[{"title":"Three"}]}}}
              query { author_by_pk(id: 2){ books{ title } } }
        "#]],
    );
}

#[test]
fn without_permissions_every_role_sees_everything() {
    let metadata = [TRACKED, &shop(PREFIXED, PERMISSION)].concat();
    check(
        &metadata,
        |options| options.remote_schema_permissions = false,
        &[
            (editor(&[]), "{ shop_author_by_pk(id: 2) { books { title } } }"),
            (json!({"x-hasura-role": "other"}), "{ shop_author_by_pk(id: 1) { name } }"),
        ],
        &expect![[r#"
            {"data":{"shop_author_by_pk":{"books":[{"title":"Three"}]}}}
              query { author_by_pk(id: 2){ books{ title } } }
            {"data":{"shop_author_by_pk":{"name":"Ada"}}}
              query { author_by_pk(id: 1){ name } }
        "#]],
    );
}

/// The texts are those of Hasura.
#[test]
fn permissions_are_checked() {
    let server = HttpServer::start(reply);
    let address = server.address.to_string();
    let database = Database::new();
    let mut lines = String::new();
    let query = "type query_root { author_by_pk(id: Int!): author } schema { query: query_root }";
    for schema in [
        "type nothing { a: Int } ",
        "type author { id: Int name: String! nothing: Int } ",
        "type author { id: Int! name: String! } enum order_by { asc up } ",
        "type author { id: Int! } input Int_comparison_exp { _eq: String _like: Int } ",
        "type author { id: Int! @preset(value: 1) } ",
        "type author { id: Int! } input Int_comparison_exp { _in: [Int!] @preset(value: \"x-hasura-a\") } ",
        "type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(value: ONE) } ",
        "type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(static: true) } ",
        "type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(value: 1, static: 2) } ",
        "type author { id: Int! } input Int_comparison_exp { _eq: Int = 3 } ",
        "type author { id: Int! id: Int! } ",
        "type author { id: Int! @deprecated } ",
        "type author implements books { id: Int! } ",
        "type author { id: Int! } type author { name: String! } ",
        "extend type author { id: Int! } ",
        "type author { id: ",
    ] {
        let permission =
            format!("permissions: [{{role: editor, definition: {{schema: '{schema}{query}'}}}}]");
        let metadata = [TRACKED, &shop(PREFIXED, &permission)].concat().replace("SERVER", &address);
        let opened = block_on(open(&database, dialect_of(&metadata).unwrap(), local()));
        let error = opened.map(|_| ()).unwrap_err().to_string();
        let (_, message) = error.split_once("remote schema `shop`: ").unwrap_or(("", &error));
        lines.push_str(&format!("{schema}\n  {}\n", message.trim_end().replace('\n', "\n  ")));
    }
    let no_roots =
        "permissions: [{role: editor, definition: {schema: 'type author { id: Int! }'}}]";
    let of_admin = "permissions: [{role: admin, definition: {schema: 'type author { id: Int! }'}}]";
    for permission in [no_roots, of_admin] {
        let metadata = [TRACKED, &shop(PREFIXED, permission)].concat().replace("SERVER", &address);
        let opened = block_on(open(&database, dialect_of(&metadata).unwrap(), local()));
        let error = opened.map(|_| ()).unwrap_err().to_string();
        lines.push_str(&format!("{}\n", error.lines().last().unwrap()));
    }
    expect![[r#"
        type nothing { a: Int } 
          validation for the given role-based schema failed because "Object": "nothing" does not exist in the upstream remote schema
        type author { id: Int name: String! nothing: Int } 
          validation for the given role-based schema failed for the following reasons:
           • expected type of "id"("Object field") to be Int! but received Int
           • field "nothing" does not exist in the "Object": "author"
        type author { id: Int! name: String! } enum order_by { asc up } 
          validation for the given role-based schema failed because enum "order_by" contains the following enum values that do not exist in the corresponding upstream remote enum: "up"
        type author { id: Int! } input Int_comparison_exp { _eq: String _like: Int } 
          validation for the given role-based schema failed for the following reasons:
           • expected type of "_eq"("Input object argument") to be Int but received String
           • input argument "_like" does not exist in the input object:"Int_comparison_exp"
        type author { id: Int! @preset(value: 1) } 
          validation for the given role-based schema failed because Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION
        type author { id: Int! } input Int_comparison_exp { _in: [Int!] @preset(value: "x-hasura-a") } 
          validation for the given role-based schema failed because illegal preset value at "_in". Session arguments can only be set for singleton values
        type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(value: ONE) } 
          validation for the given role-based schema failed because expected preset value "ONE" of type "Int" to be a scalar value
        type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(static: true) } 
          validation for the given role-based schema failed because preset argument "value" not found at "_eq"
        type author { id: Int! } input Int_comparison_exp { _eq: Int @preset(value: 1, static: 2) } 
          validation for the given role-based schema failed because expected preset static value to be a Boolean value
        type author { id: Int! } input Int_comparison_exp { _eq: Int = 3 } 
          validation for the given role-based schema failed because expected default value of input value: "_eq"of input object "Int_comparison_exp" to be  but received 3
        type author { id: Int! id: Int! } 
          validation for the given role-based schema failed because duplicate fields: "id"found in the "Object" "author"
        type author { id: Int! @deprecated } 
          validation for the given role-based schema failed because "Directive": "deprecated" does not exist in the upstream remote schema
        type author implements books { id: Int! } 
          validation for the given role-based schema failed because object "author" is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: "books"
        type author { id: Int! } type author { name: String! } 
          validation for the given role-based schema failed because duplicate type names found: "author"
        extend type author { id: Int! } 
          validation for the given role-based schema failed because extensions of types are not supported
        type author { id: 
          the schema of the role cannot be read: line 1: syntax error: expected a type; line 1: syntax error: expected `}`, got {; line 1: syntax error: expected `)`, got !; line 1: syntax error: expected `}`, got !; line 1: syntax error: expected a StringValue, Name or OperationDefinition
          metadata.yaml:19:46 (remote_schemas[0].permissions[0].definition): In the permission of the role `editor` on the remote schema `shop`: validation for the given role-based schema failed because "Query" has to be an object type
          metadata.yaml:19:26 (remote_schemas[0].permissions[0].role): The role `admin` has every permission: remove this one.
    "#]].assert_eq(&lines);
}

#[test]
fn roles_inherit_equal_permissions() {
    let permission = |role: &str, field: &str| {
        format!(
            "{{role: {role}, definition: {{schema: 'schema {{ query: query_root }} type query_root \
             {{ author_by_pk(id: Int!): author }} type author {{ {field} }}'}}}}"
        )
    };
    let metadata = |second: &str| {
        let permissions = format!(
            "permissions: [{}, {}]",
            permission("one", "id: Int!"),
            permission("two", second)
        );
        let inherited = "inherited_roles: [{role_name: editor, role_set: [one, two]}]\n";
        [TRACKED, &shop(PREFIXED, &permissions), inherited].concat()
    };
    let ask = [(editor(&[]), "{ shop_author_by_pk(id: 2) { id } }")];
    check(
        &metadata("id: Int!"),
        |_| {},
        &ask,
        &expect![[r#"
            {"data":{"shop_author_by_pk":{"id":2}}}
              query { author_by_pk(id: 2){ id } }
        "#]],
    );
    check(
        &metadata("name: String!"),
        |_| {},
        &ask,
        &expect![[r#"
            {"errors":[{"message":"field 'shop_author_by_pk' not found in type: 'query_root'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop_author_by_pk"}}]}
        "#]],
    );
}

#[test]
fn root_fields_have_a_namespace_and_fields_other_names() {
    let customization = "customization: {root_fields_namespace: shop, type_names: {prefix: shop_, \
         mapping: {author: Writer}}, field_names: [{parent_type: author, prefix: my_, mapping: \
         {name: called}}, {parent_type: query_root, mapping: {author_by_pk: writer}}, \
         {parent_type: nothing, prefix: a}]}";
    let metadata = [TRACKED, &shop(customization, "")].concat();
    check(
        &metadata,
        |_| {},
        &[
            (
                admin(),
                "{ s: shop { __typename w: writer(id: 1) { __typename called my_id n: called \
                 my_books(limit: 1) { title author { called } } } } author(limit: 1, order_by: {id: asc}) { name } }",
            ),
            (admin(), "mutation { shop { delete_author_by_pk(id: 77) { called } } }"),
            (admin(), "{ shop { writer(id: 1) { name } } }"),
            (admin(), "{ writer(id: 1) { called } }"),
        ],
        &expect![[r#"
            {"data":{"s":{"__typename":"shopquery_root","w":{"__typename":"Writer","called":"Ada","my_id":1,"n":"Ada","my_books":[{"title":"One","author":{"called":"Ada"}}]}},"author":[{"name":"Ada"}]}}
              query { author_by_pk(id: 1){ __typename name id n: name books(limit: 1){ title author{ name } } } }
            {"data":{"shop":{"delete_author_by_pk":null}}}
              mutation { delete_author_by_pk(id: 77){ name } }
            {"errors":[{"message":"field 'name' not found in type: 'Writer'","extensions":{"code":"validation-failed","path":"$.selectionSet.shop.selectionSet.writer.selectionSet.name"}}]}
            {"errors":[{"message":"field 'writer' not found in type: 'query_root'","extensions":{"code":"validation-failed","path":"$.selectionSet.writer"}}]}
        "#]],
    );
}

/// Metadata with relationships of the table of books to the other server.
fn with_books(relationships: &str, keys: &str) -> String {
    let tracked = TRACKED.replace(
        "      - table: {schema: public, name: book}\n",
        &format!(
            "      - table: {{schema: public, name: book}}\n        remote_relationships: {relationships}\n"
        ),
    );
    [tracked, shop(PREFIXED, keys)].concat()
}

fn to_shop(lhs: &str, field: &str) -> String {
    format!(
        "{{to_remote_schema: {{remote_schema: shop, lhs_fields: {lhs}, remote_field: {field}}}}}"
    )
}

#[test]
fn rows_are_asked_in_one_request_with_arguments_of_clients() {
    let below = to_shop(
        "[author_id, title]",
        "{author_by_pk: {arguments: {id: $author_id}, field: {books: {arguments: {where: {title: \
         {_eq: $title}}}}}}}",
    );
    let constant =
        to_shop("[]", "{author_by_pk: {arguments: {id: 2}, field: {name: {arguments: {}}}}}");
    let relationships =
        format!("[{{name: same, definition: {below}}}, {{name: bob, definition: {constant}}}]");
    check(
        &with_books(&relationships, ""),
        |_| {},
        &[
            (admin(), "{ book(order_by: {id: asc}) { bob same { title } } }"),
            (
                admin(),
                "{ book(order_by: {id: asc}, limit: 2) { same(where: {id: {_gt: 10}}, limit: 1) { id } } }",
            ),
            (admin(), "{ book(limit: 1) { same(where: {title: {_eq: \"x\"}}) { id } } }"),
        ],
        &expect![[r#"
            {"data":{"book":[{"bob":"Bob","same":[{"title":"One"}]},{"bob":"Bob","same":[{"title":"Two"}]},{"bob":"Bob","same":[{"title":"Three"}]}]}}
              query { f0: author_by_pk(id: 1) { books(where: {title: {_eq: "One"}}){ title } } f1: author_by_pk(id: 1) { books(where: {title: {_eq: "Two"}}){ title } } f2: author_by_pk(id: 2) { books(where: {title: {_eq: "Three"}}){ title } } }
              query { f0: author_by_pk(id: 2) { name } }
            {"data":{"book":[{"same":[]},{"same":[{"id":11}]}]}}
              query { f0: author_by_pk(id: 1) { books(limit: 1, where: {title: {_eq: "One"}, id: {_gt: 10}}){ id } } f1: author_by_pk(id: 1) { books(limit: 1, where: {title: {_eq: "Two"}, id: {_gt: 10}}){ id } } }
            {"errors":[{"message":"field '_eq' not found in type: 'String_comparison_exp_remote_rel_booksame'","extensions":{"code":"validation-failed","path":"$.selectionSet.book.selectionSet.same.args.where.title._eq"}}]}
        "#]],
    );
}

#[test]
fn a_role_follows_relationships_that_its_permission_has() {
    let to_author = to_shop("[author_id]", "{author_by_pk: {arguments: {id: $author_id}}}");
    let to_authors =
        to_shop("[author_id]", "{author: {arguments: {where: {id: {_eq: $author_id}}}}}");
    let relationships = format!(
        "[{{name: writer, definition: {to_author}}}, {{name: writers, definition: {to_authors}}}]\n        \
         select_permissions: [{{role: editor, permission: {{columns: [id, author_id], filter: {{}}}}}}]"
    );
    check(
        &with_books(&relationships, PERMISSION),
        |_| {},
        &[
            // The value of the row replaces the preset.
            (
                editor(&[("x-hasura-author-id", "1")]),
                "{ book(order_by: {id: desc}, limit: 1) { writer { name } } }",
            ),
            (editor(&[]), "{ book { writers { name } } }"),
            (editor(&[]), "{ book { writer { books { id } } } }"),
        ],
        &expect![[r#"
            {"data":{"book":[{"writer":{"name":"Bob"}}]}}
              query { f0: author_by_pk(id: 2){ name } }
            {"errors":[{"message":"field 'writers' not found in type: 'book'","extensions":{"code":"validation-failed","path":"$.selectionSet.book.selectionSet.writers"}}]}
            {"errors":[{"message":"field 'books' not found in type: 'shop_author'","extensions":{"code":"validation-failed","path":"$.selectionSet.book.selectionSet.writer.selectionSet.books"}}]}
        "#]],
    );
}

#[test]
fn types_of_remote_schemas_lead_to_tables_and_remote_schemas() {
    let to_source = |kind: &str, table: &str, mapping: &str| {
        format!(
            "{{to_source: {{source: default, relationship_type: {kind}, table: {{schema: public, name: \
             {table}}}, field_mapping: {{{mapping}}}}}}}"
        )
    };
    let keys = format!(
        "remote_relationships:\n      - type_name: author\n        relationships:\n          - {{name: \
         own, definition: {}}}\n          - {{name: here, definition: {}}}\n          - {{name: again, \
         definition: {}}}\n",
        to_source("object", "author", "id: id"),
        to_source("array", "book", "id: author_id"),
        to_shop("[id]", "{author_by_pk: {arguments: {id: $id}, field: {books: {arguments: {}}}}}"),
    );
    let to_author = to_shop("[author_id]", "{author_by_pk: {arguments: {id: $author_id}}}");
    let metadata = with_books(&format!("[{{name: writer, definition: {to_author}}}]"), &keys);
    check(
        &metadata,
        |_| {},
        &[
            (
                admin(),
                "{ a: shop_author(order_by: {id: asc}, where: {id: {_lt: 5}}) { own { n: name } here(order_by: {id: desc}, limit: 1) \
                 { title } here_aggregate { aggregate { count } } } }",
            ),
            (
                admin(),
                "{ shop_author_by_pk(id: 1) { id again(limit: 1) { title author { own { name } } } } }",
            ),
            // From rows to the remote schema, and back again.
            (
                admin(),
                "{ book(order_by: {id: desc}, limit: 1) { writer { name here { title writer { id } } } } }",
            ),
        ],
        &expect![[r#"
            {"data":{"a":[{"own":{"n":"Ada"},"here":[{"title":"Two"}],"here_aggregate":{"aggregate":{"count":2}}},{"own":{"n":"Bob"},"here":[{"title":"Three"}],"here_aggregate":{"aggregate":{"count":1}}}]}}
              query { author(order_by: [{id: asc}], where: {id: {_lt: 5}}){ _join_key_id: id } }
            {"data":{"shop_author_by_pk":{"id":1,"again":[{"title":"One","author":{"own":{"name":"Ada"}}}]}}}
              query { author_by_pk(id: 1){ books(limit: 1){ title author{ _join_key_id: id } } } }
              query { author_by_pk(id: 1){ id _join_key_id: id } }
            {"data":{"book":[{"writer":{"name":"Bob","here":[{"title":"Three","writer":{"id":2}}]}}]}}
              query { f0: author_by_pk(id: 2){ id } }
              query { f0: author_by_pk(id: 2){ name _join_key_id: id } }
        "#]],
    );
}

#[test]
fn relationships_of_types_are_checked() {
    let server = HttpServer::start(reply);
    let address = server.address.to_string();
    let database = Database::new();
    let mut lines = String::new();
    let to_source = |source: &str, table: &str, mapping: &str| {
        format!(
            "{{to_source: {{source: {source}, relationship_type: object, table: {{schema: public, name: \
             {table}}}, field_mapping: {{{mapping}}}}}}}"
        )
    };
    for (r#type, name, definition) in [
        ("nothing", "a", to_source("default", "author", "id: id")),
        ("order_by", "a", to_source("default", "author", "id: id")),
        ("author", "name", to_source("default", "author", "id: id")),
        ("author", "a", to_source("default", "nothing", "id: id")),
        ("author", "a", to_source("default", "author", "nothing: id")),
        ("author", "a", to_source("default", "author", "books: id")),
        ("author", "a", to_source("default", "author", "id: nothing")),
        ("author", "a", to_source("default", "author", "")),
        ("author", "a", to_shop("[]", "{author_by_pk: {arguments: {id: $id}}}")),
        ("author", "a", to_shop("[nothing]", "{author_by_pk: {arguments: {id: $nothing}}}")),
        ("author", "a", to_shop("[id]", "{author_by_pk: {arguments: {id: \"text\"}}}")),
        (
            "author",
            "a",
            to_shop("[id]", "{author: {arguments: {}, field: {books: {arguments: {}}}}}"),
        ),
        (
            "author",
            "a",
            to_shop("[id]", "{author_by_pk: {arguments: {}, field: {books: {arguments: {}}}}}"),
        ),
    ] {
        let keys = format!(
            "remote_relationships: [{{type_name: {type}, relationships: [{{name: {name}, definition: \
             {definition}}}]}}]",
            r#type = r#type
        );
        let metadata = [TRACKED, &shop(PREFIXED, &keys)].concat().replace("SERVER", &address);
        let opened = block_on(open(&database, dialect_of(&metadata).unwrap(), local()));
        let error = opened.map(|_| ()).unwrap_err().to_string();
        let last = error.lines().last().unwrap();
        let (_, message) = last.split_once("): ").unwrap_or(("", last));
        lines.push_str(&format!("{message}\n"));
    }
    expect![[r#"
        The remote relationship a of nothing: the remote schema shop has no such type.
        The remote relationship a of order_by: order_by is no object type below a root.
        The remote relationship name of author: the type shop_author has another field of the name.
        The remote relationship a of author: the table public.nothing is not tracked.
        The remote relationship a of author: author has no field nothing.
        The remote relationship a of author: the field books is no single scalar.
        The remote relationship a of author: author has no column nothing whose values can be compared.
        The remote relationship a of author: it has no field_mapping.
        The remote relationship a of author: `$id` is not among its lhs_fields.
        The remote relationship a of author: author has no field nothing.
        The remote relationship a of author: "text" is no value of Int!.
        The remote relationship a of author: author is no single object, which a field below it needs.
        The remote relationship a of author: author_by_pk needs id.
    "#]].assert_eq(&lines);
}

/// An error of one row is one of all, as in Hasura.
#[test]
fn errors_of_joins_have_those_of_the_server() {
    let to_author = to_shop("[title]", "{author_by_pk: {arguments: {id: $title}}}");
    check(
        &with_books(&format!("[{{name: writer, definition: {to_author}}}]"), ""),
        |_| {},
        &[(admin(), "{ book(order_by: {id: asc}) { writer { name } } }")],
        &expect![[r#"
            {"errors":[{"message":"Errors from remote server","extensions":{"code":"unexpected","path":"$","internal":{"errors":[{"message":"expected a 32-bit integer for type 'Int', but found a string","extensions":{"code":"validation-failed","path":"$.selectionSet.author_by_pk.args.id"}}]}}}]}
              query { f0: author_by_pk(id: "One"){ name } f1: author_by_pk(id: "Two"){ name } f2: author_by_pk(id: "Three"){ name } }
        "#]],
    );
}

#[test]
fn remote_schemas_may_have_equal_types() {
    let second = "  - name: other
    definition:
      url: http://SERVER/graphql
      customization: {type_names: {prefix: shop_}, field_names: \
        [{parent_type: query_root, prefix: other_}, {parent_type: mutation_root, prefix: other_}]}\n";
    let metadata = [TRACKED, &shop(PREFIXED, ""), second].concat();
    check(
        &metadata,
        |_| {},
        &[(
            admin(),
            "{ shop_author_by_pk(id: 1) { name } other_author_by_pk(id: 2) { name books { title } } }",
        )],
        &expect![[r#"
            {"data":{"shop_author_by_pk":{"name":"Ada"},"other_author_by_pk":{"name":"Bob","books":[{"title":"Three"}]}}}
              query { author_by_pk(id: 1){ name } }
              query { author_by_pk(id: 2){ name books{ title } } }
        "#]],
    );
    let different =
        second.replace("field_names: [", "field_names: [{parent_type: author, prefix: x_}, ");
    check(
        &[TRACKED, &shop(PREFIXED, ""), &different].concat(),
        |_| {},
        &[],
        &expect![[r#"
            the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
              metadata.yaml:20:11 (remote_schemas[1].name): The remote schema other: another type of the API has the name shop_author; rename this one by customization.type_names, such as `prefix: other_`.
        "#]],
    );
}
