//! Brokers of events, by the ids that a schema names (`providerId`).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use clients::broker::{BrokerKind, BrokerSettings, BrokerUrl};
use clients::subgraph::{OwnCertificate, Tls, TlsFiles};
use gateway::events::{Provider, ProviderKind};
use toml::de::DeTable;

use super::entry::{self, TlsEntry};
use super::table::{Reader, Value};
use crate::configuration::problem::{Position, Problem};

/// A broker of events.
pub(super) struct ProviderEntry {
    provider: Provider,
    position: Position,
    url: BrokerUrl,
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    instance: Option<String>,
    tls: Option<TlsEntry>,
}

const OF_NATS: [&str; 6] = ["url", "user", "password", "token", "instance", "tls"];
const OF_REDIS: [&str; 4] = ["url", "user", "password", "tls"];

/// Reads the brokers of one id.
pub(super) fn read(reader: &mut Reader<'_>, id: &str, value: &Value<'_>) -> Vec<ProviderEntry> {
    let Some(table) = reader.table(id, value) else { return Vec::new() };
    if table.is_empty() {
        let message = format!("`{}` has neither `nats` nor `redis`", id.escape_debug());
        reader.wrong(value.span().start, message);
    }
    let mut read = Vec::new();
    for (key, value) in table {
        let kind = match &**key.get_ref() {
            "nats" => ProviderKind::Nats,
            "redis" => ProviderKind::Redis,
            _ => {
                reader.unknown(key, "a provider", &["nats", "redis"]);
                continue;
            }
        };
        if let Some(table) = reader.table(kind.name(), value) {
            read.extend(broker(reader, Provider { kind, id: id.into() }, (value, table)));
        }
    }
    read
}

fn broker(
    reader: &mut Reader<'_>,
    provider: Provider,
    (value, table): (&Value<'_>, &DeTable<'_>),
) -> Option<ProviderEntry> {
    let kind = provider.kind;
    let known: &[&str] = match kind {
        ProviderKind::Nats => &OF_NATS,
        ProviderKind::Redis => &OF_REDIS,
    };
    let (mut user, mut password, mut token, mut instance) = (None, None, None, None);
    let (mut url, mut tls) = (None, None);
    for (key, value) in table {
        let name = &**key.get_ref();
        match name {
            _ if !known.contains(&name) => {
                reader.unknown(key, &["`", kind.name(), "`"].concat(), known);
            }
            "url" => url = reader.parsed::<BrokerUrl>(name, value).map(|url| (value, url)),
            "user" => user = reader.string(name, value),
            "password" => password = reader.string(name, value),
            "token" => token = reader.string(name, value),
            "instance" => instance = reader.string(name, value),
            _ => tls = entry::tls(reader, name, value),
        }
    }
    let has = |name: &str| table.keys().any(|key| &**key.get_ref() == name);
    let offset = value.span().start;
    if has("user") && !has("password") {
        reader.wrong(offset, format!("`{}`: `user` needs `password`", kind.name()));
    }
    if kind == ProviderKind::Nats && has("password") && !has("user") {
        reader.wrong(offset, "`nats`: `password` needs `user`".to_owned());
    }
    if has("token") && has("user") {
        reader.wrong(offset, "`nats`: `token` and `user` exclude each other".to_owned());
    }
    if !has("url") {
        reader.wrong(offset, format!("`{}` needs `url`", kind.name()));
    }
    let (value, url) = url?;
    if kind == ProviderKind::Redis && has("tls") && !url.is_encrypted {
        reader.wrong(value.span().start, "`tls` needs an `url` with `rediss://`".to_owned());
    }
    let is_fit = match kind {
        ProviderKind::Nats => url.kind == BrokerKind::Nats,
        ProviderKind::Redis => url.kind == BrokerKind::Redis,
    };
    if !is_fit {
        let message = format!("`url`: it is no address of `{}`", kind.name());
        reader.wrong(value.span().start, message);
    }
    let position = reader.position(offset);
    Some(ProviderEntry { provider, position, url, user, password, token, instance, tls })
}

/// Without credentials, which must not reach a log.
impl fmt::Debug for ProviderEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEntry")
            .field("provider", &self.provider)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl ProviderEntry {
    /// The settings. Reads files of certificates.
    pub(super) fn settings(
        &self,
        connect_timeout: Duration,
    ) -> Result<(Provider, BrokerSettings), Problem> {
        let Self { provider, position, url, user, password, token, instance, tls } = self;
        let files = tls.as_ref().map_or_else(TlsFiles::default, |entry| TlsFiles {
            authorities: entry.authorities.clone(),
            own: entry.own.clone().map(|(certificate, key)| OwnCertificate { certificate, key }),
        });
        let tls = match url.is_encrypted || tls.is_some() {
            true => Some(Tls::open(&files).map_err(|error| {
                let position = tls.as_ref().map_or(*position, |entry| entry.position);
                Problem { position, message: format!("`tls`: {error}") }
            })?),
            false => None,
        };
        let name: Arc<str> = [provider.kind.name(), " ", &provider.id].concat().into();
        let settings = BrokerSettings {
            name,
            url: url.clone(),
            user: user.clone(),
            password: password.clone(),
            token: token.clone(),
            instance: instance.clone(),
            connect_timeout,
            files,
            tls,
        };
        Ok((provider.clone(), settings))
    }
}
