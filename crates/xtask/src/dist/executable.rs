//! Running a program that was built: directly, or by an emulator of its processor.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::DistError;
use super::platform::Platform;
use crate::debian;
use crate::program;

/// A program with what it needs to run on this machine.
#[derive(Debug)]
pub(crate) struct Executable {
    path: PathBuf,
    /// An emulator of QEMU, if the program is for another processor.
    emulator: Option<PathBuf>,
}

impl Executable {
    /// Finds the emulator of a program for another processor, and installs it if it may.
    pub(crate) fn new(path: &Path, platform: Platform, offline: bool) -> Result<Self, DistError> {
        let path = path.to_owned();
        if platform.is_host() {
            return Ok(Self { path, emulator: None });
        }
        let name = platform.emulator();
        if program::find(name).is_none() && !offline {
            debian::install(&["qemu-user-static"]).map_err(DistError::Emulator)?;
        }
        let found = program::find(name).ok_or(DistError::NoEmulator(name))?;
        Ok(Self { path, emulator: Some(found) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn command(&self) -> Command {
        match &self.emulator {
            None => Command::new(&self.path),
            Some(emulator) => {
                let mut command = Command::new(emulator);
                command.arg(&self.path);
                command
            }
        }
    }
}
