//! Figures of the statements of one request, for metrics and explanations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::events::CommittedEvents;
use crate::freshness::ChangePosition;

/// It is filled while the statements run, so that a cancelled request has it too.
#[derive(Debug, Default)]
pub struct Observed {
    /// Whether figures of rounds are collected.
    pub wants_rounds: bool,
    pub rounds: Vec<Round>,
    /// In which form the program was read.
    pub form: ReadForm,
    /// Bounds of the statements' pages, by the statements' places; empty without any.
    pub boundings: Vec<Option<Bounding>>,
    /// To make the answer of rows that are all there; nothing where it is made as they come.
    pub write: Option<Duration>,
    /// The replica that has answered a read, or is asked; none for the primary.
    pub replica: Option<Arc<str>>,
    /// Whether a change was committed, or may have been.
    pub has_changed: bool,
    /// The position behind the changes, where sources report it.
    pub changed_at: Option<ChangePosition>,
    /// Events of the committed changes, where the program returns them.
    pub committed: CommittedEvents,
}

/// The forms in which a program may be read, which have the same answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadForm {
    /// Each level by a statement of its own.
    #[default]
    Levels,
    /// Some levels with those above.
    Joined,
    /// Some to-one rows by statements of their own.
    SplitJoin,
    /// In portions, with to-one rows joined.
    Portions,
    /// In portions, some to-one rows by statements of their own.
    SplitPortions,
}

/// The bounds that the pages of a statement were planned with, as numbers in a table of bounds: the
/// first page's, and the greatest of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounding(pub [u8; Self::MOST_DIFFERENT]);

impl Bounding {
    /// Most bounds of a statement that differ from each other.
    pub const MOST_DIFFERENT: usize = 2;
}

/// Statements that went to the database together.
#[derive(Debug)]
pub struct Round {
    pub started: Instant,
    /// None if they were not completed.
    pub elapsed: Option<Duration>,
    /// Their places in the program.
    pub levels: Vec<usize>,
}

impl Observed {
    /// Writes down statements that are sent now.
    pub fn begin_round(&mut self, levels: impl IntoIterator<Item = usize>) {
        if self.wants_rounds {
            let levels = levels.into_iter().collect();
            self.rounds.push(Round { started: Instant::now(), elapsed: None, levels });
        }
    }

    /// Writes down that the last ones have ended.
    pub fn end_round(&mut self) {
        if let Some(round) = self.rounds.last_mut() {
            round.elapsed.get_or_insert_with(|| round.started.elapsed());
        }
    }
}
