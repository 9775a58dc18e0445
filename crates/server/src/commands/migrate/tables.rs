//! The tables of type definitions: prints the migration as SQL, and applies it.

use std::process::ExitCode;

use engine::Timeouts;
use source::MigrationAccess;
use sources::migrate::{
    Drift, Finding, FoundRows, Loss, MigrateError, Migrator, Obstacle, Planned,
};

use storage::Layout;

use super::{exit_code, print_problem, print_remedy};
use crate::commands::{block_on, print};
use crate::failure::Failure;
use crate::options::{Purpose, TablesOptions};

/// Most changes by hand that are listed.
const MOST_LISTED: usize = 20;

pub(super) fn run(options: &TablesOptions<'_>) -> Result<ExitCode, Failure> {
    let (text, layout) = options.definitions()?;
    let access = match options.purpose {
        Purpose::Apply | Purpose::Adopt => MigrationAccess::Write,
        Purpose::DryRun | Purpose::Check => MigrationAccess::Read,
    };
    let migrate = async {
        let mut migrator =
            Migrator::begin(&options.address, options.schema, access, Timeouts::default()).await?;
        match (options.purpose, &layout) {
            (Purpose::Apply | Purpose::DryRun, Layout::Model(model)) => {
                migrator.read_vector_lengths(model).await?;
            }
            // Whether the database is behind does not depend on its rows.
            (Purpose::Check | Purpose::Adopt, _)
            | (Purpose::Apply | Purpose::DryRun, Layout::Tables { .. }) => {}
        }
        let planned = match options.purpose {
            Purpose::Adopt => migrator.adopt(&layout).await?,
            Purpose::Apply | Purpose::DryRun | Purpose::Check => {
                migrator.plan_layout(&layout).await?
            }
        };
        Ok((migrator, planned))
    };
    block_on(async {
        let (migrator, planned) = migrate.await.map_err(failure)?;
        let may_adopt = matches!(layout, Layout::Tables { .. }) && migrator.newest().is_none();
        if options.purpose != Purpose::Adopt {
            print_drift(&planned, may_adopt);
        }
        match options.purpose {
            Purpose::Check => check(&planned),
            Purpose::DryRun => show(&planned, options.allows_loss),
            Purpose::Apply => apply(migrator, &planned, &text, options.allows_loss).await,
            Purpose::Adopt => adopt(migrator, &planned, &text).await,
        }
    })
}

fn failure(error: MigrateError) -> Failure {
    Failure::other(error)
}

/// Prints what is missing.
fn check(planned: &Planned) -> Result<ExitCode, Failure> {
    if planned.drift.is_empty() && planned.migration.is_empty() {
        print("The database has the tables of the type definitions.\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let steps = planned.migration.steps.iter().filter(|step| !step.statements.is_empty());
    let mut changes: Vec<String> = Vec::new();
    for step in steps {
        let change = step.change.to_string();
        // A rebuilt table has a step before and one after those of its rows.
        if !changes.contains(&change) {
            print(&format!("missing: {change}\n"))?;
            changes.push(change);
        }
    }
    print_findings(&planned.found, false);
    Ok(ExitCode::FAILURE)
}

/// Dry run: prints the statements as a script.
fn show(planned: &Planned, allows_loss: bool) -> Result<ExitCode, Failure> {
    print(&planned.script())?;
    print_findings(&planned.found, allows_loss);
    Ok(exit_code(planned.is_possible(allows_loss)))
}

async fn apply(
    migrator: Migrator,
    planned: &Planned,
    definitions: &str,
    allows_loss: bool,
) -> Result<ExitCode, Failure> {
    if !planned.is_possible(allows_loss) {
        print(&planned.script())?;
        print_findings(&planned.found, allows_loss);
        print("Nothing was changed.\n")?;
        return Ok(ExitCode::FAILURE);
    }
    if !planned.has_changes {
        print("The database has the tables of the type definitions.\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let number = migrator.newest().map_or(0, |newest| newest.number) + 1;
    print(&planned.script())?;
    print_findings(&planned.found, allows_loss);
    migrator.apply(planned, definitions).await.map_err(failure)?;
    print(&format!("Migration {number} was applied.\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Records the tables of a datamodel that are there as the first migration.
async fn adopt(
    migrator: Migrator,
    planned: &Planned,
    definitions: &str,
) -> Result<ExitCode, Failure> {
    if !planned.drift.is_empty() {
        list_drift("the tables are not those of the datamodel", &planned.drift);
        print_remedy("correct the datamodel, or the tables, and adopt them again.");
        print("Nothing was recorded.\n")?;
        return Ok(ExitCode::FAILURE);
    }
    migrator.apply(planned, definitions).await.map_err(failure)?;
    print("The tables are those of the datamodel: it was recorded as migration 1.\n")?;
    Ok(ExitCode::SUCCESS)
}

fn list_drift(what: &str, drift: &[Drift]) {
    for own in drift.iter().take(MOST_LISTED) {
        print_problem(&format!("{what}: {own}."));
    }
    if let Some(more) = drift.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        print_problem(&format!("so are {more} more."));
    }
}

fn print_drift(planned: &Planned, may_adopt: bool) {
    if planned.drift.is_empty() {
        return;
    }
    list_drift("the database was changed without a migration", &planned.drift);
    if may_adopt {
        print_remedy("if Prisma made the tables, record their datamodel with `--adopt`.");
    }
    print_remedy("undo the changes, or make them in the type definitions after undoing them.");
}

fn print_findings(found: &[FoundRows], allows_loss: bool) {
    let mut is_lost = false;
    for FoundRows { finding, rows } in found {
        let counted = counted(finding, *rows);
        match finding {
            Finding::Obstacle(obstacle) => {
                print_problem(&format!("{obstacle}: {counted}."));
                print_remedy(obstacle.remedy());
            }
            Finding::Loss(loss) if allows_loss => {
                super::print_line(&format!("warning: {loss}: {counted}."));
            }
            Finding::Loss(loss) => {
                is_lost = true;
                print_problem(&format!("{loss}: {counted}."));
            }
        }
    }
    if is_lost {
        print_remedy("keep what is needed elsewhere, and migrate with `--allow-loss`.");
    }
}

/// The number of rows of a finding.
fn counted(finding: &Finding, rows: u64) -> String {
    let noun = match finding {
        Finding::Obstacle(Obstacle::Duplicate { .. }) => ("value", "values"),
        Finding::Loss(Loss::Related { .. }) => ("related row", "related rows"),
        Finding::Obstacle(_) | Finding::Loss(_) => ("row", "rows"),
    };
    match rows {
        1 => format!("1 {}", noun.0),
        rows => format!("{rows} {}", noun.1),
    }
}
