//! Waits for indexes, which the database populates in the background.

use std::time::Duration;

use catalog::{GraphIndexProgress, GraphIndexState};
use engine::graph::migrate::Plan;
use tokio::time::{Instant, sleep};

use super::{print_line, print_problem, print_remedy};
use crate::failure::Failure;

/// The first and the longest pause between two polls.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Interval of progress messages. Indexes of small graphs are online before the first.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// An index that searches need.
#[derive(Debug)]
pub(super) struct AwaitedIndex {
    pub(super) subject: Box<str>,
    /// The name in the database.
    pub(super) name: Box<str>,
    /// Kind and name: `full-text index "titles"`.
    pub(super) called: String,
}

/// Waits until all indexes are online, and prints their progress. Returns the number of failed ones.
pub(super) async fn wait(plan: &Plan, needed: &[AwaitedIndex]) -> Result<usize, Failure> {
    if needed.is_empty() {
        return Ok(0);
    }
    let (mut pause, mut printed) = (FIRST_PAUSE, Instant::now());
    loop {
        let states = plan.index_states().await?;
        let filling: Vec<(&AwaitedIndex, u8)> =
            needed.iter().filter_map(|one| Some((one, percent(one, &states)?))).collect();
        if filling.is_empty() {
            return Ok(needed.iter().filter(|one| print_failure(one, &states)).count());
        }
        if printed.elapsed() >= PROGRESS_INTERVAL {
            printed = Instant::now();
            for (one, percent) in filling {
                print_line(&format!(
                    "{}: the {} is filled to {percent} % so far.",
                    one.subject, one.called
                ));
            }
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn progress<'s>(
    of: &AwaitedIndex,
    states: &'s [GraphIndexState],
) -> Option<&'s GraphIndexProgress> {
    states.iter().find(|state| state.name == of.name).map(|state| &state.progress)
}

/// The percentage of an index that is being populated.
fn percent(of: &AwaitedIndex, states: &[GraphIndexState]) -> Option<u8> {
    match progress(of, states) {
        Some(GraphIndexProgress::Filling(percent)) => Some(*percent),
        Some(GraphIndexProgress::Online | GraphIndexProgress::Failed(_)) | None => None,
    }
}

/// Prints the failure of an index, and returns whether it has failed.
fn print_failure(of: &AwaitedIndex, states: &[GraphIndexState]) -> bool {
    let Some(GraphIndexProgress::Failed(reason)) = progress(of, states) else { return false };
    let reason = reason.lines().next().unwrap_or_default();
    print_problem(&format!("{}: the {} could not be filled: {reason}", of.subject, of.called));
    print_remedy("drop it, and migrate again.");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_being_filled_is_waited_for() {
        let needed = |name: &str| AwaitedIndex {
            subject: "A.b".into(),
            name: name.into(),
            called: String::new(),
        };
        let states = [
            GraphIndexState { name: "on".into(), progress: GraphIndexProgress::Online },
            GraphIndexState { name: "half".into(), progress: GraphIndexProgress::Filling(50) },
            GraphIndexState {
                name: "not".into(),
                progress: GraphIndexProgress::Failed("why\nat x".into()),
            },
        ];
        let percents = ["on", "half", "not", "other"].map(|name| percent(&needed(name), &states));
        assert_eq!(percents, [None, Some(50), None, None]);
        let failures =
            ["on", "half", "not", "other"].map(|name| print_failure(&needed(name), &states));
        assert_eq!(failures, [false, false, true, false]);
    }
}
