use std::path::Path;

use expect_test::expect_file;

use super::*;
use crate::json::Json;
use crate::types::name::NameParts;

/// The files of a folder of fixtures.
fn folder(name: &str) -> Folder {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hasura").join(name);
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    Folder::new(files)
}

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hasura");
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn inline<const N: usize>(files: [(&str, &str); N]) -> Folder {
    Folder::new(files.map(|(name, text)| (name.to_owned(), text.to_owned())))
}

fn problems(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(ToString::to_string).collect()
}

fn expect_none(reading: Reading) -> Metadata {
    assert_eq!(problems(&reading), Vec::<String>::new());
    reading.metadata.unwrap()
}

/// The same with sorted keys.
fn sorted(json: &Json) -> Json {
    match json {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(members) => {
            let members = members.iter();
            let mut members: Vec<_> =
                members.map(|(key, value)| (key.clone(), sorted(value))).collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Json::Object(members)
        }
        other => other.clone(),
    }
}

#[test]
fn a_folder_is_read_and_written_as_an_export() {
    let metadata = expect_none(read_folder(&folder("shop")));
    let json = metadata.to_json().pretty() + "\n";
    expect_file!["../../../../fixtures/hasura/shop.json"].assert_eq(&json);
    let again = expect_none(read_text("shop.json", &json));
    assert_eq!(again.to_json().pretty() + "\n", json);
}

#[test]
fn each_key_is_read_and_written() {
    let text = fixture("everything.yaml");
    let metadata = expect_none(read_text("everything.yaml", &text));
    let json = metadata.to_json();
    let root = yaml::read(&"everything.yaml".into(), &text).unwrap();
    assert_eq!(sorted(&json).pretty(), root.to_json().pretty());
    let json = json.pretty() + "\n";
    expect_file!["../../../../fixtures/hasura/everything.json"].assert_eq(&json);
    assert_eq!(expect_none(read_text("everything.json", &json)), metadata);
}

#[test]
fn the_fixture_of_each_key_has_each_key() {
    let mut reader = Reader::new();
    let root = yaml::read(&"everything.yaml".into(), &fixture("everything.yaml")).unwrap();
    Metadata::read(&root, &mut reader).unwrap();
    let mut description = crate::reader::Description::default();
    Metadata::describe(&mut description);
    let objects = description.objects.into_iter();
    let keys = objects.flat_map(|(object, keys)| keys.iter().map(move |key| (object, *key)));
    let missing: Vec<_> = keys.filter(|key| !reader.seen.contains(key)).collect();
    // The older form of a field, which is written in the newer one.
    assert_eq!(missing, [("LogicalModelField", "nullable")]);
}

#[test]
fn older_forms_are_written_as_newer_ones() {
    let check = |source: &str, expected: &str| {
        let text = format!(
            "{{version: 3, sources: [{{name: a, configuration: {{connection_info: {{database_url: \
             x}}}}, {source}}}]}}"
        );
        let metadata = expect_none(read_text("a.yaml", &format!("# YAML\n{text}")));
        let Json::Object(root) = metadata.to_json() else { unreachable!() };
        let Json::Array(sources) = &root[1].1 else { unreachable!() };
        let Json::Object(source) = &sources[0] else { unreachable!() };
        let json = Json::Object(source[2..source.len() - 1].to_vec());
        assert_eq!(json.compact(), expected);
    };
    check("tables: []", r#"{"tables":[]}"#);
    check("tables: [{table: b}, {table: a}]", {
        r#"{"tables":[{"table":{"name":"a","schema":"public"}},{"table":{"name":"b","schema":"public"}}]}"#
    });
    check(
        "tables: [{table: a, configuration: {custom_column_names: {b: c, d: e}, column_config: {b: \
         {custom_name: x}}}}]",
        r#"{"tables":[{"table":{"name":"a","schema":"public"},"configuration":{"column_config":{"b":{"custom_name":"x"},"d":{"custom_name":"e"}},"custom_column_names":{"b":"x","d":"e"},"custom_root_fields":{}}}]}"#,
    );
    check(
        "tables: [], logical_models: [{name: a, fields: [{name: b, type: text, nullable: true}]}]",
        r#"{"tables":[],"logical_models":[{"fields":[{"name":"b","type":{"nullable":true,"scalar":"text"}}],"name":"a"}]}"#,
    );
    check("tables: [], customization: {}, functions: null", r#"{"tables":[]}"#);
}

#[test]
fn an_export_may_have_a_resource_version() {
    let text = r#"{"resource_version": 12, "metadata": {"version": 3, "sources": []}}"#;
    let reading = read_text("metadata.json", text);
    assert_eq!(reading.resource_version, Some(12));
    assert_eq!(expect_none(reading).to_json().compact(), r#"{"version":3,"sources":[]}"#);
    let reading = read_text("metadata.json", r#"{"metadata": {}, "extra": 1}"#);
    assert_eq!(
        problems(&reading),
        [
            "metadata.json: The key `extra` of the export is unknown. Remove it; the keys are: \
             resource_version, metadata.",
            "metadata.json: The key `version` of Metadata is missing.",
            "metadata.json: The key `sources` of Metadata is missing.",
        ]
    );
}

#[test]
fn versions_1_and_2_are_converted_with_a_notice() {
    let notice = |version| {
        format!(
            "a.json: Metadata of version {version} is read as version 3: its tables and functions \
             are those of the source `default`, at the address in HASURA_GRAPHQL_DATABASE_URL."
        )
    };
    let check = |text: &str, version: u32| {
        let reading = read_text("a.json", text);
        assert_eq!(problems(&reading), [notice(version)]);
        reading.metadata.unwrap().to_json().compact()
    };
    let source = |functions: &str| {
        format!(
            r#"{{"version":3,"sources":[{{"name":"default","kind":"postgres","tables":[{{"table":{{"name":"a","schema":"public"}}}}],"functions":[{functions}],"configuration":{{"connection_info":{{"database_url":{{"from_env":"HASURA_GRAPHQL_DATABASE_URL"}},"isolation_level":"read-committed","use_prepared_statements":false}}}}}}]}}"#
        )
    };
    let function = |name: &str| format!(r#"{{"function":{{"name":"{name}","schema":"public"}}}}"#);
    assert_eq!(
        check(r#"{"tables": [{"table": "a"}], "functions": ["g", {"name": "f"}]}"#, 1),
        source(&[function("f"), function("g")].join(","))
    );
    assert_eq!(
        check(r#"{"version": 2, "tables": [{"table": "a"}], "functions": [{"function": "f"}]}"#, 2),
        source(&function("f"))
    );
    let folder = folder("version-2");
    let reading = read_folder(&folder);
    assert_eq!(problems(&reading), [notice(2).replace("a.json", "version.yaml:1:1")]);
    let json = reading.metadata.unwrap().to_json().pretty() + "\n";
    expect_file!["../../../../fixtures/hasura/version-2.json"].assert_eq(&json);
}

#[test]
fn problems_of_older_versions_have_a_remedy() {
    let check = |text: &str, expected: &[&str]| {
        let reading = read_text("a.json", text);
        let problems: Vec<String> = reading.errors().map(ToString::to_string).collect();
        assert_eq!(problems, expected);
    };
    check(r#"{"version": 2}"#, &["a.json: The key `tables` is missing."]);
    check(
        r#"{"version": 1, "tables": [], "sources": []}"#,
        &["a.json: The key `sources` is one of version 3: remove it, or write `version: 3`."],
    );
    check(
        r#"{"version": 4, "sources": []}"#,
        &["a.json (version): Version 4 of metadata is unknown: 1, 2 and 3 are."],
    );
    check("[]", &["a.json:1:1: The value is a list, but an object is wanted."]);
    check("", &["a.json:1:1: The value is null, but an object is wanted."]);
    check("{", &["a.json:1:1: EOF while parsing an object"]);
}

#[test]
fn a_thousand_tables_are_read_in_their_order() {
    let read = |wrong: &[usize]| {
        let tables = (0..1000).map(|number| match wrong.contains(&number) {
            true => format!(r#"{{"table": "t{number:04}", "is_enum": {number}}}"#),
            false => format!(r#"{{"table": "t{number:04}"}}"#),
        });
        let tables = tables.collect::<Vec<_>>().join(",");
        let configuration = r#"{"connection_info": {"database_url": "postgres://db/shop"}}"#;
        let source = format!(
            r#"{{"name": "default", "tables": [{tables}], "configuration": {configuration}}}"#
        );
        read_text("a.json", &format!(r#"{{"version": 3, "sources": [{source}]}}"#))
    };
    let metadata = expect_none(read(&[]));
    let tables = &metadata.sources[0].0.tables;
    assert_eq!(tables.len(), 1000);
    for (number, table) in tables.iter().enumerate() {
        let (schema, name) = ("public".to_owned(), format!("t{number:04}"));
        assert_eq!(table.table.parts, NameParts::InSchema { schema, name });
    }
    let wrong = |index| {
        format!(
            "a.json (sources[0].tables[{index}].is_enum): The value is a number, but true or false \
             is wanted."
        )
    };
    assert_eq!(problems(&read(&[998, 3, 600])), [wrong(3), wrong(600), wrong(998)]);
}

#[test]
fn all_problems_of_all_files_are_found_in_one_run() {
    let reading = read_folder(&inline([
        ("version.yaml", "version: 3\n"),
        (
            "databases/databases.yaml",
            "- name: default\n  kind: postgres\n  configuration:\n    connection_info:\n      \
             database_url: x\n      isolation_levle: serializable\n  tables: '!include \
             default/tables/tables.yaml'\n- name: default\n  tables: []\n  configuration: {}\n",
        ),
        (
            "databases/default/tables/tables.yaml",
            "- '!include a.yaml'\n- '!include b.yaml'\n- '!include ../../../../etc/passwd'\n- \
             '!include tables.yaml'\n- '!include c.yaml'\n",
        ),
        (
            "databases/default/tables/a.yaml",
            "table: a\nselect_permissions:\n  - role: user\n    permission:\n      columns: all\n      \
             filters: {}\n      limit: -1\n      query_root_fields: [selct]\n  - role: user\n    \
             permission: {columns: [1], filter: []}\n",
        ),
        ("databases/default/tables/b.yaml", "table: b\n  x: [\n"),
        ("databases/default/tables/d.yaml", "table: d\n"),
        ("network.yaml", "tls_allowlist:\n  - permissions: [self-signd]\n"),
    ]));
    assert!(reading.metadata.is_none());
    let found = problems(&reading).join("\n") + "\n";
    expect_test::expect![[r#"
        databases/default/tables/b.yaml:2:4: The text is no YAML: mapping values are not allowed in this context.
        databases/default/tables/tables.yaml:3:3: ../../../../etc/passwd is outside of the folder. Move the file into it.
        databases/default/tables/tables.yaml:4:3: The file databases/default/tables/tables.yaml includes itself.
        databases/default/tables/tables.yaml:5:3: The folder has no file databases/default/tables/c.yaml. Remove the line, or add the file.
        databases/default/tables/d.yaml: The file is not read: it is none of metadata's own, and no other file includes it.
        databases/default/tables/a.yaml:6:7 (sources[0].tables[0].select_permissions[0].permission): The key `filters` of SelectPermission is unknown. Did you mean `filter`?
        databases/default/tables/a.yaml:5:16 (sources[0].tables[0].select_permissions[0].permission.columns): The value is a text, but a list of columns, or "*", is wanted.
        databases/default/tables/a.yaml:5:7 (sources[0].tables[0].select_permissions[0].permission): The key `filter` of SelectPermission is missing.
        databases/default/tables/a.yaml:7:14 (sources[0].tables[0].select_permissions[0].permission.limit): -1 is not a whole number from 0.
        databases/default/tables/a.yaml:8:27 (sources[0].tables[0].select_permissions[0].permission.query_root_fields[0]): The value "selct" is unknown. Did you mean "select"?
        databases/default/tables/a.yaml:10:28 (sources[0].tables[0].select_permissions[1].permission.columns[0]): The value is a number, but a text is wanted. Write it in quotes.
        databases/default/tables/a.yaml:10:40 (sources[0].tables[0].select_permissions[1].permission.filter): The value is a list, but an object is wanted.
        databases/databases.yaml:6:7 (sources[0].configuration.connection_info): The key `isolation_levle` of PostgresConnection is unknown. Did you mean `isolation_level`?
        databases/databases.yaml:10:18 (sources[1].configuration): The key `connection_info` of PostgresConfiguration is missing.
        network.yaml:2:5 (network.tls_allowlist[0]): The key `host` of TlsAllowance is missing.
        network.yaml:2:19 (network.tls_allowlist[0].permissions[0]): The value "self-signd" is unknown. Did you mean "self-signed"?
    "#]].assert_eq(&found);
}

#[test]
fn an_unknown_key_leaves_the_rest() {
    let reading = read_text("a.json", r#"{"version": 3, "sources": [], "sourcs": []}"#);
    assert_eq!(
        problems(&reading),
        ["a.json: The key `sourcs` of Metadata is unknown. Did you mean `sources`?"]
    );
    assert!(reading.metadata.is_some());
    assert_eq!(reading.errors().count(), 1);
}

/// Consoles have written such keys, which Hasura exports again and does not read.
#[test]
fn an_unknown_key_that_resembles_none_is_told_and_ignored() {
    let reading = read_text(
        "a.yaml",
        "version: 3\nsources:\n- name: shop\n  configuration: {connection_info: {database_url: \
         x}}\n  tables:\n  - table: a\n    configuration: {query_configuration: {x: 1}}\n    \
         insert_permissions:\n    - {role: b, permission: {check: {}, computed_fields: []}}\n",
    );
    assert_eq!(
        problems(&reading),
        [
            "a.yaml:7:21 (sources[0].tables[0].configuration): The key `query_configuration` of \
             TableConfiguration is unknown, and has no effect, as in Hasura.",
            "a.yaml:9:41 (sources[0].tables[0].insert_permissions[0].permission): The key \
             `computed_fields` of InsertPermission is unknown, and has no effect, as in Hasura.",
        ]
    );
    assert!(reading.metadata.is_some());
    assert_eq!(reading.errors().count(), 0);
}

#[test]
fn duplicates_are_problems() {
    let table = r#"{"table": "a", "select_permissions": [
        {"role": "b", "permission": {"columns": "*", "filter": {}}},
        {"role": "b", "permission": {"columns": "*", "filter": {}}}]}"#;
    let text = format!(
        r#"{{"version": 3, "sources": [{{"name": "a", "kind": "pg",
        "configuration": {{"connection_info": {{"database_url": "x"}}}},
        "tables": [{table}, {{"table": {{"name": "a", "schema": "public"}}}}]}}]}}"#
    );
    assert_eq!(
        problems(&read_text("a.json", &text)),
        [
            "a.json (sources[0].tables[0].select_permissions[1]): The role of select permissions \
             `b` occurs twice; the first is at a.json \
             (sources[0].tables[0].select_permissions[0]). Remove one of them.",
            "a.json (sources[0].tables[1]): The table `public.a` occurs twice; the first is at \
             a.json (sources[0].tables[0]). Remove one of them.",
        ]
    );
}

#[test]
fn a_folder_without_its_files_has_a_remedy() {
    let check = |folder: &Folder, expected: &[&str]| {
        assert_eq!(problems(&read_folder(folder)), expected);
    };
    check(&inline([]), &["version.yaml: The file is missing. Write one with `version: 3`."]);
    check(
        &inline([("metadata/version.yaml", "version: 3")]),
        &["version.yaml: The file is missing. There is one in metadata: give that folder."],
    );
    check(
        &inline([("version.yaml", "version: 3")]),
        &["version.yaml:1:1: The folder has no file databases/databases.yaml."],
    );
    check(
        &inline([("version.yaml", "version: 2")]),
        &["version.yaml:1:1: The folder has no file tables.yaml."],
    );
    check(
        &inline([("version.yaml", "version: 3"), ("databases/databases.yaml", "")]),
        &["version.yaml:1:1: The key `sources` of Metadata is missing."],
    );
}

#[test]
fn actions_are_those_of_both_files() {
    let check = |yaml: &str, document: &str, expected: &[&str]| {
        let folder = inline([
            ("version.yaml", "version: 3"),
            ("databases/databases.yaml", "[]"),
            ("actions.yaml", yaml),
            ("actions.graphql", document),
        ]);
        let reading = read_folder(&folder);
        assert_eq!(problems(&reading), expected);
        reading.metadata
    };
    check("", "", &[]);
    check(
        "actions: [{name: a, definition: {handler: x}}]",
        "",
        &[
            "actions.yaml:1:11: The action `a` is not in actions.graphql. Define it there, as a \
             field of `Query` or `Mutation`.",
            "actions.yaml:1:33 (actions[0].definition): The key `output_type` of ActionDefinition \
             is missing.",
        ],
    );
    check(
        "custom_types: {objects: [{name: A}], unions: [], enums: [{name: B, wrong: 1}]}",
        "type Query { b(c: Int = 1): Int } interface I { a: Int } enum B { X } type C { d(e: Int): \
         Int } input D { f: Int = 1 }",
        &[
            "actions.graphql:1:14: The field `b` has no action in actions.yaml. Add one with its \
             handler, or remove the field.",
            "actions.graphql:1:107: The default of `f` has no effect, as in Hasura.",
            "actions.graphql:1:45: The type `I` is an interface or union, which actions do not \
             have. Use an object.",
            "actions.graphql:1:80: Arguments of the field have no effect, as in Hasura.",
            "actions.yaml:1:26: The type `A` of objects is not in actions.graphql.",
            "actions.yaml:1:38 (custom_types): The key `unions` of CustomTypes is unknown, and \
             has no effect, as in Hasura.",
            "actions.yaml:1:68 (custom_types.enums[0]): The key `wrong` of EnumType is unknown, \
             and has no effect, as in Hasura.",
        ],
    );
    check(
        "",
        "type Query {",
        &[
            "actions.graphql:1:13: syntax error: expected Field Definition",
            "actions.graphql:1:13: syntax error: expected `}`, got the end of the document",
        ],
    );
    let metadata = check(
        "actions: [{name: a, definition: {handler: x, output_type: Int, kind: ''}}]",
        "extend type Mutation { a(b: [Int!]): Out } type Out { c: ID }",
        &[],
    );
    let json = metadata.unwrap().to_json().compact();
    assert_eq!(
        json,
        r#"{"version":3,"sources":[],"actions":[{"name":"a","definition":{"handler":"x","output_type":"Out","arguments":[{"name":"b","type":"[Int!]"}],"type":"mutation"}}],"custom_types":{"objects":[{"name":"Out","fields":[{"name":"c","type":"ID"}]}]}}"#
    );
}

/// Of `network`, which will stay unserved, whatever becomes of the rest.
#[test]
fn keys_that_are_not_served_are_told_with_their_places() {
    let check = |network: &str, expected: &[&str]| {
        let text = format!(r#"{{"version": 3, "sources": [], "network": {network}}}"#);
        let reading = read_text("a.json", &text);
        assert_eq!(problems(&reading), Vec::<String>::new());
        let told = crate::support::lines(&reading.unserved, 3);
        let told: Vec<&str> =
            told.iter().map(String::as_str).filter(|line| !line.contains("sources")).collect();
        assert_eq!(told, expected);
    };
    let told = "Metadata.network: not served: certificates are always verified (a.json (network))";
    check(r#"{"tls_allowlist": [{"host": "a", "permissions": ["self-signed"]}]}"#, &[told]);
    // A default has no effect.
    check(r#"{"tls_allowlist": []}"#, &[]);
    check("{}", &[]);
    check("null", &[]);
}
