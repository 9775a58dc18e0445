//! Databases that speak PostgreSQL's protocol: PostgreSQL, alone and with Citus, CockroachDB and
//! YugabyteDB. Differences in SQL are facts of [`Flavor`]; those in sessions, in transactions and in
//! what the server has beside SQL are here. Callers ask for a fact and never for the product.

use sql::Flavor;
use tokio_postgres::Client;

/// The database behind an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Product {
    #[default]
    PostgreSql,
    /// PostgreSQL with tables that Citus distributes among servers.
    Citus,
    CockroachDb,
    YugabyteDb,
}

/// The form in which a session's settings reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingsForm {
    /// One statement that calls `set_config` for each.
    Function,
    /// `SET LOCAL` for each, which Citus repeats on other servers.
    Repeated,
}

/// The server's transaction around statements that are sent up to one Sync, without BEGIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImplicitTransaction {
    /// All of them are one transaction.
    WholeBatch,
    /// Parts may be committed by themselves: several statements need a BEGIN.
    EachStatement,
}

/// Parts of PostgreSQL that another product may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// LISTEN and NOTIFY.
    Notifications,
    /// Triggers that notify, for the feed of changes.
    NotifyingTriggers,
    /// Advisory locks and notifications, by which servers share the log of events.
    EventLog,
    /// Several changes of definitions in one transaction, under an advisory lock.
    Migrations,
    /// Positions in the log of a cluster.
    LogPositions,
    /// Identity of a cluster and the start of its server.
    ServerIdentity,
}

/// A feature that the database lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} has no {}: {}", .product.name(), .feature.what(), .feature.remedy())]
pub struct Lacking {
    product: Product,
    feature: Feature,
}

/// The reason why a product is not known to have a feature.
#[derive(Debug, thiserror::Error)]
pub enum RequireError {
    #[error(transparent)]
    Lacking(Lacking),
    #[error("the version of the database cannot be read: {0}")]
    Version(#[from] tokio_postgres::Error),
}

/// A version that is too old.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} is too old; {needed} or newer is needed")]
pub struct TooOld {
    found: Box<str>,
    needed: &'static str,
}

/// The oldest version of CockroachDB whose documents have all that is asked of it: settings of
/// transactions, casts of rows, and `READ COMMITTED`.
const OLDEST_COCKROACHDB: (u32, u32) = (23, 2);

/// The mark of YugabyteDB behind the version of PostgreSQL from which it was made:
/// `PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64-pc-linux-gnu`.
const YUGABYTEDB_MARK: &str = "-YB-";

impl Product {
    /// Asks the server.
    pub(crate) async fn read(
        client: &Client,
    ) -> Result<Result<Self, TooOld>, tokio_postgres::Error> {
        // The statement has no name: a pooler may have one of this name from another client.
        let row = client.query_typed_one(include_str!("product.sql"), &[]).await?;
        Ok(Self::of_version(row.try_get(0)?))
    }

    /// The product by the text of `version()`. Tables that Citus distributes are found by the catalog.
    fn of_version(version: &str) -> Result<Self, TooOld> {
        if let Some(rest) = version.strip_prefix("CockroachDB ") {
            return cockroachdb(rest).map(|()| Self::CockroachDb);
        }
        let is_yugabytedb = version
            .split_whitespace()
            .nth(1)
            .is_some_and(|number| number.contains(YUGABYTEDB_MARK));
        match is_yugabytedb {
            true => yugabytedb(version).map(|()| Self::YugabyteDb),
            false => Ok(Self::PostgreSql),
        }
    }

    /// Returns an error if the database lacks a feature.
    pub(crate) fn require(self, feature: Feature) -> Result<(), Lacking> {
        let lacks = match (self, feature) {
            (Self::PostgreSql | Self::Citus, _) => false,
            (Self::CockroachDb, _) => true,
            (Self::YugabyteDb, Feature::Migrations) => false,
            (
                Self::YugabyteDb,
                Feature::Notifications
                | Feature::NotifyingTriggers
                | Feature::EventLog
                | Feature::LogPositions
                | Feature::ServerIdentity,
            ) => true,
        };
        match lacks {
            true => Err(Lacking { product: self, feature }),
            false => Ok(()),
        }
    }

    /// Reads the product of a connection, and requires a feature.
    pub(crate) async fn require_of(client: &Client, feature: Feature) -> Result<(), RequireError> {
        // Opening a source rejects old versions.
        let product = Self::read(client).await?.unwrap_or_default();
        product.require(feature).map_err(RequireError::Lacking)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PostgreSql => "PostgreSQL",
            Self::Citus => "Citus",
            Self::CockroachDb => "CockroachDB",
            Self::YugabyteDb => "YugabyteDB",
        }
    }

    /// The SQL of the database.
    pub(crate) fn flavor(self) -> Flavor {
        match self {
            Self::PostgreSql => Flavor::POSTGRES,
            Self::Citus => Flavor::CITUS,
            Self::CockroachDb => Flavor::COCKROACHDB,
            Self::YugabyteDb => Flavor::YUGABYTEDB,
        }
    }

    pub(crate) fn settings_form(self) -> SettingsForm {
        match self {
            Self::Citus => SettingsForm::Repeated,
            Self::PostgreSql | Self::CockroachDb | Self::YugabyteDb => SettingsForm::Function,
        }
    }

    pub(crate) fn implicit_transaction(self) -> ImplicitTransaction {
        match self {
            Self::Citus | Self::CockroachDb => ImplicitTransaction::EachStatement,
            Self::PostgreSql | Self::YugabyteDb => ImplicitTransaction::WholeBatch,
        }
    }

    /// Whether the parts of a statement run on several connections at once, unless they are told to run
    /// one after the other.
    pub(crate) fn runs_in_parallel(self) -> bool {
        self == Self::Citus
    }

    /// Whether conflicts (40001) are normal, and clients repeat them.
    pub(crate) fn expects_retries(self) -> bool {
        match self {
            Self::CockroachDb | Self::YugabyteDb => true,
            Self::PostgreSql | Self::Citus => false,
        }
    }

    /// Whether the members of a batch of live queries can be joined to a statement, row by row.
    pub(crate) fn joins_batches(self) -> bool {
        match self {
            Self::PostgreSql | Self::YugabyteDb => true,
            Self::Citus | Self::CockroachDb => false,
        }
    }

    /// Whether the types of values that an earlier statement gave have to be said: the server does not
    /// infer them.
    pub(crate) fn needs_returned_types(self) -> bool {
        self == Self::CockroachDb
    }

    /// Whether the log of the server, or the numbers of its transactions, say which rows were changed.
    pub(crate) fn tells_changes(self) -> bool {
        match self {
            Self::PostgreSql | Self::Citus => true,
            Self::CockroachDb | Self::YugabyteDb => false,
        }
    }
}

impl Feature {
    fn what(self) -> &'static str {
        match self {
            Self::Notifications => "LISTEN and NOTIFY",
            Self::NotifyingTriggers => "triggers that notify",
            Self::EventLog => "advisory locks and notifications for a log of events",
            Self::Migrations => "transactions around several changes of the schema",
            Self::LogPositions => "positions in a log that replicas follow",
            Self::ServerIdentity => {
                "identity of a cluster that a second address could be compared with"
            }
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Notifications => {
                "use subscriptions to queries, or a broker of messages, instead of channels"
            }
            Self::NotifyingTriggers => {
                "subscriptions are executed in each `--live-interval` instead"
            }
            Self::EventLog => "use its own change data capture for webhooks",
            Self::Migrations => {
                "type definitions can be stored in PostgreSQL; serve the tables that are there in \
                 another dialect"
            }
            Self::LogPositions => "leave out `--read-url`; any of its servers answers reads",
            Self::ServerIdentity => {
                "leave out `--direct-url`, which is for poolers before PostgreSQL"
            }
        }
    }
}

/// `CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/12 14:33:57, go1.22.8)`
fn cockroachdb(version: &str) -> Result<(), TooOld> {
    let number = version.split_whitespace().find_map(|word| word.strip_prefix('v'));
    let mut parts = number.unwrap_or_default().split(['.', '-']).map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < OLDEST_COCKROACHDB => {
            let found = ["CockroachDB ", number.unwrap_or_default()].concat().into();
            Err(TooOld { found, needed: "CockroachDB 23.2" })
        }
        // A version that is not read, such as that of a build of one's own, is a new one.
        _ => Ok(()),
    }
}

fn yugabytedb(version: &str) -> Result<(), TooOld> {
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    let (postgres, own) = number.split_once(YUGABYTEDB_MARK).unwrap_or_default();
    let major = postgres.split('.').next().unwrap_or_default().parse::<u32>();
    match major {
        Ok(major) if major < 15 => {
            let found = ["YugabyteDB ", own, " (of PostgreSQL ", postgres, ")"].concat().into();
            Err(TooOld { found, needed: "YugabyteDB 2025.1 (of PostgreSQL 15)" })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of `version()` as the databases' manuals and trackers have them.
    #[test]
    fn products_are_known_by_the_text_of_their_version() {
        let of = |text: &str| Product::of_version(text).map_err(|error| error.to_string());
        let postgres = "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by \
                        gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit";
        assert_eq!(of(postgres), Ok(Product::PostgreSql));
        let edb = "PostgreSQL 16.4 (EnterpriseDB Advanced Server 16.4.1) on x86_64";
        assert_eq!(of(edb), Ok(Product::PostgreSql));
        let new =
            "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, built 2024/12/12 14:33:57, go1.22.8)";
        assert_eq!(of(new), Ok(Product::CockroachDb));
        let own = "CockroachDB OSS v25.1.0-alpha.1-dev-abc (aarch64, built 2025/01/01, go1.23)";
        assert_eq!(of(own), Ok(Product::CockroachDb));
        let old =
            "CockroachDB CCL v22.1.2 (x86_64-pc-linux-gnu, built 2022/06/22 15:54:12, go1.17.11)";
        assert_eq!(
            of(old),
            Err("CockroachDB 22.1.2 is too old; CockroachDB 23.2 or newer is needed".into())
        );
        let yugabyte = "PostgreSQL 15.12-YB-2025.1.0.0-b168 on x86_64-pc-linux-gnu, compiled by clang \
                        version 17.0.6, 64-bit";
        assert_eq!(of(yugabyte), Ok(Product::YugabyteDb));
        let older =
            "PostgreSQL 11.2-YB-2024.2.2.4-b0 on aarch64-unknown-linux-gnu, compiled by clang";
        assert_eq!(
            of(older),
            Err("YugabyteDB 2024.2.2.4-b0 (of PostgreSQL 11.2) is too old; YugabyteDB 2025.1 (of \
                 PostgreSQL 15) or newer is needed"
                .into())
        );
    }

    #[test]
    fn a_lacking_feature_is_named_with_its_remedy() {
        let text =
            |product: Product, feature| product.require(feature).map_err(|own| own.to_string());
        assert_eq!(text(Product::Citus, Feature::Notifications), Ok(()));
        assert_eq!(text(Product::YugabyteDb, Feature::Migrations), Ok(()));
        assert_eq!(
            text(Product::CockroachDb, Feature::LogPositions),
            Err("CockroachDB has no positions in a log that replicas follow: leave out \
                 `--read-url`; any of its servers answers reads"
                .into())
        );
        assert_eq!(
            text(Product::YugabyteDb, Feature::EventLog),
            Err("YugabyteDB has no advisory locks and notifications for a log of events: use its \
                 own change data capture for webhooks"
                .into())
        );
    }
}
