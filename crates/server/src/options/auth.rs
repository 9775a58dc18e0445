//! Authentication: tokens, roles, session settings.

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
#[command(next_help_heading = "Authentication")]
pub(crate) struct AuthOptions {
    #[command(flatten)]
    pub(crate) roles: RoleOptions,
    /// Refuse requests without a token
    #[arg(long, env = "THALWEG_REQUIRE_TOKEN")]
    pub(crate) require_token: bool,
    /// The shared secret of tokens (HS256, HS384, HS512)
    #[arg(long, env = "THALWEG_JWT_SECRET", hide_env_values = true, value_name = "SECRET")]
    pub(crate) jwt_secret: Option<Box<str>>,
    /// A PEM file of public keys that verify tokens; may be repeated
    #[arg(long, env = "THALWEG_JWT_PUBLIC_KEY", value_name = "FILE")]
    pub(crate) jwt_public_key: Vec<PathBuf>,
    /// The URL of a JSON Web Key Set (JWKS) that verifies tokens; may be repeated
    #[arg(long, env = "THALWEG_JWT_JWKS", value_name = "URL")]
    pub(crate) jwt_jwks: Vec<KeysUrl>,
    /// How long fetched keys stay valid while their issuer is unreachable
    #[arg(long, env = "THALWEG_JWT_JWKS_MAX_STALE", value_name = "TIME", default_value = "24h")]
    pub(crate) jwt_jwks_max_stale: Time,
    #[command(flatten)]
    pub(crate) verify: VerifyOptions,
    /// Tolerated clock difference between the issuer and this machine [default: none]
    #[arg(long, env = "THALWEG_JWT_VERIFY_CLOCK_TOLERANCE", value_name = "TIME")]
    pub(crate) jwt_verify_clock_tolerance: Option<Time>,
    /// The maximum age of a token since it was issued [default: until it expires]
    #[arg(long, env = "THALWEG_JWT_MAX_AGE", value_name = "TIME")]
    pub(crate) jwt_max_age: Option<Time>,
    /// Required claims, separated by commas
    #[arg(long, env = "THALWEG_JWT_REQUIRE_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub(crate) jwt_require_claims: Vec<Box<str>>,
    /// The cookie with the token of requests without an `Authorization` header
    #[arg(long, env = "THALWEG_JWT_COOKIE", value_name = "NAME")]
    pub(crate) jwt_cookie: Option<CookieName>,
    /// For PostgreSQL: a header that becomes a session setting, as `X-Tenant=app.tenant`; may be repeated
    #[arg(long, env = "THALWEG_PG_SETTING_HEADER", value_name = "HEADER=NAME")]
    pub(crate) pg_setting_header: Vec<HeaderSetting>,
}

/// The properties of an accepted token, which `thalweg token` gives to those that it makes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub(crate) struct VerifyOptions {
    /// Accepted signature algorithms, separated by commas [default: all that a key supports]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_ALGORITHMS",
        value_name = "ALGORITHMS",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_algorithms: Vec<VerifyAlgorithm>,
    /// Accepted audiences (`aud`), separated by commas, or `*` for any [default: `postgraphile` with --jwt-secret alone]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_AUDIENCE",
        value_name = "AUDIENCES",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_audience: Option<Vec<Box<str>>>,
    /// Accepted issuers (`iss`), separated by commas
    #[arg(long, env = "THALWEG_JWT_VERIFY_ISSUER", value_name = "ISSUERS", value_delimiter = ',')]
    pub(crate) jwt_verify_issuer: Vec<Box<str>>,
    /// The required subject (`sub`)
    #[arg(long, env = "THALWEG_JWT_VERIFY_SUBJECT", value_name = "SUBJECT")]
    pub(crate) jwt_verify_subject: Option<Box<str>>,
    /// The required token id (`jti`)
    #[arg(long, env = "THALWEG_JWT_VERIFY_ID", value_name = "ID")]
    pub(crate) jwt_verify_id: Option<Box<str>>,
}

/// The URL of a key set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeysUrl(pub(crate) Uri);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerifyAlgorithm(pub(crate) Algorithm);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CookieName(pub(crate) Box<str>);

impl AuthOptions {
    /// Whether there are any keys to verify tokens.
    pub(crate) fn has_keys(&self) -> bool {
        self.jwt_secret.is_some() || !self.jwt_public_key.is_empty() || !self.jwt_jwks.is_empty()
    }

    /// Refuses contradictory options.
    ///
    /// `are_keys_declared` is true if type definitions have keys.
    pub(crate) fn check(
        &self,
        origins: &OriginOptions,
        are_keys_declared: bool,
    ) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.into()));
        if let Some(option) = self.other_option_of_claims_setting() {
            return usage(&format!(
                "`{option}` and `--jwt-claims-setting` name the same setting: leave one of both out"
            ));
        }
        if !self.has_keys() && !are_keys_declared {
            return match self.token_option() {
                Some(option) => usage(&format!(
                    "`{option}` needs `--jwt-secret`, `--jwt-public-key` or `--jwt-jwks`, which \
                     verify tokens"
                )),
                None => Ok(()),
            };
        }
        if self.jwt_secret.as_ref().is_some_and(|secret| secret.is_empty()) {
            return usage("`--jwt-secret` is empty");
        }
        let has_public = !self.jwt_public_key.is_empty() || !self.jwt_jwks.is_empty();
        if has_public && self.verify.jwt_verify_audience.is_none() {
            return usage(
                "`--jwt-verify-audience` is required with public keys: the issuer has other clients, \
                 whose tokens must be refused; `--jwt-verify-audience '*'` accepts those of all",
            );
        }
        let audiences = self.verify.jwt_verify_audience.iter().flatten();
        if audiences.clone().any(|audience| audience.is_empty()) {
            return usage("`--jwt-verify-audience` is empty; `*` accepts any audience");
        }
        if self.jwt_cookie.is_some() && origins.allowed_origins.contains(&AllowedOrigin::Any) {
            return usage(
                "with `--jwt-cookie`, `--allowed-origins` must list each origin; `*` would give every \
                 page the permissions of its visitor",
            );
        }
        Ok(())
    }

    /// Another option that would set the setting of `--jwt-claims-setting`. PostgreSQL ignores the case of
    /// names.
    fn other_option_of_claims_setting(&self) -> Option<&'static str> {
        let setting = self.roles.jwt_claims_setting.as_deref()?;
        let fixed = self.roles.pg_setting.iter().map(|fixed| ("--pg-setting", &*fixed.0.0));
        let headers = self.pg_setting_header.iter();
        let headers = headers.map(|header| ("--pg-setting-header", &*header.name));
        let mut others = fixed.chain(headers);
        others.find(|(_, name)| name.eq_ignore_ascii_case(setting)).map(|(option, _)| option)
    }

    /// The first option that has no effect without keys.
    fn token_option(&self) -> Option<&'static str> {
        let given = [
            (self.require_token, "--require-token"),
            (!self.verify.jwt_verify_algorithms.is_empty(), "--jwt-verify-algorithms"),
            (self.verify.jwt_verify_audience.is_some(), "--jwt-verify-audience"),
            (!self.verify.jwt_verify_issuer.is_empty(), "--jwt-verify-issuer"),
            (self.verify.jwt_verify_subject.is_some(), "--jwt-verify-subject"),
            (self.verify.jwt_verify_id.is_some(), "--jwt-verify-id"),
            (self.jwt_verify_clock_tolerance.is_some(), "--jwt-verify-clock-tolerance"),
            (self.jwt_max_age.is_some(), "--jwt-max-age"),
            (!self.jwt_require_claims.is_empty(), "--jwt-require-claims"),
            (self.roles.jwt_claims.is_some(), "--jwt-claims"),
            (self.roles.jwt_claims_setting.is_some(), "--jwt-claims-setting"),
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
            Ok(line) => {
                line.auth.check(&line.origins, false).map_err(|failure| failure.to_string())
            }
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
        check(&["--jwt-public-key", "a.pem"], Some("is required with public keys"));
        check(&["--jwt-public-key", "a.pem", "--jwt-verify-audience", "a,b"], None);
        check(&["--jwt-jwks", "https://a.example/k", "--jwt-verify-audience", "*"], None);
        check(
            &["--jwt-secret", "s", "--jwt-verify-audience", ""],
            Some("`--jwt-verify-audience` is empty"),
        );
        check(&["--jwt-jwks", "http://a.example/k"], Some("only for addresses of this machine"));
        check(
            &["--jwt-secret", "s", "--jwt-verify-algorithms", "HS256,none"],
            Some("one of HS256"),
        );
        let cookie = ["--jwt-secret", "s", "--jwt-cookie", "token"];
        check(&cookie, None);
        check(&[&cookie[..], &["--allowed-origins", "*"]].concat(), Some("must list each origin"));
        check(&[&cookie[..], &["--allowed-origins", "https://a.example"]].concat(), None);
    }

    #[test]
    fn settings_of_the_role_come_from_tokens_only() {
        check(&["--pg-setting", "app.a=b=c", "--pg-setting", "statement_timeout=5s"], None);
        check(&["--pg-setting", "role=postgres"], Some("is set by tokens"));
        check(&["--pg-setting", "Session_Authorization=postgres"], Some("is set by tokens"));
        check(&["--pg-setting", "DateStyle=SQL"], Some("is the format"));
        check(&["--pg-setting", "a b=c"], Some("cannot be the name"));
        check(&["--pg-setting", "app.a"], Some("a name and a value"));
        check(&["--pg-setting-header", "X-Tenant=app.tenant"], None);
        check(&["--pg-setting-header", "X-Role=ROLE"], Some("is set by tokens"));
        check(&["--pg-setting-header", "X-Id=JWT.claims.id"], Some("no header may set them"));
        check(&["--pg-setting-header", "X Id=app.id"], Some("a header and a setting"));
        let claims = ["--jwt-secret", "s", "--jwt-claims-setting", "request.jwt.claims"];
        check(&claims, None);
        let with = |more: [&'static str; 2]| [&claims[..], &more].concat();
        check(&with(["--pg-setting", "Request.jwt.claims={}"]), Some("name the same setting"));
        check(
            &with(["--pg-setting-header", "X-Claims=request.jwt.claims"]),
            Some("`--pg-setting-header` and `--jwt-claims-setting` name the same setting"),
        );
        check(&claims[2..], Some("`--jwt-claims-setting` needs `--jwt-secret`"));
        check(&["--jwt-claims-setting", "role"], Some("is set by tokens"));
        check(&["--jwt-claims-setting", "claims"], Some("has no dot"));
    }
}
