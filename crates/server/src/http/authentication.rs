//! Authentication of requests: by tokens, or as Hasura does it.

use clients::egress::Client;
use engine::{Claims, Session};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName};
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::authenticated::{Authenticated, UsedCredentials};
use super::credentials::{AuthError, Credentials};
use super::hasura_sessions::{HasuraSessions, SessionError, is_admin};
use super::payload_token::with_token;
use super::refusal::Refusal;
use super::service::Service;
use super::session;

/// How requests are authenticated.
#[derive(Debug)]
pub(super) enum Authentication {
    Tokens(Box<Credentials>),
    Hasura(Box<HasuraSessions>),
}

impl Authentication {
    /// The kinds of credentials that are configured.
    pub(super) fn used(&self) -> UsedCredentials {
        match self {
            Self::Tokens(credentials) => {
                UsedCredentials { has_tokens: credentials.has_keys, ..UsedCredentials::default() }
            }
            Self::Hasura(sessions) => sessions.used(),
        }
    }

    /// The session of a request. `request` is the GraphQL request, if [`Self::reads_request`].
    pub(super) async fn find(
        &self,
        service: &Service,
        headers: &HeaderMap,
        request: Option<&Json>,
    ) -> Result<Authenticated, Refusal> {
        match self {
            Self::Tokens(credentials) => session::find(credentials, headers).await,
            Self::Hasura(sessions) => {
                let client = service.webhook.as_ref();
                let found = sessions.find(client, headers, request).await;
                let found = found.map_err(Refusal::Session)?;
                // Without permissions nothing would restrict the others.
                match is_admin(&found.session) || service.has_policies {
                    true => Ok(found),
                    false => Err(Refusal::Session(SessionError::NoPermissions)),
                }
            }
        }
    }

    /// The session of claims, and of headers that become settings. The error is the reason why there is
    /// none.
    pub(super) fn session_of(
        &self,
        claims: Option<Claims>,
        headers: &HeaderMap,
    ) -> Result<Session, String> {
        match self {
            Self::Tokens(credentials) => {
                let settings = credentials.settings(headers);
                let settings = settings.map_err(|error| String::from(&*error.error().message))?;
                let session = credentials.sessions.of_claims(claims, settings);
                session.map_err(|refused| format!("its claims are no session: {refused}"))
            }
            Self::Hasura(sessions) => {
                let session = sessions.session_of(claims.as_ref(), headers);
                session.map_err(|error| String::from(&*error.error().message))
            }
        }
    }

    /// A client of one thread for the webhook, if there is one.
    pub(super) fn webhook(&self) -> Option<Client> {
        match self {
            Self::Tokens(_) => None,
            Self::Hasura(sessions) => sessions.client(),
        }
    }

    /// Whether sessions depend on the GraphQL request.
    pub(super) fn reads_request(&self) -> bool {
        match self {
            Self::Tokens(_) => false,
            Self::Hasura(sessions) => sessions.reads_request(),
        }
    }

    /// Checks the credentials of a handshake, if it has any: the payload of the first message may have
    /// others. A webhook is asked when the connection is initialized.
    pub(super) async fn check_handshake(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Self::Tokens(credentials) = self else { return Ok(()) };
        match session::find(credentials, headers).await {
            Ok(_)
            | Err(
                Refusal::Credentials(AuthError::Missing)
                | Refusal::Unauthenticated(AuthError::Missing)
                | Refusal::ServiceToken(AuthError::Missing),
            ) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    /// The headers that authenticate a socket: those of the handshake and of the payload of its first
    /// message.
    pub(super) fn headers_of_socket(
        &self,
        headers: HeaderMap,
        payload: &Map<ByteString, Json>,
    ) -> Result<HeaderMap, Refusal> {
        match self {
            Self::Tokens(credentials) => {
                Ok(with_token(headers, credentials.token_header(), payload))
            }
            Self::Hasura(_) => {
                HasuraSessions::headers_of_socket(headers, payload).map_err(Refusal::Session)
            }
        }
    }

    /// The refusal of a session that has expired.
    pub(super) fn expired(&self) -> Refusal {
        match self {
            Self::Tokens(credentials) => session::refusal(credentials.profile, AuthError::Expired),
            Self::Hasura(_) => Refusal::Session(SessionError::TokenExpired),
        }
    }

    /// Whether a request has credentials.
    pub(super) fn has_credentials(&self, headers: &HeaderMap) -> Result<bool, Refusal> {
        match self {
            Self::Tokens(credentials) => {
                let token = credentials.token(headers).map_err(Refusal::Credentials)?;
                Ok(token.is_some() || headers.contains_key(AUTHORIZATION))
            }
            Self::Hasura(sessions) => Ok(sessions.has_credentials(headers)),
        }
    }

    /// Names of the headers on which sessions depend; `None` if they cannot be listed.
    pub(super) fn session_headers(&self) -> Option<Vec<HeaderName>> {
        match self {
            Self::Tokens(credentials) => Some(credentials.session_headers().collect()),
            Self::Hasura(_) => None,
        }
    }

    /// Names of the headers on which sessions of Hasura depend, beside those of session variables and
    /// the usual ones; `None` if they cannot be listed.
    pub(super) fn hasura_headers(&self) -> Option<Vec<HeaderName>> {
        match self {
            Self::Tokens(_) => None,
            Self::Hasura(sessions) => sessions.own_headers(),
        }
    }

    /// Returns true if a request has a header that becomes a setting.
    pub(super) fn has_settings(&self, headers: &HeaderMap) -> bool {
        match self {
            Self::Tokens(credentials) => credentials.has_settings(headers),
            Self::Hasura(sessions) => sessions.has_settings(headers),
        }
    }

    /// Whether requests without credentials are refused.
    pub(super) fn requires_credentials(&self) -> bool {
        match self {
            Self::Tokens(credentials) => credentials.requires_token,
            Self::Hasura(sessions) => sessions.requires_credentials(),
        }
    }

    /// Whether requests without credentials have every right, whatever the permissions are.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Tokens(_) => false,
            Self::Hasura(sessions) => sessions.is_open(),
        }
    }

    /// Starts to fetch keys.
    pub(super) fn begin(&self) {
        match self {
            Self::Tokens(credentials) => credentials.fetched.begin(),
            Self::Hasura(sessions) => sessions.begin(),
        }
    }

    /// Takes over the keys that another instance has fetched.
    pub(super) fn inherit(&mut self, before: &Self) {
        match (self, before) {
            (Self::Tokens(credentials), Self::Tokens(before)) => {
                credentials.fetched.inherit(&before.fetched);
            }
            (Self::Hasura(sessions), Self::Hasura(before)) => sessions.inherit(before),
            (Self::Tokens(_), Self::Hasura(_)) | (Self::Hasura(_), Self::Tokens(_)) => {}
        }
    }

    /// Logs what is accepted.
    pub(super) fn log_summary(&self) {
        match self {
            Self::Tokens(credentials) => credentials.log_audiences(),
            Self::Hasura(sessions) => sessions.log_summary(),
        }
    }
}
