//! The texts of the files that `thalweg init` writes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::questions::Answers;
use crate::options::{InitAccess, InitApi};

pub(super) const SETTINGS: &str = "thalweg.toml";
pub(super) const POLICIES: &str = "policies.toml";

/// The role that reads everything.
pub(super) const READER: &str = "reader";

/// The tables and views of the database, as policy files name them.
#[derive(Debug)]
pub(super) struct Tables(Vec<String>);

impl Tables {
    /// A name that several schemas have is given with its schema.
    pub(super) fn new<'t>(tables: impl Iterator<Item = (Option<&'t str>, &'t str)>) -> Self {
        let tables: Vec<_> = tables.collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name) in &tables {
            *counts.entry(name).or_default() += 1;
        }
        let shown = |(namespace, name): &(Option<&str>, &str)| match namespace {
            Some(namespace) if counts.get(name) > Some(&1) => format!("{namespace}.{name}"),
            Some(_) | None => (*name).to_owned(),
        };
        Self(tables.iter().map(shown).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// The configuration file.
pub(super) fn settings(answers: &Answers, schema: Option<&str>, secret: Option<&str>) -> String {
    let mut text = "\
# The options of `thalweg serve` in this folder. `thalweg check` checks them, `thalweg config example`
# prints all of them, and the command line and the environment override them.

# The database. `${DATABASE_URL}` would read it from the environment.
"
    .to_owned();
    set(&mut text, "source", &answers.database);
    if let Some(schema) = schema {
        set(&mut text, "schema", schema);
    }
    text.push_str("\n# The API.\n");
    match answers.api {
        InitApi::Modern => set(&mut text, "preset", "modern"),
        InitApi::Postgraphile5 => set(&mut text, "preset", "postgraphile5"),
        InitApi::Postgraphile => set(&mut text, "dialect", "postgraphile"),
        InitApi::Hasura => set(&mut text, "dialect", "hasura"),
        InitApi::Phrag => set(&mut text, "dialect", "phrag"),
        InitApi::Neo4j => {
            text.push_str(
                "# Type definitions are generated at each start; write them into a file with\n\
                 # `thalweg types`, and edit it to name types and to add rules.\n",
            );
            set(&mut text, "dialect", "neo4j");
            text.push_str("# types = \"types.graphql\"\n");
        }
    }
    text.push_str(
        "\n# The address to listen on. Use HTTPS (`tls-certificate`) where others reach it.\n",
    );
    set(&mut text, "listen", &answers.listen.text);
    text.push_str("\n# Who may use it.\n");
    match (answers.access, answers.api, secret) {
        (InitAccess::Tokens, InitApi::Hasura, Some(secret)) => {
            text.push_str("# Requests with this secret may do everything; `metadata` has the permissions of roles.\n");
            set(&mut text, "admin-secret", secret);
        }
        (InitAccess::Tokens, api, Some(secret)) => {
            text.push_str("# Tokens are signed with this secret (HS256). Keep it out of repositories: `${JWT_SECRET}`\n# would read it from the environment.\n");
            set(&mut text, "jwt-secret", secret);
            if api == InitApi::Neo4j {
                text.push_str("require-token = true\n");
            } else {
                set(&mut text, "policies", POLICIES);
            }
        }
        (InitAccess::Everyone | InitAccess::Tokens, ..) => text.push_str(
            "# Everyone who reaches the address may read and change everything. Before others do:\n\
             # jwt-secret = \"${JWT_SECRET}\"\n\
             # policies = \"policies.toml\"\n",
        ),
    }
    text.push_str("\n# The API follows changes of the schema.\nwatch = true\n");
    if answers.api == InitApi::Neo4j {
        // SIGHUP reloads the definitions of a graph.
        text = text.replace("\n# The API follows changes of the schema.\nwatch = true\n", "");
    }
    text
}

/// The policy file: one rule for each table, which a role may have or not.
pub(super) fn policies(tables: &Tables, claim: &str) -> String {
    let mut text = "\
# What each role may read and change; everything else is denied. `thalweg check` checks this file.

# Requests without a token have this role, which may read nothing.
default_role = \"anonymous\"
"
    .to_owned();
    text.push_str("# The claim of tokens with the role.\n");
    set(&mut text, "claim_role", claim);
    text.push_str("\n[roles.anonymous]\nrules = []\n\n# Reads all tables.\n");
    let names: Vec<String> = tables.0.iter().map(|table| format!("read_{table}")).collect();
    let listed: Vec<String> = names.iter().map(|name| format!("    {},\n", quote(name))).collect();
    text.push_str(&format!("[roles.{READER}]\nrules = [\n{}]\n", listed.concat()));
    text.push_str("\n# May do everything.\n[roles.admin]\nall = true\n");
    text.push_str(
        "\n# To let users change only their own rows:\n\
         # [rules.own_posts]\n\
         # entity = \"post\"\n\
         # read = { columns = \"*\" }\n\
         # insert = { columns = [\"title\"], presets = { author_id = { claim = \"sub\" } } }\n\
         # update = { rows = { author_id = { eq = { claim = \"sub\" } } }, columns = [\"title\"] }\n",
    );
    for (table, name) in tables.0.iter().zip(&names) {
        let (name, table) = (quote(name), quote(table));
        text.push_str(&format!(
            "\n[rules.{name}]\nentity = {table}\nread = {{ columns = \"*\" }}\n"
        ));
    }
    text
}

fn set(text: &mut String, name: &str, value: &str) {
    text.push_str(&format!("{name} = {}\n", quote(&value.replace('$', "$$"))));
}

/// A string of TOML: those of JSON are valid there, except that TOML has no bare U+007F.
fn quote(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn every_text_is_a_string_of_toml() {
        let text: String = (1..=0x100).filter_map(char::from_u32).collect();
        let table: toml::Table = format!("a = {}", quote(&text)).parse().unwrap();
        assert_eq!(table["a"].as_str(), Some(text.as_str()));
    }
}
