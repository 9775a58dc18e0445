//! The questions of `thalweg init`, each with a default.

use std::io::{self, BufRead, Write};

use clap::ValueEnum;
use engine::SourceAddress;

use crate::failure::Failure;
use crate::options::{Address, InitAccess, InitApi, InitOptions, init_word};

/// The answers.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) database: String,
    pub(super) source: SourceAddress,
    pub(super) api: InitApi,
    pub(super) access: InitAccess,
    pub(super) listen: Address,
}

impl Answers {
    /// Whether roles have their rights in a policy file.
    pub(super) fn has_policies(&self) -> bool {
        !matches!(self.api, InitApi::Hasura | InitApi::Neo4j)
    }

    /// The claim of tokens that names the role. PostgreSQL takes the claim `role` as one of its own
    /// roles, which a new database does not have.
    pub(super) fn claim_of_role(&self) -> &'static str {
        match self.source {
            SourceAddress::Postgres(_) => "access",
            SourceAddress::Sqlite(_) | SourceAddress::Neo4j(_) => "role",
        }
    }
}

/// The database, by its text and by what it means.
pub(super) fn database(options: &InitOptions) -> Result<(String, SourceAddress), Failure> {
    let database = match &options.database {
        Some(database) => database.clone(),
        None if options.yes => {
            let message = "with `--yes` the database is an argument, such as `thalweg init --yes \
                           postgres://user@localhost/shop`";
            return Err(Failure::Usage(message.into()));
        }
        None => line(
            "Which database? A path of a SQLite file, or an address such as\n  \
                      postgres://user:password@localhost/shop or neo4j://localhost:7687\n",
        )?,
    };
    let source = SourceAddress::parse(&database).map_err(engine::OpenError::from)?;
    Ok((database, source))
}

/// Asks about all but the database.
pub(super) fn ask(
    options: &InitOptions,
    database: String,
    source: SourceAddress,
) -> Result<Answers, Failure> {
    let is_graph = source.is_graph();
    let default = if is_graph { InitApi::Neo4j } else { InitApi::Modern };
    let api = match options.api {
        Some(api) => api,
        // A graph has one.
        None if options.yes || is_graph => default,
        None => choice("Which API?", default)?,
    };
    if (api == InitApi::Neo4j) != is_graph {
        let message = match is_graph {
            true => "a graph has the API `neo4j`: leave `--api` out",
            false => "`--api neo4j` is for graphs; a database with tables has `--api modern`",
        };
        return Err(Failure::Usage(message.into()));
    }
    let access = match options.access {
        Some(access) => access,
        None if options.yes => InitAccess::Everyone,
        None => choice("Who may use it?", InitAccess::Everyone)?,
    };
    let listen = match &options.listen {
        Some(listen) => listen.clone(),
        None if options.yes => default_listen()?,
        None => address()?,
    };
    Ok(Answers { database, source, api, access, listen })
}

/// Asks until a line can be used; the end of the input gives the default.
fn choice<T: ValueEnum>(question: &str, default: T) -> Result<T, Failure> {
    let default_word = init_word(&default);
    let mut text = format!("{question}\n");
    for value in T::value_variants() {
        let Some(possible) = value.to_possible_value() else { continue };
        let help = possible.get_help().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("  {:<14}{help}\n", possible.get_name()));
    }
    loop {
        let answer = line(&format!("{text}[{default_word}] "))?;
        if answer.is_empty() {
            return Ok(default);
        }
        match T::from_str(&answer, true) {
            Ok(value) => return Ok(value),
            Err(_) => text = format!("`{answer}` is none of them. {question}\n"),
        }
    }
}

fn default_listen() -> Result<Address, Failure> {
    InitOptions::default_listen().parse().map_err(Failure::Usage)
}

fn address() -> Result<Address, Failure> {
    let default = InitOptions::default_listen();
    let mut text = "Which address to listen on?\n".to_owned();
    loop {
        let answer = line(&format!("{text}[{default}] "))?;
        if answer.is_empty() {
            return default_listen();
        }
        match answer.parse::<Address>() {
            Ok(address) => return Ok(address),
            Err(error) => text = format!("{error}.\n"),
        }
    }
}

/// Asks for a line, on standard error: standard output has the result.
fn line(question: &str) -> Result<String, Failure> {
    let mut output = io::stderr().lock();
    let asked = output.write_all(question.as_bytes()).and_then(|()| output.flush());
    asked.map_err(Failure::Output)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(Failure::other)?;
    Ok(answer.trim().to_owned())
}
