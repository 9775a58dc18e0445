//! Sessions as Hasura has them: a role and session variables, from the admin secret, a token or a
//! webhook. The claims of the session are these variables, by their names in lower case.
//!
//! * `secret`: the admin secret
//! * `variables`: session variables, and the session that they make
//! * `jwt_config`: settings of tokens
//! * `json_path`: paths to claims
//! * `claims`: from the claims of a token to its roles and variables
//! * `tokens`: verification of tokens
//! * `webhook`, `hook_answer`, `hook_cache`: sessions of a webhook
//! * `error`: errors in the form that Hasura's clients know

mod claims;
mod error;
mod hook_answer;
mod hook_cache;
mod json_path;
mod jwt_config;
mod secret;
mod tokens;
mod variables;
mod webhook;

use clients::egress::Client;
use engine::session::Verified;
use engine::{Claims, Session};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json_bytes::{ByteString, Map, Value as Json};
use tokio::time::Instant;

pub(super) use self::error::SessionError;
use self::jwt_config::TokenLocation;
use self::secret::AdminSecret;
use self::tokens::{TokenVerifier, TokenVerifiers, refused};
pub(super) use self::variables::{ADMIN, ROLE};
use self::variables::{BackendOnly, SessionVariables, role_of};
use self::webhook::Webhook;
use super::authenticated::{Authenticated, UsedCredentials, instant};
use super::header_settings::HeaderSettings;
use crate::failure::Failure;
use crate::options::{AllowedOrigin, AuthOptions, HasuraAuth, HasuraEnvironment, OriginOptions};

/// Header that only senders with the right to it can have: the beginning of their names.
const PREFIX: &str = "x-hasura-";

/// How requests get their sessions.
#[derive(Debug)]
pub(super) struct HasuraSessions {
    /// Without it every request may have any role.
    admin_secret: Option<AdminSecret>,
    credentials: ClientCredentials,
    /// Settings of a PostgreSQL session.
    settings: HeaderSettings,
    environment: HasuraEnvironment,
}

/// The credentials of requests without the admin secret.
#[derive(Debug)]
enum ClientCredentials {
    /// None; the role of such requests, if they have one.
    None { role: Option<Box<str>> },
    /// Tokens; the role of requests without one, if they have one.
    Tokens { verifiers: TokenVerifiers, role: Option<Box<str>> },
    /// What the webhook says.
    Webhook(Box<Webhook>),
}

/// What is found about a request before anything is awaited.
enum Credential<'s, 'h> {
    Session(Authenticated),
    /// A token that none of the known keys has signed.
    Unsigned {
        verifier: &'s TokenVerifier,
        token: std::borrow::Cow<'h, str>,
    },
    /// The webhook decides.
    Asked(&'s Webhook),
}

impl HasuraSessions {
    pub(super) fn new(
        auth: HasuraAuth,
        options: &AuthOptions,
        origins: &OriginOptions,
    ) -> Result<Self, Failure> {
        let HasuraAuth { admin_secret, jwt, unauthorized_role: role, hook, environment } = auth;
        let credentials = match (jwt, hook) {
            (_, Some(hook)) => {
                let hook = Webhook::new(hook).map_err(Failure::other)?;
                ClientCredentials::Webhook(Box::new(hook))
            }
            (None, None) => ClientCredentials::None { role },
            (Some(setting), None) => {
                let refuse =
                    |problem: String| Failure::Usage(format!("`{}`: {problem}", setting.name));
                let configs = jwt_config::parse(&setting.text).map_err(refuse)?;
                let verifiers = TokenVerifiers::new(configs);
                let has_cookie = verifiers
                    .locations()
                    .any(|location| matches!(location, TokenLocation::Cookie(_)));
                if has_cookie && origins.allowed_origins.contains(&AllowedOrigin::Any) {
                    return Err(refuse(
                        "with a cookie, `--allowed-origins` must list each origin; `*` would give \
                         every page the permissions of its visitor"
                            .to_owned(),
                    ));
                }
                ClientCredentials::Tokens { verifiers, role }
            }
        };
        Ok(Self {
            admin_secret: admin_secret.as_deref().map(AdminSecret::new),
            credentials,
            settings: HeaderSettings::new(options),
            environment,
        })
    }

    /// Names of headers of tokens, and of those that become settings; `None` with a webhook, which reads
    /// all headers.
    pub(super) fn own_headers(&self) -> Option<Vec<HeaderName>> {
        let mut names: Vec<HeaderName> = self.settings.names().cloned().collect();
        match &self.credentials {
            ClientCredentials::None { .. } => {}
            ClientCredentials::Tokens { verifiers, .. } => {
                names.extend(verifiers.locations().filter_map(|location| match location {
                    TokenLocation::Header(name) => Some(name.clone()),
                    TokenLocation::Authorization | TokenLocation::Cookie(_) => None,
                }));
            }
            ClientCredentials::Webhook(_) => return None,
        }
        Some(names)
    }

    /// The session of a request. `client` is that of the thread for the webhook, and `request` the
    /// GraphQL request, if the webhook reads it.
    pub(super) async fn find(
        &self,
        client: Option<&Client>,
        headers: &HeaderMap,
        request: Option<&Json>,
    ) -> Result<Authenticated, SessionError> {
        match self.find_now(headers)? {
            Credential::Session(authenticated) => Ok(authenticated),
            // Boxed: waiting for keys is rare, and every request would need the space.
            Credential::Unsigned { verifier, token } => {
                Box::pin(self.find_with_new_keys(verifier, &token, headers)).await
            }
            Credential::Asked(hook) => Box::pin(self.ask(hook, client, headers, request)).await,
        }
    }

    fn find_now<'h>(&self, headers: &'h HeaderMap) -> Result<Credential<'_, 'h>, SessionError> {
        let has_every_right = match &self.admin_secret {
            None => true,
            Some(secret) => secret.is_in(headers)?,
        };
        if has_every_right {
            let variables = SessionVariables::from_headers(headers)?;
            let role = variables.role().unwrap_or(ADMIN).to_owned();
            let session = self.session(variables, &role, BackendOnly::Allowed, headers)?;
            return Ok(Credential::Session(Authenticated { session, until: None }));
        }
        match &self.credentials {
            ClientCredentials::None { role } => {
                let role = role.as_deref().ok_or(SessionError::SecretMissing)?;
                self.unauthorized(role, headers).map(Credential::Session)
            }
            ClientCredentials::Tokens { verifiers, role } => match verifiers.find(headers)? {
                None => {
                    let role = role.as_deref().ok_or(SessionError::TokenMissing)?;
                    self.unauthorized(role, headers).map(Credential::Session)
                }
                Some((verifier, token)) => match verifier.verify(&token) {
                    Ok(verified) => {
                        self.authenticated(verifier, &verified, headers).map(Credential::Session)
                    }
                    Err((engine::session::Refused::NoKey, _)) if verifier.may_find_keys() => {
                        Ok(Credential::Unsigned { verifier, token })
                    }
                    Err(judged) => Err(refused(judged)),
                },
            },
            ClientCredentials::Webhook(hook) => Ok(Credential::Asked(hook)),
        }
    }

    /// Fetches the key set and verifies again: the key may be new, or may have replaced another.
    async fn find_with_new_keys(
        &self,
        verifier: &TokenVerifier,
        token: &str,
        headers: &HeaderMap,
    ) -> Result<Authenticated, SessionError> {
        verifier.renew().await;
        let verified = verifier.verify(token).map_err(refused)?;
        self.authenticated(verifier, &verified, headers)
    }

    async fn ask(
        &self,
        hook: &Webhook,
        client: Option<&Client>,
        headers: &HeaderMap,
        request: Option<&Json>,
    ) -> Result<Authenticated, SessionError> {
        let client = client.ok_or(SessionError::HookUnreachable)?;
        let found = hook.ask(client, headers, request).await?;
        let variables = found.answer.variables.clone();
        let role = variables.role().ok_or(SessionError::HookRoleMissing)?.to_owned();
        let session = self.session(variables, &role, BackendOnly::Denied, headers)?;
        Ok(Authenticated { session, until: found.until.map(Instant::from_std) })
    }

    /// The session of a request without credentials. Its variables are those of its headers.
    fn unauthorized(&self, role: &str, headers: &HeaderMap) -> Result<Authenticated, SessionError> {
        let variables = SessionVariables::from_headers(headers)?;
        let session = self.session(variables, role, BackendOnly::Denied, headers)?;
        Ok(Authenticated { session, until: None })
    }

    /// The session of a verified token, with the role that the request names.
    fn authenticated(
        &self,
        verifier: &TokenVerifier,
        verified: &Verified,
        headers: &HeaderMap,
    ) -> Result<Authenticated, SessionError> {
        let claims = verifier.read(verified)?;
        let requested = SessionVariables::from_headers(headers)?;
        let role = requested.role().unwrap_or(&claims.default_role);
        if !claims.allowed_roles.iter().any(|allowed| **allowed == *role) {
            return Err(SessionError::RoleNotAllowed);
        }
        let session = self.session(claims.variables, role, BackendOnly::Denied, headers)?;
        Ok(Authenticated { session, until: verified.until().and_then(instant) })
    }

    fn session(
        &self,
        variables: SessionVariables,
        role: &str,
        backend_only: BackendOnly,
        headers: &HeaderMap,
    ) -> Result<Session, SessionError> {
        let settings = self.settings.read(headers).map_err(SessionError::Header)?;
        variables.into_session(role, backend_only, settings)
    }

    /// The session of the session variables among claims.
    pub(super) fn session_of(
        &self,
        claims: Option<&Claims>,
        headers: &HeaderMap,
    ) -> Result<Session, SessionError> {
        let mut variables = SessionVariables::default();
        let members = claims.and_then(|claims| claims.all().as_object());
        for (name, value) in members.into_iter().flatten() {
            let refused = |_| SessionError::ClaimsInvalid("a session variable has no text".into());
            variables.add(name.as_str(), value).map_err(refused)?;
        }
        let missing = || SessionError::ClaimsInvalid("no claim names the role".into());
        let role = variables.role().ok_or_else(missing)?.to_owned();
        self.session(variables, &role, BackendOnly::Allowed, headers)
    }

    /// The kinds of credentials that are configured.
    pub(super) fn used(&self) -> UsedCredentials {
        let (has_tokens, has_webhook) = match &self.credentials {
            ClientCredentials::None { .. } => (false, false),
            ClientCredentials::Tokens { .. } => (true, false),
            ClientCredentials::Webhook(_) => (false, true),
        };
        UsedCredentials { has_admin_secret: self.admin_secret.is_some(), has_tokens, has_webhook }
    }

    /// A client of one thread, if there is a webhook.
    pub(super) fn client(&self) -> Option<Client> {
        match &self.credentials {
            ClientCredentials::Webhook(hook) => Some(hook.client()),
            ClientCredentials::None { .. } | ClientCredentials::Tokens { .. } => None,
        }
    }

    /// Whether sessions depend on the GraphQL request.
    pub(super) fn reads_request(&self) -> bool {
        match &self.credentials {
            ClientCredentials::Webhook(hook) => hook.reads_request(),
            ClientCredentials::None { .. } | ClientCredentials::Tokens { .. } => false,
        }
    }

    /// Whether requests have credentials, which may be wrong.
    pub(super) fn has_credentials(&self, headers: &HeaderMap) -> bool {
        let has_variables = headers.keys().any(|name| name.as_str().starts_with(PREFIX));
        let has_token = match &self.credentials {
            ClientCredentials::Tokens { verifiers, .. } => {
                !matches!(verifiers.find(headers), Ok(None))
            }
            ClientCredentials::None { .. } | ClientCredentials::Webhook(_) => false,
        };
        has_variables || has_token || headers.contains_key(AUTHORIZATION)
    }

    pub(super) fn has_settings(&self, headers: &HeaderMap) -> bool {
        self.settings.are_in(headers)
    }

    /// Whether requests without credentials are refused.
    pub(super) fn requires_credentials(&self) -> bool {
        let role = match &self.credentials {
            ClientCredentials::None { role } | ClientCredentials::Tokens { role, .. } => {
                role.is_some()
            }
            ClientCredentials::Webhook(_) => false,
        };
        self.admin_secret.is_some() && !role
    }

    /// Whether requests without credentials have every right.
    pub(super) fn is_open(&self) -> bool {
        self.admin_secret.is_none()
    }

    /// Starts to fetch keys.
    pub(super) fn begin(&self) {
        if let ClientCredentials::Tokens { verifiers, .. } = &self.credentials {
            verifiers.begin();
        }
    }

    /// Takes over the keys that another instance has fetched.
    pub(super) fn inherit(&mut self, before: &Self) {
        if let (
            ClientCredentials::Tokens { verifiers, .. },
            ClientCredentials::Tokens { verifiers: known, .. },
        ) = (&mut self.credentials, &before.credentials)
        {
            verifiers.inherit(known);
        }
    }

    /// Logs how requests are authenticated.
    pub(super) fn log_summary(&self) {
        self.environment.log();
        let warn_of = |what: &str, url: &hyper::Uri| {
            let is_open = url.scheme_str() == Some("http");
            if is_open && clients::http::read_url(&url.to_string()).is_err() {
                let url = redact::address(&url.to_string()).into_owned();
                tracing::warn!(
                    url,
                    "{what} over plain HTTP: whoever is on the way can read credentials, and give \
                     any role"
                );
            }
        };
        match &self.credentials {
            ClientCredentials::Webhook(hook) => warn_of("the webhook is asked", hook.url()),
            ClientCredentials::Tokens { verifiers, .. } => {
                verifiers.urls().for_each(|url| warn_of("keys of tokens are fetched", url));
            }
            ClientCredentials::None { .. } => {}
        }
        if let ClientCredentials::None { role: Some(role) }
        | ClientCredentials::Tokens { role: Some(role), .. } = &self.credentials
        {
            tracing::info!(role, "requests without credentials have this role");
        }
    }

    /// The headers of a socket: those of the handshake, and the members of `headers` in the payload of
    /// `connection_init`, which replace them. Hasura's clients send their credentials so.
    pub(super) fn headers_of_socket(
        mut headers: HeaderMap,
        payload: &Map<ByteString, Json>,
    ) -> Result<HeaderMap, SessionError> {
        let own = payload.iter().find(|(name, _)| name.as_str().eq_ignore_ascii_case("headers"));
        let Some((_, Json::Object(own))) = own else { return Ok(headers) };
        for (name, value) in own {
            let name = name.as_str().parse::<HeaderName>();
            let Ok(name) = name else { return Err(SessionError::TokenMalformed) };
            let Some(value) = value.as_str() else { return Err(SessionError::Header(name)) };
            let Ok(value) = HeaderValue::from_str(value) else {
                return Err(SessionError::Header(name));
            };
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// Whether a session has the role that has every permission.
pub(super) fn is_admin(session: &Session) -> bool {
    role_of(session) == Some(ADMIN)
}

#[cfg(test)]
mod tests;
