//! Values of options that are one of several words.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};

/// A parser of words, each with its value and its help text.
#[derive(Clone, Copy)]
pub(super) struct Words<T: 'static>(pub(super) &'static [(&'static str, T, &'static str)]);

impl<T> Words<T> {
    fn possible(self) -> impl Iterator<Item = PossibleValue> {
        self.0.iter().map(|(word, _, help)| match help.is_empty() {
            true => PossibleValue::new(*word),
            false => PossibleValue::new(*word).help(*help),
        })
    }
}

impl<T: Copy + Send + Sync + 'static> TypedValueParser for Words<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let word = PossibleValuesParser::new(self.possible()).parse_ref(command, arg, value)?;
        let found = self.0.iter().find(|(known, ..)| *known == word);
        found.map(|(_, value, _)| *value).ok_or_else(|| clap::Error::new(ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.possible()))
    }
}
