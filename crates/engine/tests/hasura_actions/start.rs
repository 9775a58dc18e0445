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
    refused(
        &action("output_type: Nothing"),
        &expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:15:74 (actions[0].definition.output_type): There is no custom type Nothing, and no scalar of this name: define it in custom_types."#]],
    );
    let types = "custom_types:
  input_objects: [{name: In, fields: [{name: a, type: Int}, {name: b, type: Out}]}]
  objects:
    - {name: Out, fields: [{name: a, type: Int}, {name: i, type: In}]}
    - {name: author, fields: [{name: a, type: Int}]}
    - {name: Empty, fields: [{name: a, type: Nothing}]}
    - {name: OnlyEmpty, fields: [{name: a, type: Empty}]}
";
    refused(
        &[
            &action("output_type: In, arguments: [{name: x, type: Out}, {name: y, type: author}]"),
            types,
        ]
        .concat(),
        &expect![[r#"
            the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
              metadata.yaml:20:14 (custom_types.objects[1].name): Another type of the schema has the name author.
              metadata.yaml:17:77 (custom_types.input_objects[0].fields[1].type): Out is an object type: an input object is wanted here.
              metadata.yaml:19:66 (custom_types.objects[0].fields[1].type): In is an input object: an object type is wanted here.
              metadata.yaml:21:46 (custom_types.objects[2].fields[0].type): There is no custom type Nothing, and no scalar of this name: define it in custom_types.
              metadata.yaml:21:14 (custom_types.objects[2].name): The custom type Empty has no member of a known type.
              metadata.yaml:22:50 (custom_types.objects[3].fields[0].type): There is no custom type Empty, and no scalar of this name: define it in custom_types.
              metadata.yaml:22:14 (custom_types.objects[3].name): The custom type OnlyEmpty has no member of a known type.
              metadata.yaml:15:74 (actions[0].definition.output_type): In is an input object: an object type is wanted here."#]],
    );
}

#[test]
fn names_of_tables_are_taken() {
    let actions = "actions:
  - {name: author, definition: {handler: http://127.0.0.1/, type: query, output_type: Int}}
  - {name: insert_author, definition: {handler: http://127.0.0.1/, output_type: Int}}
";
    refused(
        actions,
        &expect![[r#"
        the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
          metadata.yaml:14:12 (actions[0].name): The action author has the name of another field of query_root.
          metadata.yaml:15:12 (actions[1].name): The action insert_author has the name of another field of mutation_root."#]],
    );
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
        &expect![[r#"
            the metadata does not fit the database; correct one of the two, or leave these parts out with `--inconsistent-metadata leave-out`:
              metadata.yaml:14:27 (actions[0].definition): The environment variable NOTHING is not set.
              metadata.yaml:15:27 (actions[1].definition): The handler of the action b: it is no URL that begins with `http://` or `https://`.
              metadata.yaml:16:89 (actions[2].definition.headers[0]): The environment variable NOTHING is not set.
              metadata.yaml:17:89 (actions[3].definition.headers[0]): "x y" is no name of a header.
              metadata.yaml:18:98 (actions[4].definition.request_transform): request_transform.body: line 1, column 3: there is no variable `$x` here, only $body, $session_variables, $query_params, $base_url.
              metadata.yaml:19:99 (actions[5].definition.response_transform): response_transform.body: line 1, column 3: there is no function `upper`, only empty, size, inverse, head, tail, toCaseFold, toLower, toUpper, toTitle, escapeUri, fromPairs, toPairs, removeNulls, concat, not, getSessionVariable."#]],
    );
}

#[test]
fn hosts_have_to_be_allowed() {
    refused(
        "actions:
  - {name: a, definition: {handler: http://example.com/x, type: query, output_type: Int}}
",
        &expect![
            "`query_root.a` sends requests to the host `example.com`, which is not allowed; `--custom-hosts example.com` allows them"
        ],
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
    let mut lines = String::new();
    let author = "remote_table: {schema: public, name: author}";
    for text in [
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
        lines.push_str(line.trim_start());
        lines.push('\n');
    }
    expect![[r#"
          metadata.yaml:20:23 (custom_types.objects[0].relationships[0]): The type Out has another field books.
          metadata.yaml:20:23 (custom_types.objects[0].relationships[0]): The relationship x: Out has no field nothing.
          metadata.yaml:20:23 (custom_types.objects[0].relationships[0]): The relationship x: the field list is no single scalar.
          metadata.yaml:20:23 (custom_types.objects[0].relationships[0]): The relationship x: author has no column nothing whose values can be compared.
          metadata.yaml:20:23 (custom_types.objects[0].relationships[0]): The relationship x has no field_mapping.
          metadata.yaml:20:61 (custom_types.objects[0].relationships[0].remote_table): The relationship x leads to the table public.none, which is not tracked.
    "#]].assert_eq(&lines);
}
