//! The role and the settings of a PostgreSQL session.

use std::str::FromStr;

use clap::Args;
use engine::session::mapping::{CLAIMS, is_setting};
use engine::session::{Mapping, Pair};
use hyper::header::HeaderName;

/// Settings of the role: tokens and `--default-role` set them, and no option may.
const OF_ROLES: [&str; 3] = ["role", "session_authorization", "is_superuser"];

/// Settings that determine the format of values, which the program parses.
const OF_VALUES: [&str; 5] =
    ["bytea_output", "client_encoding", "datestyle", "extra_float_digits", "intervalstyle"];

/// The mapping of a token, or of its absence, to a role and settings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub(crate) struct RoleOptions {
    /// For PostgreSQL: the role of unauthenticated requests, and of tokens without a role [default: the user of the connection]
    #[arg(long, env = "THALWEG_DEFAULT_ROLE", value_name = "ROLE")]
    pub(crate) default_role: Option<Box<str>>,
    /// The path of the role in the claims, separated by commas
    #[arg(
        long,
        env = "THALWEG_JWT_ROLE",
        value_name = "PATH",
        value_delimiter = ',',
        default_value = "role"
    )]
    pub(crate) jwt_role: Vec<Box<str>>,
    /// The claims that become settings `jwt.claims.…`, separated by commas [default: all]
    #[arg(long, env = "THALWEG_JWT_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub(crate) jwt_claims: Option<Vec<Box<str>>>,
    /// For PostgreSQL: a setting that holds the claims as one JSON object, as `request.jwt.claims` for functions of Supabase and PostgREST
    #[arg(long, env = "THALWEG_JWT_CLAIMS_SETTING", value_name = "NAME", value_parser = setting_name)]
    pub(crate) jwt_claims_setting: Option<Box<str>>,
    /// For PostgreSQL: a setting for all requests, as `app.name=value`; may be repeated
    #[arg(long, env = "THALWEG_PG_SETTING", hide_env_values = true, value_name = "NAME=VALUE")]
    pub(crate) pg_setting: Vec<FixedSetting>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FixedSetting(pub(crate) Pair);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderSetting {
    pub(crate) header: HeaderName,
    pub(crate) name: Box<str>,
}

impl RoleOptions {
    /// Maps claims to a session. Without roles, the claim of this name has no meaning.
    pub(crate) fn mapping(&self, has_roles: bool) -> Mapping {
        Mapping {
            role: if has_roles { self.jwt_role.clone() } else { Vec::new() },
            default_role: self.default_role.clone(),
            claims: self.jwt_claims.clone(),
            claims_object: self.jwt_claims_setting.clone(),
            fixed: self.pg_setting.iter().map(|setting| setting.0.clone()).collect(),
        }
    }
}

impl FromStr for FixedSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "a name and a value are wanted, such as `app.name=value`".to_owned();
        let (name, value) = text.split_once('=').ok_or_else(wanted)?;
        check_name(name)?;
        Ok(Self((name.into(), value.into())))
    }
}

impl FromStr for HeaderSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted =
            || "a header and a setting are wanted, such as `X-Tenant=app.tenant`".to_owned();
        let (header, name) = text.split_once('=').ok_or_else(wanted)?;
        let header = header.parse().map_err(|_| wanted())?;
        check_name(name)?;
        if name.to_ascii_lowercase().starts_with(CLAIMS) {
            return Err(format!("`{CLAIMS}…` are the claims of tokens; no header may set them"));
        }
        Ok(Self { header, name: name.into() })
    }
}

/// The name of a setting that tokens determine.
fn setting_name(text: &str) -> Result<Box<str>, String> {
    check_name(text)?;
    match text.contains('.') {
        true => Ok(text.into()),
        false => Err(format!("`{text}` has no dot, as a setting of your own has: `app.claims`")),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let lower = name.to_ascii_lowercase();
    if OF_ROLES.contains(&&*lower) {
        return Err(format!("`{name}` is set by tokens and `--default-role`"));
    }
    if OF_VALUES.contains(&&*lower) {
        return Err(format!("`{name}` is the format in which Thalweg reads values"));
    }
    match is_setting(name) {
        true => Ok(()),
        false => Err(format!("`{name}` cannot be the name of a setting")),
    }
}
