//! `thalweg init`: asks four questions, and writes a configuration file and a first policy file.
//!
//! * `questions`: what is asked
//! * `files`: the texts that are written
//! * `token`: a token to try the API with
//!
//! The database is opened before anything is written, so that the files fit it. No file is overwritten.

mod files;
mod questions;
mod token;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::commands::{block_on, inspect, print};
use crate::failure::Failure;
use crate::options::{ApiOptions, InitAccess, InitApi, InitOptions};
use files::{POLICIES, SETTINGS, Tables};
use questions::Answers;

/// The reason why no files were written.
#[derive(Debug, thiserror::Error)]
enum InitError {
    #[error("there is a file {0} already: delete it, or run `thalweg init` in another folder")]
    Exists(&'static str),
    #[error("cannot write {0}: {1}")]
    Write(&'static str, io::Error),
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
    let answers = questions::ask(options)?;
    let words = ["thalweg".to_owned(), "--".to_owned(), answers.database.clone()];
    let api = ApiOptions::of_words(words, &[]).map_err(Failure::Usage)?;
    let inspected = block_on(inspect(&api))?;
    let tables = Tables::new(inspected.engine.tables());
    let secret = match answers.access {
        InitAccess::Everyone => None,
        InitAccess::Tokens => Some(token::secret().ok_or(InitError::Random)?),
    };
    write(SETTINGS, &files::settings(&answers, secret.as_deref()))?;
    let has_policies = answers.access == InitAccess::Tokens && answers.has_policies();
    if has_policies {
        write(POLICIES, &files::policies(&tables, answers.claim_of_role()))?;
    }
    print(&summary(&answers, &tables, secret.as_deref(), has_policies))
}

/// Creates a file that only its owner reads: it may have secrets.
fn write(file: &'static str, text: &str) -> Result<(), InitError> {
    let options = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let written = options.and_then(|mut file| file.write_all(text.as_bytes()));
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
    text.push_str("\nServe it:   thalweg serve\nCheck it:   thalweg check\n");
    if let (Some(secret), true) = (secret, has_policies) {
        let claim = answers.claim_of_role();
        let role = files::READER;
        text.push_str(&format!(
            "\nA token of the role `{role}`, for 30 days:\n{}\n",
            token::signed(secret, claim, role)
        ));
        text.push_str("Send it as the header `Authorization: Bearer TOKEN`.\n");
    } else if secret.is_some() && answers.api == InitApi::Hasura {
        text.push_str("\nSend `admin-secret` of the file as the header `x-hasura-admin-secret`.\n");
    }
    text
}
