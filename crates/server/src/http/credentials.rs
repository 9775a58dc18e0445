//! Authentication settings: where a request carries its token, and how the token is verified.

use std::fmt;
use std::fs;
use std::time::Duration;

use clients::{RefreshedDocument, RefreshedDocuments};
use engine::session::{
    Algorithm, Key, KeySet, Mapping, Pair, Refused, Requirement, Rules, Sessions,
};
use graphql::{ErrorCode, GraphQLError};
use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};

use super::declared::DeclaredTokens;
use super::header_settings::HeaderSettings;
use crate::failure::Failure;
use crate::options::AuthOptions;

/// Shorter secrets can be found by brute force.
pub(super) const LEAST_SECRET_BYTES: usize = 32;

/// The default audience of PostGraphile's tokens.
const USUAL_AUDIENCE: &str = "postgraphile";

/// The system whose rules for tokens and their errors apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthProfile {
    PostGraphile,
    /// Neo4j's GraphQL library: tokens may have any audience, and every refused token has the same
    /// error.
    Neo4j,
    /// Dgraph: tokens may have any audience unless type definitions name one.
    Dgraph,
    /// Prisma: secrets of the service sign tokens, which are required, and whose claims do not count.
    /// Every refused token has the same error.
    Prisma,
    /// A gateway: tokens may have any audience, and there are no roles unless a source in the
    /// gateway's process has them.
    Gateway {
        has_roles: bool,
    },
}

impl AuthProfile {
    /// Whether tokens name roles.
    fn has_roles(self) -> bool {
        match self {
            Self::PostGraphile | Self::Dgraph | Self::Gateway { has_roles: true } => true,
            Self::Neo4j | Self::Prisma | Self::Gateway { has_roles: false } => false,
        }
    }
}

/// How requests are authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AuthScheme {
    /// By tokens.
    Tokens(AuthProfile),
    /// By the admin secret, tokens or a webhook, as Hasura does it.
    Hasura,
}

/// Authentication settings of the server.
#[derive(Debug)]
pub(super) struct Credentials {
    pub(super) profile: AuthProfile,
    pub(super) sessions: Sessions,
    /// Key sets that are fetched from URLs.
    pub(super) fetched: RefreshedDocuments<KeySet>,
    /// Whether there are any keys; without them tokens are ignored.
    pub(super) has_keys: bool,
    pub(super) requires_token: bool,
    /// Accepted audiences; empty for any.
    audiences: Box<[Box<str>]>,
    /// Whether responses may contain the reason why a token is refused.
    pub(super) shows_reasons: bool,
    cookie: Option<Box<str>>,
    header: TokenHeader,
    settings: HeaderSettings,
}

/// The header that carries the token.
#[derive(Debug)]
enum TokenHeader {
    /// `Authorization`, with the scheme `Bearer`.
    Bearer,
    /// `Authorization`, whose scheme may be missing.
    Either,
    /// Another one, or `Authorization` by type definitions: the scheme may be missing.
    Named(HeaderName),
}

/// An authentication error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AuthError {
    /// The header is no token.
    Malformed,
    /// A header cannot be the value of a setting, or a token.
    Setting(HeaderName),
    /// The request has no token, and one is required.
    Missing,
    Expired,
    Invalid {
        reason: Reason,
    },
    /// The keys that verify it cannot be fetched.
    NoKeys,
}

impl Credentials {
    /// Also reads the files that the options name.
    pub(super) fn new(
        options: &AuthOptions,
        profile: AuthProfile,
        shows_reasons: bool,
        declared: Option<DeclaredTokens>,
    ) -> Result<Self, Failure> {
        let algorithms: Vec<_> =
            options.verify.jwt_verify_algorithms.iter().map(|one| one.0).collect();
        let mut keys = Vec::new();
        if let Some(secret) = &options.jwt_secret {
            if secret.len() < LEAST_SECRET_BYTES {
                tracing::warn!(
                    "--jwt-secret has less than {LEAST_SECRET_BYTES} bytes: whoever has one token \
                     can find the secret by brute force"
                );
            }
            keys.push(Key::secret(secret.as_bytes()));
        }
        for file in &options.jwt_public_key {
            let document = |error| Failure::Document { file: file.clone(), error };
            let text = fs::read(file).map_err(document)?;
            let read = Key::from_pem(&text);
            keys.extend(read.map_err(|error| Failure::PublicKey { file: file.clone(), error })?);
        }
        let mut rules = rules(options, profile);
        let mut header = TokenHeader::Bearer;
        let mut namespace = None;
        let mut has_roles = profile.has_roles();
        let mut requires_token = options.require_token;
        let mut key_sets = options.jwt_jwks.clone();
        if let Some(declared) = declared {
            keys.extend(declared.keys);
            rules.needs_expiry |= !declared.key_sets.is_empty();
            rules.refuses_audiences = declared.audiences.is_empty();
            rules.audiences = declared.audiences;
            header = TokenHeader::Named(declared.header);
            namespace = Some(declared.namespace);
            has_roles = declared.has_roles;
            requires_token |= declared.requires_token;
            key_sets.extend(declared.key_sets);
        }
        let allowed = algorithms.clone();
        let fetched = key_sets.iter().map(|url| {
            let allowed = allowed.clone();
            RefreshedDocument::new(url.0.clone(), options.jwt_jwks_max_stale.0, move |text| {
                let keys = KeySet::from_json(text).map_err(|error| error.to_string())?;
                Ok(only_for(keys, &allowed))
            })
        });
        let fetched = RefreshedDocuments::new(fetched.collect());
        let given = KeySet::new(keys);
        let has_keys = !given.is_empty() || !fetched.is_empty();
        let keys = only_for(given, &algorithms);
        if has_keys && keys.is_empty() && fetched.is_empty() {
            return Err(Failure::Usage(
                "no key is for one of the algorithms of `--jwt-verify-algorithms`".into(),
            ));
        }
        let audiences = rules.audiences.as_slice().into();
        let mapping = options.roles.mapping(has_roles);
        let sessions = Sessions::new(keys, rules, mapping);
        let sessions = match namespace {
            Some(namespace) => sessions.with_namespace(namespace),
            None => sessions,
        };
        Ok(Self {
            profile,
            audiences,
            shows_reasons,
            sessions,
            fetched,
            has_keys,
            requires_token,
            header,
            cookie: options.jwt_cookie.as_ref().map(|cookie| cookie.0.clone()),
            settings: HeaderSettings::new(options),
        })
    }

    /// Those of a service of Prisma: one of the secrets has signed each token.
    pub(super) fn of_service(secrets: &[&str], options: &AuthOptions) -> Self {
        if secrets.iter().any(|secret| secret.len() < LEAST_SECRET_BYTES) {
            tracing::warn!(
                "a secret of --service-secret has less than {LEAST_SECRET_BYTES} bytes: whoever has \
                 one token can find the secret by brute force"
            );
        }
        // Prisma's commands sign by a secret without its white space, and its clients by all of it.
        let without_space = |secret: &&str| secret.split_whitespace().collect::<String>();
        let signing =
            secrets.iter().flat_map(|secret| [(*secret).to_owned(), without_space(secret)]);
        let mut signing: Vec<_> = signing.collect();
        signing.sort();
        signing.dedup();
        let keys = signing.iter().map(|secret| Key::secret(secret.as_bytes())).collect();
        let keys = KeySet::new(keys).only_for(&[Algorithm::Hs256]);
        // The claims become no settings of PostgreSQL, which each request would have to set.
        let mapping = Mapping { claims: Some(Vec::new()), ..options.roles.mapping(false) };
        Self {
            profile: AuthProfile::Prisma,
            audiences: Box::default(),
            shows_reasons: false,
            sessions: Sessions::new(keys, Rules::default(), mapping),
            fetched: RefreshedDocuments::new(Vec::new()),
            has_keys: true,
            requires_token: true,
            header: TokenHeader::Either,
            cookie: None,
            settings: HeaderSettings::new(options),
        }
    }

    /// The name of the header that carries the token.
    pub(super) fn token_header(&self) -> &HeaderName {
        match &self.header {
            TokenHeader::Bearer | TokenHeader::Either => &AUTHORIZATION,
            TokenHeader::Named(name) => name,
        }
    }

    /// Names of the headers on which sessions depend: those of tokens if there are keys, and those
    /// that become settings.
    pub(super) fn session_headers(&self) -> impl Iterator<Item = HeaderName> {
        let token = self.has_keys.then(|| self.token_header().clone());
        let cookie = (self.has_keys && self.cookie.is_some()).then_some(COOKIE);
        let settings = self.settings.names().cloned();
        token.into_iter().chain(cookie).chain(settings)
    }

    /// Returns true if a request has a header that becomes a setting.
    pub(super) fn has_settings(&self, headers: &HeaderMap) -> bool {
        self.settings.are_in(headers)
    }

    /// Logs the audiences that are accepted.
    pub(super) fn log_audiences(&self) {
        let is_declared = matches!(self.header, TokenHeader::Named(_));
        match (self.has_keys, &*self.audiences) {
            (false, _) => {}
            (true, _) if self.profile == AuthProfile::Prisma => {
                tracing::info!("tokens of --service-secret are required");
            }
            (true, []) if is_declared => {
                tracing::info!("tokens without an audience (\"aud\") are accepted");
            }
            (true, audiences) if is_declared => {
                tracing::info!(
                    "tokens for the audience (\"aud\") {} are accepted",
                    quoted(audiences)
                );
            }
            (true, []) => tracing::info!("tokens of any audience (\"aud\") are accepted"),
            (true, audiences) => tracing::info!(
                "tokens for the audience (\"aud\") {} are accepted; --jwt-verify-audience names \
                 others",
                quoted(audiences)
            ),
        }
    }

    /// The reason why a token is refused, with a remedy.
    pub(super) fn reason(&self, refused: Refused) -> String {
        let of = |claim: &str, option: &str| {
            format!("{refused}: the claim \"{claim}\" is not what {option} wants")
        };
        match refused {
            Refused::Unmet(Requirement::Audience)
                if matches!(self.header, TokenHeader::Named(_)) =>
            {
                format!(
                    "{refused}: the claim \"aud\" is not what `Audience` of `# Dgraph.Authorization` wants"
                )
            }
            Refused::Unmet(Requirement::Audience) => format!(
                "{refused}: the claim \"aud\" has none of {}; --jwt-verify-audience names others",
                quoted(&self.audiences)
            ),
            Refused::Unmet(Requirement::Issuer) => of("iss", "--jwt-verify-issuer"),
            Refused::Unmet(Requirement::Subject) => of("sub", "--jwt-verify-subject"),
            Refused::Unmet(Requirement::Id) => of("jti", "--jwt-verify-id"),
            Refused::Unmet(Requirement::Claims) => {
                format!("{refused}: --jwt-require-claims names what must be there")
            }
            Refused::NoKey if self.profile == AuthProfile::Prisma => {
                format!(
                    "{refused}: no secret of --service-secret has, or another algorithm than HS256"
                )
            }
            Refused::NoKey => format!(
                "{refused}: another secret or key than that of --jwt-secret, --jwt-public-key or \
                 --jwt-jwks has, or by another algorithm than --jwt-verify-algorithms takes"
            ),
            Refused::Expired | Refused::Invalid(_) => refused.to_string(),
        }
    }

    /// The token of a request: from its header, or else from the cookie.
    pub(super) fn token<'h>(&self, headers: &'h HeaderMap) -> Result<Option<&'h str>, AuthError> {
        let name = self.token_header();
        let malformed = || match &self.header {
            TokenHeader::Bearer | TokenHeader::Either => AuthError::Malformed,
            TokenHeader::Named(name) => AuthError::Setting(name.clone()),
        };
        let is_declared = matches!(self.header, TokenHeader::Named(_));
        let mut given = headers.get_all(name).iter();
        match (given.next(), given.next()) {
            // As in Dgraph, an empty header is none.
            (Some(value), None) if is_declared && value.is_empty() => Ok(None),
            (Some(value), None) => {
                let token = value.to_str().ok().and_then(|value| match &self.header {
                    TokenHeader::Bearer => bearer(value),
                    TokenHeader::Either | TokenHeader::Named(_) => {
                        bearer(value).or_else(|| bare(value))
                    }
                });
                token.map(Some).ok_or_else(malformed)
            }
            (Some(_), Some(_)) => Err(malformed()),
            (None, _) => Ok(self.cookie.as_deref().and_then(|name| cookie(headers, name))),
        }
    }

    /// The session settings from the headers of a request.
    pub(super) fn settings(&self, headers: &HeaderMap) -> Result<Vec<Pair>, AuthError> {
        self.settings.of_headers(headers).map_err(AuthError::Setting)
    }
}

/// The reason why a token is invalid, if responses may contain it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Reason(pub(super) Option<Box<str>>);

/// Hides the reason in the log line of the request: clients that guess tokens would fill the log.
impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl AuthError {
    /// The reason why a token is invalid, if responses may contain it.
    pub(super) fn reason(&self) -> Option<&str> {
        match self {
            Self::Invalid { reason } => reason.0.as_deref(),
            Self::Malformed | Self::Setting(_) | Self::Missing | Self::Expired | Self::NoKeys => {
                None
            }
        }
    }

    /// The error of the response: no more than the client needs to correct the request.
    pub(super) fn error(&self) -> GraphQLError {
        match self {
            Self::Malformed => GraphQLError::new(
                ErrorCode::BadUserInput,
                "The \"Authorization\" header must be one \"Bearer\" with a token.",
            ),
            Self::Setting(header) => GraphQLError::new(
                ErrorCode::BadUserInput,
                format!(
                    "The header \"{header}\" must be one short text without control characters."
                ),
            ),
            Self::Missing => GraphQLError::new(ErrorCode::Unauthenticated, "A token is required."),
            // Clients compare this message, to refresh their token.
            Self::Expired => GraphQLError::new(ErrorCode::Unauthenticated, "jwt expired"),
            Self::Invalid { reason } => {
                let error = GraphQLError::new(ErrorCode::Unauthenticated, "invalid token");
                with_reason(error, reason.0.as_deref())
            }
            Self::NoKeys => GraphQLError::new(
                ErrorCode::Unavailable,
                "The keys by which tokens are judged cannot be fetched; try again later.",
            ),
        }
    }
}

/// Adds the reason why a token is invalid, if it is known.
pub(super) fn with_reason(mut error: GraphQLError, reason: Option<&str>) -> GraphQLError {
    let reason = reason.map(|reason| serde_json::Value::from(reason).to_string());
    error.extensions.extend(reason.map(|reason| ("reason".into(), reason.into())));
    error
}

fn only_for(keys: KeySet, algorithms: &[Algorithm]) -> KeySet {
    match algorithms.is_empty() {
        true => keys,
        false => keys.only_for(algorithms),
    }
}

fn quoted(names: &[Box<str>]) -> String {
    let names = names.iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

fn rules(options: &AuthOptions, profile: AuthProfile) -> Rules {
    let has_public = !options.jwt_public_key.is_empty() || !options.jwt_jwks.is_empty();
    let audiences = match &options.verify.jwt_verify_audience {
        Some(audiences) if audiences.iter().any(|audience| **audience == *"*") => Vec::new(),
        Some(audiences) => audiences.clone(),
        None => match profile {
            AuthProfile::PostGraphile => vec![USUAL_AUDIENCE.into()],
            AuthProfile::Neo4j
            | AuthProfile::Dgraph
            | AuthProfile::Prisma
            | AuthProfile::Gateway { .. } => Vec::new(),
        },
    };
    Rules {
        audiences,
        refuses_audiences: false,
        issuers: options.verify.jwt_verify_issuer.clone(),
        subject: options.verify.jwt_verify_subject.clone(),
        id: options.verify.jwt_verify_id.clone(),
        required: options.jwt_require_claims.clone(),
        // Tokens of a shared secret may be issued without an end; those of an issuer always expire.
        needs_expiry: has_public,
        leeway: options.jwt_verify_clock_tolerance.map_or(Duration::ZERO, |time| time.0),
        max_age: options.jwt_max_age.map(|time| time.0),
    }
}

/// `Bearer TOKEN`, <https://www.rfc-editor.org/rfc/rfc6750#section-2.1>.
pub(super) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.trim().split_once(' ')?;
    let token = token.trim_start_matches(' ');
    scheme.eq_ignore_ascii_case("bearer").then_some(token).and_then(bare)
}

/// A token without a scheme.
fn bare(token: &str) -> Option<&str> {
    let token = token.trim();
    let is_token = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    (!token.is_empty() && token.chars().all(is_token)).then_some(token)
}

/// The value of a cookie; none if it is empty, as a client deletes a cookie.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = texts.flat_map(|text| text.split(';')).filter_map(|one| one.split_once('='));
    let (_, value) = cookies.find(|(found, _)| found.trim() == name)?;
    let value = value.trim();
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stands_behind_its_scheme() {
        let check =
            |value: &str, token: Option<&str>| assert_eq!(bearer(value), token, "{value:?}");
        check("Bearer a.b.c", Some("a.b.c"));
        check("bearer   a.b.c ", Some("a.b.c"));
        check("BEARER a", Some("a"));
        check("Bearer", None);
        check("Bearer ", None);
        check("Bearera.b.c", None);
        check("Basic YTpi", None);
        check("Bearer a b", None);
        check("Bearer a,b", None);
        check("a.b.c", None);
        check("", None);
    }

    #[test]
    fn sessions_depend_on_headers_of_tokens_and_of_settings() {
        #[derive(Debug, clap::Parser)]
        struct Words {
            #[command(flatten)]
            auth: AuthOptions,
        }
        let check = |options: &[&str], names: &[&str]| {
            let words = <Words as clap::Parser>::parse_from([&["thalweg"], options].concat());
            let profile = AuthProfile::PostGraphile;
            let credentials = Credentials::new(&words.auth, profile, false, None).unwrap();
            let found: Vec<_> = credentials.session_headers().collect();
            assert_eq!(found, names, "{options:?}");
        };
        let secret = ["--jwt-secret", "a secret of more than thirty-two bytes"];
        let cookie = ["--jwt-cookie", "token"];
        let setting = ["--pg-setting-header", "X-Tenant=app.tenant"];
        check(&secret, &["authorization"]);
        check(&[secret, cookie].concat(), &["authorization", "cookie"]);
        check(&[secret, cookie, setting].concat(), &["authorization", "cookie", "x-tenant"]);
        // Tokens are ignored without keys.
        check(&cookie, &[]);
        check(&[], &[]);
        check(&setting, &["x-tenant"]);
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let check = |values: &[&'static str], token: Option<&str>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(COOKIE, hyper::header::HeaderValue::from_static(value));
            }
            assert_eq!(cookie(&headers, "token"), token, "{values:?}");
        };
        check(&["a=b; token=x.y.z; c=d"], Some("x.y.z"));
        check(&["a=b", "token=\"x\""], Some("x"));
        check(&["token=x=="], Some("x=="));
        check(&["xtoken=x; token"], None);
        check(&["token="], None);
        check(&[], None);
    }
}
