//! To-one rows that are read apart from those that refer to them.
//!
//! A to-one relationship is a join, which finds the row that is referred to once for each row that
//! refers to it. Where many rows refer to few, these are cheaper read once each, by an array of
//! their keys. Whether they are few is shown only by rows that were read: so a request is compiled
//! with joins first, and once more with some of its to-one rows apart when that is known to pay.
//!
//! The request is changed, not the compiler: what is asked of a row at the end of a path is asked
//! of rows of their own along the first hop. Their values count as columns of the rows that refer to
//! them, numbered from [`FIRST_APART`] on, so that whoever writes the answer sees no difference.

use catalog::{Catalog, EntityKind};
use ir::{
    Filter, Form, From, Hop, HopDirection, OrderKey, Output, OutputId, OutputKind, Request, Rows,
    RowsId, StepKind,
};
use response::{ColumnRef, Layout};
use rustc_hash::FxHashSet;
use source::CompileError;
use sql::Flavor;

use super::compile::{KeyTypes, Strategy, compile_from};
use super::level::{ApartColumn, Program};

/// The columns from here on stand in rows that are read apart: no statement has so many of its own.
pub const FIRST_APART: u16 = 1 << 15;

/// A to-one relationship whose rows can be read apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToOne {
    /// The rows that refer to others.
    pub rows: RowsId,
    pub hop: Hop,
    /// What is null only where there is no row; it tells the others apart, as far as they are found
    /// by one field.
    pub present: OutputId,
}

/// The outputs that stand in other rows now.
struct Moved {
    from: RowsId,
    to: RowsId,
    outputs: Vec<OutputId>,
}

/// The request that reads some rows apart, while it is made.
struct Moving<'a> {
    catalog: &'a Catalog,
    chosen: &'a [ToOne],
    outputs: u32,
    rows: u32,
    moved: Vec<Moved>,
}

/// What of a request can be read apart.
pub fn to_ones(catalog: &Catalog, request: &Request, types: &dyn KeyTypes) -> Vec<ToOne> {
    let mut found = Vec::new();
    for transaction in &request.transactions {
        for step in &transaction.steps {
            let StepKind::Read(rows) = &step.kind else { return Vec::new() };
            find(catalog, types, rows, &mut found);
        }
    }
    found
}

/// Compiles a request, the chosen rows apart.
pub fn compile_apart(
    catalog: &Catalog,
    request: &Request,
    flavor: Flavor,
    types: &dyn KeyTypes,
    chosen: &[ToOne],
) -> Result<Program, CompileError> {
    let mut request = request.clone();
    let (outputs, rows) = (request.outputs, request.rows);
    let mut moving = Moving { catalog, chosen, outputs, rows, moved: Vec::new() };
    for transaction in &mut request.transactions {
        for step in &mut transaction.steps {
            if let StepKind::Read(rows) = &mut step.kind {
                moving.rows(rows);
            }
        }
    }
    (request.outputs, request.rows) = (moving.outputs, moving.rows);
    let strategy = Strategy::Levels(types);
    let mut program = compile_from(catalog, &request, flavor, strategy, RowsId(rows))?;
    for moved in &moving.moved {
        moved.place(&mut program)?;
    }
    Ok(program)
}

fn find(catalog: &Catalog, types: &dyn KeyTypes, rows: &Rows, found: &mut Vec<ToOne>) {
    let mut hops = FxHashSet::default();
    for output in &rows.outputs {
        match &output.kind {
            OutputKind::Present { path } => {
                if let [hop] = path.as_slice()
                    && hops.insert(*hop)
                    && may_refer(rows)
                    && is_to_table(catalog, types, *hop)
                    && is_only_shown(rows, *hop)
                {
                    found.push(ToOne { rows: rows.id, hop: *hop, present: output.id });
                }
            }
            OutputKind::Related { rows, .. } => find(catalog, types, rows, found),
            _ => {}
        }
    }
}

/// Whether the rows are stored, so that their fields are columns, and may be many.
fn may_refer(rows: &Rows) -> bool {
    let are_stored =
        matches!(rows.from, From::Entity(_) | From::Relation(_) | From::Through { .. });
    are_stored && rows.shown && !rows.single
}

/// Whether the hop leads to one row at most, whose key the row itself has and an array can hold.
fn is_to_table(catalog: &Catalog, types: &dyn KeyTypes, hop: Hop) -> bool {
    let relationship = &catalog[hop.relationship];
    let fields = relationship.from_fields.iter().zip(&relationship.to_fields);
    hop.direction == HopDirection::Forward
        && relationship.enforced
        && catalog[relationship.to].kind == EntityKind::Table
        && fields.clone().count() > 0
        && fields.clone().all(|(near, far)| types.print_alike(*near, *far))
        && fields.clone().all(|(near, _)| types.has_array(*near))
}

/// Whether nothing is asked of the row at the end of the hop but values, so that nothing needs the
/// join.
fn is_only_shown(rows: &Rows, hop: Hop) -> bool {
    let leads = |path: &[Hop]| path.first() == Some(&hop);
    let in_outputs = rows.outputs.iter().all(|output| match &output.kind {
        OutputKind::Field { .. } | OutputKind::Present { .. } => true,
        OutputKind::FieldIf { path, .. }
        | OutputKind::PresentIf { path, .. }
        | OutputKind::Related { path, .. } => !leads(path),
        OutputKind::Computed { call, .. } => !call.of_row.as_deref().is_some_and(leads),
        OutputKind::Count | OutputKind::Aggregate(_) => true,
        _ => false,
    });
    let is_own = |key: &OrderKey| match key {
        OrderKey::Value(ir::ValueRef::Field { path, .. }) => !leads(path),
        _ => false,
    };
    in_outputs && rows.order.iter().all(|term| is_own(&term.key))
}

impl Moving<'_> {
    fn rows(&mut self, rows: &mut Rows) {
        for output in &mut rows.outputs {
            if let OutputKind::Related { rows, .. } = &mut output.kind {
                self.rows(rows);
            }
        }
        let (chosen, id) = (self.chosen, rows.id);
        for to_one in chosen.iter().filter(|to_one| to_one.rows == id) {
            self.set_apart(rows, to_one.hop);
        }
    }

    /// Asks of rows of their own what is asked of the row at the end of a hop.
    fn set_apart(&mut self, rows: &mut Rows, hop: Hop) {
        let Some(key) = self.catalog[hop.relationship].to_fields.first().copied() else { return };
        let leads = |output: &Output| match &output.kind {
            OutputKind::Field { path, .. } | OutputKind::Present { path } => {
                path.first() == Some(&hop)
            }
            _ => false,
        };
        let (mut outputs, kept): (Vec<_>, _) =
            std::mem::take(&mut rows.outputs).into_iter().partition(leads);
        rows.outputs = kept;
        for output in &mut outputs {
            match &mut output.kind {
                OutputKind::Present { path } if path.len() == 1 => {
                    // Its key is there wherever it is.
                    let (path, form) = (Vec::new(), Form::Stored);
                    output.kind = OutputKind::Field { path, field: key, form };
                }
                OutputKind::Present { path } | OutputKind::Field { path, .. } => {
                    path.remove(0);
                }
                _ => {}
            }
        }
        let (id, output) = (RowsId(self.rows), OutputId(self.outputs));
        self.rows += 1;
        self.outputs += 1;
        let ids = outputs.iter().map(|output| output.id).collect();
        self.moved.push(Moved { from: rows.id, to: id, outputs: ids });
        let apart = Rows {
            single: true,
            ..Rows::unordered(id, From::Relation(hop), Filter::all(), outputs)
        };
        let kind = OutputKind::Related { path: Vec::new(), rows: Box::new(apart) };
        rows.outputs.push(Output { id: output, kind });
    }
}

impl Moved {
    /// Makes columns of the rows above of those of the rows that are read apart.
    fn place(&self, program: &mut Program) -> Result<(), CompileError> {
        let Program { levels, layout, .. } = program;
        let level_of = |layout: &Layout, rows: RowsId| layout.level(response::RowsId(rows.0));
        let (Some(above), Some(apart)) = (level_of(layout, self.from), level_of(layout, self.to))
        else {
            return Err(CompileError::not_built("rows apart of rows that nobody reads"));
        };
        let columns = &mut levels[usize::from(above.0)].apart;
        for output in &self.outputs {
            let Some(ColumnRef::Column(column)) = layout.outputs.get_mut(output.0 as usize) else {
                return Err(CompileError::not_built("a value apart that is no column"));
            };
            let number = u16::try_from(columns.len()).ok();
            let number = number.and_then(|number| FIRST_APART.checked_add(number));
            columns.push(ApartColumn { level: apart, column: *column });
            *column = number.ok_or(CompileError::TooManyLevels)?;
        }
        Ok(())
    }
}
