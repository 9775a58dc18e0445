//! Who asks: tokens, roles, settings.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use engine::session::Algorithm;
use hyper::Uri;

use super::origins::{AllowedOrigin, OriginOptions};
use super::quantity::Time;
use super::roles::{HeaderSetting, RoleOptions};
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Who asks")]
pub(crate) struct AuthOptions {
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    /// Whether requests without a token are refused
    #[arg(long, env = "THALWEG_REQUIRE_TOKEN")]
    pub(crate) require_token: bool,
    /// The secret that tokens are signed with (HS256, HS384, HS512)
    #[arg(long, env = "THALWEG_JWT_SECRET", hide_env_values = true, value_name = "SECRET")]
    pub(crate) jwt_secret: Option<Box<str>>,
    /// A file of public keys that tokens are signed with, as PEM; may be repeated
    #[arg(long, env = "THALWEG_JWT_PUBLIC_KEY", value_name = "FILE")]
    pub(crate) jwt_public_key: Vec<PathBuf>,
    /// The address of a key set (JWKS) of an issuer of tokens; may be repeated
    #[arg(long, env = "THALWEG_JWT_JWKS", value_name = "URL")]
    pub(crate) jwt_jwks: Vec<KeysUrl>,
    /// For how long fetched keys are used while their issuer cannot be reached
    #[arg(long, env = "THALWEG_JWT_JWKS_MAX_STALE", value_name = "TIME", default_value = "24h")]
    pub(crate) jwt_jwks_max_stale: Time,
    /// The algorithms that tokens may be signed with, separated by commas [default: all that a key is for]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_ALGORITHMS",
        value_name = "ALGORITHMS",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_algorithms: Vec<VerifyAlgorithm>,
    /// The audiences of which a token must name one, separated by commas, or `*` for any [default: `postgraphile` with --jwt-secret alone]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_AUDIENCE",
        value_name = "AUDIENCES",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_audience: Option<Vec<Box<str>>>,
    /// The issuers of which a token must name one, separated by commas
    #[arg(long, env = "THALWEG_JWT_VERIFY_ISSUER", value_name = "ISSUERS", value_delimiter = ',')]
    pub(crate) jwt_verify_issuer: Vec<Box<str>>,
    /// The subject that a token must have
    #[arg(long, env = "THALWEG_JWT_VERIFY_SUBJECT", value_name = "SUBJECT")]
    pub(crate) jwt_verify_subject: Option<Box<str>>,
    /// The id that a token must have
    #[arg(long, env = "THALWEG_JWT_VERIFY_ID", value_name = "ID")]
    pub(crate) jwt_verify_id: Option<Box<str>>,
    /// By how much the clocks of the issuer and of this machine may differ [default: not at all]
    #[arg(long, env = "THALWEG_JWT_VERIFY_CLOCK_TOLERANCE", value_name = "TIME")]
    pub(crate) jwt_verify_clock_tolerance: Option<Time>,
    /// How long after it was issued a token is good [default: as long as it says itself]
    #[arg(long, env = "THALWEG_JWT_MAX_AGE", value_name = "TIME")]
    pub(crate) jwt_max_age: Option<Time>,
    /// The claims that a token must have, separated by commas
    #[arg(long, env = "THALWEG_JWT_REQUIRE_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub(crate) jwt_require_claims: Vec<Box<str>>,
    /// The cookie that holds the token of requests without an `Authorization` header
    #[arg(long, env = "THALWEG_JWT_COOKIE", value_name = "NAME")]
    pub(crate) jwt_cookie: Option<CookieName>,
    /// For PostgreSQL: a header that becomes a setting, as `X-Tenant=app.tenant`; may be repeated
    #[arg(long, env = "THALWEG_PG_SETTING_HEADER", value_name = "HEADER=NAME")]
    pub(crate) pg_setting_header: Vec<HeaderSetting>,
}

/// The address of a key set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeysUrl(pub(crate) Uri);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifyAlgorithm(pub(crate) Algorithm);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CookieName(pub(crate) Box<str>);

impl AuthOptions {
    /// Whether there is anything that tokens can be judged by.
    pub(crate) fn has_keys(&self) -> bool {
        self.jwt_secret.is_some() || !self.jwt_public_key.is_empty() || !self.jwt_jwks.is_empty()
    }

    /// Options that do not go together are refused.
    pub(crate) fn check(&self, origins: &OriginOptions) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.into()));
        if !self.has_keys() {
            return match self.of_tokens() {
                Some(option) => usage(&format!(
                    "`{option}` needs `--jwt-secret`, `--jwt-public-key` or `--jwt-jwks`, by which \
                     tokens are judged"
                )),
                None => Ok(()),
            };
        }
        if self.jwt_secret.as_ref().is_some_and(|secret| secret.is_empty()) {
            return usage("`--jwt-secret` is empty");
        }
        let has_public = !self.jwt_public_key.is_empty() || !self.jwt_jwks.is_empty();
        if has_public && self.jwt_verify_audience.is_none() {
            return usage(
                "`--jwt-verify-audience` says for whom tokens must be that public keys have signed: \
                 an issuer has other clients; `--jwt-verify-audience '*'` takes those of all",
            );
        }
        let audiences = self.jwt_verify_audience.iter().flatten();
        if audiences.clone().any(|audience| audience.is_empty()) {
            return usage("`--jwt-verify-audience` names nobody; `*` stands for any audience");
        }
        if self.jwt_cookie.is_some() && origins.allowed_origins.contains(&AllowedOrigin::Any) {
            return usage(
                "with `--jwt-cookie` each origin of `--allowed-origins` is named; `*` would give \
                 every page the rights of whoever looks at it",
            );
        }
        Ok(())
    }

    /// The first option that is about tokens.
    fn of_tokens(&self) -> Option<&'static str> {
        let given = [
            (self.require_token, "--require-token"),
            (!self.jwt_verify_algorithms.is_empty(), "--jwt-verify-algorithms"),
            (self.jwt_verify_audience.is_some(), "--jwt-verify-audience"),
            (!self.jwt_verify_issuer.is_empty(), "--jwt-verify-issuer"),
            (self.jwt_verify_subject.is_some(), "--jwt-verify-subject"),
            (self.jwt_verify_id.is_some(), "--jwt-verify-id"),
            (self.jwt_verify_clock_tolerance.is_some(), "--jwt-verify-clock-tolerance"),
            (self.jwt_max_age.is_some(), "--jwt-max-age"),
            (!self.jwt_require_claims.is_empty(), "--jwt-require-claims"),
            (self.roles.jwt_claims.is_some(), "--jwt-claims"),
            (self.jwt_cookie.is_some(), "--jwt-cookie"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

impl FromStr for KeysUrl {
    type Err = clients::UrlError;

    fn from_str(text: &str) -> Result<Self, clients::UrlError> {
        clients::http::read_url(text).map(Self)
    }
}

impl FromStr for VerifyAlgorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Algorithm::ALL.map(Algorithm::name).join(", ");
        Algorithm::find(text.trim())
            .map(Self)
            .ok_or_else(|| format!("one of {} is wanted", names()))
    }
}

impl FromStr for CookieName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_part = |c: char| c.is_ascii_graphic() && !"()<>@,;:\\\"/[]?={}".contains(c);
        match !text.is_empty() && text.chars().all(is_part) {
            true => Ok(Self(text.into())),
            false => Err("the name of a cookie is wanted, such as `token`".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        auth: AuthOptions,
        #[command(flatten)]
        origins: OriginOptions,
    }

    fn check(words: &[&str], problem: Option<&str>) {
        let line = Line::try_parse_from([&["thalweg"], words].concat());
        let checked = match line {
            Ok(line) => line.auth.check(&line.origins).map_err(|failure| failure.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match problem {
            None => assert_eq!(checked, Ok(()), "{words:?}"),
            Some(problem) => {
                let found = checked.expect_err("it is refused");
                assert!(found.contains(problem), "{words:?}: {found}");
            }
        }
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        check(&[], None);
        check(&["--default-role", "visitor"], None);
        check(&["--jwt-secret", "secret"], None);
        check(&["--jwt-secret", ""], Some("is empty"));
        check(&["--require-token"], Some("`--require-token` needs"));
        check(&["--jwt-cookie", "token"], Some("`--jwt-cookie` needs"));
        check(&["--jwt-public-key", "a.pem"], Some("says for whom"));
        check(&["--jwt-public-key", "a.pem", "--jwt-verify-audience", "a,b"], None);
        check(&["--jwt-jwks", "https://a.example/k", "--jwt-verify-audience", "*"], None);
        check(&["--jwt-secret", "s", "--jwt-verify-audience", ""], Some("names nobody"));
        check(&["--jwt-jwks", "http://a.example/k"], Some("only for addresses of this machine"));
        check(
            &["--jwt-secret", "s", "--jwt-verify-algorithms", "HS256,none"],
            Some("one of HS256"),
        );
        let cookie = ["--jwt-secret", "s", "--jwt-cookie", "token"];
        check(&cookie, None);
        check(&[&cookie[..], &["--allowed-origins", "*"]].concat(), Some("is named"));
        check(&[&cookie[..], &["--allowed-origins", "https://a.example"]].concat(), None);
    }

    #[test]
    fn settings_that_say_who_asks_come_from_tokens_only() {
        check(&["--pg-setting", "app.a=b=c", "--pg-setting", "statement_timeout=5s"], None);
        check(&["--pg-setting", "role=postgres"], Some("is what tokens"));
        check(&["--pg-setting", "Session_Authorization=postgres"], Some("is what tokens"));
        check(&["--pg-setting", "DateStyle=SQL"], Some("is the form"));
        check(&["--pg-setting", "a b=c"], Some("cannot be the name"));
        check(&["--pg-setting", "app.a"], Some("a name and a value"));
        check(&["--pg-setting-header", "X-Tenant=app.tenant"], None);
        check(&["--pg-setting-header", "X-Role=ROLE"], Some("is what tokens"));
        check(&["--pg-setting-header", "X-Id=JWT.claims.id"], Some("no header may set them"));
        check(&["--pg-setting-header", "X Id=app.id"], Some("a header and a setting"));
    }
}
