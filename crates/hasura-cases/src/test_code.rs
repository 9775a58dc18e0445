//! Commands that stand in the code of Hasura's tests, and not in files: remote schemas with their
//! customization, customized sources, rows of actions.

use serde_json::{Value, json};

/// The remote schemas that tests add before the requests of a file: the end of its path, and that of
/// the server's address.
const REMOTE_SCHEMAS: [(&str, &str); 10] = [
    ("/remote_schemas/basic_query.yaml", "/hello-graphql"),
    ("/remote_schemas/basic_query_customized.yaml", "/hello-graphql"),
    ("/remote_schemas/basic_subscription_not_supported.yaml", "/hello-graphql"),
    ("/remote_schemas/character_interface_query.yaml", "/character-iface-graphql"),
    ("/remote_schemas/json_scalar.yaml", "/json-scalar-graphql"),
    ("/remote_schemas/search_union_type_query.yaml", "/union-graphql"),
    ("/validation/customize_all_the_things.yaml", "/character-iface-graphql"),
    ("/validation/field_prefix_validation.yaml", "/character-iface-graphql"),
    ("/validation/namespace_validation.yaml", "/character-iface-graphql"),
    ("/validation/type_prefix_validation.yaml", "/character-iface-graphql"),
];

/// The files of requests after which a test has added the same remote schema as for another file.
const SAME: [(&str, &str); 1] = [(
    "/validation/multiple_remote_schema_with_namespace.yaml",
    "/validation/namespace_validation.yaml",
)];

/// Files of commands that fixtures send, by the end of the path of the requests.
const SETUPS: [(&str, &str); 2] = [
    ("/remote_schemas/simple2_query.yaml", "tbls_setup.yaml"),
    ("/remote_schemas/simple2_mutation.yaml", "tbls_setup.yaml"),
];

/// The file of commands beside a file of requests that a fixture sends before them.
pub(crate) fn setup(path: &str) -> Option<&'static str> {
    SETUPS.iter().find(|(end, _)| path.ends_with(end)).map(|(_, setup)| *setup)
}

/// The rows of the table `user` that tests insert before the requests of a file about actions.
const USERS: [(&str, &[&str]); 4] = [
    ("/get_user_by_email_success.yaml", &["Clarke"]),
    ("/get_user_by_email_nested_success.yaml", &["Clarke"]),
    ("/get_user_by_email_nested_join_success.yaml", &["Clarke"]),
    ("/get_users_by_email_success.yaml", &["Clarke 1", "Clarke 2"]),
];

/// The command before the requests of a file.
pub(crate) fn command(path: &str) -> Option<Value> {
    if let Some((_, names)) = USERS.iter().find(|(end, _)| path.ends_with(end)) {
        let row = |(id, name)| json!({ "id": id, "email": "clarke@gmail.com", "name": name });
        let rows: Vec<Value> = (1..).zip(names.iter()).map(row).collect();
        return Some(json!({ "type": "insert", "args": { "table": "user", "objects": rows } }));
    }
    let path = SAME.iter().find(|(end, _)| path.ends_with(end)).map_or(path, |(_, other)| *other);
    let (_, address) = REMOTE_SCHEMAS.iter().find(|(end, _)| path.ends_with(end))?;
    let add = json!({
        "type": "add_remote_schema",
        "args": {
            "name": "added by a test",
            "definition": {
                "url": format!("{{{{REMOTE_SCHEMAS_WEBHOOK_DOMAIN}}}}{address}"),
                "customization": customization(path.rsplit('/').next().unwrap_or_default()),
            },
        },
    });
    // These tests do not have the setup of their folder.
    Some(json!([{ "type": "clear_metadata" }, add]))
}

fn customization(file: &str) -> Value {
    match file {
        "basic_query_customized.yaml" => json!({
            "type_names": { "prefix": "Foo", "mapping": { "String": "MyString" } },
            "field_names": [{ "parent_type": "Hello", "prefix": "my_" }],
        }),
        "type_prefix_validation.yaml" => json!({ "type_names": { "prefix": "Foo" } }),
        "field_prefix_validation.yaml" => json!({
            "field_names": (["Character", "Human", "Droid"])
                .map(|name| json!({ "parent_type": name, "prefix": "foo_" })),
        }),
        "namespace_validation.yaml" => json!({ "root_fields_namespace": "foo" }),
        "customize_all_the_things.yaml" => json!({
            "root_fields_namespace": "star_wars",
            "type_names": {
                "prefix": "Foo",
                "suffix": "_x",
                "mapping": { "Droid": "Android", "Int": "MyInt" },
            },
            "field_names": [
                { "parent_type": "Character", "prefix": "foo_", "suffix": "_f", "mapping": { "id": "ident" } },
                { "parent_type": "Human",
                  "mapping": { "id": "ident", "name": "foo_name_f", "droid": "android" } },
                { "parent_type": "Droid", "prefix": "foo_", "suffix": "_f", "mapping": { "id": "ident" } },
                { "parent_type": "CharacterIFaceQuery", "prefix": "super_" },
            ],
        }),
        _ => Value::Null,
    }
}

/// The customization of the source with which a test asks the requests of a file.
pub(crate) fn source_customization(path: &str) -> Option<Value> {
    let (_, file) = path.rsplit_once("/naming_conventions/")?;
    let convention = match file.contains("hasura_default") {
        true => "hasura-default",
        false => "graphql-default",
    };
    let mut customization = json!({ "naming_convention": convention });
    if file.contains("with_prefix_and_suffix") {
        customization["root_fields"] = match convention {
            "hasura-default" => json!({ "prefix": "test_", "suffix": "_query" }),
            _ => json!({ "prefix": "test", "suffix": "query" }),
        };
    }
    // Hasura's tests have this one with an experimental feature turned off.
    (file != "naming_convention_without_feature_turned_on.yaml").then_some(customization)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_commands_of_their_tests() {
        let command =
            command("q/remote_schemas/validation/multiple_remote_schema_with_namespace.yaml");
        let definition = &command.unwrap()[1]["args"]["definition"];
        assert_eq!(
            *definition,
            json!({
                "url": "{{REMOTE_SCHEMAS_WEBHOOK_DOMAIN}}/character-iface-graphql",
                "customization": { "root_fields_namespace": "foo" },
            })
        );
        assert_eq!(super::command("q/remote_schemas/validation/argument_validation.yaml"), None);
        assert_eq!(setup("q/remote_schemas/simple2_query.yaml"), Some("tbls_setup.yaml"));
    }

    #[test]
    fn sources_are_customized_by_the_name_of_the_file() {
        let of = |file: &str| source_customization(&format!("q/naming_conventions/{file}"));
        assert_eq!(
            of("type_and_field_names_hasura_default_with_prefix_and_suffix.yaml"),
            Some(json!({
                "naming_convention": "hasura-default",
                "root_fields": { "prefix": "test_", "suffix": "_query" },
            }))
        );
        let expected = json!({ "naming_convention": "graphql-default" });
        assert_eq!(of("default_global_naming_convention.yaml"), Some(expected));
        assert_eq!(of("naming_convention_without_feature_turned_on.yaml"), None);
        assert_eq!(source_customization("q/basic/a.yaml"), None);
    }
}
