//! Resolution of every value: the address first, then the environment, then the default.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use source::wire::socket::Silence;

use super::super::error::WireError;
use super::url::{self, Parts};
use super::{Authentication, Config, ConnectTimeout, Encryption, RootCertificates, Secret};

const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Default limit of the bytes of one exchange's answers.
const DEFAULT_ANSWER_LIMIT: usize = 1 << 30;
/// The user that every new database has.
const DEFAULT_USER: &str = "neo4j";

/// The lookup of an environment variable.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Our own parameters in the query of an address; the others are for the servers.
#[derive(Default)]
struct Options {
    authentication: Option<String>,
    database: Option<String>,
    trusted_certificates: Option<String>,
    connect_timeout: Option<String>,
    others: Vec<(Box<str>, Box<str>)>,
}

pub(super) fn resolve(url: &str, environment: Environment<'_>) -> Result<Config, WireError> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let Parts { scheme, user, password, endpoint, query } = url::parse(url)?;
    let (is_routed, encryption) = read_scheme(&scheme)?;
    let options = Options::from_query(query);
    let routing = match (is_routed, options.others.first()) {
        (true, _) if options.others.iter().any(|(name, _)| &**name == "address") => {
            return Err(configuration(&["`address` is not for the query of an address"]));
        }
        (true, _) => Some(options.others.into()),
        (false, None) => None,
        (false, Some((name, _))) => {
            return Err(configuration(&["the address has an unknown option: ", name]));
        }
    };
    if options.trusted_certificates.is_some() && encryption != Encryption::Verified {
        return Err(configuration(&["trusted_certificates needs a scheme that ends with +s"]));
    }
    let (user, password) = match user.is_some() || password.is_some() {
        // A user of one place and a password of another are not the same person's.
        true => (user, password.or_else(|| variable("NEO4J_PASSWORD").map(Secret::new))),
        false => (variable("NEO4J_USERNAME"), variable("NEO4J_PASSWORD").map(Secret::new)),
    };
    let database = options.database.or_else(|| variable("NEO4J_DATABASE"));
    Ok(Config {
        endpoint: Arc::new(endpoint),
        routing,
        encryption,
        root_certificates: options
            .trusted_certificates
            .map(|file| RootCertificates::File(file.into())),
        authentication: authentication(options.authentication.as_deref(), user, password)?,
        database: database.map(Arc::from),
        connect_timeout: connect_timeout(options.connect_timeout.as_deref())?,
        silence: Silence::DEFAULT,
        answer_limit: DEFAULT_ANSWER_LIMIT,
        memory: None,
        tls_client: Arc::new(OnceLock::new()),
    })
}

/// Whether routing is used, and how the stream is encrypted.
fn read_scheme(scheme: &str) -> Result<(bool, Encryption), WireError> {
    Ok(match scheme {
        "bolt" => (false, Encryption::Plain),
        "bolt+s" => (false, Encryption::Verified),
        "bolt+ssc" => (false, Encryption::Unverified),
        "neo4j" => (true, Encryption::Plain),
        "neo4j+s" => (true, Encryption::Verified),
        "neo4j+ssc" => (true, Encryption::Unverified),
        other => return Err(configuration(&["no scheme of Neo4j: ", other])),
    })
}

impl Options {
    fn from_query(query: Vec<(String, String)>) -> Options {
        let mut options = Options::default();
        for (name, value) in query {
            let value_of = match name.as_str() {
                "auth" => &mut options.authentication,
                "database" => &mut options.database,
                "trusted_certificates" => &mut options.trusted_certificates,
                "connect_timeout" => &mut options.connect_timeout,
                _ => {
                    options.others.push((name.into(), value.into()));
                    continue;
                }
            };
            *value_of = Some(value).filter(|value| !value.is_empty());
        }
        options
    }
}

fn authentication(
    scheme: Option<&str>,
    user: Option<String>,
    password: Option<Secret>,
) -> Result<Authentication, WireError> {
    let secret = |own: Option<Secret>| own.unwrap_or_else(|| Secret::new(""));
    Ok(match scheme {
        None if user.is_none() && password.is_none() => Authentication::None,
        None | Some("basic") => Authentication::Basic {
            user: user.unwrap_or_else(|| DEFAULT_USER.to_owned()),
            password: secret(password),
        },
        Some("bearer") if password.is_some() => Authentication::Bearer(secret(password)),
        Some("bearer") => {
            return Err(configuration(&[
                "auth=bearer needs a token, in the place of the password or in NEO4J_PASSWORD",
            ]));
        }
        Some("none") => Authentication::None,
        Some(other) => {
            return Err(configuration(&["auth is basic, bearer or none, and not ", other]));
        }
    })
}

/// In seconds; zero is no limit.
fn connect_timeout(text: Option<&str>) -> Result<ConnectTimeout, WireError> {
    let Some(text) = text else { return Ok(ConnectTimeout::Default(DEFAULT_CONNECT_TIMEOUT)) };
    let seconds: u32 = text
        .parse()
        .map_err(|_| configuration(&["connect_timeout is a number of seconds, and not ", text]))?;
    let limit = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    Ok(ConnectTimeout::Configured(limit))
}

fn configuration(parts: &[&str]) -> WireError {
    WireError::Configuration(parts.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a configuration, printed on one line.
    fn check(url: &str, environment: &[(&str, &str)], expected: &str) {
        let resolved = resolve(url, &|name| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        let shown = match resolved {
            Ok(config) => {
                let who = match &config.authentication {
                    Authentication::None => "nobody".to_owned(),
                    Authentication::Basic { user, password } => {
                        format!("{user}:{}", String::from_utf8_lossy(password.as_bytes()))
                    }
                    Authentication::Bearer(token) => {
                        format!("token {}", String::from_utf8_lossy(token.as_bytes()))
                    }
                };
                let routing = config.routing.as_ref().map(|context| context.len());
                let database = config.database().unwrap_or("-");
                let encryption = config.encryption();
                format!("{who} {} {database} {encryption:?} {routing:?}", config.endpoint())
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{url}");
    }

    #[test]
    fn the_scheme_says_whether_servers_route_and_what_tls_is_worth() {
        check("bolt://h", &[], "nobody h:7687 - Plain None");
        check("bolt+s://h", &[], "nobody h:7687 - Verified None");
        check("bolt+ssc://h", &[], "nobody h:7687 - Unverified None");
        check("neo4j://h", &[], "nobody h:7687 - Plain Some(0)");
        check("neo4j+s://h?policy=eu", &[], "nobody h:7687 - Verified Some(1)");
        check("neo4j+ssc://h", &[], "nobody h:7687 - Unverified Some(0)");
        check("http://h", &[], "no scheme of Neo4j: http");
    }

    #[test]
    fn the_environment_says_who_where_the_address_does_not() {
        let all = [("NEO4J_USERNAME", "u"), ("NEO4J_PASSWORD", "p"), ("NEO4J_DATABASE", "d")];
        check("bolt://h", &all, "u:p h:7687 d Plain None");
        check("bolt://a@h?database=e", &all, "a:p h:7687 e Plain None");
        check("bolt://a:b@h", &all, "a:b h:7687 d Plain None");
        check("bolt://:b@h", &all, "neo4j:b h:7687 d Plain None");
        check("bolt://h", &all[1..2], "neo4j:p h:7687 - Plain None");
        check("bolt://h", &all[..1], "u: h:7687 - Plain None");
        check("bolt://h?auth=bearer", &all, "token p h:7687 d Plain None");
        check("bolt://:t@h?auth=bearer", &all, "token t h:7687 d Plain None");
        check("bolt://h?auth=none", &all, "nobody h:7687 d Plain None");
        check("bolt://h", &[("NEO4J_USERNAME", "")], "nobody h:7687 - Plain None");
    }

    #[test]
    fn options_that_mean_nothing_are_refused() {
        check("bolt://h?policy=eu", &[], "the address has an unknown option: policy");
        check("neo4j://h?address=x", &[], "`address` is not for the query of an address");
        check("bolt://h?auth=x", &[], "auth is basic, bearer or none, and not x");
        check(
            "bolt://h?auth=bearer",
            &[],
            "auth=bearer needs a token, in the place of the password or in NEO4J_PASSWORD",
        );
        check(
            "bolt://h?connect_timeout=soon",
            &[],
            "connect_timeout is a number of seconds, and not soon",
        );
        check(
            "neo4j://h?trusted_certificates=ca.pem",
            &[],
            "trusted_certificates needs a scheme that ends with +s",
        );
    }

    #[test]
    fn the_time_for_connecting_is_the_addresss_or_else_the_callers() {
        let of = |url| {
            let config = resolve(url, &|_| None).unwrap();
            config.with_default_connect_timeout(Duration::from_secs(9)).connect_timeout()
        };
        assert_eq!(of("bolt://h"), Some(Duration::from_secs(9)));
        assert_eq!(of("bolt://h?connect_timeout=2"), Some(Duration::from_secs(2)));
        assert_eq!(of("bolt://h?connect_timeout=0"), None);
    }
}
