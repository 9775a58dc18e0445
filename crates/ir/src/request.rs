//! A request: steps in transactions.

use crate::filter::Filter;
use crate::operand::Operand;
use crate::rows::{Call, Rows};
use crate::write::Write;

/// Everything one operation asks of one source.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Request {
    /// In the order in which they run.
    pub transactions: Vec<Transaction>,
    /// How many [`crate::OutputId`]s the request uses: they are 0 up to this number.
    pub outputs: u32,
    /// How many [`crate::RowsId`]s the request uses.
    pub rows: u32,
    /// What entities are called in the source where a claim of the session says it: each such claim
    /// with the name that it is.
    pub claimed_names: Vec<(Box<str>, Box<str>)>,
}

/// Steps that see and change the data together.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    pub isolation: Isolation,
    pub steps: Vec<Step>,
}

/// What the steps of a transaction see of the others that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Reads that see one state of the data.
    Snapshot,
    /// Writes at the level that the source's users expect: READ COMMITTED in SQL.
    ReadCommitted,
}

/// One thing that is done in a transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub id: StepId,
    /// The root field this step belongs to: when it fails, that field is null and no other.
    pub root: u32,
    pub kind: StepKind,
}

/// The place of a step among all of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub u32);

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    Read(Rows),
    Write(Write),
    /// A function called for its effect.
    Call(Call),
    Require(Require),
}

/// The transaction goes on only if `rows` has a row that passes, or none: otherwise it ends
/// with the error that `otherwise` is.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    pub rows: Rows,
    pub filter: Filter,
    /// A row must be there (`true`) or must not (`false`).
    pub exists: bool,
    pub otherwise: Otherwise,
}

/// The error of a requirement that is not met.
#[derive(Clone, Debug, PartialEq)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    /// Its message, with operands for its gaps.
    pub message: Box<str>,
    pub gaps: Vec<Operand>,
}

/// What a requirement that is not met means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherwiseKind {
    /// What was to be changed is not there.
    Missing,
    /// More would be changed than the request lets.
    TooMany,
    /// What it would become may not be.
    Refused,
    /// What it would become may never be, whoever asks for it.
    Invalid,
}

impl Otherwise {
    /// An error whose message has no gaps.
    #[must_use]
    pub fn new(kind: OtherwiseKind, message: impl Into<Box<str>>) -> Self {
        Self { kind, message: message.into(), gaps: Vec::new() }
    }
}
