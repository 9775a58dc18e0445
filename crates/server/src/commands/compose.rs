//! `thalweg compose`: composes a supergraph from the schemas of subgraphs.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use crate::commands::{block_on, gateway, print};
use crate::composition::{self, Composed, CompositionSource, NotComposed};
use crate::configuration::{SubgraphsFile, redacted};
use crate::failure::Failure;
use crate::options::{ComposeOptions, ReportForm};
use crate::supergraph::SupergraphWatch;

pub(crate) fn run(options: &ComposeOptions) -> Result<ExitCode, Failure> {
    let is_printed = options.output == Path::new("-");
    if options.watch && is_printed {
        let message = "`--watch` writes the supergraph again and again: it needs `--output FILE`";
        return Err(Failure::Usage(message.into()));
    }
    if let (Some(_), false) = (&options.poll, options.watch) {
        return Err(Failure::Usage("`--poll` needs `--watch`".into()));
    }
    let output = (!is_printed).then_some(&*options.output);
    if options.watch {
        return block_on(follow(options));
    }
    let source = read(options)?;
    match block_on(source.compose()) {
        Ok(composed) => {
            deliver(&composed, output, options.report)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => refuse(failure, options.report),
    }
}

/// Reads the file, and the sources of the other one.
fn read(options: &ComposeOptions) -> Result<CompositionSource, Failure> {
    let mut source = CompositionSource::read(&options.file)?;
    let mut others = match &options.subgraphs {
        Some(file) => gateway::read_file(file)?.1,
        None => SubgraphsFile::default(),
    };
    source.parsed.add(&mut others)?;
    Ok(source)
}

/// Composes at each change, for ever.
async fn follow(options: &ComposeOptions) -> Result<ExitCode, Failure> {
    loop {
        let mut watch = SupergraphWatch::default();
        let begun = Instant::now();
        match read(options) {
            Ok(source) => {
                let pause = options.poll.map(|pause| pause.0);
                match source.compose().await {
                    Ok(composed) => {
                        deliver(&composed, Some(&options.output), options.report)?;
                        let milliseconds = begun.elapsed().as_millis();
                        tell(&format!(
                            "composed {} in {milliseconds} ms\n",
                            options.output.display()
                        ));
                        watch.follow_composition(source, Some(&composed.inputs), true, pause);
                    }
                    Err(failure) => {
                        watch.follow_composition(source, inputs_of(&failure), true, pause);
                        report_failure(failure, options.report);
                    }
                }
            }
            Err(failure) => {
                watch.follow_file(&options.file, "");
                report_failure(failure, options.report);
            }
        }
        watch.changed().await;
    }
}

/// Writes the supergraph, and its hints.
fn deliver(composed: &Composed, output: Option<&Path>, form: ReportForm) -> Result<(), Failure> {
    let Composed { sdl, hints, inputs } = composed;
    match (form, output) {
        (ReportForm::Json, output) => {
            let report = composition::json(Some(sdl), &[], hints, inputs);
            if let Some(file) = output {
                write_whole(file, sdl)?;
            }
            return print(&format!("{report:#}\n"));
        }
        (ReportForm::Text | ReportForm::Github, Some(file)) => write_whole(file, sdl)?,
        (ReportForm::Text | ReportForm::Github, None) => print(sdl)?,
    }
    tell(&composition::write(&[], hints, inputs, form));
    Ok(())
}

/// Replaces a file, so that its readers see either the old or the new supergraph.
fn write_whole(file: &Path, text: &str) -> Result<(), Failure> {
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    fs::write(&part, text).and_then(|()| fs::rename(&part, file)).map_err(Failure::Output)
}

/// Reports why nothing was composed; other failures are errors of the command.
fn refuse(failure: Failure, form: ReportForm) -> Result<ExitCode, Failure> {
    match (failure.downcast_ref::<NotComposed>(), form) {
        (Some(NotComposed { errors, hints, inputs }), ReportForm::Json) => {
            print(&format!("{:#}\n", composition::json(None, errors, hints, inputs)))?;
            Ok(ExitCode::FAILURE)
        }
        (Some(NotComposed { errors, hints, inputs }), ReportForm::Text | ReportForm::Github) => {
            tell(&composition::write(errors, hints, inputs, form));
            Ok(ExitCode::FAILURE)
        }
        (None, _) => Err(failure),
    }
}

/// Reports a failure of a composition that will be repeated.
fn report_failure(failure: Failure, form: ReportForm) {
    if let Err(failure) = refuse(failure, form) {
        tell(&format!("error: {}\n", redacted(&failure.to_string())));
    }
}

fn inputs_of(failure: &Failure) -> Option<&composition::Inputs> {
    failure.downcast_ref::<NotComposed>().map(|refused| &refused.inputs)
}

/// Writes to the error stream; without one, only the exit code remains.
fn tell(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}
