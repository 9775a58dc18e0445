//! Passwords of a request, which are hashed and compared before it runs: one after the other, so that
//! an abandoned request computes no further hash.

use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError};
use response::{MemoryReservation, Sink};
use source::operand::{Password, resolve};
use source::{ExecuteParams, Freshness, Observed, Session, Variables};
use sources::Plan;

use super::Worker;
use crate::enum_tables::member;
use crate::passwords::{check_new, compare_each, hash_new};
use crate::prepare::Prepared;
use crate::respond::our_bug;

/// Limit of the hashes that one request computes, which occupy a processor for five seconds.
const MOST: usize = 100;

/// The most bytes of a stored hash in an answer.
const BYTES: u64 = 4 << 10;

impl Worker {
    /// Hashes and compares the passwords of a request.
    pub(super) async fn passwords(
        &self,
        prepared: &Prepared,
        variables: Variables<'_>,
        session: &Session,
    ) -> Result<Vec<Password>, GraphQLError> {
        let stated = &prepared.passwords;
        check_count(stated.len())?;
        let mut passwords = Vec::with_capacity(stated.len());
        // An invalid one is refused before any is hashed.
        for own in stated {
            let given = resolve(&own.given, variables)
                .map_err(|error| self.engine.map_error(&error).at(own.location))?;
            let given: Option<Box<str>> = given.text().map(|text| (*text).into());
            if own.stored.is_none() {
                check_new(given.as_deref()).map_err(|error| error.at(own.location))?;
            }
            passwords.push(Password { given, hashes: Vec::new() });
        }
        let mut stored = Vec::with_capacity(stated.len());
        for (own, password) in stated.iter().zip(&passwords) {
            stored.push(match &own.stored {
                Some(plan) if password.given.is_some() => {
                    Some(self.stored_hashes(plan, variables, session, own.location).await?)
                }
                Some(_) | None => None,
            });
        }
        // A password is compared with the hash of each row, or with one if there is no row.
        let of_rows = |hashes: &Option<Vec<_>>| hashes.as_ref().map_or(1, |rows| rows.len().max(1));
        check_count(stored.iter().map(of_rows).sum())?;
        for (password, stored) in passwords.iter_mut().zip(stored) {
            let Some(given) = password.given.clone() else { continue };
            password.hashes = match stored {
                Some(stored) => compare_each(given, stored).await,
                None => match hash_new(given).await {
                    Some(hash) => vec![hash],
                    None => return Err(our_bug("a password cannot be hashed")),
                },
            };
        }
        Ok(passwords)
    }

    /// Reads the hashes with which a password is compared: those of one row, or of a row of each of
    /// several types.
    async fn stored_hashes(
        &self,
        plan: &Plan,
        variables: Variables<'_>,
        session: &Session,
        location: Location,
    ) -> Result<Vec<Option<Box<str>>>, GraphQLError> {
        let sink = Sink::new(Vec::new(), BYTES, MemoryReservation::default());
        let params = ExecuteParams {
            variables,
            session,
            freshness: Freshness::Newest,
            echoes: &[],
            cost: 0,
            time_limit: self.time_limit,
            recorders: None,
        };
        let written = self.connections.answer(plan, params, sink, &mut Observed::default()).await;
        let failed = |_| {
            GraphQLError::new(ErrorCode::SourceError, "The password cannot be compared.")
                .at(location)
        };
        let written = written.map_err(failed)?;
        let answer: serde_json::Value = serde_json::from_slice(&written.data).unwrap_or_default();
        let rows = answer.get("rows").and_then(|rows| rows.as_array());
        let hash = |row: &serde_json::Value| Some(row.get(member(0))?.as_str()?.into());
        Ok(rows.map(|rows| rows.iter().map(hash).collect()).unwrap_or_default())
    }
}

/// Refuses a request that computes too many hashes.
fn check_count(count: usize) -> Result<(), GraphQLError> {
    if count <= MOST {
        return Ok(());
    }
    let message = format!("The request has {count} passwords; {MOST} are allowed.");
    Err(GraphQLError::new(ErrorCode::QueryTooComplex, message))
}
