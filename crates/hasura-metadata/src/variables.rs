//! The environment variables that metadata names.

use std::collections::BTreeSet;

use crate::json::Json;
use crate::types::metadata::Metadata;

/// The keys with addresses in which `{{NAME}}` is a variable.
const ADDRESSES: [&str; 3] = ["handler", "url", "webhook"];

/// The keys whose values name no variables that a server needs: in the configuration of a source is
/// the address of its database, and in templates `{{name}}` is an expression.
const WITHOUT_VARIABLES: [&str; 2] = ["request_transform", "response_transform"];

/// The names of the environment variables that a server of the metadata needs, but for those with the
/// addresses of databases.
#[must_use]
pub fn variables(metadata: &Metadata) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Json::Object(members) = metadata.to_json() else { return names };
    for (key, value) in &members {
        match (key.as_str(), value) {
            ("sources", Json::Array(sources)) => {
                for source in sources {
                    let Json::Object(members) = source else { continue };
                    let parts = members.iter().filter(|(key, _)| key != "configuration");
                    parts.for_each(|(key, value)| add(key, value, &mut names));
                }
            }
            (key, value) => add(key, value, &mut names),
        }
    }
    names
}

/// Adds the variables of a member.
fn add(key: &str, value: &Json, names: &mut BTreeSet<String>) {
    match value {
        Json::Object(members) if !WITHOUT_VARIABLES.contains(&key) => {
            members.iter().for_each(|(key, value)| add(key, value, names));
        }
        Json::Array(items) => items.iter().for_each(|item| add(key, item, names)),
        Json::String(name) if key.ends_with("from_env") => {
            names.insert(name.clone());
        }
        Json::String(text) if ADDRESSES.contains(&key) => {
            let parts = text.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
            names.extend(parts.map(|(name, _)| name.trim().to_owned()));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_text;

    #[test]
    fn variables_are_those_of_addresses_and_headers_without_those_of_databases() {
        let reading = read_text(
            "a.yaml",
            r#"
version: 3
sources:
- name: shop
  configuration: {connection_info: {database_url: {from_env: DATABASE}}}
  tables:
  - table: a
    event_triggers:
    - name: b
      definition: {enable_manual: true}
      retry_conf: {num_retries: 0, interval_sec: 1, timeout_sec: 1}
      webhook: "{{HOOK}}/a/{{ PART }}"
      headers: [{name: x, value_from_env: KEY}, {name: y, value: "{{NO}}"}]
      request_transform: {version: 2, template_engine: Kriti, url: "{{$base_url}}/{{no}}"}
remote_schemas: [{name: c, definition: {url_from_env: MAIL}}]
"#,
        );
        assert_eq!(reading.errors().collect::<Vec<_>>(), Vec::<&crate::Problem>::new());
        let names: Vec<String> = variables(&reading.metadata.unwrap()).into_iter().collect();
        assert_eq!(names, ["HOOK", "KEY", "MAIL", "PART"]);
    }
}
