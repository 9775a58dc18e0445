//! The file of `--subgraphs`: what holds for each subgraph, and what for all.
//!
//! It is a file of its own, since options have no subgraphs to stand under. Its strings may have
//! variables of the environment, as those of the configuration file.
//!
//! * `table`: values of a table, each with its place, and what is wrong with them
//! * `said`: what one table says
//! * `headers`: its rules for headers
//! * `source`: a source in this process
//! * `resolve`: what holds for each subgraph of a supergraph
//! * `schema`: the JSON Schema of the file

mod headers;
mod resolve;
mod said;
mod schema;
mod source;
mod table;

use std::path::{Path, PathBuf};

use engine::SourceAddress;
use toml::de::DeTable;

use super::expand::Variable;
use super::problem::{Position, Problem, Refused};
use crate::options::LocalSources;
pub(crate) use resolve::{Defaults, LocalSource, Resolved, Unresolved};
use said::Said;
pub(crate) use schema::SUBGRAPHS;
use table::Reader;

/// What a file says, before it is known which subgraphs there are.
#[derive(Debug, Default)]
pub(crate) struct SubgraphsFile {
    file: PathBuf,
    /// For every subgraph that says nothing else.
    all: Said,
    subgraphs: Vec<Named>,
}

/// What is said of one subgraph.
#[derive(Debug)]
struct Named {
    name: String,
    position: Position,
    said: Said,
}

/// The tables that a file has.
const TABLES: [&str; 2] = ["all", "subgraphs"];

impl SubgraphsFile {
    /// Reads a file's text: all that is wrong with it is found at once.
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

    /// Everything that is wrong with a file whose text is wrong, names of subgraphs included that the
    /// supergraph does not have.
    pub(crate) fn all_problems(
        file: &Path,
        text: &str,
        variable: &dyn Fn(&str) -> Variable,
        subgraphs: &[(&str, &str)],
    ) -> Refused {
        let (read, mut problems) = Self::read(file, text, variable);
        problems.extend(read.strangers(subgraphs));
        Refused::sorted(file, problems)
    }

    /// What the file says as far as it is right, and what is wrong with it.
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
        for source in self.subgraphs.iter().filter_map(|named| named.said.source.as_ref()) {
            match source.address {
                SourceAddress::Sqlite(_) => kinds.has_sqlite = true,
                SourceAddress::Postgres(_) => kinds.has_postgres = true,
                SourceAddress::Neo4j(_) => kinds.has_neo4j = true,
            }
            kinds.has_policies |= source.policies.is_some();
        }
        kinds
    }

    fn fill(&mut self, reader: &mut Reader<'_>, table: &DeTable<'_>) {
        for (name, value) in table {
            match &**name.get_ref() {
                "all" => {
                    if let Some(table) = reader.table("all", value) {
                        self.all = Said::read(reader, table, said::Of::All);
                    }
                }
                "subgraphs" => {
                    let Some(subgraphs) = reader.table("subgraphs", value) else { continue };
                    for (name, value) in subgraphs {
                        let position = reader.position(name.span().start);
                        let name = name.get_ref().clone().into_owned();
                        if let Some(table) = reader.table(&name, value) {
                            let said = Said::read(reader, table, said::Of::One);
                            self.subgraphs.push(Named { name, position, said });
                        }
                    }
                }
                _ => reader.unknown(name, "the file", &TABLES),
            }
        }
    }
}

#[cfg(test)]
mod tests;
