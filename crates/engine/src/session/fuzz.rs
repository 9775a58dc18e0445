//! Fuzzing of invalid tokens.
//!
//! An input is two lines, the header and the claims, which the right secret signs: checks behind
//! the signature must hold for any contents, since a trusted issuer may copy foreign values into
//! its tokens. The lines are tried as parts of a token, too, as attackers without a secret would
//! send them.

use std::path::Path;

use testkit::fuzz::{Choices, Target, mutate};
use testkit::tokens::Issuer;

use super::mapping::is_setting;
use super::tests::{NOW, now, with_secret};
use super::*;

/// Texts with a meaning in JSON, in claims, or in settings.
const PIECES: [&[u8]; 32] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\n",
    b".",
    b"null",
    b"true",
    b"-1",
    b"1e308",
    b"1e400",
    b"18446744073709551616",
    b"\"\"",
    b"\"none\"",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"\"alg\":\"none\"",
    b"\"alg\":\"HS256\"",
    b"\"alg\":\"RS256\"",
    b"\"crit\":[]",
    b"\"kid\":",
    b"\"role\":",
    b"\"exp\":",
    b"\"aud\":",
    b"\"a.b\":1",
    b"\"\xc3\xa9\":1",
    b"\xff",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

fn make(choices: &mut Choices<'_>, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = choices.pick(seeds).cloned().unwrap_or_default();
    mutate::mutate(&mut input, &PIECES, choices);
    input
}

fn check(input: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(input);
    let (header, claims) = text.split_once('\n').unwrap_or(("{}", &text));
    let sessions = with_secret(Rules::default());
    // Signed with another secret.
    for forged in [text.to_string(), Issuer::secret("another").sign(header, claims)] {
        if sessions.check(&forged, &[], 0, now()).is_ok() {
            return Err("it was not signed, and is taken".into());
        }
    }
    let token = Issuer::secret("a secret of more than thirty-two bytes").sign(header, claims);
    let Ok(verified) = sessions.check(&token, &[], 0, now()) else { return Ok(()) };
    if verified.until.is_some_and(|until| until <= NOW as f64) {
        return Err("it is over, and is taken".into());
    }
    for (name, value) in &verified.pairs {
        if !is_setting(name) || value.contains('\0') {
            return Err(format!("{name:?} is set to {value:?}"));
        }
        if **name == *"role" && (value.is_empty() || **value == *"none") {
            return Err(format!("the role is {value:?}"));
        }
    }
    Ok(())
}

#[test]
fn what_is_in_a_token_is_held_within_bounds() {
    let target = Target { name: "token", cases: 3_000, make: &make, check: &check };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    target.run(&fixtures).unwrap();
}
