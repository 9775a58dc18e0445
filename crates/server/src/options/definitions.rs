//! Files of definitions that make the tables of a database: Dgraph's type definitions, and Prisma's
//! datamodels.

use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum;
use dialects::{dgraph, prisma};
use storage::Layout;

use super::data;
use crate::failure::Failure;

/// The extension of datamodels.
const EXTENSION: &str = "prisma";

/// Dialects whose definitions make the tables of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DefinitionsDialect {
    /// Type definitions in the style of Dgraph
    Dgraph,
    /// A datamodel of Prisma 1
    Prisma,
}

impl DefinitionsDialect {
    /// The dialect of a file without an option that names it.
    pub(crate) fn of(file: &Path) -> Self {
        match file.extension() {
            Some(extension) if extension.eq_ignore_ascii_case(EXTENSION) => Self::Prisma,
            _ => Self::Dgraph,
        }
    }

    /// The text of the definitions in a file, as the history of migrations records it, and what they
    /// store.
    pub(crate) fn layout(self, file: &Path) -> Result<(Arc<str>, Layout), Failure> {
        let text = data::read(file)?;
        Ok(match self {
            Self::Dgraph => {
                let model = data::model(file, &text)?;
                let recorded = dgraph::definitions::without_secrets(&text).into();
                (recorded, Layout::Model(dgraph::stored::stored(&model).model))
            }
            Self::Prisma => {
                let model = datamodel(file, &text)?;
                (text, prisma::stored::stored(&model))
            }
        })
    }
}

/// The meaning of a text of a datamodel.
pub(crate) fn datamodel(file: &Path, text: &str) -> Result<prisma::model::Model, Failure> {
    prisma::definitions::read(text).map_err(|problems| {
        let problems = problems.iter().map(|problem| format!("{}, {problem}", file.display()));
        Failure::Usage(problems.collect::<Vec<_>>().join("\nerror: "))
    })
}
