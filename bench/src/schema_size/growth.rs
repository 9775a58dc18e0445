//! Start, statements and memory of a server.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::database::Place;
use super::failure::SizeError;
use super::operations::{self, INTROSPECTION, ask, ask_with};
use super::report::{Growth, Introspection};
use super::{Subject, metadata, progress};
use crate::http::Connection;
use crate::process::{cpu_seconds, peak, resident};

/// Rounds of requests after the whole schema was asked for, with pauses between them.
const LATER: usize = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// The message of an answer that is larger than the server's limit, as the schema of thousands of tables
/// may be. The code differs between dialects.
const TOO_LARGE: &str = "the answer would be larger than";

/// Starts a server over a database and asks it for rows, then for its schema.
pub(super) fn measure(
    subject: &Subject<'_>,
    place: &Place,
    tables: usize,
    roles: Option<usize>,
    address: &str,
) -> Result<Growth, SizeError> {
    progress(&format!("{}: starting on {tables} tables", subject.name()));
    let logged = place.logged_statements()?;
    let folder = tempfile::tempdir()?;
    let metadata = folder.path().join("metadata.json");
    let mut words = Vec::new();
    if let Some(roles) = roles {
        fs::write(&metadata, metadata::metadata(tables, roles).to_string())?;
        words.extend(["--metadata".into(), metadata.into_os_string()]);
    }
    let server = subject.start_with(&[], address, folder.path(), &words)?;
    let start_cpu_seconds = cpu_seconds(server.process())?;
    let logged_then = place.logged_statements()?;
    let mut connection = Connection::open(server.port)?;
    for operation in subject.dialect.warm() {
        ask(&mut connection, &operation.body())?;
    }
    let kilobytes = resident(server.process())? / 1_024;
    let peak_kilobytes = peak(server.process())? / 1_024;
    let kilobytes_after_roles = match roles {
        Some(roles) => {
            let request = operations::body(metadata::REQUEST, &Json::Null);
            for role in 0..roles {
                ask_with(&mut connection, &request, &metadata::session(role))?;
            }
            Some(resident(server.process())? / 1_024)
        }
        None => None,
    };
    let introspection = operations::body(INTROSPECTION, &Json::Null);
    let begin = Instant::now();
    let introspection = match ask(&mut connection, &introspection) {
        Ok(schema) => {
            Some(Introspection { seconds: begin.elapsed().as_secs_f64(), bytes: schema.len() })
        }
        Err(SizeError::Refused(text)) if text.contains(TOO_LARGE) => None,
        Err(error) => return Err(error),
    };
    // An allocator gives memory back when some is asked for later.
    for _ in 0..LATER {
        thread::sleep(PAUSE);
        for operation in subject.dialect.warm() {
            ask(&mut connection, &operation.body())?;
        }
    }
    Ok(Growth {
        source: subject.family.name(),
        dialect: subject.dialect.name(),
        tables,
        roles,
        start_seconds: server.start_time.as_secs_f64(),
        start_cpu_seconds,
        statements: logged_then.zip(logged).map(|(then, before)| then.saturating_sub(before)),
        kilobytes,
        peak_kilobytes,
        kilobytes_after_roles,
        introspection,
        kilobytes_after_introspection: resident(server.process())? / 1_024,
    })
}
