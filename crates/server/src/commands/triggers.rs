//! `thalweg triggers`: creates and removes the triggers that report changes of rows.

use engine::Timeouts;
use sources::triggers::{Triggers, connect};

use super::{block_on, print};
use crate::failure::Failure;
use crate::options::{TriggersAction, TriggersOptions};

pub(super) fn run(options: &TriggersOptions) -> Result<(), Failure> {
    let address = options.address()?;
    block_on(async {
        let triggers = connect(&address, Timeouts::default()).await.ok_or_else(|| {
            Failure::Usage("`thalweg triggers` is for PostgreSQL databases".into())
        })?;
        let triggers = triggers.map_err(Failure::other)?;
        match options.action {
            TriggersAction::Install => install(&triggers, options).await,
            TriggersAction::Remove => remove(&triggers, options).await,
        }
    })
}

async fn install(triggers: &Triggers, options: &TriggersOptions) -> Result<(), Failure> {
    let statements = triggers.statements(&options.schema).await.map_err(Failure::other)?;
    let script = [&statements.join("\n"), "\n"].concat();
    if options.dry_run {
        return print(&script);
    }
    triggers.run(&script).await.map_err(Failure::other)?;
    print(&match statements.len() - 1 {
        0 => "All tables have their triggers.\n".to_owned(),
        1 => "Created the triggers of one table.\n".to_owned(),
        tables => format!("Created the triggers of {tables} tables.\n"),
    })
}

async fn remove(triggers: &Triggers, options: &TriggersOptions) -> Result<(), Failure> {
    if options.dry_run {
        return print(Triggers::removal());
    }
    triggers.run(Triggers::removal()).await.map_err(Failure::other)?;
    print("Removed the triggers.\n")
}
