//! Composes a supergraph from the schemas of its subgraphs.
//!
//! * `clash`: names that several databases have
//! * `load`: reads the schemas: files, running subgraphs, sources in this process
//! * `report`: errors and hints as text, JSON and annotations

mod clash;
mod load;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use supergraph::composition::{Composer, Finding, SubgraphSchema};

use crate::configuration::{CompositionFile, SchemaPlace, variable};
use crate::failure::Failure;
pub(crate) use report::{NotComposed, json, write};

/// Keeps the parsed schemas between compositions, so that a reload parses only the changed ones.
static COMPOSER: LazyLock<Mutex<Composer>> = LazyLock::new(Mutex::default);

/// A file of subgraphs to compose, as it was read.
#[derive(Debug)]
pub(crate) struct CompositionSource {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    pub(crate) parsed: CompositionFile,
}

/// A composed supergraph.
#[derive(Debug)]
pub(crate) struct Composed {
    /// The SDL of the supergraph.
    pub(crate) sdl: String,
    pub(crate) hints: Vec<Finding>,
    pub(crate) inputs: Inputs,
}

/// The schemas of a composition.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    schemas: Vec<SubgraphSchema>,
    /// The file of each schema, if it has one; in the order of the schemas.
    files: Vec<Option<PathBuf>>,
}

impl CompositionSource {
    /// Reads and parses a file, and reports all its problems.
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let unreadable = |error| Failure::Document { file: file.to_owned(), error };
        let text = fs::read_to_string(file).map_err(unreadable)?;
        let parsed = CompositionFile::parse(file, &text, &variable)?;
        Ok(Self { file: file.to_owned(), text, parsed })
    }

    /// Reads the schemas.
    pub(crate) async fn load(&self) -> Result<Inputs, Failure> {
        load::load(self).await
    }

    /// Reads the schemas and composes them.
    pub(crate) async fn compose(&self) -> Result<Composed, Failure> {
        let inputs = self.load().await?;
        let composition = {
            let mut composer = COMPOSER.lock().unwrap_or_else(PoisonError::into_inner);
            composer.compose(&inputs.schemas)
        };
        match composition.supergraph {
            Some(sdl) => Ok(Composed { sdl, hints: composition.hints, inputs }),
            None => {
                let errors = clash::summarize(composition.errors, &self.parsed.subgraphs);
                let hints = composition.hints;
                Err(Failure::other(NotComposed { errors, hints, inputs }))
            }
        }
    }

    /// The file and those of the schemas, each with the text that was read.
    pub(crate) fn files<'s>(
        &'s self,
        inputs: Option<&'s Inputs>,
    ) -> Vec<(PathBuf, Option<&'s str>)> {
        let mut files = vec![(self.file.clone(), Some(&*self.text))];
        for place in &self.parsed.subgraphs {
            if let SchemaPlace::File(file) = &place.schema {
                let text = inputs.and_then(|inputs| inputs.text(&place.name));
                files.push((self.folder().join(file), text));
            }
        }
        files
    }

    /// The folder to which the names of files are relative.
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

impl Inputs {
    fn add(&mut self, schema: SubgraphSchema, file: Option<PathBuf>) {
        self.schemas.push(schema);
        self.files.push(file);
    }

    /// The file of a subgraph's schema.
    fn file(&self, subgraph: &str) -> Option<&Path> {
        let index = self.schemas.iter().position(|schema| schema.name == subgraph)?;
        self.files.get(index)?.as_deref()
    }

    /// All schemas, or those without a file.
    pub(crate) fn schemas(&self, without_files: bool) -> impl Iterator<Item = &SubgraphSchema> {
        let schemas = self.schemas.iter().zip(&self.files);
        let wanted = schemas.filter(move |(_, file)| !(without_files && file.is_some()));
        wanted.map(|(schema, _)| schema)
    }

    fn text(&self, subgraph: &str) -> Option<&str> {
        let mut schemas = self.schemas.iter();
        schemas.find(|schema| schema.name == subgraph).map(|schema| &*schema.sdl)
    }
}
