//! A request: steps in transactions.

use crate::filter::Filter;
use crate::objects::ObjectChange;
use crate::operand::Operand;
use crate::rows::{Call, Rows};
use crate::step_id::StepId;
use crate::write::Write;

/// All reads and writes that one operation sends to one source.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Request {
    /// In order of execution.
    pub transactions: Vec<Transaction>,
    /// The number of [`crate::OutputId`]s of the request: they run from 0 up to this number.
    pub outputs: u32,
    /// The number of [`crate::RowsId`]s of the request.
    pub rows: u32,
    /// Names of entities that claims of the session give: each claim with its name in the source.
    pub claimed_names: Vec<(Box<str>, Box<str>)>,
}

/// Steps that see and change the data together.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    pub isolation: Isolation,
    pub steps: Vec<Step>,
}

/// Isolation levels of transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Reads that see one snapshot of the data.
    Snapshot,
    /// Writes at the level that the source's users expect: READ COMMITTED in SQL.
    ReadCommitted,
}

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub id: StepId,
    /// The root field this step belongs to: when it fails, that field is null and no other.
    pub root: u32,
    pub kind: StepKind,
    /// Conditions on the rows of earlier reads: the step is left out unless all are met.
    pub when: Vec<StepCondition>,
    pub authority: Authority,
}

/// The permissions by which a step reads and changes rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authority {
    /// Those of the session: rows that it may not read or change count as absent.
    #[default]
    Session,
    /// Those of the session, which must permit to change all rows that pass: else the transaction
    /// ends with an error.
    SessionOfAll,
    /// None are asked: the data model demands the step, whoever changes the rows.
    Model,
}

/// A condition on the rows that an earlier step of the same transaction has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCondition {
    pub step: StepId,
    /// True requires a row, false forbids one.
    pub exists: bool,
}

impl Step {
    /// A step without conditions.
    #[must_use]
    pub fn new(id: StepId, root: u32, kind: StepKind) -> Self {
        Self { id, root, kind, when: Vec::new(), authority: Authority::Session }
    }
}

/// Kinds of steps.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    Read(Rows),
    Write(Write),
    /// A function called for its effect.
    Call(Call),
    Require(Require),
    Objects(ObjectChange),
}

/// A requirement: the transaction continues only if `rows` has a row that passes, or none;
/// otherwise it ends with the error `otherwise`.
#[derive(Clone, Debug, PartialEq)]
pub struct Require {
    pub rows: Rows,
    pub filter: Filter,
    /// True requires a row, false forbids one.
    pub exists: bool,
    pub otherwise: Otherwise,
}

/// The error of a failed requirement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Otherwise {
    pub kind: OtherwiseKind,
    /// The message, with [`Otherwise::GAP`] for the value of each operand of `gaps`.
    pub message: Box<str>,
    pub gaps: Vec<Operand>,
}

/// The meaning of a failed requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OtherwiseKind {
    /// The row to change does not exist.
    Missing,
    /// More rows would be changed than the limit of the request.
    TooMany,
    /// The session may not write the resulting row.
    Refused,
    /// The resulting row is invalid for every session.
    Invalid,
    /// Two rows are not related that the change names as related.
    Unrelated,
    /// A row would lack a related one that it must have.
    RequiredRelation,
}

impl Otherwise {
    /// The place of a value in a message.
    pub const GAP: &str = "{}";

    /// An error whose message has no gaps.
    #[must_use]
    pub fn new(kind: OtherwiseKind, message: impl Into<Box<str>>) -> Self {
        Self { kind, message: message.into(), gaps: Vec::new() }
    }
}
