//! What a compiled request is.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use response::{Bounds, Layout, LevelId};
use source::operand::{Resolved, Variables, resolve};
use source::{SourceError, SourceErrorKind};

use super::bounding::BoundedPages;
use super::object_list::ObjectList;
use super::value::ParameterKind;

/// The statements of a request, each level before those below it.
#[derive(Clone, Debug)]
pub struct Program {
    pub levels: Vec<Level>,
    pub layout: Layout,
    /// What is done in a transaction of its own, in the order in which it runs. Every level
    /// belongs to one of them, except those of a request that only reads and has none.
    pub units: Vec<Unit>,
}

/// What is committed together: one transaction of the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    pub isolation: ir::Isolation,
    pub levels: Range<u16>,
    /// The root fields that it answers, in their order: if it fails, they all are null.
    pub roots: Vec<u32>,
    /// What must be so, each tested when its level has run and before it is committed.
    pub requirements: Vec<Requirement>,
    /// Whether something may be changed.
    pub writes: bool,
    /// Whether it may give many rows: those of a change that is of more than one, or of a list below
    /// them.
    pub may_be_long: bool,
    /// Whether it inserts objects only if none with their identifiers exists: if another transaction
    /// inserts one meanwhile, it may succeed when it runs again.
    pub finds_or_inserts: bool,
}

/// A condition without which nothing of the unit is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The level whose rows are looked at.
    pub after: LevelId,
    pub test: Test,
    /// The root field whose error it is.
    pub root: u32,
    pub otherwise: ir::Otherwise,
    /// The values of the gaps in its message: operands, and columns of earlier levels.
    pub gaps: Box<[ParameterSource]>,
    /// What has to be so, or else it is not tested.
    pub when: Box<[When]>,
}

/// What is looked for in the rows of a level. Of a write that gives none, those that it changed
/// are counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// At least one row.
    RowThere,
    NoRow,
    /// So many rows at most.
    AtMost(ir::Operand),
}

impl Unit {
    /// Whether its requirements are tested before it is committed. One change that found no row has
    /// nothing to take back, and may be committed at once.
    #[must_use]
    pub fn is_tested_first(&self, levels: &[Level]) -> bool {
        let levels = levels.get(usize::from(self.levels.start)..usize::from(self.levels.end));
        let mut writes = levels.unwrap_or_default().iter().filter(|level| level.is_write());
        let only = match (writes.next(), writes.next()) {
            (Some(only), None) if !only.calls => Some(only.id),
            _ => None,
        };
        let is_harmless = |requirement: &Requirement| {
            requirement.test == Test::RowThere && Some(requirement.after) == only
        };
        !self.requirements.iter().all(is_harmless)
    }

    /// The errors of its root fields, if it fails because of one of them.
    pub fn failures(
        &self,
        failed: u32,
        error: SourceError,
    ) -> impl Iterator<Item = (u32, SourceError)> {
        let mut error = Some(error);
        self.roots.iter().filter_map(move |root| match *root == failed {
            true => error.take().map(|error| (*root, error)),
            false => Some((*root, aborted())),
        })
    }
}

impl Requirement {
    /// How many rows meet it.
    pub fn rows(&self, variables: Variables<'_>) -> Result<RangeInclusive<u64>, SourceError> {
        Ok(match &self.test {
            Test::RowThere => 1..=u64::MAX,
            Test::NoRow => 0..=0,
            Test::AtMost(most) => 0..=resolve(most, variables)?.rows("atMost")?.unwrap_or(0),
        })
    }

    /// What is said if it is not met. Values of the request are in it, those of rows are not yet.
    #[must_use]
    pub fn refusal(&self, variables: Variables<'_>) -> Refusal {
        let mut results = Vec::new();
        let text = message(&self.otherwise, &self.gaps, |text, gap| match gap {
            ParameterSource::Operand(operand) => text.push_str(&told(operand, variables)),
            ParameterSource::Result { level, row, column } => {
                results.push((text.len(), (*level, *row, *column)));
            }
            // A message has no lists.
            ParameterSource::Parent { .. }
            | ParameterSource::Keys { .. }
            | ParameterSource::Rows { .. }
            | ParameterSource::WholeRows { .. }
            | ParameterSource::Columns(_)
            | ParameterSource::Results { .. }
            | ParameterSource::Objects(_) => {}
        });
        Refusal { kind: self.otherwise.kind.into(), text, results }
    }
}

/// The message of an error. `write` appends the value of a gap.
pub(super) fn message<G>(
    otherwise: &ir::Otherwise,
    gaps: &[G],
    mut write: impl FnMut(&mut String, &G),
) -> String {
    let mut parts = otherwise.message.split(ir::Otherwise::GAP);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (part, gap) in parts.zip(gaps) {
        write(&mut text, gap);
        text.push_str(part);
    }
    text
}

/// A value of the request as messages have it.
pub(super) fn told(operand: &ir::Operand, variables: Variables<'_>) -> String {
    let value = resolve(operand, variables).ok();
    let value = value.as_ref().and_then(Resolved::text).unwrap_or_default();
    match is_moment(operand) {
        true => in_milliseconds(&value).into_owned(),
        false => value.into_owned(),
    }
}

fn is_moment(operand: &ir::Operand) -> bool {
    matches!(operand, ir::Operand::Formed { form, .. } if **form == ir::ValueForm::PartialMoment)
}

/// A moment in UTC as answers have it.
fn in_milliseconds(text: &str) -> Cow<'_, str> {
    let Some(clock) = text.strip_suffix('Z') else { return text.into() };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    format!("{clock}.{fraction:0<3.3}Z").into()
}

/// The error of a requirement, whose message may have values of rows that the transaction has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    kind: SourceErrorKind,
    text: String,
    /// Places in the text, and the level, the row and the column of the values that belong there.
    results: Vec<(usize, (LevelId, u32, u16))>,
}

impl Refusal {
    /// The error. `value` returns the text of a value that a level has read.
    #[must_use]
    pub fn error(&self, value: impl Fn(LevelId, u32, u16) -> Option<String>) -> SourceError {
        let mut text = self.text.clone();
        for (place, (level, row, column)) in self.results.iter().rev() {
            if let Some(value) = value(*level, *row, *column) {
                text.insert_str(*place, &value);
            }
        }
        SourceError::new(self.kind, text)
    }
}

fn aborted() -> SourceError {
    let message = "The mutation was rolled back because another of the same request failed.";
    SourceError::new(SourceErrorKind::Aborted, message)
}

impl Program {
    /// Returns true if something may be changed: it is sent again only after a rollback.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.units.iter().any(|unit| unit.writes)
    }

    /// Whether a unit that writes was done, or may have been, with these errors of root fields.
    #[must_use]
    pub fn has_changed(&self, failures: &[(u32, SourceError)]) -> bool {
        let is_undone = |(_, error): &&(u32, SourceError)| {
            // After this one a change may be there.
            error.kind != SourceErrorKind::OutcomeUnknown
        };
        let undone: BTreeSet<u32> =
            failures.iter().filter(is_undone).map(|(root, _)| *root).collect();
        // A unit fails with all its root fields.
        let is_done = |unit: &Unit| unit.roots.iter().any(|root| !undone.contains(root));
        self.units.iter().any(|unit| unit.writes && is_done(unit))
    }

    /// Whether some level is joined to the one above.
    #[must_use]
    pub fn joins_levels(&self) -> bool {
        self.levels.iter().any(|level| !level.has_statement())
    }
}

/// One statement, and how its rows join those of the level above.
#[derive(Clone, Debug)]
pub struct Level {
    pub id: LevelId,
    /// The root field it belongs to.
    pub root: u32,
    /// What it reads, as a person would name it.
    pub name: Box<str>,
    pub kind: LevelKind,
    pub parent: Option<LevelId>,
    /// The level after the last one below this.
    pub end: LevelId,
    pub text: Box<str>,
    /// How many columns its rows have.
    pub columns: u16,
    /// The same with bounds of its pages, where the database plans better so.
    pub bounded: Option<Box<BoundedPages>>,
    pub parameters: Vec<Parameter>,
    pub parents: Parents,
    /// What comes again where a level below is joined to this one: each row comes once for each row
    /// below it, one after the other.
    pub repeats: Option<Repeats>,
    /// The columns from [`FIRST_APART`](super::FIRST_APART) on: they stand in rows that each of these
    /// refers to, and that are read apart.
    pub apart: Vec<ApartColumn>,
    /// How its rows are told apart by parent, where one statement serves them all.
    pub link: Option<Link>,
    /// The column of integers by which the reader sorts the rows of each parent, in ascending order:
    /// they come in any order.
    pub sorted_by: Option<u16>,
    /// Which round of statements it belongs to: it needs the rows of the rounds before.
    pub round: u16,
    /// Whether it calls a function of the source, which could do more than it says.
    pub calls: bool,
    /// What has to be so, all of it, or else it is left out.
    pub when: Box<[When]>,
}

/// A condition on the rows of an earlier level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    pub level: LevelId,
    /// Whether a row is there.
    pub is_there: bool,
}

impl When {
    /// Whether it is met by so many rows.
    #[must_use]
    pub fn is_met(self, rows: usize) -> bool {
        (rows > 0) == self.is_there
    }
}

#[derive(Clone, Debug)]
pub enum LevelKind {
    Rows(Page),
    /// The number of rows is column 0; no row means zero.
    Count,
    /// One row of what is made of all rows; none means that there are no rows. Where the number
    /// of rows is asked for as well, it is column 0.
    Aggregate,
    /// A row for each group of rows.
    Groups,
    /// It changes something or calls what may: it runs once, whatever is read of it.
    Write(WriteKind),
}

/// What a statement that changes something gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// A row for each that it changed, in the order in which the request says them.
    Rows,
    /// No rows: what is known is how many it changed.
    Counted,
    /// More of what the statement of another level began, which comes right before it or before
    /// others like it: what this gives is added to that.
    More { of: LevelId },
}

/// The bounds of a page, for the cursor that shows it.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub limit: Option<ir::Operand>,
    pub offset: Option<ir::Operand>,
    /// One row more than the limit is read and not shown.
    pub look_ahead: bool,
    /// The page is cut off at its beginning: the row read ahead comes first.
    pub from_end: bool,
}

impl Level {
    /// Whether it may change something.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(self.kind, LevelKind::Write(_))
    }

    /// The level whose rows those of its statement are.
    #[must_use]
    pub fn gives(&self) -> LevelId {
        match self.kind {
            LevelKind::Write(WriteKind::More { of }) => of,
            _ => self.id,
        }
    }

    /// The page of a request's rows.
    pub fn bounds(&self, variables: Variables<'_>) -> Result<Bounds, SourceError> {
        let LevelKind::Rows(page) = &self.kind else { return Ok(Bounds::default()) };
        let limit = match &page.limit {
            Some(limit) => resolve(limit, variables)?.rows("LIMIT")?,
            None => None,
        };
        let offset = match &page.offset {
            Some(offset) => resolve(offset, variables)?.rows("OFFSET")?.unwrap_or(0),
            None => 0,
        };
        Ok(Bounds { limit, offset })
    }

    /// Whether it is sent by itself.
    #[must_use]
    pub fn has_statement(&self) -> bool {
        !matches!(self.parents, Parents::Joined { .. })
    }

    /// The level whose statement reads its rows.
    #[must_use]
    pub fn read_by(&self) -> LevelId {
        match (self.parents, self.parent) {
            (Parents::Joined { .. }, Some(parent)) => parent,
            _ => self.id,
        }
    }

    /// Whether the first of a parent's rows may be one that was read ahead: the page is cut off
    /// at its beginning.
    #[must_use]
    pub fn reads_ahead_first(&self) -> bool {
        matches!(&self.kind, LevelKind::Rows(page) if page.look_ahead && page.from_end)
    }
}

/// How a level's statement finds the rows of its parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parents {
    /// A root field: there are none.
    Top,
    /// It runs for each parent, bound with the parent's key.
    Bound,
    /// It runs once: the query of the parents is inlined.
    InlinedParentQuery,
    /// It runs once: its rows have the parents' keys themselves.
    Implied,
    /// It runs once: the parents' keys are array parameters.
    Arrays,
    /// The rows that the level of a write gave are read once more, with what belongs to them: all of
    /// them at once, sent back as one array, or with [`Strategy::Nested`](super::Strategy::Nested)
    /// each by itself, bound with its columns. They come in the order of the write's rows.
    Returned { write: LevelId },
    /// It has no statement: its rows stand in those of the level above, which is joined to it. The
    /// column is null where a parent has none.
    Joined { present: u16 },
}

/// What comes again in rows to which others are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The columns of the key: rows that agree in them are one row.
    pub key: Box<[u16]>,
    /// How many of the first columns are those of the row; the others are of the rows joined to it.
    pub columns: usize,
    /// Whether their types say that they are short; if not, rows that were read may show it.
    pub is_short: bool,
}

/// A column of the level of rows that are read apart from those that refer to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApartColumn {
    pub level: LevelId,
    pub column: u16,
}

/// The columns that hold the parent's key, in the parent's rows and in this level's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub parent_columns: Vec<u16>,
    pub columns: Vec<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    pub source: ParameterSource,
    pub kind: ParameterKind,
}

impl Parameter {
    /// Whether it may differ between the members of a batch. The sizes of pages are equal, so that
    /// the database plans for them.
    #[must_use]
    pub fn is_batched(&self) -> bool {
        let is_size = matches!(
            self.kind,
            ParameterKind::Limit { .. } | ParameterKind::Offset | ParameterKind::VisitedVectors
        );
        matches!(self.source, ParameterSource::Operand(_)) && !is_size
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterSource {
    Operand(ir::Operand),
    /// A column of the parent's current row.
    Parent {
        column: u16,
    },
    /// The distinct values of a column in all rows of a level; the columns of one level are
    /// distinct together.
    Keys {
        level: LevelId,
        column: u16,
    },
    /// A column of what a write gave. With [`Parents::Returned`] and one statement for all rows: the
    /// values of all rows in their order, those that are null and those that come again too. With a
    /// statement for each row: the value of that row.
    Rows {
        level: LevelId,
        column: u16,
    },
    /// All rows that a write gave, in their order, each made of columns that hold the values of its
    /// fields.
    WholeRows {
        level: LevelId,
        columns: Arc<[u16]>,
    },
    /// Lists as the columns of rows, in one parameter: for databases without arrays.
    Columns(Arc<[Parameter]>),
    /// All values of a column of an earlier level, in their order.
    Results {
        level: LevelId,
        column: u16,
    },
    /// Keys of objects.
    Objects(Arc<ObjectList>),
    /// A column of a row that an earlier level gave, by the place of the row. What needs it is not
    /// done where there is no such row, or the value is null: it would say something else.
    Result {
        level: LevelId,
        row: u32,
        column: u16,
    },
}

impl ParameterSource {
    /// The error where an earlier level gave no value for a parameter.
    #[must_use]
    pub fn no_result() -> SourceError {
        let message = "A row that others are to be connected with is not there, or has no key.";
        SourceError::new(SourceErrorKind::Missing, message)
    }
}
