//! A source in the gateway's process, instead of a server.

use std::path::PathBuf;

use engine::SourceAddress;
use toml::de::{DeString, DeTable, DeValue};

use super::table::{Reader, Value};
use crate::options::DialectName;

/// What is said of a source; its keys have the names of the options of `thalweg serve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaidSource {
    pub(crate) address: SourceAddress,
    /// Whose API it is served with.
    pub(crate) dialect: DialectName,
    /// Of PostgreSQL.
    pub(crate) schemas: Vec<String>,
    /// The type definitions of a graph.
    pub(crate) types: Option<PathBuf>,
    pub(crate) policies: Option<PathBuf>,
    pub(crate) extension: Option<PathBuf>,
}

/// What is said only of a source.
const ONLY: [&str; 5] = ["dialect", "schema", "types", "policies", "federation-extend"];

/// What has no place beside a graph.
const NOT_OF_GRAPHS: [&str; 3] = ["dialect", "schema", "policies"];

/// What has no place beside any other source.
const OF_GRAPHS: [&str; 1] = ["types"];

/// What is said of a source and of a server alike.
const COMMON: [&str; 3] = ["timeout", "max-answer", "max-requests"];

/// Those that can be chosen: a graph has the one that is left.
const DIALECTS: [(&str, DialectName); 2] =
    [("postgraphile", DialectName::Postgraphile), ("phrag", DialectName::Phrag)];

/// The schema that is read where none is named.
const USUAL_SCHEMA: &str = "public";

/// What a table says of a source, if it has one.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<SaidSource> {
    let is_key = |key: &DeString<'_>, names: &[&str]| names.contains(&&**key);
    let Some(source) = table.get("source") else {
        for key in table.keys().filter(|key| is_key(key.get_ref(), &ONLY)) {
            let message = format!("`{}` needs `source`", key.get_ref());
            reader.wrong(key.span().start, message);
        }
        return None;
    };
    let is_foreign =
        |key: &DeString<'_>| &**key != "source" && !is_key(key, &ONLY) && !is_key(key, &COMMON);
    for key in table.keys().filter(|key| is_foreign(key.get_ref())) {
        let name = key.get_ref().escape_debug();
        let message = format!("`{name}` has no place beside `source`, which is asked without HTTP");
        reader.wrong(key.span().start, message);
    }
    let said = table.get("dialect").and_then(|value| reader.word("dialect", value, &DIALECTS));
    let schemas = table.get("schema").map(|value| schemas(reader, value));
    let mut path = |name| Some(PathBuf::from(reader.string(name, table.get(name)?)?));
    let (types, policies, extension) = (path("types"), path("policies"), path("federation-extend"));
    let address = address(reader, source)?;
    let (dialect, foreign, whose) = match address {
        SourceAddress::Neo4j(_) => (DialectName::Neo4j, &NOT_OF_GRAPHS[..], "a graph"),
        SourceAddress::Sqlite(_) | SourceAddress::Postgres(_) => {
            let dialect = said.unwrap_or(DialectName::Postgraphile);
            (dialect, &OF_GRAPHS[..], "a source that is no graph")
        }
    };
    for key in table.keys().filter(|key| is_key(key.get_ref(), foreign)) {
        let message = format!("`{}` has no place beside {whose}", key.get_ref());
        reader.wrong(key.span().start, message);
    }
    Some(SaidSource {
        address,
        dialect,
        schemas: schemas.unwrap_or_else(|| vec![USUAL_SCHEMA.to_owned()]),
        types,
        policies,
        extension,
    })
}

fn address(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<SourceAddress> {
    let text = reader.string("source", value)?;
    match SourceAddress::parse(&text) {
        Ok(address) => Some(address),
        Err(error) => {
            reader.wrong(value.span().start, format!("`source`: {error}"));
            None
        }
    }
}

fn schemas(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<String> {
    let wanted = "a list of schemas, such as `[\"public\"]`,";
    let Some(names) = reader.array("schema", value, wanted) else { return Vec::new() };
    if names.is_empty() {
        reader.wrong(value.span().start, "`schema`: a list has at least one element".to_owned());
    }
    let mut read = Vec::new();
    for name in names {
        match name.get_ref() {
            DeValue::String(text) if text.is_empty() => {
                reader.wrong(name.span().start, "`schema`: a name is wanted".to_owned());
            }
            _ => read.extend(reader.string("schema", name)),
        }
    }
    read
}
