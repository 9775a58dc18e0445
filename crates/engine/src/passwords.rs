//! Passwords of a request: hashes of new ones, and comparison of given ones with stored hashes.
//!
//! A hash takes a processor about a twentieth of a second. So each is computed on a thread of its
//! own, few of them at once. The comparison with an unknown row takes the same time as that with an
//! existing one; an identifier of an interface that several rows have takes the time of each of them,
//! also of those that rules hide.

use std::sync::LazyLock;
use std::thread::available_parallelism;

use bcrypt::{HashParts, Version};
use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError};
use ir::Operand;
use sources::Plan;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The logarithm of the number of rounds: Dgraph's.
const COST: u32 = 10;

/// The shortest password, in bytes: Dgraph's.
const SHORTEST: usize = 6;

/// The longest password, in bytes: a hash depends on no more of them.
const LONGEST: usize = 72;

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
    pub(crate) location: Location,
}

/// Refuses a password that Dgraph refuses, or of which the end would not count.
pub(crate) fn check_new(given: Option<&str>) -> Result<(), GraphQLError> {
    let length = given.map_or(0, str::len);
    if (SHORTEST..=LONGEST).contains(&length) && !given.is_some_and(|text| text.contains('\0')) {
        return Ok(());
    }
    let message =
        format!("A password has {SHORTEST} to {LONGEST} bytes in UTF-8, none of them zero.");
    Err(GraphQLError::new(ErrorCode::BadUserInput, message))
}

/// The hash of a new password.
pub(crate) async fn hash_new(password: Box<str>) -> Option<Box<str>> {
    on_its_own_thread(move || hash(&password).map(Into::into)).await
}

/// The stored hashes that the password matches.
pub(crate) async fn compare_each(
    given: Box<str>,
    mut stored: Vec<Option<Box<str>>>,
) -> Vec<Box<str>> {
    if stored.is_empty() {
        stored.push(None);
    }
    let mut found = Vec::new();
    for own in stored {
        let given = given.clone();
        found.extend(on_its_own_thread(move || matched(&given, own)).await);
    }
    found
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
