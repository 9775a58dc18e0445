//! `thalweg export`: the objects of a database into a file, as Dgraph exports them.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use dialects::dgraph::{stored, transferred};
use engine::Timeouts;
use flate2::Compression;
use flate2::write::GzEncoder;
use source::MigrationAccess;
use sources::migrate::Migrator;
use sources::transfer::{Objects, Transfer};
use transfer::export::Writer;

use super::import::progress::Reporter;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::options::{ExportOptions, Output};

/// Bytes that are written at once.
const CHUNK: usize = 1 << 20;

/// Where the bytes go.
enum Sink {
    Plain(Box<dyn Write>),
    /// Boxed, being large next to the other.
    Compressed(Box<GzEncoder<Box<dyn Write>>>),
}

pub(crate) fn run(options: &ExportOptions) -> Result<ExitCode, Failure> {
    block_on(export(options))
}

async fn export(options: &ExportOptions) -> Result<ExitCode, Failure> {
    let (_, model) = options.definitions()?;
    let address = options.address()?;
    let timeouts = Timeouts::default();
    let schema = options.schema.of(&address)?;
    let migrator = Migrator::begin(&address, schema, MigrationAccess::Read, timeouts).await;
    let migrator = migrator.map_err(Failure::other)?;
    let planned = migrator.plan(&stored::stored(&model).model).await.map_err(Failure::other)?;
    if !planned.is_current() {
        return Err(Failure::Usage(
            "the database has not the tables of the type definitions; `thalweg migrate` with \
             `--check` shows what is missing"
                .into(),
        ));
    }
    let mapping = transferred::mapping(&model, &planned.plan);
    let database = migrator.database().clone();
    drop(migrator);
    let output = options.output();
    let failed = |error| writing(&output, error);
    let mut sink = Sink::open(&output).map_err(failed)?;
    let opened = Transfer::open_for_read(&address, &database, timeouts).await;
    let mut transfer = opened.map_err(Failure::other)?;
    super::import::require_finished(&transfer).await?;
    let mut writer = Writer::new(&mapping, output.format);
    let mut reporter = Reporter::new(options.progress);
    for (object, r#type) in mapping.objects.iter().enumerate() {
        let before = writer.objects();
        let opened = Objects::open(&mut transfer, &mapping, object).await;
        let mut objects = opened.map_err(Failure::other)?;
        loop {
            let found = objects.next(&transfer, |row, links| writer.write(object, row, links));
            let has_more = found.await.map_err(Failure::other)?;
            if writer.buffer().len() >= CHUNK || !has_more {
                sink.write(writer.buffer()).map_err(failed)?;
                writer.buffer().clear();
            }
            if !has_more {
                break;
            }
            reporter.count(&r#type.name, writer.objects() - before, "objects");
        }
    }
    writer.finish();
    sink.write(writer.buffer()).map_err(failed)?;
    sink.finish().map_err(failed)?;
    reporter.begin(&format!("{} objects", writer.objects()));
    Ok(ExitCode::SUCCESS)
}

fn writing(output: &Output, error: io::Error) -> Failure {
    match &output.path {
        Some(path) => Failure::Document { file: path.clone(), error },
        None => Failure::Output(error),
    }
}

impl Sink {
    fn open(output: &Output) -> io::Result<Self> {
        let plain: Box<dyn Write> = match &output.path {
            Some(path) => Box::new(BufWriter::new(File::create(path)?)),
            None => Box::new(io::stdout().lock()),
        };
        Ok(match output.is_compressed {
            true => Self::Compressed(Box::new(GzEncoder::new(plain, Compression::fast()))),
            false => Self::Plain(plain),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(plain) => plain.write_all(bytes),
            Self::Compressed(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut plain) => plain.flush(),
            Self::Compressed(encoder) => encoder.finish()?.flush(),
        }
    }
}
