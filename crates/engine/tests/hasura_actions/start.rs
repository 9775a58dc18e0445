//! Mistakes in actions, which are told when the API is made.

use expect_test::{Expect, expect};

use super::{Database, block_on, dialect, local, open};

fn refused(actions: &str, expect: &Expect) {
    let database = Database::new();
    let text = match dialect(actions) {
        Err(error) => error,
        Ok(dialect) => block_on(async {
            match open(&database, dialect, local()).await {
                Ok(_) => "no error".to_owned(),
                Err(error) => error.to_string(),
            }
        }),
    };
    expect.assert_eq(&text);
}

fn action(definition: &str) -> String {
    format!(
        "actions:\n  - name: a\n    definition: {{handler: \"http://127.0.0.1/\", type: query, {definition}}}\n"
    )
}

#[test]
fn types_have_to_exist_and_fit() {
    refused(&action("output_type: Nothing"), &expect![[r#""#]]);
    let types = "custom_types:
  input_objects: [{name: In, fields: [{name: a, type: Int}, {name: b, type: Out}]}]
  objects:
    - {name: Out, fields: [{name: a, type: Int}, {name: i, type: In}]}
    - {name: author, fields: [{name: a, type: Int}]}
    - {name: Empty, fields: [{name: a, type: Nothing}]}
    - {name: OnlyEmpty, fields: [{name: a, type: Empty}]}
";
    refused(
        &[&action("output_type: In, arguments: [{name: x, type: Out}, {name: y, type: author}]"), types]
            .concat(),
        &expect![[r#""#]],
    );
}

#[test]
fn names_of_tables_are_taken() {
    let actions = "actions:
  - {name: author, definition: {handler: http://127.0.0.1/, type: query, output_type: Int}}
  - {name: insert_author, definition: {handler: http://127.0.0.1/, output_type: Int}}
";
    refused(actions, &expect![[r#""#]]);
}

#[test]
fn handlers_templates_and_variables_are_checked() {
    refused(
        "actions:
  - {name: a, definition: {handler: \"{{NOTHING}}/x\", type: query, output_type: Int}}
  - {name: b, definition: {handler: ftp://a/, type: query, output_type: Int}}
  - {name: c, definition: {handler: http://a/, type: query, output_type: Int, headers: [{name: x, value_from_env: NOTHING}]}}
  - {name: d, definition: {handler: http://a/, type: query, output_type: Int, headers: [{name: x y, value: a}]}}
  - {name: e, definition: {handler: http://a/, type: query, output_type: Int, request_transform: {version: 1, body: \"{{$x}}\"}}}
  - {name: f, definition: {handler: http://a/, type: query, output_type: Int, response_transform: {version: 1, body: \"{{upper($body)}}\"}}}
",
        &expect![[r#""#]],
    );
}

#[test]
fn hosts_have_to_be_allowed() {
    refused(
        "actions:
  - {name: a, definition: {handler: http://example.com/x, type: query, output_type: Int}}
",
        &expect![[r#""#]],
    );
}

#[test]
fn relationships_are_checked() {
    let relationship = |text: &str| {
        format!(
            "{}custom_types:
  objects:
    - name: Out
      fields: [{{name: author_id, type: Int}}, {{name: list, type: \"[Int]\"}}, {{name: books, type: Int}}]
      relationships: [{{{text}}}]
",
            action("output_type: Out")
        )
    };
    let author = "remote_table: {schema: public, name: author}";
    for text in [
        format!("name: x, type: object, {author}, field_mapping: {{author_id: id}}, source: other"),
        format!("name: books, type: object, {author}, field_mapping: {{author_id: id}}"),
        format!("name: x, type: object, {author}, field_mapping: {{nothing: id}}"),
        format!("name: x, type: object, {author}, field_mapping: {{list: id}}"),
        format!("name: x, type: object, {author}, field_mapping: {{author_id: nothing}}"),
        format!("name: x, type: object, {author}, field_mapping: {{}}"),
        "name: x, type: object, remote_table: {schema: public, name: none}, field_mapping: {author_id: id}"
            .to_owned(),
    ] {
        let database = Database::new();
        let error = block_on(async {
            open(&database, dialect(&relationship(&text)).unwrap(), local()).await.unwrap_err()
        });
        let error = error.to_string();
        let line = error.lines().last().unwrap();
        println!("{line}");
        assert!(line.contains("metadata.yaml"), "{error}");
    }
}
