//! Errors of authentication, with the codes and the texts that Hasura's clients know.

use graphql::{ErrorCode, GraphQLError};
use hyper::StatusCode;
use hyper::header::HeaderName;

/// The reason why a request has no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::http) enum SessionError {
    /// The admin secret is the only credential, and the request has none.
    SecretMissing,
    SecretWrong,
    TokenMissing,
    /// The header `Authorization` is not `Bearer` with a token.
    TokenMalformed,
    /// Several settings of tokens match the tokens of the request.
    TokensAmbiguous,
    TokenExpired,
    /// No key has signed the token, or a claim does not hold.
    TokenInvalid(Box<str>),
    /// The claims do not name the roles.
    RoleClaimMissing(&'static str),
    /// The claims are not those that the settings describe.
    ClaimsInvalid(Box<str>),
    RoleNotAllowed,
    /// The API has permissions for no role but `admin`.
    NoPermissions,
    /// A header cannot be a session variable.
    Header(HeaderName),
    /// The header for permissions of backends is no boolean.
    BackendOnly,
    /// The keys of tokens cannot be fetched.
    NoKeys,
    /// The webhook refuses the request.
    HookRefused,
    /// The webhook cannot be reached.
    HookUnreachable,
    /// The webhook gives an answer that is no session.
    HookAnswer(Box<str>),
    /// The webhook names no role.
    HookRoleMissing,
}

/// The headers of the admin secret, as errors name them.
const SECRETS: &str = "x-hasura-admin-secret/x-hasura-access-key";

impl SessionError {
    pub(in crate::http) fn status(&self) -> StatusCode {
        match self {
            Self::SecretMissing | Self::SecretWrong | Self::HookRefused => StatusCode::UNAUTHORIZED,
            Self::TokenMissing
            | Self::TokenMalformed
            | Self::TokensAmbiguous
            | Self::TokenExpired
            | Self::TokenInvalid(_)
            | Self::RoleClaimMissing(_)
            | Self::ClaimsInvalid(_)
            | Self::RoleNotAllowed
            | Self::NoPermissions
            | Self::Header(_)
            | Self::BackendOnly
            | Self::HookRoleMissing => StatusCode::BAD_REQUEST,
            Self::NoKeys => StatusCode::SERVICE_UNAVAILABLE,
            Self::HookUnreachable | Self::HookAnswer(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The code in Hasura's form.
    fn hasura_code(&self) -> &'static str {
        match self {
            Self::SecretMissing
            | Self::SecretWrong
            | Self::RoleNotAllowed
            | Self::NoPermissions
            | Self::HookRefused => "access-denied",
            Self::TokenMissing | Self::TokenMalformed | Self::TokensAmbiguous => "invalid-headers",
            Self::TokenExpired | Self::TokenInvalid(_) => "invalid-jwt",
            Self::RoleClaimMissing(_) => "jwt-missing-role-claims",
            Self::ClaimsInvalid(_) => "jwt-invalid-claims",
            Self::Header(_) | Self::BackendOnly => "bad-request",
            Self::HookRoleMissing => "invalid-params",
            Self::NoKeys | Self::HookUnreachable | Self::HookAnswer(_) => "unexpected",
        }
    }

    /// The code under which the error is counted.
    fn code(&self) -> ErrorCode {
        match self {
            Self::SecretMissing
            | Self::SecretWrong
            | Self::TokenMissing
            | Self::TokenExpired
            | Self::TokenInvalid(_)
            | Self::RoleClaimMissing(_)
            | Self::ClaimsInvalid(_)
            | Self::HookRefused => ErrorCode::Unauthenticated,
            Self::RoleNotAllowed | Self::NoPermissions => ErrorCode::PermissionDenied,
            Self::TokenMalformed
            | Self::TokensAmbiguous
            | Self::Header(_)
            | Self::BackendOnly
            | Self::HookRoleMissing => ErrorCode::BadUserInput,
            Self::NoKeys | Self::HookUnreachable | Self::HookAnswer(_) => ErrorCode::Unavailable,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::SecretMissing => format!("{SECRETS} required, but not found"),
            // Clients compare this text.
            Self::SecretWrong => {
                "invalid \"x-hasura-admin-secret\"/\"x-hasura-access-key\"".to_owned()
            }
            Self::TokenMissing => {
                "Missing 'Authorization' or 'Cookie' header in JWT authentication mode".to_owned()
            }
            Self::TokenMalformed => "Malformed Authorization header".to_owned(),
            Self::TokensAmbiguous => "Could not verify JWT: Multiple JWTs found".to_owned(),
            Self::TokenExpired => "Could not verify JWT: JWTExpired".to_owned(),
            Self::TokenInvalid(reason) => format!("Could not verify JWT: {reason}"),
            Self::RoleClaimMissing(claim) => format!("JWT claim does not contain {claim}"),
            Self::ClaimsInvalid(reason) => reason.to_string(),
            Self::RoleNotAllowed => "Your requested role is not in allowed roles".to_owned(),
            Self::NoPermissions => {
                "Your requested role has no permissions: there are some for \"admin\" only"
                    .to_owned()
            }
            Self::Header(name) => {
                format!("{name}: must be one short text without control characters")
            }
            Self::BackendOnly => {
                // With the spaces of Hasura's text.
                "x-hasura-use-backend-only-permissions:  Not a valid boolean text. True values are \
                 [\"true\",\"t\",\"yes\",\"y\"] and  False values are [\"false\",\"f\",\"no\",\"n\"]. \
                 All values are case insensitive"
                    .to_owned()
            }
            Self::NoKeys => {
                "Could not verify JWT: the keys cannot be fetched; try again later".to_owned()
            }
            Self::HookRefused => "Authentication hook unauthorized this request".to_owned(),
            Self::HookUnreachable => "webhook authentication request failed".to_owned(),
            Self::HookAnswer(reason) if reason.is_empty() => {
                "Invalid response from authorization hook".to_owned()
            }
            Self::HookAnswer(reason) => {
                format!("Invalid response from authorization hook: {reason}")
            }
            Self::HookRoleMissing => "x-hasura-role not found in session variables".to_owned(),
        }
    }

    /// The error of the response.
    pub(in crate::http) fn error(&self) -> GraphQLError {
        GraphQLError::new(self.code(), self.message())
            .with_extension("path", "$")
            .with_extension("code", self.hasura_code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_form_that_clients_of_hasura_know() {
        let check = |error: SessionError, status: u16, expected: &str| {
            let mut text = Vec::new();
            error.error().write_json(&mut text);
            assert_eq!(String::from_utf8(text).unwrap(), expected);
            assert_eq!(error.status(), status);
        };
        check(
            SessionError::SecretMissing,
            401,
            r#"{"message":"x-hasura-admin-secret/x-hasura-access-key required, but not found","extensions":{"code":"access-denied","path":"$"}}"#,
        );
        check(
            SessionError::TokenExpired,
            400,
            r#"{"message":"Could not verify JWT: JWTExpired","extensions":{"code":"invalid-jwt","path":"$"}}"#,
        );
        check(
            SessionError::HookAnswer("".into()),
            500,
            r#"{"message":"Invalid response from authorization hook","extensions":{"code":"unexpected","path":"$"}}"#,
        );
    }
}
