//! Who lays out the tables of definitions: this crate, or the dialect itself, where it has the tables
//! of another system.

use crate::database::Database;
use crate::migration::renames::Renames;
use crate::migration::{self, KeyChanged, Migration};
use crate::model::Model;
use crate::plan::{Places, Plan, plan};
use crate::tables::Tables;

/// What definitions store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Entities and relations: this crate plans their tables.
    Model(Model),
    /// Tables that the dialect knows, and what of them had other names.
    Tables { tables: Tables, renames: Renames },
}

impl Layout {
    /// The tables, and their places in the definitions of a model.
    #[must_use]
    pub fn plan(&self, database: &Database, recorded: &Tables) -> Plan {
        match self {
            Self::Model(model) => plan(model, database, recorded),
            Self::Tables { tables, .. } => {
                let (places, omitted) = (Places::default(), Vec::new());
                Plan { tables: tables.clone(), places, omitted }
            }
        }
    }

    /// The migration from recorded tables to planned ones.
    pub fn migration(
        &self,
        recorded: &Tables,
        planned: &Tables,
        database: &Database,
    ) -> Result<Migration, KeyChanged> {
        match self {
            // The names of planned tables are the recorded ones.
            Self::Model(_) => migration::plan(recorded, planned, database),
            Self::Tables { renames, .. } => {
                migration::plan_renamed(recorded, planned, renames, database)
            }
        }
    }
}
