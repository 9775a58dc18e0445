//! The delivery of events of Hasura's event triggers and cron triggers, and of subscriptions with
//! webhooks, beside a server. It goes on across reloads, which replace its definitions. Each source has a
//! log of its own; that of the first has the events of cron triggers, too.

use std::sync::{Arc, Mutex, PoisonError};

use dialects::Dialect;
use dialects::hasura::metadata::ServedSource;
use engine::{Engine, SourceAddress};
use event_triggers::{Definitions, Delivery, Problem, Settings, Statistics};
use hasura_metadata::types::event_trigger::CronTrigger;
use sources::EventLog;
use sources::event_log::InstallPlan;

use crate::action_delivery::ActionDelivery;
use crate::failure::Failure;
use crate::options::EventsMode;
use crate::subscription_bodies;

/// The delivery of a process.
#[derive(Debug, Default)]
pub(crate) struct EventDelivery {
    running: Mutex<Vec<Running>>,
    statistics: Arc<Statistics>,
    actions: ActionDelivery,
}

#[derive(Debug)]
struct Running {
    source: Box<str>,
    delivery: Delivery,
    address: SourceAddress,
    settings: Settings,
}

/// The options of a delivery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventSetup {
    pub(crate) mode: EventsMode,
    pub(crate) settings: Settings,
}

/// What a delivery needs of a database.
#[derive(Debug)]
pub(crate) struct PreparedEvents {
    /// The name of the source.
    source: Box<str>,
    log: EventLog,
    address: SourceAddress,
    definitions: Definitions,
    settings: Settings,
    /// Whether its database has what events need. If that is not known, or not so, a delivery that runs
    /// goes on, and none begins.
    is_checked: bool,
}

/// The definitions of metadata, or all their problems.
pub(crate) fn definitions(served: &ServedSource) -> Result<Definitions, Failure> {
    read(served, &served.metadata().cron_triggers)
}

fn read(served: &ServedSource, cron: &[CronTrigger]) -> Result<Definitions, Failure> {
    let tables = &served.source().tables;
    let read = Definitions::read(tables, cron, &|name| std::env::var(name).ok());
    read.map_err(|problems| Failure::Usage(lines(&problems)))
}

/// The problems of the events of the metadata, of all served sources.
pub(crate) fn find_problems(options: &engine::Options) -> Option<Failure> {
    let first = served(&options.dialect)?;
    let further = options.further.iter().filter_map(|one| first.further(&one.name).ok());
    let mut further = further.filter_map(|one| read(&one, &[]).err());
    definitions(first).err().or_else(|| further.next())
}

fn served(dialect: &Dialect) -> Option<&ServedSource> {
    match dialect {
        Dialect::Hasura(options) => options.metadata.served(),
        Dialect::PostGraphile(_)
        | Dialect::Phrag(_)
        | Dialect::Neo4j(_)
        | Dialect::Dgraph(_)
        | Dialect::Prisma(_) => None,
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\nerror: ")
}

/// An error if triggers cannot be created.
pub(crate) fn check(plan: &InstallPlan) -> Result<(), Failure> {
    match plan.problems.is_empty() {
        true => Ok(()),
        false => Err(Failure::Usage(plan.problems.join("\nerror: "))),
    }
}

impl EventSetup {
    /// Reads the event triggers and cron triggers, and compares them with the databases.
    pub(crate) async fn prepare(
        self,
        address: &SourceAddress,
        options: &engine::Options,
        engine: &Arc<Engine>,
    ) -> Result<Vec<PreparedEvents>, Failure> {
        if !options.webhooks.is_empty() {
            let prepared = self.prepare_webhooks(address, options, engine).await?;
            return Ok(prepared.into_iter().collect());
        }
        let Dialect::Hasura(dialect) = &options.dialect else { return Ok(Vec::new()) };
        let Some(served) = served(&options.dialect) else { return Ok(Vec::new()) };
        if self.mode == EventsMode::Off {
            return Ok(Vec::new());
        }
        let direct = options.source.direct_address(address);
        let log = EventLog::new(&direct, options.source.timeouts).map_err(Failure::other)?;
        let first = SourceTriggers { served, definitions: definitions(served)?, log, address };
        let mut prepared = Vec::new();
        if self.prepare_log(&first).await? {
            prepared.push(first.prepared(self.settings, true));
        }
        for further in &options.further {
            let name = &*further.name;
            let served = dialect.metadata.served().map(|first| first.further(name));
            let Some(Ok(served)) = served else { continue };
            let Ok(address) = further.address_of(&served, &dialect.environment) else { continue };
            let definitions = read(&served, &[])?;
            let log = EventLog::new(&address, options.source.timeouts).map_err(Failure::other)?;
            let triggers = SourceTriggers { served: &served, definitions, log, address: &address };
            match self.prepare_log(&triggers).await {
                Ok(true) => prepared.push(triggers.prepared(self.settings, true)),
                Ok(false) => {}
                // As its fields, its events do not keep the others from being served.
                Err(error) => {
                    tracing::error!(
                        source = name,
                        %error,
                        "the events of a source cannot be prepared: a delivery that runs goes on, and \
                         another begins with a reload"
                    );
                    prepared.push(triggers.prepared(self.settings, false));
                }
            }
        }
        Ok(prepared)
    }

    /// Prepares the log of a source for its events; returns false if there is nothing to deliver.
    async fn prepare_log(self, triggers: &SourceTriggers<'_>) -> Result<bool, Failure> {
        let mode = self.mode;
        let SourceTriggers { served, definitions, log, .. } = triggers;
        let source = &*served.source().name.text;
        let has_events = !definitions.is_empty();
        if !has_events && !log.is_complete().await.map_err(Failure::other)? {
            return Ok(false);
        }
        let plan = log.plan(definitions.row_triggers()).await.map_err(Failure::other)?;
        check(&plan)?;
        for missing in &plan.statements {
            let reason = &*missing.reason;
            match mode {
                EventsMode::Install => {
                    tracing::info!(source, reason, "installing what events need");
                }
                EventsMode::Deliver | EventsMode::Off => tracing::warn!(
                    source,
                    reason,
                    "events need another database: `thalweg events install` changes it"
                ),
            }
        }
        if mode == EventsMode::Install && !plan.statements.is_empty() {
            log.install(&plan).await.map_err(Failure::other)?;
        }
        Ok(true)
    }
}

impl EventSetup {
    /// Prepares the log and the definitions of webhooks. Changes are recorded whoever delivers
    /// them, so that the log has to be there.
    async fn prepare_webhooks(
        self,
        address: &SourceAddress,
        options: &engine::Options,
        engine: &Arc<Engine>,
    ) -> Result<Option<PreparedEvents>, Failure> {
        let Self { mode, settings } = self;
        let direct = options.source.direct_address(address);
        let log = EventLog::new(&direct, options.source.timeouts).map_err(Failure::other)?;
        if !log.is_complete().await.map_err(Failure::other)? {
            if mode != EventsMode::Install {
                return Err(Failure::Usage(NO_LOG.into()));
            }
            let plan = log.plan(&[]).await.map_err(Failure::other)?;
            log.install(&plan).await.map_err(Failure::other)?;
            tracing::info!("installed the log of events");
        }
        if mode == EventsMode::Off {
            return Ok(None);
        }
        let bodies = subscription_bodies::start(engine)?;
        let definitions = Definitions::of_subscriptions(&options.webhooks, &bodies)
            .map_err(|problems| Failure::Usage(problems.join("\nerror: ")))?;
        let (source, address, is_checked) = (ONLY_SOURCE.into(), address.clone(), true);
        Ok(Some(PreparedEvents { source, log, address, definitions, settings, is_checked }))
    }
}

/// The name of the source of an API that has one source.
const ONLY_SOURCE: &str = "default";

/// The error without a log.
const NO_LOG: &str = "webhooks of subscriptions need the log of events, which the database lacks: start \
                      the server once with `--events install`";

/// The triggers of a source, with the log of its database.
struct SourceTriggers<'a> {
    served: &'a ServedSource,
    definitions: Definitions,
    log: EventLog,
    address: &'a SourceAddress,
}

impl SourceTriggers<'_> {
    fn prepared(self, settings: Settings, is_checked: bool) -> PreparedEvents {
        let Self { served, definitions, log, address } = self;
        let (source, address) = ((*served.source().name.text).into(), address.clone());
        PreparedEvents { source, log, address, definitions, settings, is_checked }
    }
}

impl EventDelivery {
    /// The counters, which go on across reloads.
    pub(crate) fn statistics(&self) -> Arc<Statistics> {
        Arc::clone(&self.statistics)
    }

    /// Delivers by these definitions from now on; the delivery of sources without any ends, but not that
    /// of a source whose database does not answer now.
    pub(crate) fn apply(&self, prepared: Vec<PreparedEvents>) -> Result<(), Failure> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = std::mem::take(&mut *running);
        for prepared in prepared {
            let PreparedEvents { source, log, address, definitions, settings, is_checked } =
                prepared;
            let known = kept.iter().position(|one| one.source == source);
            if known.is_none() && !is_checked {
                continue;
            }
            match known.map(|place| kept.swap_remove(place)) {
                Some(own) if own.address == address && own.settings == settings => {
                    own.delivery.replace(definitions);
                    running.push(own);
                    continue;
                }
                Some(other) => other.delivery.stop(),
                None => {}
            }
            let delivery = Delivery::start(&source, log, definitions, settings, self.statistics());
            match delivery {
                Ok(delivery) => running.push(Running { source, delivery, address, settings }),
                Err(error) => {
                    running.append(&mut kept);
                    return Err(Failure::other(error));
                }
            }
        }
        kept.into_iter().for_each(|ended| ended.delivery.stop());
        Ok(())
    }

    /// Delivers the calls of this engine's asynchronous actions from now on.
    pub(crate) async fn apply_actions(
        &self,
        setup: EventSetup,
        engine: &Arc<Engine>,
    ) -> Result<(), Failure> {
        let is_served = engine.has_async_actions() && setup.mode != EventsMode::Off;
        if is_served {
            engine.create_action_log().await.map_err(Failure::other)?;
        }
        self.actions.apply(is_served.then_some(engine), setup.settings.drain)
    }

    /// Ends the delivery; requests that run may end.
    pub(crate) fn stop(&self) {
        self.actions.stop();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = std::mem::take(&mut *running);
        running.into_iter().for_each(|one| one.delivery.stop());
    }
}
