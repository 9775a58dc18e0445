//! Database errors in responses.

use clap::Args;
use engine::ExtendedError;

use super::words::Words;

#[derive(Debug, Args)]
#[command(next_help_heading = "Errors")]
pub(crate) struct ErrorOptions {
    /// Include the constraint, the table and the columns of a database error in responses
    #[arg(long, env = "THALWEG_SHOW_CONSTRAINTS")]
    show_constraints: bool,
    /// Include the database's own error messages in responses, which may show names and values of any table
    #[arg(long, env = "THALWEG_SHOW_DATABASE_ERRORS")]
    show_database_errors: bool,
    /// Additional fields of errors, as PostGraphile has them, separated by commas [default: none]
    #[arg(
        long,
        env = "THALWEG_EXTENDED_ERRORS",
        value_name = "PARTS",
        value_delimiter = ',',
        value_parser = EXTENDED_ERRORS
    )]
    extended_errors: Vec<ExtendedError>,
    /// Error message for a constraint that an insert, an update or a delete violates, as
    /// CONSTRAINT=TEXT or TABLE.COLUMN=TEXT; may be repeated
    #[arg(long, env = "THALWEG_ERROR_MESSAGE", value_name = "NAME=TEXT", value_parser = message)]
    error_message: Vec<(String, String)>,
}

/// The values of PostGraphile's `extendedErrors`.
const EXTENDED_ERRORS: Words<ExtendedError> = Words(&[
    ("hint", ExtendedError::Hint, ""),
    ("detail", ExtendedError::Detail, ""),
    ("errcode", ExtendedError::Errcode, "The SQLSTATE"),
    ("schema", ExtendedError::Schema, ""),
    ("table", ExtendedError::Table, ""),
    ("column", ExtendedError::Column, ""),
    ("constraint", ExtendedError::Constraint, ""),
]);

impl ErrorOptions {
    pub(crate) fn to_engine(&self) -> engine::ErrorOptions {
        let messages = self.error_message.iter();
        engine::ErrorOptions {
            show_constraints: self.show_constraints,
            show_database_errors: self.show_database_errors,
            extended: self.extended_errors.clone(),
            messages: messages.map(|(name, text)| (&**name, &**text)).map(boxed).collect(),
        }
    }
}

fn boxed((name, text): (&str, &str)) -> (Box<str>, Box<str>) {
    (name.into(), text.into())
}

fn message(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, text)) if !name.trim().is_empty() && !text.trim().is_empty() => {
            Ok((name.trim().to_owned(), text.trim().to_owned()))
        }
        _ => Err(format!("`{text}` is not of the form NAME=TEXT")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_a_name() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = message(text).ok();
            let found = found.as_ref().map(|(name, text)| (&**name, &**text));
            assert_eq!(found, expected, "{text}");
        };
        check("person.mail = Taken = gone.", Some(("person.mail", "Taken = gone.")));
        check("a=b", Some(("a", "b")));
        check("=b", None);
        check("a=", None);
        check("a", None);
    }
}
