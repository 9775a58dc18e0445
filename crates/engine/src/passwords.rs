//! Passwords of a request: hashes of new ones, and comparison of given ones with stored hashes.
//!
//! A hash takes a processor about a twentieth of a second. So each is computed on a thread of its
//! own, few of them at once, and a request waits for one after the other: a request that is
//! abandoned computes no further one. The comparison with an unknown row takes the same time as that
//! with an existing one.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use bcrypt::{HashParts, Version};
use dialects::StatedPassword;
use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError};
use ir::Operand;
use response::{MemoryReservation, Sink};
use source::operand::{Password, resolve};
use source::{ExecuteParams, Observed, Session, Variables};
use sources::Plan;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::engine::Engine;
use crate::enum_tables::{member, shape};
use crate::prepare::{Prepared, compile_error};
use crate::respond::our_bug;
use crate::worker::Worker;

/// The logarithm of the number of rounds: Dgraph's.
const COST: u32 = 10;

/// The shortest password, in bytes: Dgraph's.
const SHORTEST: usize = 6;

/// The longest password, in bytes: a hash depends on no more of them.
const LONGEST: usize = 72;

/// Limit of the passwords of one request, which occupy a processor for five seconds.
const MOST: usize = 100;

/// The most bytes of a stored hash in an answer.
const BYTES: u64 = 4 << 10;

/// Hashes that are computed at once: the other processors serve requests.
static HASHING: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    Semaphore::new((processors / 2).max(1))
});

/// The hash with which a password is compared if there is no row; a match does not count.
static UNKNOWN: LazyLock<Option<String>> = LazyLock::new(|| hash("unknown"));

/// A password with the compiled read of its stored hash.
#[derive(Debug)]
pub(crate) struct PreparedPassword {
    pub(crate) given: Operand,
    /// `None` for a new password.
    pub(crate) stored: Option<Plan>,
    location: Location,
}

impl Engine {
    /// Compiles the reads of stored hashes.
    pub(crate) fn prepare_passwords(
        &self,
        stated: Vec<StatedPassword>,
    ) -> Result<Box<[PreparedPassword]>, Vec<GraphQLError>> {
        let prepare = |StatedPassword { given, stored, location }: StatedPassword| {
            let compile = |request| self.source.compile(&self.catalog, &request, shape(1));
            let stored = stored.map(compile).transpose();
            let stored = stored.map_err(|error| vec![compile_error(&error)])?;
            Ok(PreparedPassword { given, stored, location })
        };
        stated.into_iter().map(prepare).collect()
    }
}

impl Worker {
    /// Hashes and compares the passwords of a request.
    pub(crate) async fn passwords(
        &self,
        prepared: &Prepared,
        variables: Variables<'_>,
        session: &Session,
    ) -> Result<Vec<Password>, GraphQLError> {
        let stated = &prepared.passwords;
        if stated.len() > MOST {
            let message =
                format!("The request has {} passwords; {MOST} are allowed.", stated.len());
            return Err(GraphQLError::new(ErrorCode::QueryTooComplex, message));
        }
        let mut passwords = Vec::with_capacity(stated.len());
        // An invalid one is refused before any is hashed.
        for own in stated {
            let given = resolve(&own.given, variables)
                .map_err(|error| self.engine.map_error(&error).at(own.location))?;
            let given: Option<Box<str>> = given.text().map(|text| (*text).into());
            if own.stored.is_none() {
                check_new(given.as_deref()).map_err(|error| error.at(own.location))?;
            }
            passwords.push(Password { given, hash: None });
        }
        for (own, password) in stated.iter().zip(&mut passwords) {
            let Some(given) = password.given.clone() else { continue };
            password.hash = match &own.stored {
                None => on_its_own_thread(move || hash(&given).map(Into::into)).await,
                Some(plan) => {
                    let stored = self.stored_hash(plan, variables, session, own.location).await?;
                    on_its_own_thread(move || matched(&given, stored)).await
                }
            };
            if own.stored.is_none() && password.hash.is_none() {
                return Err(our_bug("a password cannot be hashed"));
            }
        }
        Ok(passwords)
    }

    /// Reads the hash with which a password is compared.
    async fn stored_hash(
        &self,
        plan: &Plan,
        variables: Variables<'_>,
        session: &Session,
        location: Location,
    ) -> Result<Option<Box<str>>, GraphQLError> {
        let sink = Sink::new(Vec::new(), BYTES, MemoryReservation::default());
        let params =
            ExecuteParams { variables, session, echoes: &[], cost: 0, time_limit: self.time_limit };
        let written = self.connections.answer(plan, params, sink, &mut Observed::default()).await;
        let failed = |_| {
            GraphQLError::new(ErrorCode::SourceError, "The password cannot be compared.")
                .at(location)
        };
        let written = written.map_err(failed)?;
        let answer: serde_json::Value = serde_json::from_slice(&written.data).unwrap_or_default();
        let row = answer.get("rows").and_then(|rows| rows.get(0));
        let hash = row.and_then(|row| row.get(member(0))?.as_str());
        Ok(hash.map(Into::into))
    }
}

/// Refuses a password that Dgraph refuses, or of which the end would not count.
fn check_new(given: Option<&str>) -> Result<(), GraphQLError> {
    let length = given.map_or(0, str::len);
    if (SHORTEST..=LONGEST).contains(&length) && !given.is_some_and(|text| text.contains('\0')) {
        return Ok(());
    }
    let message =
        format!("A password has {SHORTEST} to {LONGEST} bytes in UTF-8, none of them zero.");
    Err(GraphQLError::new(ErrorCode::BadUserInput, message))
}

/// Runs long work on another thread, queued for a processor; `None` if the thread died.
async fn on_its_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    // The semaphore is never closed.
    let turn = HASHING.acquire().await.ok();
    let done = spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    done.await.ok().flatten()
}

/// The hash of a new password, in the form of Dgraph's.
fn hash(password: &str) -> Option<String> {
    let parts: HashParts = bcrypt::hash_with_result(password, COST).ok()?;
    Some(parts.format_for_version(Version::TwoA))
}

/// The stored hash, if the password matches it.
fn matched(given: &str, stored: Option<Box<str>>) -> Option<Box<str>> {
    let known = stored.as_deref().or(UNKNOWN.as_deref())?;
    let is_equal = bcrypt::verify(given, known).unwrap_or(false);
    stored.filter(|_| is_equal && given.len() >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::{check_new, hash, matched};

    /// The hash of `correct horse` in Dgraph's form.
    const STORED: &str = "$2a$10$aaaaaaaaaaaaaaaaaaaaaeha.ihWoOp1ln39EqNWMpp7z6sZsWmMe";

    #[test]
    fn hashes_of_exports_match() {
        let check = |given: &str, expect: bool| {
            assert_eq!(matched(given, Some(STORED.into())).is_some(), expect, "{given}");
        };
        check("correct horse", true);
        check("correct horse ", false);
        check("Correct horse", false);
        check("", false);
    }

    #[test]
    fn a_hash_matches_its_password_alone() {
        let own = hash("secret one").unwrap();
        assert!(own.starts_with("$2a$10$"), "{own}");
        assert_ne!(hash("secret one").unwrap(), own, "it has a salt");
        let stored = || Some(own.as_str().into());
        assert_eq!(matched("secret one", stored()).as_deref(), Some(own.as_str()));
        assert_eq!(matched("secret two", stored()), None);
    }

    #[test]
    fn nothing_matches_without_a_hash() {
        assert_eq!(matched("unknown", None), None);
        assert_eq!(matched("unknown", Some("no hash".into())), None);
        assert_eq!(matched("unknown", Some("".into())), None);
    }

    #[test]
    fn short_and_long_passwords_are_refused() {
        let check = |given: &str, expect: bool| assert_eq!(check_new(Some(given)).is_ok(), expect);
        check("12345", false);
        check("123456", true);
        check("äöü", true);
        check(&"x".repeat(72), true);
        check(&"x".repeat(73), false);
        check("1234567\0", false);
        assert!(check_new(None).is_err());
    }
}
