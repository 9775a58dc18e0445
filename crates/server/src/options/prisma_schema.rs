//! The schema of Prisma ORM that names the tables of a database: a file, or a folder of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use prisma_schema::{File, Schema};

use crate::failure::Failure;

/// The extension of the files of a folder.
const EXTENSION: &str = "prisma";

/// The deepest folder within a folder that is read.
const DEEPEST: usize = 8;

#[derive(Debug, Args)]
#[command(next_help_heading = "Prisma ORM")]
pub(crate) struct PrismaSchemaOptions {
    /// The schema of Prisma ORM, a file or a folder of `.prisma` files: names, relations and types for
    /// tables that are there
    #[arg(long, env = "THALWEG_PRISMA", value_name = "PATH")]
    prisma: Option<PathBuf>,
}

impl PrismaSchemaOptions {
    pub(crate) fn is_given(&self) -> bool {
        self.prisma.is_some()
    }

    /// Reads the schema. All mistakes are in the error.
    pub(crate) fn read(&self) -> Result<Option<Arc<Schema>>, Failure> {
        let Some(path) = &self.prisma else { return Ok(None) };
        let mut paths = Vec::new();
        match path.is_dir() {
            true => collect(path, 0, &mut paths)?,
            false => paths.push(path.clone()),
        }
        if paths.is_empty() {
            let message =
                format!("`--prisma {}`: the folder has no file `*.{EXTENSION}`", path.display());
            return Err(Failure::Usage(message));
        }
        // The order of a folder is that of its file system.
        paths.sort();
        let file = |path: &PathBuf| {
            let name = path.display().to_string().into();
            Ok(File { name, text: read_text(path)?.into() })
        };
        let files = paths.iter().map(file).collect::<Result<Vec<File>, Failure>>()?;
        let schema = prisma_schema::read(files);
        schema
            .map(|schema| Some(Arc::new(schema)))
            .map_err(|mistakes| Failure::Usage(mistakes.to_string()))
    }
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::Usage(format!("`--prisma`: {} cannot be read: {error}", path.display()))
    })
}

/// The files of a folder, and of the folders in it.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::Usage(format!("`--prisma`: {} cannot be read: {error}", folder.display()))
    };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_schema = path.extension().is_some_and(|extension| extension == EXTENSION);
        match path.is_dir() {
            true if depth < DEEPEST => collect(&path, depth + 1, paths)?,
            true => {
                let message = format!("`--prisma`: {} is too deep a folder", path.display());
                return Err(Failure::Usage(message));
            }
            false if is_schema => paths.push(path),
            false => {}
        }
    }
    Ok(())
}
