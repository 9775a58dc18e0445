//! The position behind the changes of a request.

use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use source::{ChangePosition, LogPosition, NameSet, SourceError, SourceErrorKind};
use tokio::time::timeout;

use crate::pool::Pool;
use crate::wire::Statement;

/// The changes are committed, and their response waits.
const TIMEOUT: Duration = Duration::from_secs(1);

static POSITION: LazyLock<Arc<Statement>> =
    LazyLock::new(|| Arc::new(Statement::new(include_str!("position.sql").trim_end(), [])));

/// The position behind everything that is committed now, in the log of a cluster.
pub(crate) async fn change_position(
    pool: &Rc<Pool>,
    names: &NameSet,
    system: u64,
) -> ChangePosition {
    let read = timeout(TIMEOUT, read(pool, names, system)).await;
    match read {
        Ok(Ok(position)) => ChangePosition::Known(position),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the position behind a change is not known");
            ChangePosition::Unknown
        }
        Err(_) => {
            tracing::warn!("the position behind a change is not known in time");
            ChangePosition::Unknown
        }
    }
}

async fn read(pool: &Rc<Pool>, names: &NameSet, system: u64) -> Result<LogPosition, SourceError> {
    let mut connection = pool.acquire_for(names).await?;
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    pipeline.execute(&POSITION, [])?;
    pipeline.sync_and_read(&mut results).await?;
    let number = |column| -> Option<u64> {
        let value = results.first()?.value(0, column)?;
        str::from_utf8(value).ok()?.parse().ok()
    };
    let numbers = number(0).zip(number(1).and_then(|number| u32::try_from(number).ok()));
    let (offset, timeline) = numbers.ok_or_else(|| {
        SourceError::new(SourceErrorKind::Internal, "the server tells no position in its log")
    })?;
    Ok(LogPosition { system, timeline, offset })
}
