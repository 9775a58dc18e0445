//! What is attacked: an API of a dialect over a database in a source.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dialects::{Declaration, Dialect, phrag, postgraphile};
use engine::{Engine, OpenOptions, Options, SourceAddress};
use graphql::schema::Schema;
use sources::Source;
use testkit::cases::{Databases, PostgresCopy};
use testkit::postgres::{Server, required_installations, shared};

use super::runtime;

/// Takes most rows of the shop away: lists in lists in lists of a small shop are long enough.
const SHRINK: &str = include_str!("../../../../fixtures/fuzz/databases/shrink.sql");

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Database {
    /// The sample as it is.
    Shop,
    /// The sample with few rows.
    SmallShop,
    /// Names that have to be quoted, in every place.
    Odd,
    /// Every type that both sources have.
    Kinds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Style {
    PostGraphile,
    Phrag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) database: Database,
    pub(crate) family: Family,
    pub(crate) style: Style,
}

/// A target that was opened, shared by all tests of it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) engine: Arc<Engine>,
    pub(crate) schema: Schema,
    pub(crate) address: SourceAddress,
}

/// The databases of one run.
#[derive(Debug)]
pub(crate) struct Targets {
    cases: Databases,
    own: Databases,
    folder: PathBuf,
    server: OnceLock<Result<&'static Server, String>>,
    /// Databases of a server that nobody else uses, removed in the end.
    copies: Mutex<Vec<PostgresCopy<'static>>>,
    opened: Mutex<HashMap<Target, Once<Arc<Opened>>>>,
    addresses: Mutex<HashMap<(Database, Family), Once<SourceAddress>>>,
}

type Once<T> = Arc<OnceLock<Result<T, String>>>;

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = match self.style {
            Style::PostGraphile => "postgraphile",
            Style::Phrag => "phrag",
        };
        let database = match self.database {
            Database::Shop => "shop",
            Database::SmallShop => "small_shop",
            Database::Odd => "odd",
            Database::Kinds => "kinds",
        };
        let family = match self.family {
            Family::Sqlite => "sqlite",
            Family::Postgres => "postgres",
        };
        write!(formatter, "{style}::{database}::{family}")
    }
}

impl Targets {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("thalweg-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self {
            cases: Databases::new(&fixtures().join("databases"))?,
            own: Databases::new(&fixtures().join("fuzz/databases"))?,
            folder,
            server: OnceLock::new(),
            copies: Mutex::default(),
            opened: Mutex::default(),
            addresses: Mutex::default(),
        })
    }

    /// All small databases in all sources of this machine.
    pub(crate) fn all() -> Result<Vec<Target>, Box<dyn Error>> {
        let mut families = vec![Family::Sqlite];
        if !required_installations()?.is_empty() {
            families.push(Family::Postgres);
        }
        let mut targets = Vec::new();
        for style in [Style::PostGraphile, Style::Phrag] {
            for database in [Database::SmallShop, Database::Odd, Database::Kinds] {
                for family in &families {
                    targets.push(Target { database, family: *family, style });
                }
            }
        }
        Ok(targets)
    }

    pub(crate) fn open(&self, target: Target) -> Result<Arc<Opened>, String> {
        let opened = entry(&self.opened, target);
        opened.get_or_init(|| self.open_now(target)).clone()
    }

    fn open_now(&self, target: Target) -> Result<Arc<Opened>, String> {
        let address = self.address(target.database, target.family)?;
        let dialect = match target.style {
            Style::PostGraphile => Dialect::PostGraphile(postgraphile::Options {
                simple_collections: postgraphile::SimpleCollections::Both,
                ..postgraphile::Options::default()
            }),
            // Beyond 32 bits a value that is an Int is an error, and hides others.
            Style::Phrag => Dialect::Phrag(phrag::Options {
                big_integers: phrag::BigIntegers::String,
                ..phrag::Options::default()
            }),
        };
        let options = Options {
            source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
            // More than by default: what the engine can do is wanted here.
            policies: None,
            limits: engine::Limits {
                document: graphql::DocumentLimits {
                    aliases: 3_000,
                    root_fields: 3_000,
                    directives: 1_000,
                    variables: 1_000,
                    operations: 1_000,
                    ..graphql::DocumentLimits::default()
                },
                cost: engine::CostLimits { most: u64::MAX, ..engine::CostLimits::default() },
                ..engine::Limits::default()
            },
            ..Options::new(dialect, engine::PoolLimits::unshared(2))
        };
        runtime().map_err(|error| error.to_string())?.block_on(async {
            let engine = Engine::open(&address, &options).await;
            let engine = engine.map_err(|error| error.to_string())?;
            // The engine shows its schema only as text.
            let (_, catalog) =
                Source::open(&address, &options.source).await.map_err(|error| error.to_string())?;
            let made = Declaration::new(catalog, &options.dialect).make(None);
            let schema = made.map_err(|error| error.to_string())?.api.schema;
            Ok(Arc::new(Opened { engine, schema, address: address.clone() }))
        })
    }

    fn address(&self, database: Database, family: Family) -> Result<SourceAddress, String> {
        let made = entry(&self.addresses, (database, family));
        made.get_or_init(|| self.make(database, family)).clone()
    }

    fn make(&self, database: Database, family: Family) -> Result<SourceAddress, String> {
        let (databases, name) = match database {
            Database::Shop | Database::SmallShop => (&self.cases, "shop"),
            Database::Odd => (&self.own, "odd"),
            Database::Kinds => (&self.cases, "kinds"),
        };
        let small = database == Database::SmallShop;
        match family {
            Family::Sqlite => {
                let mut file = databases.sqlite(name).map_err(|error| error.to_string())?;
                if small {
                    let copy = self.folder.join("small_shop.db");
                    fs::copy(&file, &copy).map_err(|error| error.to_string())?;
                    rusqlite::Connection::open(&copy)
                        .and_then(|connection| connection.execute_batch(SHRINK))
                        .map_err(|error| error.to_string())?;
                    file = copy;
                }
                Ok(SourceAddress::Sqlite(file))
            }
            Family::Postgres => {
                let server = self.server()?;
                let copy = databases.copy_postgres(server, name);
                let copy = copy.map_err(|error| error.to_string())?;
                if small {
                    server.execute(copy.name(), SHRINK).map_err(|error| error.to_string())?;
                }
                let url = copy.url();
                self.copies.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
                Ok(SourceAddress::Postgres(url))
            }
        }
    }

    fn server(&self) -> Result<&'static Server, String> {
        self.server
            .get_or_init(|| {
                let installed = required_installations().map_err(|error| error.to_string())?;
                let newest = installed.last().ok_or("PostgreSQL is not installed")?;
                shared(newest).map_err(ToString::to_string)
            })
            .clone()
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        // What stays behind is in the folder for temporary files.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn entry<K: std::hash::Hash + Eq, T>(all: &Mutex<HashMap<K, Once<T>>>, key: K) -> Once<T> {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(all.entry(key).or_default())
}

/// The folder `fixtures` of the workspace, from whichever of its crates.
pub(crate) fn fixtures() -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = folders.find_map(|folder| {
        let fixtures = folder.join("fixtures");
        fixtures.is_dir().then_some(fixtures)
    });
    found.unwrap_or_else(|| "fixtures".into())
}
