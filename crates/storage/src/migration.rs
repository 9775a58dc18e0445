//! Recorded tables and new ones → the steps from one to the other.
//!
//! Nothing here looks at rows. A step that may lose values, or that rows may prevent, has checks:
//! queries that count the rows, which run first. A migration without checks is harmless.
//!
//! * `checks`: what rows may lose or prevent
//! * `difference`: tables and columns that come, go, change or stay
//! * `value`: the value of a column of the new table, made of the old one
//! * `relation`: relations that are stored elsewhere than before
//! * `group`: tables of groups, whose members come and go
//! * [`renames`]: parts of recorded tables that get other names
//! * `other_key`: tables whose keys change
//! * `in_place`: steps where ALTER TABLE changes types and constraints
//! * `rebuild`: steps where tables are rebuilt
//! * [`drift`]: recorded tables and the actual ones

mod checks;
mod difference;
pub mod drift;
mod group;
mod in_place;
mod other_key;
mod rebuild;
mod relation;
pub mod renames;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;

use sql::tree::definition::{Definition, TableRows};
use sql::{print_definition, print_table_rows};

use self::difference::Difference;
use self::renames::{Actual, Renames};
use crate::database::{Database, ExtensionSupport, TRIGRAM_EXTENSION, VECTOR_EXTENSION};
use crate::definition::{TriggerDefinition, identifier, triggers};
use crate::tables::{IndexMethod, Table, Tables};

/// The steps from recorded tables to new ones, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Migration {
    pub steps: Vec<Step>,
    /// Whether rows of tables with foreign keys move or go. Where tables are rebuilt, foreign keys are
    /// not enforced meanwhile, and are to be checked at the end.
    pub moves_rows: bool,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub change: Change,
    pub statements: Vec<Box<str>>,
    /// Checks that run before the first statement of the migration.
    pub checks: Vec<Check>,
}

/// The purpose of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    CreateExtension(Box<str>),
    CreateTable(Box<str>),
    DropTable(Box<str>),
    RenameTable {
        table: Box<str>,
        to: Box<str>,
    },
    RenameColumn {
        table: Box<str>,
        column: Box<str>,
        to: Box<str>,
    },
    /// Creates the table anew, and copies its rows.
    RebuildTable(Box<str>),
    /// Writes rows into a table that other tables determine.
    FillTable(Box<str>),
    AddColumn {
        table: Box<str>,
        column: Box<str>,
    },
    DropColumn {
        table: Box<str>,
        column: Box<str>,
    },
    AlterColumn {
        table: Box<str>,
        column: Box<str>,
    },
    /// Writes the values of a column that other tables determine.
    FillColumn {
        table: Box<str>,
        column: Box<str>,
    },
    AddConstraint {
        table: Box<str>,
        name: Box<str>,
    },
    DropConstraint {
        table: Box<str>,
        name: Box<str>,
    },
    CreateIndex(Box<str>),
    DropIndex(Box<str>),
    CreateTriggers(Box<str>),
    DropTriggers(Box<str>),
    RequireRelation {
        table: Box<str>,
        field: Box<str>,
    },
    /// Permits one related row.
    LimitRelation {
        table: Box<str>,
        field: Box<str>,
    },
}

/// A query that counts rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// A query with one row of one number.
    pub query: Box<str>,
    pub finding: Finding,
}

/// The meaning of counted rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The migration loses something of these rows.
    Loss(Loss),
    /// The migration is impossible while there are such rows.
    Obstacle(Obstacle),
}

/// A loss of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Rows of a table that is dropped.
    Table(Box<str>),
    /// Values of a column that is dropped.
    Column { table: Box<str>, column: Box<str> },
    /// Values that the new type of the column does not have.
    Values { table: Box<str>, column: Box<str> },
    /// Values that the new type of a required column does not have, in whose place rows get another.
    Replaced { table: Box<str>, column: Box<str>, by: Box<str> },
    /// Rows without a value that becomes required, which get one that the definitions do not have.
    Stopgap { table: Box<str>, column: Box<str>, value: Box<str> },
    /// Lists of which only the first element stays.
    Elements { table: Box<str>, column: Box<str> },
    /// References to rows that the column does not refer to any more.
    References { table: Box<str>, column: Box<str> },
    /// Related rows beyond the first of each row.
    Related { table: Box<str>, column: Box<str> },
}

/// Rows that make a migration impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Rows without a value that becomes required.
    Null { table: Box<str>, column: Box<str> },
    /// Rows that would have no value in a new required column.
    NoValue { table: Box<str>, column: Box<str> },
    /// Values that the new type of a required column does not have.
    Values { table: Box<str>, column: Box<str> },
    /// Lists with labels that are removed.
    Labels { table: Box<str>, column: Box<str> },
    /// Rows without another that they must have.
    Unrelated { table: Box<str>, field: Box<str> },
    /// Rows with several others of which they may have one.
    Several { table: Box<str>, field: Box<str> },
    /// Rows of a table whose key changes.
    Key { table: Box<str> },
    /// Values that would not be unique.
    Duplicate { table: Box<str>, column: Box<str> },
}

/// The reason why there is no migration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the key of the table {table} would change, on which references to its rows depend; give the \
     type another stored name, which makes a new table"
)]
pub struct KeyChanged {
    pub table: Box<str>,
}

/// Plans the migration from recorded tables to new ones.
pub fn plan(old: &Tables, new: &Tables, database: &Database) -> Result<Migration, KeyChanged> {
    plan_after(old, new, Actual::default(), Vec::new(), database)
}

/// Plans the migration from recorded tables to new ones, which are the same parts of definitions
/// under other names.
pub fn plan_renamed(
    old: &Tables,
    new: &Tables,
    renames: &Renames,
    database: &Database,
) -> Result<Migration, KeyChanged> {
    let renamed = renames::renamed(old, new, renames, database);
    let begun = (renamed.actual, renamed.steps);
    let kept = other_key::dropped(renamed.tables, new, begun, database);
    let mut migration = plan_after(&kept.tables, new, kept.actual, kept.steps, database)?;
    migration.moves_rows |= kept.is_changed;
    Ok(migration)
}

/// Plans the migration after some steps that rename.
fn plan_after(
    old: &Tables,
    new: &Tables,
    actual: Actual,
    steps: Vec<Step>,
    database: &Database,
) -> Result<Migration, KeyChanged> {
    let difference = Difference::of(old, new)?;
    let mut planner = Planner { old, new, difference, database, actual, steps, moves_rows: false };
    planner.extensions();
    planner.require_relations();
    planner.single_relations();
    match database.flavor.definitions.alters_tables {
        true => planner.in_place(),
        false => planner.rebuilding(),
    }
    Ok(Migration { steps: planner.steps, moves_rows: planner.moves_rows })
}

impl Migration {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether the migration loses nothing and succeeds whatever rows there are.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.checks().next().is_none()
    }

    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.steps.iter().flat_map(|step| &step.checks)
    }

    pub fn statements(&self) -> impl Iterator<Item = &str> {
        statements(&self.steps)
    }

    /// The statements of the first steps, which give tables and columns other names, and those of the
    /// others.
    pub fn renames_and_others(&self) -> (impl Iterator<Item = &str>, impl Iterator<Item = &str>) {
        let is_rename = |step: &Step| {
            matches!(step.change, Change::RenameTable { .. } | Change::RenameColumn { .. })
        };
        let count = self.steps.iter().take_while(|step| is_rename(step)).count();
        let (renames, others) = self.steps.split_at(count);
        (statements(renames), statements(others))
    }
}

fn statements(steps: &[Step]) -> impl Iterator<Item = &str> {
    steps.iter().flat_map(|step| &step.statements).map(|statement| &**statement)
}

impl Step {
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.checks.is_empty()
    }
}

struct Planner<'m> {
    old: &'m Tables,
    new: &'m Tables,
    difference: Difference<'m>,
    database: &'m Database,
    /// Names that tables and columns have while the checks run.
    actual: Actual,
    steps: Vec<Step>,
    moves_rows: bool,
}

impl Planner<'_> {
    /// Adds a step, if it has statements or checks.
    fn step(&mut self, change: Change, statements: &[Definition], checks: Vec<Check>) {
        if statements.is_empty() && checks.is_empty() {
            return;
        }
        let flavor = &self.database.flavor;
        let statements = statements.iter().map(|own| print_definition(own, flavor).into());
        self.steps.push(Step { change, statements: statements.collect(), checks });
    }

    fn check(&self, rows: &TableRows, finding: Finding) -> Check {
        let rows = self.actual.rows(rows);
        Check { query: print_table_rows(&rows, &self.database.flavor).into(), finding }
    }

    /// Creates the extensions that new indexes need.
    fn extensions(&mut self) {
        let of_trigrams = |method| matches!(method, IndexMethod::Trigrams);
        let of_vectors = |method| matches!(method, IndexMethod::Vectors { .. });
        let Database { trigrams, vectors, .. } = self.database;
        if *trigrams == ExtensionSupport::Creatable && self.adds_index(of_trigrams) {
            self.extension(TRIGRAM_EXTENSION);
        }
        if vectors.support == ExtensionSupport::Creatable && self.adds_index(of_vectors) {
            self.extension(VECTOR_EXTENSION);
        }
    }

    /// Whether a new table has an index of some kind that the old one did not have.
    fn adds_index(&self, is_wanted: fn(IndexMethod) -> bool) -> bool {
        let names = |tables: &'_ Tables| -> Vec<Box<str>> {
            let indexes = tables.tables.iter().flat_map(|table| &table.indexes);
            let wanted = indexes.filter(|index| is_wanted(index.method));
            wanted.map(|index| index.name.clone()).collect()
        };
        let old = names(self.old);
        names(self.new).iter().any(|index| !old.contains(index))
    }

    fn extension(&mut self, name: &str) {
        let statement = Definition::CreateExtension(identifier(name));
        self.step(Change::CreateExtension(name.into()), &[statement], Vec::new());
    }

    /// Drops the triggers of old tables that new tables do not have.
    fn drop_triggers(&mut self) {
        for table in &self.old.tables {
            let kept = match self.new.find(&table.name) {
                Some(new) => triggers(new, self.new, self.database),
                None => Vec::new(),
            };
            let old = triggers(table, self.old, self.database);
            let dropped = old.iter().filter(|trigger| !kept.contains(trigger));
            let statements: Vec<Definition> = dropped.flat_map(TriggerDefinition::drop).collect();
            self.step(Change::DropTriggers(table.name.clone()), &statements, Vec::new());
        }
    }

    /// Creates the triggers of new tables that old tables did not have. Those of a rebuilt table are
    /// gone with the old one.
    fn create_triggers(&mut self, is_rebuilt: impl Fn(&Table) -> bool) {
        for table in &self.new.tables {
            let kept = match self.old.find(&table.name) {
                Some(old) if !is_rebuilt(table) => triggers(old, self.old, self.database),
                _ => Vec::new(),
            };
            let new = triggers(table, self.new, self.database);
            let created = new.iter().filter(|trigger| !kept.contains(trigger));
            let statements: Vec<Definition> = created.flat_map(TriggerDefinition::create).collect();
            self.step(Change::CreateTriggers(table.name.clone()), &statements, Vec::new());
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateExtension(name) => write!(formatter, "create the extension {name}"),
            Self::CreateTable(table) => write!(formatter, "create the table {table}"),
            Self::DropTable(table) => write!(formatter, "drop the table {table}"),
            Self::RenameTable { table, to } => {
                write!(formatter, "rename the table {table} to {to}")
            }
            Self::RenameColumn { table, column, to } => {
                write!(formatter, "rename the column {table}.{column} to {to}")
            }
            Self::RebuildTable(table) => write!(formatter, "rebuild the table {table}"),
            Self::FillTable(table) => write!(formatter, "fill the table {table}"),
            Self::AddColumn { table, column } => {
                write!(formatter, "add the column {table}.{column}")
            }
            Self::DropColumn { table, column } => {
                write!(formatter, "drop the column {table}.{column}")
            }
            Self::AlterColumn { table, column } => {
                write!(formatter, "change the column {table}.{column}")
            }
            Self::FillColumn { table, column } => {
                write!(formatter, "fill the column {table}.{column}")
            }
            Self::AddConstraint { table, name } => {
                write!(formatter, "add the constraint {name} of the table {table}")
            }
            Self::DropConstraint { table, name } => {
                write!(formatter, "drop the constraint {name} of the table {table}")
            }
            Self::CreateIndex(name) => write!(formatter, "create the index {name}"),
            Self::DropIndex(name) => write!(formatter, "drop the index {name}"),
            Self::CreateTriggers(table) => {
                write!(formatter, "create triggers of the table {table}")
            }
            Self::DropTriggers(table) => write!(formatter, "drop triggers of the table {table}"),
            Self::RequireRelation { table, field } => {
                write!(formatter, "require a related row of {table}.{field}")
            }
            Self::LimitRelation { table, field } => {
                write!(formatter, "permit one related row of {table}.{field}")
            }
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(table) => write!(formatter, "the table {table} is dropped"),
            Self::Column { table, column } => {
                write!(formatter, "the column {table}.{column} is dropped")
            }
            Self::Values { table, column } => {
                write!(formatter, "values of {table}.{column} are not of its new type")
            }
            Self::Replaced { table, column, by } => {
                write!(
                    formatter,
                    "values of {table}.{column} are not of its new type, and become `{by}`"
                )
            }
            Self::Stopgap { table, column, value } => {
                write!(
                    formatter,
                    "{table}.{column} becomes required, and rows without a value get `{value}`"
                )
            }
            Self::Elements { table, column } => {
                write!(formatter, "lists of {table}.{column} keep their first element only")
            }
            Self::References { table, column } => {
                write!(formatter, "references of {table}.{column} lead to rows of another type")
            }
            Self::Related { table, column } => {
                write!(formatter, "rows of {table}.{column} keep one related row only")
            }
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null { table, column } => {
                write!(formatter, "{table}.{column} becomes required, and rows have no value of it")
            }
            Self::NoValue { table, column } => write!(
                formatter,
                "{table}.{column} is new and required, and rows of the table have no value for it"
            ),
            Self::Values { table, column } => write!(
                formatter,
                "{table}.{column} is required, and rows have values that its new type has not"
            ),
            Self::Labels { table, column } => {
                write!(formatter, "lists of {table}.{column} have labels that are removed")
            }
            Self::Unrelated { table, field } => {
                write!(formatter, "{table}.{field} becomes required, and rows have no related row")
            }
            Self::Several { table, field } => write!(
                formatter,
                "{table}.{field} has one related row at most, and rows have several"
            ),
            Self::Key { table } => write!(
                formatter,
                "the key of the table {table} changes, on which references to its rows depend"
            ),
            Self::Duplicate { table, column } => write!(
                formatter,
                "{table}.{column} becomes unique, and rows have values that others have, too"
            ),
        }
    }
}

impl Obstacle {
    /// The remedy, as a sentence.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Null { .. } => {
                "give these rows a value, or the field a default, and migrate again."
            }
            Self::Values { .. } => {
                "change the values of these rows, or make the field optional, and migrate again."
            }
            Self::NoValue { .. } => {
                "give the field a default; or make it optional, migrate, give the rows a value, make \
                 it required, and migrate again."
            }
            Self::Labels { .. } => "remove the labels from these lists, and migrate again.",
            Self::Unrelated { .. } => {
                "make the field optional, migrate, relate these rows, make it required, and migrate \
                 again."
            }
            Self::Several { .. } => {
                "make the field a list; or leave one related row to each row, and migrate again."
            }
            Self::Key { .. } => {
                "give the type another stored name, which makes a new table; or delete the rows, and \
                 migrate again."
            }
            Self::Duplicate { .. } => "give each row a value of its own, and migrate again.",
        }
    }
}
