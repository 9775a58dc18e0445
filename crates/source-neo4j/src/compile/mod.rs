//! From the request tree to statements of Cypher.
//!
//! Each root field is one statement, since only within a statement all reads see one state of the
//! graph. Rows related to a row are a subquery that collects them as lists, by position; sorting
//! and paging come before the subqueries below, which never drop a row. The rows of a root field
//! are records of the statement, unless there are aggregates of them, too: then the statement has
//! one record with a list of them.
//!
//! * `statement`: parameters and variables of one statement
//! * `read`: root fields
//! * `rows`: rows as clauses, and their outputs
//! * `event`: nodes of events
//! * `variants`: rows of several entities; `search`: rows that an index finds; `keyed`: rows by lists
//!   of keys
//! * `called`: the schema author's own statements
//! * `listed`: rows that are found once and used twice
//! * `summary`: counts and aggregates of all rows
//! * `aggregate`: aggregates over the values of many rows
//! * `grouped`: all rows in groups
//! * `order`: sorting and paging
//! * `place`: values that are compared, sorted and shown
//! * `filter`: conditions; `related`: those on related rows; `together`: on rows of several entities
//!   together; `barrier`: those that are evaluated after others
//! * `parameter`: as which type a value is sent
//! * `required`: conditions that rows may not fail
//! * `write`: changes; `raise`: errors of our own

mod aggregate;
mod barrier;
mod called;
mod event;
mod filter;
mod grouped;
mod keyed;
mod listed;
mod order;
mod parameter;
mod place;
mod raise;
mod read;
mod related;
mod required;
mod rows;
mod search;
mod statement;
mod summary;
mod together;
mod variants;
mod write;

use catalog::Catalog;
use cypher::Flavor;
use response::{ColumnRef, Layout, LevelId};

pub(super) use self::raise::raised;
use source::CompileError;

use self::statement::Statement;
use super::program::{
    Access, GraphLevel, GraphProgram, GraphStatement, GraphTransaction, LevelPage, LevelRows,
};

/// Forms of statements that change nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WriteForm {
    Plain,
    /// With a column of all created, updated and deleted nodes, for events.
    Touched,
}

/// Compiles a request.
pub fn compile(
    catalog: &Catalog,
    request: &ir::Request,
    flavor: Flavor,
) -> Result<GraphProgram, CompileError> {
    compile_as(WriteForm::Plain, catalog, request, flavor)
}

/// Compiles a request, so that its changes return the nodes that they have created, updated and
/// deleted.
pub fn compile_touched(
    catalog: &Catalog,
    request: &ir::Request,
    flavor: Flavor,
) -> Result<GraphProgram, CompileError> {
    compile_as(WriteForm::Touched, catalog, request, flavor)
}

fn compile_as(
    form: WriteForm,
    catalog: &Catalog,
    request: &ir::Request,
    flavor: Flavor,
) -> Result<GraphProgram, CompileError> {
    let layout = Layout {
        outputs: vec![ColumnRef::Unused; request.outputs as usize],
        affected: Vec::new(),
        rows: vec![None; request.rows as usize],
    };
    let claimed_labels = request.claimed_names.as_slice();
    let mut compiler = Compiler {
        catalog,
        claimed_labels,
        flavor,
        form,
        levels: Vec::new(),
        layout,
        statements: 0,
    };
    let mut transactions = Vec::with_capacity(request.transactions.len());
    for transaction in &request.transactions {
        let (access, statements) = compiler.transaction(transaction)?;
        transactions.push(GraphTransaction { access, statements });
    }
    let Compiler { levels, layout, .. } = compiler;
    Ok(GraphProgram { transactions, levels, layout })
}

/// The state of compiling a request.
#[derive(Debug)]
struct Compiler<'a> {
    catalog: &'a Catalog,
    /// The labels that claims are, each with its claim.
    claimed_labels: &'a [(Box<str>, Box<str>)],
    flavor: Flavor,
    form: WriteForm,
    levels: Vec<GraphLevel>,
    layout: Layout,
    /// Number of statements, those of all transactions counted.
    statements: u16,
}

impl Compiler<'_> {
    fn transaction(
        &mut self,
        transaction: &ir::Transaction,
    ) -> Result<(Access, Vec<GraphStatement>), CompileError> {
        let mut access = Access::Read;
        let mut statements = Vec::new();
        let mut rest = transaction.steps.as_slice();
        while let Some((step, later)) = rest.split_first() {
            let statement = match &step.kind {
                ir::StepKind::Read(rows) => {
                    rest = later;
                    if self.changes(rows) {
                        access = Access::Write;
                    }
                    self.read(step.root, rows)?
                }
                ir::StepKind::Write(write) => {
                    access = Access::Write;
                    let reads = later.iter().take_while(|read| write::reads_of(step.id, read));
                    let reads: Vec<&ir::Rows> = reads.filter_map(write::rows_of).collect();
                    rest = later.get(reads.len()..).unwrap_or_default();
                    Some(self.write(step.root, write, &reads)?)
                }
                ir::StepKind::Call(_) => return Err(refused("a call of a function")),
                ir::StepKind::Require(_) => return Err(refused("a requirement")),
                ir::StepKind::Objects(_) => return Err(refused("a change of objects")),
            };
            statements.extend(statement);
        }
        Ok((access, statements))
    }

    /// Prints a statement, and counts it.
    fn finish(
        &mut self,
        root: u32,
        clauses: Vec<cypher::Clause>,
        statement: Statement,
    ) -> Result<GraphStatement, CompileError> {
        self.statements = self.statements.checked_add(1).ok_or(CompileError::TooManyLevels)?;
        let text = cypher::print(&cypher::Query::of(clauses), &self.flavor).into();
        Ok(GraphStatement { root, text, parameters: statement.parameters()?, touched: None })
    }

    /// A level whose place is known, and whose width is set later.
    fn level(&mut self, rows: LevelRows, page: LevelPage) -> Result<LevelId, CompileError> {
        let id = u16::try_from(self.levels.len()).map_err(|_| CompileError::TooManyLevels)?;
        self.levels.push(GraphLevel { rows, width: 0, page, counters: Box::default() });
        Ok(LevelId(id))
    }

    /// Sets the place and the width of a level's rows.
    fn place_level(&mut self, level: LevelId, rows: Option<LevelRows>, width: u16) {
        if let Some(known) = self.levels.get_mut(usize::from(level.0)) {
            known.rows = rows.unwrap_or(known.rows);
            known.width = width;
        }
    }

    /// Sets the place of an output.
    fn place_output(&mut self, output: ir::OutputId, place: ColumnRef) {
        if let Some(known) = self.layout.outputs.get_mut(output.0 as usize) {
            *known = place;
        }
    }

    /// Sets the level of rows.
    fn place_rows(&mut self, rows: ir::RowsId, level: LevelId) {
        if let Some(known) = self.layout.rows.get_mut(rows.0 as usize) {
            *known = Some(level);
        }
    }
}

/// The error of a request tree that is not supported.
fn refused(what: &'static str) -> CompileError {
    CompileError::NotSupported { what }
}

/// The number of a column.
fn column(number: usize) -> Result<u16, CompileError> {
    const MOST: usize = u16::MAX as usize;
    u16::try_from(number).map_err(|_| CompileError::TooManyColumns { most: MOST })
}
