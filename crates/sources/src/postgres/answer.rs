//! What a program read or changed, and how its answer is written.

use std::time::Instant;

use response::{Echo, Output, Shape, Writer, Written};

use super::bind::Bound;
use super::cursor::Answer;
use super::execute::PostgresProgram;
use super::wire::Rows;
use crate::error::SourceError;
use crate::observed::Observed;
use crate::source::ExecuteError;

/// What a program read or changed for a request.
pub(super) struct Read {
    pub(super) bound: Bound,
    /// The root fields that failed.
    pub(super) failures: Vec<(u32, SourceError)>,
    /// By level.
    pub(super) rows: Vec<Rows>,
}

impl Read {
    /// Writes the answer.
    pub(super) fn write<O: Output>(
        self,
        program: &PostgresProgram,
        shape: &Shape,
        echoes: &[Echo],
        output: O,
        observed: &mut Observed,
    ) -> Result<Written<SourceError, O::Data>, ExecuteError> {
        let started = Instant::now();
        let answer = Answer::new(&program.program, &self.bound, &self.rows);
        let mut writer = Writer::new(shape, &program.program.layout, output).echoing(echoes);
        for (root, error) in self.failures {
            writer.fail_root(root as usize, error);
        }
        let written = writer.write(&mut answer.top());
        observed.write = Some(started.elapsed());
        Ok(written?)
    }
}
