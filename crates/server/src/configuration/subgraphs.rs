//! The file of `--subgraphs`: settings of each subgraph, and of all.
//!
//! It is a separate file, since options are not grouped by subgraphs. Strings may contain environment
//! variables, as in the configuration file.
//!
//! * `composed`: the file of subgraphs to compose, which has these settings too
//! * `yaml`: reads YAML as TOML
//! * `table`: reads values of a table, and collects problems
//! * `entry`: the entry of one subgraph, or of all
//! * `headers`: rules for forwarded headers
//! * `source`: a source in this process
//! * `connectors`: a subgraph of REST connectors
//! * `events`: a subgraph of events; `providers`: the brokers of events
//! * `subscription`: the protocol of subscriptions
//! * `resolve`: the settings of each subgraph of a supergraph
//! * `schema`: the JSON Schema of the file

mod composed;
mod connectors;
mod entry;
mod events;
mod headers;
mod providers;
mod resolve;
mod schema;
mod source;
mod subscription;
mod table;
mod yaml;

use std::path::{Path, PathBuf};

use engine::SourceAddress;
use toml::Spanned;
use toml::de::{DeString, DeTable};

use super::expand::Variable;
use super::problem::{Position, Problem, Refused};
use crate::options::LocalSources;
pub(crate) use composed::{CompositionFile, SchemaPlace, SubgraphPlace};
pub(crate) use connectors::{ConnectorsEntry, SourceSettings};
use entry::SubgraphEntry;
use providers::ProviderEntry;
pub(crate) use resolve::{ConnectorSource, Defaults, EventSource, LocalSource, Resolved};
pub(crate) use schema::schema;
pub(crate) use source::SourceEntry;
use subscription::SubscriptionEntry;
use table::{Reader, Value};

/// A parsed file, before the subgraphs are known.
#[derive(Debug, Default)]
pub(crate) struct SubgraphsFile {
    file: PathBuf,
    /// The entry of all subgraphs, and its position if there is one.
    all: SubgraphEntry,
    all_position: Option<Position>,
    subgraphs: Vec<Named>,
    /// Brokers of events.
    providers: Vec<ProviderEntry>,
}

/// The entry of one subgraph.
#[derive(Debug)]
struct Named {
    name: String,
    position: Position,
    entry: SubgraphEntry,
}

/// The tables of a file.
const TABLES: [&str; 3] = ["all", "subgraphs", "providers"];

impl SubgraphsFile {
    /// Parses a file, and reports all problems at once.
    pub(crate) fn parse(
        file: &Path,
        text: &str,
        variable: &dyn Fn(&str) -> Variable,
    ) -> Result<Self, Refused> {
        let (read, problems) = Self::read(file, text, variable);
        match problems.is_empty() {
            true => Ok(read),
            false => Err(Refused::sorted(file, problems)),
        }
    }

    /// All problems of a wrong file, including unknown subgraphs.
    pub(crate) fn all_problems(
        file: &Path,
        text: &str,
        variable: &dyn Fn(&str) -> Variable,
        subgraphs: &[(&str, &str)],
    ) -> Refused {
        let (read, mut problems) = Self::read(file, text, variable);
        problems.extend(read.unknown_subgraphs(subgraphs));
        Refused::sorted(file, problems)
    }

    /// The valid part of a file, and its problems.
    fn read(file: &Path, text: &str, variable: &dyn Fn(&str) -> Variable) -> (Self, Vec<Problem>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut read = Self { file: file.to_owned(), ..Self::default() };
        if !errors.is_empty() {
            let problems = errors.iter().map(|error| Problem::of_syntax(text, error));
            return (read, problems.collect());
        }
        let mut reader = Reader::new(text, variable);
        read.fill(&mut reader, table.get_ref());
        (read, reader.into_problems())
    }

    /// The kinds of the sources in this process.
    pub(crate) fn local_sources(&self) -> LocalSources {
        let mut kinds = LocalSources::default();
        for source in self.subgraphs.iter().filter_map(|named| named.entry.source.as_ref()) {
            match source.address {
                SourceAddress::Sqlite(_) => kinds.has_sqlite = true,
                SourceAddress::Postgres(_) => kinds.has_postgres = true,
                SourceAddress::Neo4j(_) => kinds.has_neo4j = true,
            }
            kinds.has_policies |= source.has_policies();
        }
        kinds
    }

    fn fill_all(
        &mut self,
        reader: &mut Reader<'_>,
        name: &Spanned<DeString<'_>>,
        value: &Value<'_>,
    ) {
        self.all_position = Some(reader.position(name.span().start));
        if let Some(table) = reader.table("all", value) {
            self.all = SubgraphEntry::read_all(reader, table);
        }
    }

    fn fill_providers(&mut self, reader: &mut Reader<'_>, value: &Value<'_>) {
        for (name, value) in reader.table("providers", value).into_iter().flatten() {
            self.providers.extend(providers::read(reader, name.get_ref(), value));
        }
    }

    /// Whether an entry has subscriptions of the callback protocol.
    pub(crate) fn has_callbacks(&self) -> bool {
        let entries = self.subgraphs.iter().map(|named| &named.entry).chain([&self.all]);
        let mut subscriptions = entries.filter_map(|entry| entry.subscription.as_ref());
        subscriptions.any(SubscriptionEntry::has_callbacks)
    }

    fn fill(&mut self, reader: &mut Reader<'_>, table: &DeTable<'_>) {
        for (name, value) in table {
            match &**name.get_ref() {
                "all" => self.fill_all(reader, name, value),
                "subgraphs" => {
                    let Some(subgraphs) = reader.table("subgraphs", value) else { continue };
                    for (name, value) in subgraphs {
                        let position = reader.position(name.span().start);
                        let name = name.get_ref().clone().into_owned();
                        if let Some(table) = reader.table(&name, value) {
                            let entry = SubgraphEntry::read_one(reader, table, &[]);
                            self.subgraphs.push(Named { name, position, entry });
                        }
                    }
                }
                "providers" => self.fill_providers(reader, value),
                _ => reader.unknown(name, "the file", &TABLES),
            }
        }
    }
}

#[cfg(test)]
mod tests;
