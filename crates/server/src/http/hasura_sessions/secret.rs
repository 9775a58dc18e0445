//! The admin secret.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use hyper::header::HeaderMap;
use sha2::{Digest, Sha256};

use super::error::SessionError;

/// The headers that may have the secret; the second is that of older clients.
pub(super) const HEADERS: [&str; 2] = ["x-hasura-admin-secret", "x-hasura-access-key"];

/// The digest of the secret, so that a comparison tells nothing about its length.
pub(super) struct AdminSecret([u8; 32]);

impl AdminSecret {
    pub(super) fn new(secret: &str) -> Self {
        Self(digest(secret.as_bytes()))
    }

    /// Whether a request has the secret. Another secret is an error.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> Result<bool, SessionError> {
        let mut given = HEADERS.iter().flat_map(|name| headers.get_all(*name)).peekable();
        if given.peek().is_none() {
            return Ok(false);
        }
        // In a time that does not depend on where they differ.
        let is_equal = |value: &[u8]| verify_slices_are_equal(&digest(value), &self.0).is_ok();
        match given.all(|value| is_equal(value.as_bytes())) {
            true => Ok(true),
            false => Err(SessionError::SecretWrong),
        }
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Without the digest, from which a short secret could be found.
impl fmt::Debug for AdminSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminSecret")
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn only_the_secret_is_taken() {
        let check = |headers: &[(&'static str, &'static str)], expected| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(AdminSecret::new("secret").is_in(&map), expected, "{headers:?}");
        };
        let wrong = || Err(SessionError::SecretWrong);
        check(&[], Ok(false));
        check(&[("x-hasura-role", "secret")], Ok(false));
        check(&[("x-hasura-admin-secret", "secret")], Ok(true));
        check(&[("x-hasura-access-key", "secret")], Ok(true));
        check(&[("x-hasura-admin-secret", "")], wrong());
        check(&[("x-hasura-admin-secret", "Secret")], wrong());
        check(&[("x-hasura-admin-secret", "secret ")], wrong());
        check(&[("x-hasura-admin-secret", "secrets")], wrong());
        let both = [("x-hasura-admin-secret", "secret"), ("x-hasura-access-key", "other")];
        check(&both, wrong());
        assert_eq!(format!("{:?}", AdminSecret::new("secret")), "AdminSecret");
    }
}
