//! `thalweg man`: the manual pages, one per command, derived like `--help` from the options.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use crate::configuration::documented_command;
use crate::failure::Failure;
use crate::options::ManOptions;

/// The footer of each page.
const SOURCE: &str = concat!("Thalweg ", env!("CARGO_PKG_VERSION"));

/// Replaces the date: the version says more. An empty date would be left out, and the footer would
/// move into its place.
const NO_DATE: &str = " ";

pub(crate) fn run(options: &ManOptions) -> Result<(), Failure> {
    let folder = &options.folder;
    let mut command = documented_command().disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(folder)
        .and_then(|()| write(&command, folder))
        .map_err(|error| Failure::Manual { folder: folder.clone(), error })
}

fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands() {
        write(inner, folder)?;
    }
    let page = Man::new(command.clone()).date(NO_DATE).source(SOURCE).manual("Thalweg's manual");
    page.generate_to(folder).map(drop)
}
