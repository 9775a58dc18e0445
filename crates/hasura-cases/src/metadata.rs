//! Commands of Hasura's metadata API, applied to a document of metadata, and to a database where
//! they are about it.

use serde_json::{Map, Value, json};

/// What a command asks for outside the metadata.
#[derive(Debug)]
pub(crate) enum Effect {
    Sql(String),
}

/// A document of metadata, version 3, with the one source `default`.
#[derive(Debug)]
pub(crate) struct Metadata(pub(crate) Value);

impl Metadata {
    pub(crate) fn new() -> Self {
        Self(json!({
            "version": 3,
            "sources": [{
                "name": "default",
                "kind": "postgres",
                "tables": [],
                "configuration": {
                    "connection_info": { "database_url": "postgres://localhost/cases" },
                },
            }],
        }))
    }

    /// Gives the source a customization.
    pub(crate) fn customize(&mut self, customization: Value) {
        self.source()["customization"] = customization;
    }

    /// Applies a command, or the commands of a `bulk`. The error is a sentence.
    pub(crate) fn apply(&mut self, command: &Value) -> Result<Vec<Effect>, String> {
        if let Value::Array(commands) = command {
            return self.apply_all(commands);
        }
        let name = command["type"].as_str().unwrap_or_default();
        let name = name.strip_prefix("pg_").unwrap_or(name);
        let args = &command["args"];
        match name {
            "bulk" | "bulk_keep_going" | "bulk_atomic" | "concurrent_bulk" => {
                return match args {
                    Value::Array(commands) => self.apply_all(commands),
                    _ => Ok(Vec::new()),
                };
            }
            "run_sql" => {
                let sql = args["sql"].as_str().unwrap_or_default();
                return Ok(vec![Effect::Sql(sql.to_owned())]);
            }
            "insert" => return insert(args).map(|sql| vec![Effect::Sql(sql)]),
            "reload_metadata" | "export_metadata" | "get_inconsistent_metadata" => {}
            "clear_metadata" => *self = Self::new(),
            "replace_metadata" => {
                let metadata = if args["metadata"].is_null() { args } else { &args["metadata"] };
                self.0 = metadata.clone();
            }
            _ => self.change(name, args)?,
        }
        Ok(Vec::new())
    }

    fn apply_all(&mut self, commands: &[Value]) -> Result<Vec<Effect>, String> {
        let mut effects = Vec::new();
        for command in commands {
            effects.extend(self.apply(command)?);
        }
        Ok(effects)
    }

    fn change(&mut self, name: &str, args: &Value) -> Result<(), String> {
        if let Some((kind, rest)) = permission(name) {
            let table = self.table(&args["table"])?;
            let key = format!("{kind}_permissions");
            let found = list(table, &key);
            found.retain(|item| item["role"] != args["role"]);
            if rest == Change::Create {
                found.push(pick(args, &["role", "permission", "comment"]));
            }
            return Ok(());
        }
        match name {
            "track_table" | "add_existing_table_or_view" => {
                let named = if args["table"].is_null() { args } else { &args["table"] };
                let mut table = json!({ "table": qualified(named) });
                for key in ["is_enum", "configuration", "apollo_federation_config"] {
                    if !args[key].is_null() {
                        table[key] = args[key].clone();
                    }
                }
                list(self.source(), "tables").push(table);
            }
            "untrack_table" => {
                let named = if args["table"].is_null() { args } else { &args["table"] };
                let named = qualified(named);
                list(self.source(), "tables").retain(|table| table["table"] != named);
            }
            "set_table_is_enum" => self.set(args, &["is_enum"])?,
            "set_table_customization" => self.set(args, &["configuration"])?,
            "set_apollo_federation_config" => self.set(args, &["apollo_federation_config"])?,
            "set_table_custom_fields" => {
                let configuration = pick(args, &["custom_root_fields", "custom_column_names"]);
                self.table(&args["table"])?["configuration"] = configuration;
            }
            "create_object_relationship" | "create_array_relationship" => {
                let key = format!("{}s", &name["create_".len()..]);
                let table = self.table(&args["table"])?;
                let mut relationship = pick(args, &["name", "using", "comment"]);
                let manual = &mut relationship["using"]["manual_configuration"];
                if manual.is_object() {
                    let remote = qualified(&manual["remote_table"]);
                    manual["remote_table"] = remote;
                }
                let constraint = &mut relationship["using"]["foreign_key_constraint_on"];
                if constraint.is_object() {
                    let remote = qualified(&constraint["table"]);
                    constraint["table"] = remote;
                }
                if relationship["using"]["manual_configuration"].is_null() {
                    remove(&mut relationship["using"], "manual_configuration");
                }
                if relationship["using"]["foreign_key_constraint_on"].is_null() {
                    remove(&mut relationship["using"], "foreign_key_constraint_on");
                }
                list(table, &key).push(relationship);
            }
            "drop_relationship" => {
                let table = self.table(&args["table"])?;
                for key in ["object_relationships", "array_relationships", "remote_relationships"] {
                    if table.get(key).is_some() {
                        list(table, key).retain(|item| item["name"] != args["relationship"]);
                    }
                }
            }
            "add_computed_field" => {
                let field = pick(args, &["name", "definition", "comment"]);
                list(self.table(&args["table"])?, "computed_fields").push(field);
            }
            "drop_computed_field" => {
                let fields = list(self.table(&args["table"])?, "computed_fields");
                fields.retain(|field| field["name"] != args["name"]);
            }
            "create_remote_relationship" => {
                let table = args["table"].clone();
                let definition = if args["definition"].is_null() {
                    pick(args, &["hasura_fields", "remote_schema", "remote_field"])
                } else {
                    args["definition"].clone()
                };
                let relationship = json!({ "name": args["name"], "definition": definition });
                list(self.table(&table)?, "remote_relationships").push(relationship);
            }
            "update_remote_relationship" => {
                let definition = pick(args, &["hasura_fields", "remote_schema", "remote_field"]);
                let relationships = list(self.table(&args["table"])?, "remote_relationships");
                let found = relationships.iter_mut().find(|item| item["name"] == args["name"]);
                found.ok_or("the relationship is unknown")?["definition"] = definition;
            }
            "delete_remote_relationship" => {
                let relationships = list(self.table(&args["table"])?, "remote_relationships");
                relationships.retain(|item| item["name"] != args["name"]);
            }
            "create_remote_schema_remote_relationship" => {
                let schema = self.remote_schema(&args["remote_schema"])?;
                let types = list(schema, "remote_relationships");
                let known = types.iter().position(|item| item["type_name"] == args["type_name"]);
                let known = known.unwrap_or_else(|| {
                    types.push(json!({ "type_name": args["type_name"] }));
                    types.len() - 1
                });
                list(&mut types[known], "relationships").push(pick(args, &["name", "definition"]));
            }
            "create_event_trigger" => {
                let trigger = without(args, &["table", "source", "replace"]);
                list(self.table(&args["table"])?, "event_triggers").push(event_trigger(&trigger));
            }
            "track_function" => {
                let named = if args["function"].is_null() { args } else { &args["function"] };
                let mut function = json!({ "function": qualified(named) });
                for key in ["configuration", "comment"] {
                    if !args[key].is_null() {
                        function[key] = args[key].clone();
                    }
                }
                list(self.source(), "functions").push(function);
            }
            "untrack_function" => {
                let named = if args["function"].is_null() { args } else { &args["function"] };
                let named = qualified(named);
                list(self.source(), "functions").retain(|item| item["function"] != named);
            }
            "create_function_permission" | "drop_function_permission" => {
                let named = qualified(&args["function"]);
                let functions = list(self.source(), "functions");
                let function = functions.iter_mut().find(|item| item["function"] == named);
                let function = function.ok_or_else(|| format!("{named} is not tracked"))?;
                let permissions = list(function, "permissions");
                permissions.retain(|item| item["role"] != args["role"]);
                if name.starts_with("create") {
                    permissions.push(json!({ "role": args["role"] }));
                }
            }
            "add_inherited_role" => list(&mut self.0, "inherited_roles").push(args.clone()),
            "drop_inherited_role" => list(&mut self.0, "inherited_roles")
                .retain(|role| role["role_name"] != args["role_name"]),
            "create_query_collection" => {
                list(&mut self.0, "query_collections").push(args.clone());
            }
            "drop_query_collection" => list(&mut self.0, "query_collections")
                .retain(|collection| collection["name"] != args["collection"]),
            "add_query_to_collection" => {
                let collections = list(&mut self.0, "query_collections");
                let found =
                    collections.iter_mut().find(|item| item["name"] == args["collection_name"]);
                let found = found.ok_or("the collection is unknown")?;
                let query = json!({ "name": args["query_name"], "query": args["query"] });
                list(&mut found["definition"], "queries").push(query);
            }
            "add_collection_to_allowlist" => list(&mut self.0, "allowlist").push(args.clone()),
            "create_rest_endpoint" => list(&mut self.0, "rest_endpoints").push(args.clone()),
            "drop_rest_endpoint" => list(&mut self.0, "rest_endpoints")
                .retain(|endpoint| endpoint["name"] != args["name"]),
            "create_action" => list(&mut self.0, "actions").push(args.clone()),
            "drop_action" => {
                list(&mut self.0, "actions").retain(|action| action["name"] != args["name"]);
            }
            "update_action" => {
                let actions = list(&mut self.0, "actions");
                let action = actions.iter_mut().find(|action| action["name"] == args["name"]);
                let action = action.ok_or("the action is unknown")?;
                action["definition"] = args["definition"].clone();
            }
            "create_action_permission" => {
                let actions = list(&mut self.0, "actions");
                let action = actions.iter_mut().find(|action| action["name"] == args["action"]);
                let action = action.ok_or("the action is unknown")?;
                list(action, "permissions").push(json!({ "role": args["role"] }));
            }
            "set_custom_types" => self.0["custom_types"] = args.clone(),
            "add_remote_schema" => list(&mut self.0, "remote_schemas").push(args.clone()),
            "remove_remote_schema" => {
                list(&mut self.0, "remote_schemas").retain(|schema| schema["name"] != args["name"])
            }
            "add_remote_schema_permissions" => {
                let permissions = list(self.remote_schema(&args["remote_schema"])?, "permissions");
                permissions.push(pick(args, &["role", "definition", "comment"]));
            }
            "drop_remote_schema_permissions" => {
                let permissions = list(self.remote_schema(&args["remote_schema"])?, "permissions");
                permissions.retain(|item| item["role"] != args["role"]);
            }
            "update_remote_schema" => {
                self.remote_schema(&args["name"])?["definition"] = args["definition"].clone();
            }
            "drop_action_permission" => {
                let actions = list(&mut self.0, "actions");
                let action = actions.iter_mut().find(|action| action["name"] == args["action"]);
                let action = action.ok_or("the action is unknown")?;
                list(action, "permissions").retain(|item| item["role"] != args["role"]);
            }
            "set_graphql_schema_introspection_options" => {
                self.0["graphql_schema_introspection"] = args.clone();
            }
            _ => return Err(format!("the command {name} is not known here")),
        }
        Ok(())
    }

    fn source(&mut self) -> &mut Value {
        &mut self.0["sources"][0]
    }

    fn table(&mut self, name: &Value) -> Result<&mut Value, String> {
        let name = qualified(name);
        let tables = list(self.source(), "tables");
        let table = tables.iter_mut().find(|table| table["table"] == name);
        table.ok_or_else(|| format!("{name} is not tracked"))
    }

    fn remote_schema(&mut self, name: &Value) -> Result<&mut Value, String> {
        let schemas = list(&mut self.0, "remote_schemas");
        let found = schemas.iter_mut().find(|schema| schema["name"] == *name);
        found.ok_or_else(|| "the remote schema is unknown".to_owned())
    }

    fn set(&mut self, args: &Value, keys: &[&str]) -> Result<(), String> {
        let table = self.table(&args["table"])?;
        for key in keys {
            table[*key] = args[*key].clone();
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Create,
    Drop,
}

/// The kind of permission of `create_KIND_permission` and `drop_KIND_permission`.
fn permission(name: &str) -> Option<(&str, Change)> {
    let (rest, change) = match name.strip_prefix("create_") {
        Some(rest) => (rest, Change::Create),
        None => (name.strip_prefix("drop_")?, Change::Drop),
    };
    let kind = rest.strip_suffix("_permission")?;
    ["select", "insert", "update", "delete"].contains(&kind).then_some((kind, change))
}

/// A list of an object, made where it is missing.
fn list<'v>(value: &'v mut Value, key: &str) -> &'v mut Vec<Value> {
    if !value.is_object() {
        *value = json!({});
    }
    let slot = &mut value[key];
    if !slot.is_array() {
        *slot = json!([]);
    }
    match slot {
        Value::Array(items) => items,
        _ => unreachable!("it was made an array above"),
    }
}

fn remove(value: &mut Value, key: &str) {
    if let Value::Object(members) = value {
        members.remove(key);
    }
}

fn pick(args: &Value, keys: &[&str]) -> Value {
    let pairs = keys.iter().filter(|key| !args[**key].is_null());
    Value::Object(pairs.map(|key| ((*key).to_owned(), args[*key].clone())).collect())
}

fn without(args: &Value, keys: &[&str]) -> Value {
    let members = args.as_object().cloned().unwrap_or_default();
    Value::Object(members.into_iter().filter(|(key, _)| !keys.contains(&&**key)).collect())
}

/// The arguments of `create_event_trigger` as the metadata has them.
fn event_trigger(args: &Value) -> Value {
    let mut definition = pick(args, &["insert", "update", "delete", "enable_manual"]);
    if !definition.is_object() {
        definition = json!({});
    }
    let mut trigger = without(args, &["insert", "update", "delete", "enable_manual"]);
    trigger["definition"] = definition;
    let retries = json!({ "num_retries": 0, "interval_sec": 10, "timeout_sec": 60 });
    if trigger["retry_conf"].is_null() {
        trigger["retry_conf"] = retries;
    }
    trigger
}

/// A name of a table or function with its schema.
fn qualified(name: &Value) -> Value {
    match name {
        Value::String(name) => json!({ "schema": "public", "name": name }),
        Value::Object(members) => {
            let schema = members.get("schema").cloned().unwrap_or_else(|| "public".into());
            json!({ "schema": schema, "name": members.get("name") })
        }
        other => other.clone(),
    }
}

/// The statement of the command `insert`.
fn insert(args: &Value) -> Result<String, String> {
    let table = qualified(&args["table"]);
    let quoted =
        |text: &Value| format!("\"{}\"", text.as_str().unwrap_or_default().replace('"', "\"\""));
    let table = format!("{}.{}", quoted(&table["schema"]), quoted(&table["name"]));
    let objects = args["objects"].as_array().ok_or("the objects are no list")?;
    let mut statements = String::new();
    for object in objects {
        let members: &Map<_, _> = object.as_object().ok_or("an object is none")?;
        let literal = |value: &Value| value.to_string().replace('\'', "''");
        let (mut names, mut values) = (Vec::new(), Vec::new());
        let mut others = members.clone();
        for (name, value) in members {
            let name_text = quoted(&name.as_str().into());
            values.push(match value.get("coordinates") {
                // A geography has no input of GeoJSON.
                Some(_) => {
                    others.remove(name);
                    format!("ST_GeomFromGeoJSON('{}')", literal(value))
                }
                None => name_text.clone(),
            });
            names.push(name_text);
        }
        let (names, values) = (names.join(", "), values.join(", "));
        let json = literal(&Value::Object(others));
        statements += &format!(
            "INSERT INTO {table} ({names}) \
             SELECT {values} FROM json_populate_record(NULL::{table}, '{json}');\n"
        );
    }
    Ok(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies commands, and returns the tables of the metadata with the statements of SQL.
    fn applied(commands: &Value) -> (Value, Vec<String>) {
        let mut metadata = Metadata::new();
        let effects = metadata.apply(commands).unwrap();
        let statements = effects.into_iter().map(|Effect::Sql(sql)| sql).collect();
        (metadata.0["sources"][0]["tables"].clone(), statements)
    }

    #[test]
    fn commands_become_metadata() {
        let (tables, statements) = applied(&json!({ "type": "bulk", "args": [
            { "type": "run_sql", "args": { "sql": "CREATE TABLE author (id int)" } },
            { "type": "track_table", "args": { "schema": "public", "name": "author" } },
            { "type": "pg_track_table", "args": { "table": "article" } },
            { "type": "create_object_relationship", "args": {
                "table": "article", "name": "author",
                "using": { "foreign_key_constraint_on": "author_id" },
            } },
            { "type": "create_select_permission", "args": {
                "table": "author", "role": "user", "permission": { "columns": "*", "filter": {} },
            } },
            { "type": "create_delete_permission", "args": {
                "table": "author", "role": "user", "permission": { "filter": {} },
            } },
            { "type": "drop_delete_permission", "args": { "table": "author", "role": "user" } },
        ] }));
        assert_eq!(statements, ["CREATE TABLE author (id int)"]);
        let expected = json!([
            {
                "table": { "schema": "public", "name": "author" },
                "select_permissions": [
                    { "role": "user", "permission": { "columns": "*", "filter": {} } },
                ],
                "delete_permissions": [],
            },
            {
                "table": { "schema": "public", "name": "article" },
                "object_relationships": [
                    { "name": "author", "using": { "foreign_key_constraint_on": "author_id" } },
                ],
            },
        ]);
        assert_eq!(tables, expected);
    }

    #[test]
    fn rows_are_inserted_by_their_names() {
        let (_, statements) = applied(&json!({
            "type": "insert",
            "args": { "table": "author", "objects": [{ "id": 1, "na\"me": "O'Hara" }] },
        }));
        assert_eq!(
            statements,
            [
                "INSERT INTO \"public\".\"author\" (\"id\", \"na\"\"me\") SELECT \"id\", \"na\"\"me\" \
              FROM json_populate_record(NULL::\"public\".\"author\", \
              '{\"id\":1,\"na\\\"me\":\"O''Hara\"}');\n"
            ]
        );
    }

    #[test]
    fn unknown_commands_are_told() {
        let error = Metadata::new().apply(&json!({ "type": "pg_add_source", "args": {} }));
        assert_eq!(error.unwrap_err(), "the command add_source is not known here");
    }
}
