//! Sessions of the dialect hasura: the admin secret, tokens, the webhook, the unauthorized role.

use clap::{Args, ValueEnum};
use hyper::Uri;

use super::given::GivenOptions;
use super::hasura_environment::HasuraEnvironment;
use super::quantity::Time;
use super::stand_ins::variables_of;
use crate::failure::Failure;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Hasura sessions")]
pub(crate) struct HasuraAuthOptions {
    /// For hasura: the secret of the header `X-Hasura-Admin-Secret`; without it every request is the
    /// role that it names, or `admin`
    #[arg(long, env = "THALWEG_ADMIN_SECRET", hide_env_values = true, value_name = "SECRET")]
    admin_secret: Option<Box<str>>,
    /// For hasura: how tokens are verified: the JSON object of HASURA_GRAPHQL_JWT_SECRET, or a list of
    /// such objects
    #[arg(long, env = "THALWEG_JWT_CONFIG", hide_env_values = true, value_name = "JSON")]
    jwt_config: Option<Box<str>>,
    /// For hasura: the role of requests without a token and without the admin secret [default: they are
    /// refused]
    #[arg(long, env = "THALWEG_UNAUTHORIZED_ROLE", value_name = "ROLE")]
    unauthorized_role: Option<Box<str>>,
    /// For hasura: the URL of a webhook that gives requests without the admin secret their session
    #[arg(long, env = "THALWEG_AUTH_HOOK", hide_env_values = true, value_name = "URL")]
    auth_hook: Option<Box<str>>,
    /// For hasura: the method of requests to the webhook
    #[arg(
        long,
        env = "THALWEG_AUTH_HOOK_MODE",
        value_name = "METHOD",
        default_value = "GET",
        ignore_case = true
    )]
    auth_hook_mode: HookMode,
    /// For hasura: whether the webhook receives the GraphQL request in the mode POST
    #[arg(
        long,
        env = "THALWEG_AUTH_HOOK_REQUEST_BODY",
        value_name = "BOOLEAN",
        action = clap::ArgAction::Set,
        default_value = "true"
    )]
    auth_hook_request_body: bool,
    /// For hasura: the timeout of a request to the webhook, to the last byte of the answer
    #[arg(long, env = "THALWEG_AUTH_HOOK_TIMEOUT", value_name = "TIME", default_value = "10s")]
    auth_hook_timeout: Time,
    /// For hasura: how long answers of the webhook are used again for equal requests [default: never]
    #[arg(long, env = "THALWEG_AUTH_HOOK_CACHE", value_name = "TIME")]
    auth_hook_cache: Option<Time>,
}

/// The method of requests to the webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookMode {
    #[value(name = "GET")]
    Get,
    #[value(name = "POST")]
    Post,
}

/// How sessions are authenticated, by the options and Hasura's variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct HasuraAuth {
    pub(crate) admin_secret: Option<Box<str>>,
    pub(crate) jwt: Option<JwtSetting>,
    pub(crate) unauthorized_role: Option<Box<str>>,
    pub(crate) hook: Option<HookSetting>,
    pub(crate) environment: HasuraEnvironment,
}

/// The JSON of the verification of tokens, with the name of the option or variable that has it.
#[derive(Clone, Debug)]
pub(crate) struct JwtSetting {
    pub(crate) name: &'static str,
    pub(crate) text: Box<str>,
}

/// A webhook.
#[derive(Clone, Debug)]
pub(crate) struct HookSetting {
    pub(crate) url: Uri,
    pub(crate) mode: HookMode,
    pub(crate) sends_request: bool,
    pub(crate) timeout: Time,
    pub(crate) cache: Option<Time>,
}

impl HasuraAuthOptions {
    /// The options, and Hasura's variables in the place of those that are not given.
    pub(crate) fn resolve(
        &self,
        given: &GivenOptions,
        mut environment: HasuraEnvironment,
    ) -> Result<HasuraAuth, Failure> {
        let mut setting = |own: &Option<Box<str>>, option: &'static str| {
            let found = environment.read(option, variables_of(option), own.is_some());
            let own = own.clone().map(|text| (option, text));
            match own.or(found) {
                Some((name, text)) if text.trim().is_empty() => Err(empty(name)),
                found => Ok(found),
            }
        };
        let admin_secret = setting(&self.admin_secret, "--admin-secret")?;
        let jwt = setting(&self.jwt_config, "--jwt-config")?;
        let role = setting(&self.unauthorized_role, "--unauthorized-role")?;
        let url = setting(&self.auth_hook, "--auth-hook")?;
        let mut read = |option: &'static str| {
            let is_given = given.contains(option.trim_start_matches('-'));
            environment.read(option, variables_of(option), is_given)
        };
        let mode = read("--auth-hook-mode");
        let mode = match mode {
            None => self.auth_hook_mode,
            Some((name, text)) => HookMode::from_str(text.trim(), true)
                .map_err(|_| usage(format!("`{name}` must be `GET` or `POST`")))?,
        };
        let body = read("--auth-hook-request-body");
        let sends_request = match body {
            None => self.auth_hook_request_body,
            Some((name, text)) => boolean_of(name, &text)?,
        };
        // An option of the dialect, which reads it by itself.
        read("--infer-function-permissions");
        if url.is_none()
            && let Some(option) = ["auth-hook-mode", "auth-hook-request-body"]
                .into_iter()
                .chain(["auth-hook-timeout", "auth-hook-cache"])
                .find(|option| given.contains(option))
        {
            return Err(usage(format!("`--{option}` needs `--auth-hook`")));
        }
        let hook = match url {
            None => None,
            Some((name, url)) => Some(HookSetting {
                url: url_of(name, &url)?,
                mode,
                sends_request,
                timeout: self.auth_hook_timeout,
                cache: self.auth_hook_cache,
            }),
        };
        check(admin_secret.is_some(), jwt.as_ref(), role.as_ref(), hook.is_some())?;
        Ok(HasuraAuth {
            admin_secret: admin_secret.map(|(_, text)| text),
            jwt: jwt.map(|(name, text)| JwtSetting { name, text }),
            unauthorized_role: role.map(|(_, text)| text),
            hook,
            environment,
        })
    }
}

/// The value of one of Hasura's variables that is a boolean.
pub(super) fn boolean_of(name: &str, text: &str) -> Result<bool, Failure> {
    boolean(text.trim()).ok_or_else(|| {
        usage(format!("`{name}` must be `true` or `false`, in one of Hasura's forms"))
    })
}

type NamedValue = (&'static str, Box<str>);

/// Refuses settings that Hasura refuses, too: each of them would not mean what it seems to.
fn check(
    has_secret: bool,
    jwt: Option<&NamedValue>,
    role: Option<&NamedValue>,
    has_hook: bool,
) -> Result<(), Failure> {
    let needs_secret = |what: &str| {
        Err(usage(format!(
            "`{what}` needs `--admin-secret`: without it every request has the role that it names"
        )))
    };
    match (has_secret, jwt, role, has_hook) {
        (_, Some((name, _)), _, true) => Err(usage(format!(
            "`{name}` cannot be combined with `--auth-hook`: the webhook decides about tokens"
        ))),
        (_, None, Some((name, _)), true) => Err(usage(format!(
            "`{name}` cannot be combined with `--auth-hook`: the webhook gives requests without \
             credentials their role"
        ))),
        (false, Some((name, _)), ..) | (false, _, Some((name, _)), _) => needs_secret(name),
        (false, None, None, true) => needs_secret("--auth-hook"),
        (true, ..) | (false, None, None, false) => Ok(()),
    }
}

fn empty(name: &str) -> Failure {
    usage(format!("`{name}` is empty: give it a value, or remove it"))
}

fn usage(text: String) -> Failure {
    Failure::Usage(text)
}

fn url_of(name: &str, text: &str) -> Result<Uri, Failure> {
    let url: Option<Uri> = text.trim().parse().ok();
    let is_http = |url: &Uri| matches!(url.scheme_str(), Some("http" | "https"));
    // A user and a password in front of the host would not be sent.
    let has_user = |url: &Uri| url.authority().is_some_and(|one| one.as_str().contains('@'));
    let url = url.filter(|url| is_http(url) && url.host().is_some() && !has_user(url));
    url.ok_or_else(|| {
        usage(format!(
            "`{name}` must be a URL without a user, such as `https://auth.example/session`"
        ))
    })
}

/// A boolean in one of Hasura's forms.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match () {
        () if is_one_of(["true", "t", "yes", "y"]) => Some(true),
        () if is_one_of(["false", "f", "no", "n"]) => Some(false),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        auth: HasuraAuthOptions,
    }

    /// The authentication of these words and variables, or the problem.
    fn resolve(words: &[&str], variables: &[(&str, &str)]) -> Result<HasuraAuth, String> {
        let line = Line::try_parse_from([&["thalweg"], words].concat());
        let line = line.map_err(|error| error.to_string())?;
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let matches = <Line as clap::CommandFactory>::command()
            .try_get_matches_from([&["thalweg"], words].concat())
            .unwrap();
        let given = GivenOptions::of(&<Line as clap::CommandFactory>::command(), &matches);
        let environment = HasuraEnvironment::new(variables);
        line.auth.resolve(&given, environment).map_err(|failure| failure.to_string())
    }

    fn check(words: &[&str], variables: &[(&str, &str)], problem: &str) {
        let found = resolve(words, variables).expect_err(problem);
        assert!(found.contains(problem), "{found}");
    }

    const SECRET: [&str; 2] = ["--admin-secret", "s"];

    #[test]
    fn variables_stand_in_for_options_that_are_not_given() {
        let found = resolve(
            &[],
            &[
                ("HASURA_GRAPHQL_ADMIN_SECRET", "a"),
                ("HASURA_GRAPHQL_JWT_SECRET", "{}"),
                ("HASURA_GRAPHQL_UNAUTHORIZED_ROLE", "anonymous"),
            ],
        )
        .unwrap();
        assert_eq!(found.admin_secret.as_deref(), Some("a"));
        assert_eq!(found.jwt.map(|jwt| jwt.name), Some("HASURA_GRAPHQL_JWT_SECRET"));
        assert_eq!(found.unauthorized_role.as_deref(), Some("anonymous"));
        let found = resolve(&SECRET, &[("HASURA_GRAPHQL_ADMIN_SECRET", "a")]).unwrap();
        assert_eq!(found.admin_secret.as_deref(), Some("s"));
        // The list of secrets wins, as in Hasura.
        let both = [
            ("HASURA_GRAPHQL_JWT_SECRET", "{}"),
            ("HASURA_GRAPHQL_JWT_SECRETS", "[]"),
            ("HASURA_GRAPHQL_ACCESS_KEY", "old"),
        ];
        let found = resolve(&[], &both).unwrap();
        assert_eq!(found.jwt.map(|jwt| jwt.text), Some("[]".into()));
        assert_eq!(found.admin_secret.as_deref(), Some("old"));
        let hook = [
            ("HASURA_GRAPHQL_AUTH_HOOK", "http://auth:3000/a?b=c"),
            ("HASURA_GRAPHQL_AUTH_HOOK_MODE", "post"),
            ("HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY", "No"),
        ];
        let found = resolve(&SECRET, &hook).unwrap().hook.unwrap();
        assert_eq!((found.mode, found.sends_request), (HookMode::Post, false));
        let words = [&SECRET[..], &["--auth-hook-mode", "get", "--auth-hook-cache", "5s"]].concat();
        let found = resolve(&words, &hook).unwrap().hook.unwrap();
        assert_eq!((found.mode, found.cache.is_some()), (HookMode::Get, true));
        assert_eq!(found.url.to_string(), "http://auth:3000/a?b=c");
        assert!(resolve(&[], &[]).unwrap().admin_secret.is_none());
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        check(&["--admin-secret", ""], &[], "`--admin-secret` is empty");
        check(&[], &[("HASURA_GRAPHQL_JWT_SECRET", " ")], "`HASURA_GRAPHQL_JWT_SECRET` is empty");
        check(&["--jwt-config", "{}"], &[], "`--jwt-config` needs `--admin-secret`");
        check(&["--unauthorized-role", "a"], &[], "`--unauthorized-role` needs `--admin-secret`");
        check(&["--auth-hook", "http://a/"], &[], "`--auth-hook` needs `--admin-secret`");
        check(&["--auth-hook-cache", "5s"], &[], "`--auth-hook-cache` needs `--auth-hook`");
        let hook = [&SECRET[..], &["--auth-hook", "http://a/"]].concat();
        check(&[&hook[..], &["--jwt-config", "{}"]].concat(), &[], "cannot be combined");
        check(&[&hook[..], &["--unauthorized-role", "a"]].concat(), &[], "cannot be combined");
        for url in ["a", "/a", "ftp://a/", "http:/a", "http://u:p@a/", ""] {
            let words = [&SECRET[..], &["--auth-hook", url]].concat();
            check(&words, &[], if url.is_empty() { "is empty" } else { "must be a URL" });
        }
        let mode = [("HASURA_GRAPHQL_AUTH_HOOK_MODE", "PUT")];
        check(&hook, &mode, "`HASURA_GRAPHQL_AUTH_HOOK_MODE` must be `GET` or `POST`");
        let body = [("HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY", "1")];
        check(&hook, &body, "must be `true` or `false`");
    }
}
