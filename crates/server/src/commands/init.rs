//! `thalweg init`: asks four questions, and writes a configuration file and a first policy file.
//!
//! * `questions`: what is asked
//! * `files`: the texts that are written
//! * `secret`: a secret of tokens
//!
//! The database is opened after the first question, before anything is written: the files fit it, and
//! nobody answers the others in vain. No file is overwritten.

mod files;
mod questions;
mod secret;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use engine::SourceAddress;

use crate::commands::{block_on, inspect, print, token};
use crate::configuration::variable;
use crate::failure::Failure;
use crate::options::{ApiOptions, InitAccess, InitApi, InitOptions};
use files::{POLICIES, SETTINGS, Tables};
use questions::Answers;

/// The schemas of PostgreSQL, which `thalweg serve` reads from the environment, too.
const SCHEMA: &str = "THALWEG_SCHEMA";

/// How long the first token is valid.
const SECONDS: u64 = 30 * 24 * 60 * 60;

/// The reason why no files were written.
#[derive(Debug, thiserror::Error)]
enum InitError {
    #[error("there is a file {0} already: delete it, or run `thalweg init` in another folder")]
    Exists(&'static str),
    #[error("cannot write {0}: {1}")]
    Write(&'static str, io::Error),
    #[error("the environment variable `{SCHEMA}` is not UTF-8")]
    Schema,
    #[error("the system gives no random bytes for a secret")]
    Random,
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        Self::other(error)
    }
}

pub(crate) fn run(options: &InitOptions) -> Result<(), Failure> {
    for file in [SETTINGS, POLICIES] {
        if Path::new(file).exists() {
            return Err(InitError::Exists(file).into());
        }
    }
    let (database, source) = questions::database(options)?;
    let schema = match source {
        SourceAddress::Postgres(_) => schema_of_environment()?,
        SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => None,
    };
    let mut words = vec!["thalweg".to_owned()];
    words.extend(schema.iter().flat_map(|schema| ["--schema".to_owned(), schema.clone()]));
    words.extend(["--".to_owned(), database.clone()]);
    let api = ApiOptions::of_words(words, &[]).map_err(Failure::Usage)?;
    let inspected = block_on(inspect(&api))?;
    let answers = questions::ask(options, database, source)?;
    let tables = Tables::new(inspected.engine.tables());
    let secret = match answers.access {
        InitAccess::Everyone => None,
        InitAccess::Tokens => Some(secret::secret().ok_or(InitError::Random)?),
    };
    let has_policies = answers.access == InitAccess::Tokens && answers.has_policies();
    if has_policies {
        write(POLICIES, &files::policies(&tables, answers.claim_of_role()))?;
    }
    let settings = files::settings(&answers, schema.as_deref(), secret.as_deref());
    if let Err(error) = write(SETTINGS, &settings) {
        if has_policies {
            // It would be in the way of the next attempt; what failed first is told.
            let _ = fs::remove_file(POLICIES);
        }
        return Err(error.into());
    }
    print(&summary(&answers, &tables, secret.as_deref(), has_policies))
}

fn schema_of_environment() -> Result<Option<String>, InitError> {
    let schema = variable(SCHEMA).map_err(|_| InitError::Schema)?;
    Ok(schema.filter(|schema| !schema.is_empty()))
}

/// Creates a file that only its owner reads: it may have secrets. A file that is not complete goes.
fn write(file: &'static str, text: &str) -> Result<(), InitError> {
    let options = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let written = options.and_then(|mut created| {
        created.write_all(text.as_bytes()).inspect_err(|_| drop(fs::remove_file(file)))
    });
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => InitError::Exists(file),
        _ => InitError::Write(file, error),
    })
}

fn summary(answers: &Answers, tables: &Tables, secret: Option<&str>, has_policies: bool) -> String {
    let mut text = format!("Wrote {SETTINGS}");
    if has_policies {
        text.push_str(&format!(" and {POLICIES}"));
    }
    text.push_str(&format!(" for {} tables and views.\n", tables.count()));
    if tables.count() == 0 && answers.api != InitApi::Neo4j {
        text.push_str("The database has no table yet: create one before you serve it.\n");
    }
    if secret.is_none() && !answers.listen.is_local() {
        text.push_str(&format!(
            "Everyone who reaches {} may read and change everything: delete {SETTINGS}, and begin \
             again with `--access tokens`, before others can.\n",
            answers.listen.text
        ));
    }
    text.push_str("\nServe it:   thalweg serve\nCheck it:   thalweg check\n");
    if let (Some(secret), true) = (secret, has_policies) {
        let claim = answers.claim_of_role();
        let role = files::READER;
        text.push_str(&format!(
            "\nA token of the role `{role}`, for 30 days:\n{}\n",
            token::of_role(secret, claim, role, SECONDS)
        ));
        text.push_str("Send it as the header `Authorization: Bearer TOKEN`.\n");
    } else if secret.is_some() && answers.api == InitApi::Hasura {
        text.push_str("\nSend `admin-secret` of the file as the header `x-hasura-admin-secret`.\n");
    }
    text
}
