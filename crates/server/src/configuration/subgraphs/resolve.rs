//! What holds for each subgraph of a supergraph: what the file says of it, what it says of all, and
//! what options say.

use std::cell::OnceCell;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use clients::subgraph::{Endpoint, Http2, OwnCertificate, Settings, Tls, TlsFiles};
use engine::gateway::headers::Rules;

use super::said::{Said, SaidTls, USUAL_BREAKER};
use super::source::SaidSource;
use super::{Named, SubgraphsFile};
use crate::configuration::problem::{Problem, Refused};
use crate::configuration::similar;
use crate::options::RequestLimit;

/// How a subgraph is asked.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    /// Over HTTP.
    Remote {
        settings: Box<Settings>,
        /// Which headers it is sent.
        rules: Rules,
    },
    /// In this process.
    Local(Box<LocalSource>),
}

/// A source in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalSource {
    pub(crate) said: SaidSource,
    pub(crate) timeout: Duration,
    pub(crate) most_bytes: u64,
    /// The most requests at once, of all threads.
    pub(crate) most_requests: NonZeroU32,
}

/// What options say of all subgraphs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) connections: usize,
    /// The most requests to a subgraph at once, and those of the server.
    pub(crate) max_requests: (RequestLimit, u32),
    pub(crate) most_bytes: u64,
    pub(crate) deduplicate: bool,
}

/// As the options have it that are not given.
impl Default for Defaults {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(2),
            connections: 64,
            max_requests: (RequestLimit::Share(50), 512),
            most_bytes: 64 << 20,
            deduplicate: false,
        }
    }
}

/// Why it is not known how subgraphs are asked.
#[derive(Debug)]
pub(crate) struct Unresolved {
    /// What is wrong with the file.
    refused: Option<Refused>,
    /// What neither the file nor the supergraph says.
    others: Vec<String>,
}

/// Once may be spared, by a connection that was closed a moment ago.
const USUAL_RETRIES: u32 = 1;

/// Sooner than most servers and what stands before them.
const USUALLY_IDLE: Duration = Duration::from_secs(30);

/// What is opened once for all that have it.
#[derive(Default)]
struct Certificates {
    of_system: OnceCell<Result<Tls, String>>,
    of_all: OnceCell<Result<Tls, String>>,
}

impl SubgraphsFile {
    /// In the order of the subgraphs, each with its name and the address that the supergraph says.
    /// Files of certificates are read here.
    pub(crate) fn resolve(
        &self,
        subgraphs: &[(&str, &str)],
        defaults: Defaults,
    ) -> Result<Vec<Resolved>, Unresolved> {
        let (mut problems, mut others) = (self.strangers(subgraphs), Vec::new());
        let certificates = Certificates::default();
        let nothing = Said::default();
        let mut resolved = Vec::new();
        for (name, url) in subgraphs {
            let named = self.subgraphs.iter().find(|named| named.name == **name);
            let said = named.map_or(&nothing, |named| &named.said);
            if let Some(source) = &said.source {
                resolved.push(Resolved::Local(Box::new(self.local(said, source, defaults))));
                continue;
            }
            let endpoint = match (&said.url, url.parse::<Endpoint>()) {
                (Some(endpoint), _) => endpoint.clone(),
                (None, Ok(endpoint)) => endpoint,
                (None, Err(_)) if url.is_empty() => {
                    others.push(format!("nothing says where the subgraph `{name}` is; {REMEDY}"));
                    continue;
                }
                (None, Err(error)) => {
                    others.push(format!(
                        "the supergraph does not say where the subgraph `{name}` is: {error}; {REMEDY}"
                    ));
                    continue;
                }
            };
            let tls = match endpoint.is_encrypted() {
                true => match certificates.of(said, &self.all) {
                    Ok(tls) => Some(tls.clone()),
                    Err((Some(tls), message)) => {
                        let message = format!("`tls`: {message}");
                        problems.push(Problem { position: tls.position, message });
                        continue;
                    }
                    Err((None, message)) => {
                        others.push(format!("the subgraph `{name}`: {message}"));
                        continue;
                    }
                },
                false => None,
            };
            resolved.push(self.one(name, said, endpoint, tls, defaults));
        }
        if problems.is_empty() && others.is_empty() {
            return Ok(resolved);
        }
        problems.sort_by_key(|problem| problem.position);
        // What is said of all is wrong once.
        problems.dedup();
        let refused = Refused { file: self.file.clone(), problems };
        Err(Unresolved { refused: (!refused.problems.is_empty()).then_some(refused), others })
    }

    fn local(&self, said: &Said, source: &SaidSource, defaults: Defaults) -> LocalSource {
        LocalSource {
            said: source.clone(),
            timeout: self.timeout(said, defaults),
            most_bytes: self.most_bytes(said, defaults),
            most_requests: self.most_requests(said, defaults),
        }
    }

    fn timeout(&self, said: &Said, defaults: Defaults) -> Duration {
        said.timeout.or(self.all.timeout).unwrap_or(defaults.timeout)
    }

    fn most_bytes(&self, said: &Said, defaults: Defaults) -> u64 {
        said.max_answer.or(self.all.max_answer).unwrap_or(defaults.most_bytes)
    }

    fn most_requests(&self, said: &Said, defaults: Defaults) -> NonZeroU32 {
        let (most, of_server) = defaults.max_requests;
        said.max_requests.or(self.all.max_requests).unwrap_or(most).of(of_server)
    }

    fn one(
        &self,
        name: &str,
        said: &Said,
        endpoint: Endpoint,
        tls: Option<Tls>,
        defaults: Defaults,
    ) -> Resolved {
        let all = &self.all;
        let breaker = said.breaker.or(all.breaker);
        let rules = all.rules.iter().chain(&said.rules).cloned().collect();
        Resolved::Remote {
            settings: Box::new(Settings {
                name: name.into(),
                endpoint,
                connect_timeout: said
                    .connect_timeout
                    .or(all.connect_timeout)
                    .unwrap_or(defaults.connect_timeout),
                timeout: self.timeout(said, defaults),
                most_bytes: self.most_bytes(said, defaults),
                retries: said.retries.or(all.retries).unwrap_or(USUAL_RETRIES),
                http2: said.http2.or(all.http2).unwrap_or(Http2::Negotiated),
                connections: said.connections.or(all.connections).unwrap_or(defaults.connections),
                most_requests: Some(self.most_requests(said, defaults)),
                idle: said.idle.or(all.idle).unwrap_or(USUALLY_IDLE),
                compression: said.compression.or(all.compression).flatten(),
                breaker: breaker.unwrap_or(Some(USUAL_BREAKER)),
                deduplicate: said.deduplicate.or(all.deduplicate).unwrap_or(defaults.deduplicate),
                tls,
            }),
            rules: Rules::new(rules),
        }
    }

    /// Names that are those of no subgraph.
    pub(super) fn strangers(&self, subgraphs: &[(&str, &str)]) -> Vec<Problem> {
        let is_known = |named: &&Named| subgraphs.iter().any(|(name, _)| *name == named.name);
        let strangers = self.subgraphs.iter().filter(|named| !is_known(named));
        strangers
            .map(|Named { name, position, .. }| {
                let written = name.escape_debug();
                let hint = match similar::nearest(name, subgraphs.iter().map(|(name, _)| *name)) {
                    Some(nearest) => format!("`{nearest}` is one"),
                    None => "the enum `join__Graph` has their names".to_owned(),
                };
                let message = format!("the supergraph has no subgraph `{written}`; {hint}");
                Problem { position: *position, message }
            })
            .collect()
    }
}

const REMEDY: &str =
    "its table of the file of `--subgraphs` may say it by `url`, or name a `source`";

impl Certificates {
    /// Those that hold for one subgraph; the error tells where they are said.
    fn of<'s>(
        &'s self,
        said: &'s Said,
        all: &'s Said,
    ) -> Result<Tls, (Option<&'s SaidTls>, String)> {
        let (kept, tls) = match (&said.tls, &all.tls) {
            (Some(own), _) => return open(Some(own)).map_err(|error| (Some(own), error)),
            (None, Some(all)) => (&self.of_all, Some(all)),
            (None, None) => (&self.of_system, None),
        };
        kept.get_or_init(|| open(tls)).clone().map_err(|error| (tls, error))
    }
}

fn open(said: Option<&SaidTls>) -> Result<Tls, String> {
    let files = said.map_or_else(TlsFiles::default, |said| TlsFiles {
        authorities: said.authorities.clone(),
        own: said.own.clone().map(|(certificate, key)| OwnCertificate { certificate, key }),
    });
    Tls::open(&files).map_err(|error| error.to_string())
}

impl std::error::Error for Unresolved {}

/// One problem a line.
impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let refused = self.refused.as_ref().map(ToString::to_string);
        let all: Vec<&str> = refused.iter().chain(&self.others).map(String::as_str).collect();
        f.write_str(&all.join("\nerror: "))
    }
}
