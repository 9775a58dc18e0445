//! The logs of events of all served sources: each source has its own in its database.

use dialects::Dialect;
use engine::SourceAddress;
use sources::EventLog;

/// The name of a source without metadata.
const UNNAMED: &str = "default";

/// The logs of the served sources, that of the first source first. It has the events of cron triggers
/// and scheduled events, too, which belong to no source.
#[derive(Debug, Default)]
pub(crate) struct EventLogs(Vec<SourceLog>);

#[derive(Debug)]
struct SourceLog {
    source: Box<str>,
    /// `None` for a source without one.
    log: Option<EventLog>,
}

impl EventLogs {
    /// The logs of the sources of these options. A further source without an address is told when it is
    /// opened.
    pub(crate) fn new(address: &SourceAddress, options: &engine::Options) -> Self {
        let Dialect::Hasura(dialect) = &options.dialect else { return Self::default() };
        let timeouts = options.source.timeouts;
        let served = dialect.metadata.served();
        let name = served.map_or(UNNAMED, |served| &*served.source().name.text);
        let direct = options.source.direct_address(address);
        let log = EventLog::new(&direct, timeouts).ok();
        let mut logs = vec![SourceLog { source: name.into(), log }];
        for further in &options.further {
            let own = served.and_then(|served| served.further(&further.name).ok());
            let address = own.and_then(|own| further.address_of(&own, &dialect.environment).ok());
            let log = address.and_then(|address| EventLog::new(&address, timeouts).ok());
            logs.push(SourceLog { source: further.name.clone(), log });
        }
        Self(logs)
    }

    /// The name of the first source.
    pub(super) fn first(&self) -> &str {
        self.0.first().map_or(UNNAMED, |own| &own.source)
    }

    /// The log of a source, if the source is served and has one.
    pub(super) fn find(&self, source: &str) -> Option<&EventLog> {
        self.0.iter().find(|own| *own.source == *source)?.log.as_ref()
    }

    pub(super) fn is_served(&self, source: &str) -> bool {
        self.0.iter().any(|own| *own.source == *source)
    }
}
