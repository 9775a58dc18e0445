//! The delivery of events of Hasura's event triggers and cron triggers, and of subscriptions with
//! webhooks, beside a server. It goes on across reloads, which replace its definitions.

use std::sync::{Arc, Mutex, PoisonError};

use dialects::Dialect;
use dialects::hasura::metadata::ServedSource;
use engine::{Engine, SourceAddress};
use event_triggers::subscription::SubscriptionWebhook;
use event_triggers::{Definitions, Delivery, Problem, Settings, Statistics};
use sources::EventLog;
use sources::event_log::InstallPlan;

use crate::action_delivery::ActionDelivery;
use crate::failure::Failure;
use crate::options::EventsMode;
use crate::subscription_bodies;

/// The delivery of a process.
#[derive(Debug, Default)]
pub(crate) struct EventDelivery {
    running: Mutex<Option<Running>>,
    statistics: Arc<Statistics>,
    actions: ActionDelivery,
}

#[derive(Debug)]
struct Running {
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

/// What a delivery needs of a database, which has been checked.
#[derive(Debug)]
pub(crate) struct PreparedEvents {
    log: EventLog,
    address: SourceAddress,
    definitions: Definitions,
    settings: Settings,
}

/// The definitions of metadata, or all their problems.
pub(crate) fn definitions(served: &ServedSource) -> Result<Definitions, Failure> {
    let (tables, cron) = (&served.source().tables, &served.metadata().cron_triggers);
    let read = Definitions::read(tables, cron, &|name| std::env::var(name).ok());
    read.map_err(|problems| Failure::Usage(lines(&problems)))
}

/// The problems of the events of a dialect's metadata.
pub(crate) fn find_problems(dialect: &Dialect) -> Option<Failure> {
    definitions(served(dialect)?).err()
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
    /// Reads the event triggers and cron triggers, and compares them with the database. `None` if there
    /// is nothing to deliver.
    pub(crate) async fn prepare(
        self,
        address: &SourceAddress,
        options: &engine::Options,
        engine: &Arc<Engine>,
    ) -> Result<Option<PreparedEvents>, Failure> {
        if !options.webhooks.is_empty() {
            return self.prepare_webhooks(address, options, engine).await;
        }
        let Some(served) = served(&options.dialect) else { return Ok(None) };
        let Self { mode, settings } = self;
        if mode == EventsMode::Off {
            return Ok(None);
        }
        let definitions = definitions(served)?;
        let direct = options.source.direct_address(address);
        let log = EventLog::new(&direct, options.source.timeouts).map_err(Failure::other)?;
        let has_events = !definitions.is_empty();
        if !has_events && !log.is_complete().await.map_err(Failure::other)? {
            return Ok(None);
        }
        let plan = log.plan(definitions.row_triggers()).await.map_err(Failure::other)?;
        check(&plan)?;
        for missing in &plan.statements {
            let reason = &*missing.reason;
            match mode {
                EventsMode::Install => tracing::info!(reason, "installing what events need"),
                EventsMode::Deliver | EventsMode::Off => tracing::warn!(
                    reason,
                    "events need another database: `thalweg events install` changes it"
                ),
            }
        }
        if mode == EventsMode::Install && !plan.statements.is_empty() {
            log.install(&plan).await.map_err(Failure::other)?;
        }
        Ok(Some(PreparedEvents { log, address: address.clone(), definitions, settings }))
    }
}

impl EventSetup {
    /// What the webhooks of subscriptions need. Changes are recorded whoever delivers them, so that the
    /// log has to be there.
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
        let webhooks = options.webhooks.iter().map(|own| SubscriptionWebhook {
            name: own.name.clone(),
            url: own.url.clone(),
            headers: own.headers.clone(),
        });
        let (webhooks, bodies) =
            (webhooks.collect::<Vec<_>>(), subscription_bodies::start(engine)?);
        let definitions = Definitions::of_subscriptions(&webhooks, &bodies)
            .map_err(|problems| Failure::Usage(problems.join("\nerror: ")))?;
        Ok(Some(PreparedEvents { log, address: address.clone(), definitions, settings }))
    }
}

/// The error without a log.
const NO_LOG: &str = "webhooks of subscriptions need the log of events, which the database lacks: start \
                      the server once with `--events install`";

impl EventDelivery {
    /// The counters, which go on across reloads.
    pub(crate) fn statistics(&self) -> Arc<Statistics> {
        Arc::clone(&self.statistics)
    }

    /// Delivers by these definitions from now on; without any, the delivery ends.
    pub(crate) fn apply(&self, prepared: Option<PreparedEvents>) -> Result<(), Failure> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(prepared) = prepared else {
            if let Some(ended) = running.take() {
                ended.delivery.stop();
            }
            return Ok(());
        };
        let PreparedEvents { log, address, definitions, settings } = prepared;
        match running.take() {
            Some(kept) if kept.address == address && kept.settings == settings => {
                kept.delivery.replace(definitions);
                *running = Some(kept);
                return Ok(());
            }
            Some(other) => other.delivery.stop(),
            None => {}
        }
        let delivery = Delivery::start(log, definitions, settings, self.statistics());
        let delivery = delivery.map_err(Failure::other)?;
        *running = Some(Running { delivery, address, settings });
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
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running {
            running.delivery.stop();
        }
    }
}
