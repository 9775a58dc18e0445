//! Decides every value: the connection text first, then the environment, then libpq's defaults.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use source::wire::socket::{Keepalive, Silence};
use tokio_postgres::config::{ChannelBinding, SslNegotiation, TargetSessionAttrs};

use super::super::error::WireError;
use super::super::pooler::PoolerState;
use super::super::sessions::Sessions;
use super::super::silent::SilentAddresses;
use super::password_file::{self, PasswordLookup};
use super::url::{self, Separated};
use super::{Config, ConnectTimeout, Endpoint, Host, RootCertificates, Secret, TlsMode};

const DEFAULT_PORT: u16 = 5432;
/// Default folders of the socket: of PostgreSQL's packages, and of PostgreSQL built from source.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];
/// libpq waits for as long as the system does, which is minutes.
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Default of `tokio_postgres`.
const UNSAID_KEEPALIVE: Duration = Duration::from_secs(2 * 60 * 60);
/// Default limit of the bytes of one round's answers.
const DEFAULT_ANSWER_LIMIT: usize = 1 << 30;

/// The lookup of an environment variable.
type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

pub(super) fn resolve(text: &str, environment: Environment<'_>) -> Result<Config, WireError> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let separated = url::separate(text)?;
    let mut parsed = tokio_postgres::Config::from_str(&separated.rest)
        .map_err(|error| configuration(&["the connection text: ", &with_source(&error)]))?;
    fill_from_environment(&mut parsed, &separated, &variable)?;

    let user = match parsed.get_user().filter(|user| !user.is_empty()) {
        Some(user) => user.to_owned(),
        None => operating_system_user()?,
    };
    let database = parsed.get_dbname().map_or_else(|| user.clone(), str::to_owned);
    let mut endpoints = endpoints(&parsed, &separated, &variable)?;
    fill_passwords(&mut endpoints, &parsed, (&user, &database), &variable);
    let tls = tls_mode(separated.sslmode.or_else(|| variable("PGSSLMODE")).as_deref())?;
    let root_certificates = root_certificates(
        separated.sslrootcert.or_else(|| variable("PGSSLROOTCERT")),
        variable("HOME"),
    );
    if root_certificates == Some(RootCertificates::System) && tls != TlsMode::VerifyFull {
        // libpq's rule: anyone can get a certificate of a public authority.
        return Err(configuration(&["sslrootcert=system needs sslmode=verify-full"]));
    }
    Ok(Config {
        endpoints,
        user,
        database,
        application_name: parsed.get_application_name().unwrap_or("thalweg").to_owned(),
        options: parsed.get_options().map(str::to_owned),
        tls,
        root_certificates,
        tls_negotiation: parsed.get_ssl_negotiation(),
        channel_binding: parsed.get_channel_binding(),
        session: parsed.get_target_session_attrs(),
        connect_timeout: connect_timeout(&parsed, &variable)?,
        silence: silence(&parsed),
        pooler: PoolerState::new(false, true),
        sessions: Sessions::default(),
        answer_limit: DEFAULT_ANSWER_LIMIT,
        memory: None,
        silent: SilentAddresses::default(),
        tls_client: Arc::new(OnceLock::new()),
    })
}

/// The values that need no more than to be handed over.
fn fill_from_environment(
    parsed: &mut tokio_postgres::Config,
    separated: &Separated,
    variable: Environment<'_>,
) -> Result<(), WireError> {
    if parsed.get_user().is_none_or(str::is_empty)
        && let Some(user) = variable("PGUSER")
    {
        parsed.user(user);
    }
    if parsed.get_dbname().is_none()
        && let Some(database) = variable("PGDATABASE")
    {
        parsed.dbname(database);
    }
    if parsed.get_application_name().is_none()
        && let Some(name) = variable("PGAPPNAME")
    {
        parsed.application_name(name);
    }
    if parsed.get_options().is_none()
        && let Some(options) = variable("PGOPTIONS")
    {
        parsed.options(options);
    }
    if !separated.has_channel_binding
        && let Some(value) = variable("PGCHANNELBINDING")
    {
        parsed.channel_binding(match value.as_str() {
            "disable" => ChannelBinding::Disable,
            "prefer" => ChannelBinding::Prefer,
            "require" => ChannelBinding::Require,
            _ => return Err(invalid("PGCHANNELBINDING", &value)),
        });
    }
    if !separated.has_negotiation
        && let Some(value) = variable("PGSSLNEGOTIATION")
    {
        parsed.ssl_negotiation(match value.as_str() {
            "postgres" => SslNegotiation::Postgres,
            "direct" => SslNegotiation::Direct,
            _ => return Err(invalid("PGSSLNEGOTIATION", &value)),
        });
    }
    if !separated.has_session
        && let Some(value) = variable("PGTARGETSESSIONATTRS")
    {
        parsed.target_session_attrs(match value.as_str() {
            "any" => TargetSessionAttrs::Any,
            "read-write" => TargetSessionAttrs::ReadWrite,
            "read-only" => TargetSessionAttrs::ReadOnly,
            _ => return Err(invalid("PGTARGETSESSIONATTRS", &value)),
        });
    }
    Ok(())
}

fn endpoints(
    parsed: &tokio_postgres::Config,
    separated: &Separated,
    variable: Environment<'_>,
) -> Result<Vec<Endpoint>, WireError> {
    let ports = if separated.has_port { parsed.get_ports().to_vec() } else { ports(variable)? };
    let mut hosts: Vec<Host> = parsed.get_hosts().iter().flat_map(hosts_of).collect();
    let addresses = parsed.get_hostaddrs();
    // A URL with a port only (`postgres://:5433/shop`) names an empty host.
    let is_named = hosts.iter().any(|host| *host != Host::Tcp(String::new()));
    if !is_named && addresses.is_empty() {
        hosts = match variable("PGHOST") {
            Some(names) => names.split(',').map(host_from_name).collect(),
            None => Vec::new(),
        };
    }
    let count = hosts.len().max(addresses.len()).max(1);
    let fits = |length: usize| length <= 1 || length == count;
    if !fits(ports.len()) || (!hosts.is_empty() && hosts.len() != count) {
        return Err(configuration(&["there are not as many ports or addresses as hosts"]));
    }
    (0..count)
        .map(|index| {
            let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(DEFAULT_PORT);
            let address = addresses.get(index).copied();
            let host = match (hosts.get(index), address) {
                (Some(Host::Tcp(name)), None) if name.is_empty() => default_host(port),
                (Some(host), _) => host.clone(),
                (None, Some(address)) => Host::Tcp(address.to_string()),
                (None, None) => default_host(port),
            };
            Ok(Endpoint { host, address, port, password: None })
        })
        .collect()
}

fn ports(variable: Environment<'_>) -> Result<Vec<u16>, WireError> {
    let Some(text) = variable("PGPORT") else { return Ok(Vec::new()) };
    text.split(',').map(|port| port.parse().map_err(|_| invalid("PGPORT", &text))).collect()
}

/// A URL's `?host=a,b` is several hosts in one.
fn hosts_of(host: &tokio_postgres::config::Host) -> Vec<Host> {
    match host {
        tokio_postgres::config::Host::Tcp(names) => names.split(',').map(host_from_name).collect(),
        #[cfg(unix)]
        tokio_postgres::config::Host::Unix(folder) => vec![Host::Unix(folder.clone())],
    }
}

fn host_from_name(name: &str) -> Host {
    if name.starts_with('/') { Host::Unix(name.into()) } else { Host::Tcp(name.to_owned()) }
}

/// libpq is built with one socket folder, which differs between builds, so the existing one is
/// searched for.
fn default_host(port: u16) -> Host {
    let socket = [".s.PGSQL.", &port.to_string()].concat();
    let folder =
        SOCKET_FOLDERS.iter().map(PathBuf::from).find(|folder| folder.join(&socket).exists());
    folder.map_or_else(|| Host::Tcp("localhost".to_owned()), Host::Unix)
}

fn fill_passwords(
    endpoints: &mut [Endpoint],
    parsed: &tokio_postgres::Config,
    (user, database): (&str, &str),
    variable: Environment<'_>,
) {
    let given = parsed.get_password().map(Secret::new);
    let given = given.or_else(|| variable("PGPASSWORD").map(Secret::new));
    let file = match &given {
        Some(_) => None,
        None => {
            let path = variable("PGPASSFILE").map(PathBuf::from);
            let path = path.or_else(|| Some(Path::new(&variable("HOME")?).join(".pgpass")));
            path.and_then(|path| password_file::read(&path))
        }
    };
    for endpoint in endpoints {
        endpoint.password = given.clone().or_else(|| {
            let host = match &endpoint.host {
                Host::Tcp(name) => name.clone(),
                // The default folder goes by this name in the file.
                Host::Unix(folder) if is_default_folder(folder) => "localhost".to_owned(),
                Host::Unix(folder) => folder.to_string_lossy().into_owned(),
            };
            let port = endpoint.port.to_string();
            let lookup = PasswordLookup { host: &host, port: &port, database, user };
            password_file::find(file.as_deref()?, lookup)
        });
    }
}

fn is_default_folder(folder: &Path) -> bool {
    SOCKET_FOLDERS.iter().any(|default| folder == Path::new(default))
}

fn tls_mode(text: Option<&str>) -> Result<TlsMode, WireError> {
    Ok(match text {
        Some("disable") => TlsMode::Disable,
        Some("allow") => TlsMode::Allow,
        None | Some("prefer") => TlsMode::Prefer,
        Some("require") => TlsMode::Require,
        Some("verify-ca") => TlsMode::VerifyCa,
        Some("verify-full") => TlsMode::VerifyFull,
        Some(other) => return Err(invalid("sslmode", other)),
    })
}

/// The named file, or libpq's default one if it exists.
fn root_certificates(named: Option<String>, home: Option<String>) -> Option<RootCertificates> {
    match named {
        Some(name) if name == "system" => Some(RootCertificates::System),
        Some(name) => Some(RootCertificates::File(name.into())),
        None => {
            let file = Path::new(&home?).join(".postgresql/root.crt");
            file.is_file().then_some(RootCertificates::File(file))
        }
    }
}

fn connect_timeout(
    parsed: &tokio_postgres::Config,
    variable: Environment<'_>,
) -> Result<ConnectTimeout, WireError> {
    if let Some(timeout) = parsed.get_connect_timeout() {
        return Ok(ConnectTimeout::Configured(Some(*timeout)));
    }
    let Some(text) = variable("PGCONNECT_TIMEOUT") else {
        return Ok(ConnectTimeout::Default(DEFAULT_CONNECT_TIMEOUT));
    };
    let seconds: i64 = text.trim().parse().map_err(|_| invalid("PGCONNECT_TIMEOUT", &text))?;
    // Zero and less mean no limit.
    let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds > 0);
    Ok(ConnectTimeout::Configured(seconds.map(Duration::from_secs)))
}

/// Two hours, the default time before keepalive probes, are too long for clients that wait for an
/// answer; a configured time holds.
fn silence(parsed: &tokio_postgres::Config) -> Silence {
    let idle = parsed.get_keepalives_idle();
    let usual = Silence::DEFAULT.keepalive;
    let keepalive = usual.filter(|_| parsed.get_keepalives()).map(|usual| Keepalive {
        idle: if idle == UNSAID_KEEPALIVE { usual.idle } else { idle },
        interval: parsed.get_keepalives_interval().unwrap_or(usual.interval),
        retries: parsed.get_keepalives_retries().unwrap_or(usual.retries),
    });
    // Zero is the system's own limit.
    let unacknowledged = parsed.get_tcp_user_timeout().copied();
    Silence { keepalive, unacknowledged: unacknowledged.unwrap_or(Silence::DEFAULT.unacknowledged) }
}

fn operating_system_user() -> Result<String, WireError> {
    whoami::username().map_err(|error| {
        configuration(&["no user is given, and the system's is not known: ", &error.to_string()])
    })
}

fn invalid(name: &str, value: &str) -> WireError {
    configuration(&[name, " has an invalid value: ", value])
}

fn configuration(parts: &[&str]) -> WireError {
    WireError::Configuration(parts.concat())
}

/// `tokio_postgres` describes the problem in the source of its error only.
fn with_source(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => [&error.to_string(), ": ", &source.to_string()].concat(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, environment: &[(&str, &str)]) -> Result<Config, WireError> {
        resolve(text, &|name| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    /// Compares a configuration, printed on one line.
    fn check(text: &str, environment: &[(&str, &str)], expected: &str) {
        let config = match resolved(text, environment) {
            Ok(config) => config,
            Err(error) => return assert_eq!(error.to_string(), expected),
        };
        let endpoints: Vec<String> = config
            .endpoints
            .iter()
            .map(|endpoint| {
                let password = endpoint
                    .password
                    .as_ref()
                    .map_or(Vec::new(), |password| [b" password ", password.as_bytes()].concat());
                endpoint.describe() + &String::from_utf8_lossy(&password)
            })
            .collect();
        let line = format!(
            "{} as {} at {} by {} {:?} {:?}",
            config.database,
            config.user,
            endpoints.join(", "),
            config.application_name,
            config.tls,
            config.connect_timeout().map(|timeout| timeout.as_secs()),
        );
        assert_eq!(line, expected);
    }

    #[test]
    fn a_url_decides_before_the_environment() {
        let environment = [
            ("PGHOST", "other"),
            ("PGPORT", "1"),
            ("PGUSER", "other"),
            ("PGPASSWORD", "other"),
            ("PGDATABASE", "other"),
            ("PGSSLMODE", "disable"),
            ("PGAPPNAME", "other"),
            ("PGCONNECT_TIMEOUT", "3"),
        ];
        check(
            "postgres://me:p%40ss@db:5433/shop?sslmode=verify-full&application_name=a&connect_timeout=7",
            &environment,
            "shop as me at db:5433 password p@ss by a VerifyFull Some(7)",
        );
        check(
            "host=/run/x port=6 user=me password=p dbname=shop sslmode=require",
            &[],
            "shop as me at /run/x/.s.PGSQL.6 password p by thalweg Require Some(5)",
        );
        check(
            "postgres://me@%2Frun%2Fx/shop",
            &[],
            "shop as me at /run/x/.s.PGSQL.5432 by thalweg Prefer Some(5)",
        );
    }

    #[test]
    fn the_environment_fills_what_a_url_leaves_open() {
        let environment = [
            ("PGHOST", "one,/run/two"),
            ("PGPORT", "1,2"),
            ("PGUSER", "me"),
            ("PGPASSWORD", "p"),
            ("PGSSLMODE", "verify-ca"),
            ("PGAPPNAME", "app"),
            ("PGCONNECT_TIMEOUT", "0"),
        ];
        check(
            "postgres://",
            &environment,
            "me as me at one:1 password p, /run/two/.s.PGSQL.2 password p by app VerifyCa None",
        );
        check(
            "postgres://you@h/d",
            &[("PGPORT", "9"), ("PGPASSWORD", "")],
            "d as you at h:9 by thalweg Prefer Some(5)",
        );
        check(
            "postgres://you@:77/d",
            &[("PGHOST", "h")],
            "d as you at h:77 by thalweg Prefer Some(5)",
        );
        check(
            "postgres:///d?host=a,b",
            &[("PGUSER", "u"), ("PGDATABASE", "x")],
            "d as u at a:5432, b:5432 by thalweg Prefer Some(5)",
        );
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        check("postgres://h/d?sslmode=always", &[], "sslmode has an invalid value: always");
        check("postgres://h/d", &[("PGPORT", "x")], "PGPORT has an invalid value: x");
        check(
            "postgres://h/d?colour=red",
            &[],
            "the connection text: invalid connection string: unknown option `colour`",
        );
        check(
            "postgres://h/d?sslrootcert=system",
            &[],
            "sslrootcert=system needs sslmode=verify-full",
        );
        check(
            "host=a,b port=1,2,3 user=u",
            &[],
            "there are not as many ports or addresses as hosts",
        );
    }

    #[test]
    fn a_password_file_fills_in_passwords_by_host() {
        let folder = std::env::temp_dir().join(format!("password-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(".pgpass");
        std::fs::write(&file, "a:*:d:u:first\n/run/x:5432:*:*:second\n*:7:*:*:third\n").unwrap();
        let home = folder.to_str().unwrap();
        let set_mode = |mode| {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(&file, permissions).unwrap();
        };
        set_mode(0o600);
        check(
            "host=a,/run/x,c port=5,5432,7 user=u dbname=d",
            &[("HOME", home)],
            "d as u at a:5 password first, /run/x/.s.PGSQL.5432 password second, \
             c:7 password third by thalweg Prefer Some(5)",
        );
        check(
            "postgres://u@a/d",
            &[("PGPASSFILE", file.to_str().unwrap())],
            "d as u at a:5432 password first by thalweg Prefer Some(5)",
        );
        set_mode(0o644);
        check("postgres://u@a/d", &[("HOME", home)], "d as u at a:5432 by thalweg Prefer Some(5)");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_password_is_not_printed() {
        let config = resolved("postgres://u:hidden@h/d", &[]).unwrap();
        assert!(!format!("{config:?}").contains("hidden"));
    }
}
