//! Services of the dialect prisma: their secrets, and their paths.

use std::fmt;
use std::str::FromStr;

use clap::Args;

use super::given::GivenOptions;
use crate::failure::Failure;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Prisma")]
pub(crate) struct PrismaOptions {
    /// For prisma: the secrets of the service, separated by commas: a request needs a token that one of
    /// them has signed (HS256) [default: requests need no token]
    #[arg(
        long,
        env = "THALWEG_SERVICE_SECRET",
        hide_env_values = true,
        value_name = "SECRETS",
        value_delimiter = ','
    )]
    service_secret: Vec<ServiceSecret>,
    /// For prisma: the service as the end of its endpoint has it, `NAME/STAGE` [default: default/default]
    #[arg(long, env = "THALWEG_SERVICE", value_name = "NAME/STAGE")]
    service: Option<ServiceName>,
}

/// A secret that signs tokens.
#[derive(Clone, PartialEq, Eq)]
struct ServiceSecret(Box<str>);

/// The name and the stage of a service, after the name of its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceName {
    workspace: Option<Box<str>>,
    name: Box<str>,
    stage: Box<str>,
}

/// The name of services and stages without another one.
const DEFAULT: &str = "default";

/// Names that Prisma keeps for paths of its own.
const RESERVED: [&str; 4] = ["cluster", "management", "export", "import"];

/// Beginnings of the server's own paths.
const OWN_PATHS: [&str; 4] = ["graphql", "graphiql", "explain", "health"];

/// Options about tokens, which have no effect beside secrets of a service.
const OF_TOKENS: [&str; 17] = [
    "require-token",
    "jwt-secret",
    "jwt-public-key",
    "jwt-jwks",
    "jwt-jwks-max-stale",
    "jwt-verify-algorithms",
    "jwt-verify-audience",
    "jwt-verify-issuer",
    "jwt-verify-subject",
    "jwt-verify-id",
    "jwt-verify-clock-tolerance",
    "jwt-max-age",
    "jwt-require-claims",
    "jwt-cookie",
    "jwt-role",
    "jwt-claims",
    "jwt-claims-setting",
];

impl PrismaOptions {
    /// Whether requests need a token of the service.
    pub(crate) fn has_secrets(&self) -> bool {
        !self.service_secret.is_empty()
    }

    /// The secrets, after refusing options that have no effect beside them.
    pub(crate) fn secrets(&self, given: &GivenOptions) -> Result<Vec<&str>, Failure> {
        match OF_TOKENS.into_iter().find(|name| given.contains(name)) {
            Some(name) => Err(Failure::Usage(format!(
                "`--{name}` has no effect beside `--service-secret`, whose tokens are required and \
                 verified as Prisma does: leave one of both out"
            ))),
            None => Ok(self.service_secret.iter().map(|secret| &*secret.0).collect()),
        }
    }

    /// The service, with its secrets.
    pub(crate) fn own_service(&self) -> (ServiceName, Box<[Box<str>]>) {
        let secrets = self.service_secret.iter().map(|secret| secret.0.clone());
        (self.service.clone().unwrap_or_default(), secrets.collect())
    }
}

impl ServiceName {
    /// The service that the segments of a path name, of which the last ones may be missing; `None` if
    /// there are too many.
    pub(crate) fn of_segments(segments: &[&str]) -> Option<Self> {
        let of = |workspace: Option<&str>, name: &str, stage: &str| {
            let workspace = workspace.map(Into::into);
            Some(Self { workspace, name: name.into(), stage: stage.into() })
        };
        match segments {
            [] => of(None, DEFAULT, DEFAULT),
            [name] => of(None, name, DEFAULT),
            [name, stage] => of(None, name, stage),
            [workspace, name, stage] => of(Some(workspace), name, stage),
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn stage(&self) -> &str {
        &self.stage
    }

    /// The id of the service, as messages have it. The separator depends on the database.
    pub(crate) fn id(&self, separator: char) -> String {
        let Self { workspace, name, stage } = self;
        match workspace {
            Some(workspace) => format!("{workspace}~{name}{separator}{stage}"),
            None => format!("{name}{separator}{stage}"),
        }
    }
}

impl Default for ServiceName {
    fn default() -> Self {
        Self { workspace: None, name: DEFAULT.into(), stage: DEFAULT.into() }
    }
}

impl FromStr for ServiceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let segments: Vec<_> = text.split('/').collect();
        let is_name = |name: &&str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        if !segments.iter().all(is_name) {
            return Err(
                "a name and a stage are wanted, such as `blog/dev`: letters, digits, `-` and \
                        `_`, with a letter first"
                    .into(),
            );
        }
        if let Some(reserved) = segments.iter().find(|name| RESERVED.contains(name)) {
            return Err(format!("`{reserved}` is a name that Prisma keeps for paths of its own"));
        }
        if let Some(own) = segments.first().filter(|name| OWN_PATHS.contains(name)) {
            return Err(format!("`/{own}` is a path of the server's own"));
        }
        Self::of_segments(&segments)
            .ok_or_else(|| "a service has a name, a stage, and before them a workspace".into())
    }
}

impl FromStr for ServiceSecret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" => Err("a secret is empty".into()),
            secret => Ok(Self(secret.into())),
        }
    }
}

/// Hides the secret.
impl fmt::Debug for ServiceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

#[cfg(test)]
mod tests {
    use super::super::auth::AuthOptions;
    use super::super::given;
    use super::*;

    #[test]
    fn a_service_has_the_name_of_its_path() {
        let check = |text: &str, id: Result<&str, &str>| {
            let found = text.parse::<ServiceName>().map(|service| service.id('$'));
            match id {
                Ok(id) => assert_eq!(found.as_deref(), Ok(id), "{text}"),
                Err(problem) => assert!(found.unwrap_err().contains(problem), "{text}"),
            }
        };
        check("blog", Ok("blog$default"));
        check("blog/dev", Ok("blog$dev"));
        check("team/my-blog/dev_2", Ok("team~my-blog$dev_2"));
        for wrong in ["", "/", "blog/", "/blog", "1blog", "blog/d v", "blög", "blog$dev"] {
            check(wrong, Err("such as `blog/dev`"));
        }
        check("a/b/c/d", Err("a name, a stage"));
        check("management", Err("Prisma keeps"));
        check("blog/import", Err("Prisma keeps"));
        check("graphql/dev", Err("a path of the server's own"));
        check("blog/graphql", Ok("blog$graphql"));
    }

    #[test]
    fn options_about_other_tokens_are_refused_beside_secrets() {
        #[derive(Debug, clap::Args)]
        struct Words {
            #[command(flatten)]
            auth: AuthOptions,
            #[command(flatten)]
            prisma: PrismaOptions,
        }
        let check = |words: &[&str], option: Option<&str>| {
            let words = [&["thalweg", "--service-secret", "one"], words].concat();
            let words = words.into_iter().map(Into::into);
            let (words, given) = given::of_words::<Words>(words).unwrap();
            let refused = words.prisma.secrets(&given).map_err(|failure| failure.to_string());
            match option {
                None => assert_eq!(refused, Ok(vec!["one"])),
                Some(option) => {
                    let text = format!("`{option}` has no effect beside `--service-secret`");
                    assert!(refused.unwrap_err().contains(&text), "{option}");
                }
            }
        };
        check(&[], None);
        check(&["--default-role", "visitor"], None);
        check(&["--pg-setting-header", "X-Tenant=app.tenant"], None);
        check(&["--jwt-secret", "s"], Some("--jwt-secret"));
        check(&["--jwt-role", "a"], Some("--jwt-role"));
        check(&["--jwt-claims", "a"], Some("--jwt-claims"));
        check(&["--require-token"], Some("--require-token"));
        // Each option about tokens is known here.
        let known = given::names_of::<AuthOptions>();
        let own: Vec<_> = known.iter().filter(|name| name.starts_with("jwt-")).collect();
        assert!(own.iter().all(|name| OF_TOKENS.contains(&name.as_str())), "{own:?}");
    }

    #[test]
    fn secrets_are_separated_by_commas_and_never_shown() {
        #[derive(Debug, clap::Parser)]
        struct Words {
            #[command(flatten)]
            prisma: PrismaOptions,
        }
        let parse = |words: &[&str]| {
            <Words as clap::Parser>::try_parse_from([&["thalweg"], words].concat())
        };
        let words = parse(&["--service-secret", "alpha, beta"]).unwrap();
        assert_eq!(words.prisma.secrets(&GivenOptions::default()).unwrap(), ["alpha", "beta"]);
        assert!(!format!("{words:?}").contains("alpha"));
        assert!(!parse(&[]).unwrap().prisma.has_secrets());
        let refused = parse(&["--service-secret", "alpha,,beta"]).unwrap_err().to_string();
        assert!(refused.contains("a secret is empty"), "{refused}");
    }
}
