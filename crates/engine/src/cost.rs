//! What an operation is estimated to cost, before it runs.
//!
//! The unit is a row. A list costs one, and each of its rows one more, with one for each row of a
//! to-one relationship and for each function called of it; what is below a row costs that for each
//! row. How many rows a list has is not known before, so that it is taken to have as many as its
//! page may have, or as many as an option says. The tree is made once a plan; a request only reads
//! the sizes of pages out of its variables.

use std::collections::{HashMap, HashSet};

use graphql::{ErrorCode, GraphQLError};
use ir::{
    ChildWrite, InsertedRows, OrderKey, Output, OutputKind, Page, Rows, StepId, StepKind, Write,
    WriteKind,
};
use sources::Variables;

/// How many rows that are only counted or aggregated cost as much as one that is shown.
const COUNTED_ROWS: u64 = 10;

/// What operations may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostLimits {
    /// The most that one may cost.
    pub most: u64,
    /// How many rows a list without a page is taken to have.
    pub list_size: u64,
}

impl Default for CostLimits {
    fn default() -> Self {
        Self { most: 1_000_000, list_size: 10 }
    }
}

/// What an operation costs.
#[derive(Debug)]
pub(crate) enum Cost {
    /// The same for all variables.
    Fixed(u64),
    Paged(Box<[List]>),
}

/// A list of rows, before those below it.
#[derive(Debug)]
pub(crate) struct List {
    size: Size,
    /// For each parent.
    once: u64,
    /// For each row.
    per_row: u64,
    /// The place after the last list below this one.
    end: usize,
}

/// How many rows a list is taken to have.
#[derive(Debug)]
enum Size {
    Fixed(u64),
    /// As many as the page may have; `otherwise` where the value is null.
    Limit {
        limit: ir::Operand,
        otherwise: u64,
    },
    /// As many as there are keys that are looked for.
    Keys(ir::Operand),
}

impl CostLimits {
    /// Refuses an operation that costs more.
    pub(crate) fn check(&self, cost: u64) -> Result<(), GraphQLError> {
        if cost <= self.most {
            return Ok(());
        }
        let most = self.most;
        Err(GraphQLError::new(
            ErrorCode::CostTooHigh,
            format!(
                "The operation is estimated to cost {cost}; {most} is allowed (--max-cost). Ask \
                 for smaller pages, or for fewer lists in lists."
            ),
        ))
    }
}

impl Cost {
    pub(crate) fn new(request: &ir::Request, limits: CostLimits) -> Self {
        let list_size = limits.list_size;
        let mut lists = Lists { lists: Vec::new(), list_size, changed: HashMap::new() };
        for transaction in &request.transactions {
            for step in &transaction.steps {
                match &step.kind {
                    StepKind::Read(rows) => lists.add(rows),
                    StepKind::Require(require) => lists.add(&require.rows),
                    StepKind::Write(write) => {
                        let rows = changed(&write.kind, list_size);
                        if let Some(rows) = rows {
                            lists.changed.insert(step.id, rows);
                        }
                        let rows = rows.unwrap_or(1).max(1);
                        lists.add_change(rows.saturating_add(within(write, list_size)));
                    }
                    StepKind::Call(_) => lists.add_change(1),
                }
            }
        }
        let lists = lists.lists;
        match lists.iter().all(|list| matches!(list.size, Size::Fixed(_))) {
            true => Self::Fixed(sum(&lists, Variables::of(&[]))),
            false => Self::Paged(lists.into()),
        }
    }

    /// The estimate for these variables.
    pub(crate) fn estimate(&self, variables: Variables<'_>) -> u64 {
        match self {
            Self::Fixed(cost) => *cost,
            Self::Paged(lists) => sum(lists, variables),
        }
    }
}

/// Recursion is bounded by the depth of the operation.
fn sum(lists: &[List], variables: Variables<'_>) -> u64 {
    fn of(lists: &[List], from: usize, to: usize, parents: u64, variables: Variables<'_>) -> u64 {
        let mut cost: u64 = 0;
        let mut place = from;
        while let Some(list) = lists.get(place).filter(|_| place < to) {
            let rows = parents.saturating_mul(list.size.rows(variables));
            cost = cost
                .saturating_add(parents.saturating_mul(list.once))
                .saturating_add(rows.saturating_mul(list.per_row))
                .saturating_add(of(lists, place + 1, list.end, rows, variables));
            place = list.end;
        }
        cost
    }
    of(lists, 0, lists.len(), 1, variables)
}

impl Size {
    fn rows(&self, variables: Variables<'_>) -> u64 {
        match self {
            Self::Fixed(rows) => *rows,
            // What is no number of rows is refused when it is bound.
            Self::Limit { limit, otherwise } => {
                rows_of(limit, variables).unwrap_or(Some(0)).unwrap_or(*otherwise)
            }
            Self::Keys(keys) => match sources::operand::resolve(keys, variables) {
                Ok(sources::operand::Resolved::List(keys)) => keys.len() as u64,
                Ok(_) | Err(_) => 0,
            },
        }
    }
}

fn rows_of(
    limit: &ir::Operand,
    variables: Variables<'_>,
) -> Result<Option<u64>, sources::SourceError> {
    sources::operand::resolve(limit, variables)?.rows("LIMIT")
}

/// How many rows a write may change; `None` where it is one, or those of a key.
fn changed(write: &WriteKind, list_size: u64) -> Option<u64> {
    let at_most = |at_most: &Option<ir::Operand>| {
        let rows = rows_of(at_most.as_ref()?, Variables::of(&[]));
        Some(rows.unwrap_or(None).unwrap_or(list_size))
    };
    match write {
        WriteKind::Insert(insert)
        | WriteKind::Upsert { insert, .. }
        | WriteKind::LinkOrInsert { insert, .. } => match &insert.rows {
            InsertedRows::Each(rows) => Some(rows.len() as u64),
            InsertedRows::Columns(_) => Some(list_size),
        },
        WriteKind::Update(update) => at_most(&update.at_most),
        WriteKind::Delete { at_most: most, .. } => at_most(most),
        WriteKind::Link { .. }
        | WriteKind::Unlink { .. }
        | WriteKind::SetLinks { .. }
        | WriteKind::Choose { .. }
        | WriteKind::Expect { .. } => None,
    }
}

/// What the writes within a write cost. Recursion is bounded by the depth of the operation's values.
fn within(write: &Write, list_size: u64) -> u64 {
    let of = |child: &ChildWrite| {
        let rows = changed(&child.write.kind, list_size).unwrap_or(1).max(1);
        rows.saturating_add(within(&child.write, list_size))
    };
    write.children.iter().map(of).fold(0, u64::saturating_add)
}

struct Lists {
    lists: Vec<List>,
    list_size: u64,
    /// How many rows steps may change, where that is known.
    changed: HashMap<StepId, u64>,
}

impl Lists {
    fn add_change(&mut self, once: u64) {
        let end = self.lists.len() + 1;
        self.lists.push(List { size: Size::Fixed(0), once, per_row: 0, end });
    }

    fn add(&mut self, rows: &Rows) {
        let place = self.lists.len();
        let size = self.size(rows);
        self.lists.push(List { size, once: 1, per_row: 1, end: place });
        let mut paths: HashSet<&[ir::Hop]> = HashSet::new();
        let (mut once, mut per_row) = (1, 1);
        let variants = match &rows.from {
            ir::From::Variants(variants) | ir::From::FunctionOfVariants { variants, .. } => {
                variants.as_slice()
            }
            ir::From::Entity(_)
            | ir::From::Relation(_)
            | ir::From::Through { .. }
            | ir::From::Joining { .. }
            | ir::From::Function(_)
            | ir::From::Value(_)
            | ir::From::Search { .. }
            | ir::From::Once
            | ir::From::Keys { .. }
            | ir::From::Returned { .. } => &[],
        };
        let of_variants = variants.iter().flat_map(|variant| &variant.outputs);
        for output in rows.outputs.iter().chain(of_variants) {
            self.output(output, &mut paths, &mut once, &mut per_row);
        }
        for term in &rows.order {
            match &term.key {
                OrderKey::Place(_) => {}
                OrderKey::Relation { .. } | OrderKey::Call(_) => once += self.counted(),
            }
        }
        per_row += paths.len() as u64;
        let end = self.lists.len();
        if let Some(list) = self.lists.get_mut(place) {
            (list.once, list.per_row, list.end) = (once, per_row, end);
        }
    }

    fn output<'r>(
        &mut self,
        output: &'r Output,
        paths: &mut HashSet<&'r [ir::Hop]>,
        once: &mut u64,
        per_row: &mut u64,
    ) {
        let mut joined = |path: &'r [ir::Hop]| {
            if !path.is_empty() {
                paths.insert(path);
            }
        };
        match &output.kind {
            OutputKind::Field { path, .. }
            | OutputKind::FieldIf { path, .. }
            | OutputKind::Present { path }
            | OutputKind::PresentIf { path, .. } => joined(path),
            OutputKind::Related { path, rows } => {
                joined(path);
                self.add(rows);
            }
            OutputKind::Groups(groups) => self.add_groups(&groups.outputs),
            OutputKind::Aggregate(_) | OutputKind::Count => *once += self.counted(),
            OutputKind::Computed { .. } => *per_row += 1,
            OutputKind::Edge { .. }
            | OutputKind::OrderValue(_)
            | OutputKind::Common { .. }
            | OutputKind::Variant
            | OutputKind::Ordinal
            | OutputKind::Counter { .. } => {}
        }
    }

    /// All rows, whatever the page: they are shown in their groups.
    fn add_groups(&mut self, outputs: &[Output]) {
        let place = self.lists.len();
        let size = Size::Fixed(self.list_size);
        self.lists.push(List { size, once: 1, per_row: 1, end: place });
        let mut paths: HashSet<&[ir::Hop]> = HashSet::new();
        let (mut once, mut per_row) = (1, 1);
        for output in outputs {
            self.output(output, &mut paths, &mut once, &mut per_row);
        }
        per_row += paths.len() as u64;
        let end = self.lists.len();
        if let Some(list) = self.lists.get_mut(place) {
            (list.once, list.per_row, list.end) = (once, per_row, end);
        }
    }

    /// Rows that are read and not shown.
    fn counted(&self) -> u64 {
        self.list_size.div_ceil(COUNTED_ROWS)
    }

    fn size(&self, rows: &Rows) -> Size {
        if !rows.shown {
            return Size::Fixed(0);
        }
        if rows.single || rows.from == ir::From::Once {
            return Size::Fixed(1);
        }
        if let ir::From::Returned { step, .. } = rows.from
            && let Some(changed) = self.changed.get(&step)
        {
            return Size::Fixed(*changed);
        }
        if let ir::From::Keys { keys, .. } = &rows.from
            && let Some((_, keys)) = keys.first()
        {
            return Size::Keys(keys.clone());
        }
        let limit = match &rows.page {
            Page::All => None,
            Page::Offset { limit, .. } | Page::AfterRow { limit, .. } => limit.as_ref(),
            Page::Keyset(keyset) => keyset.limit.as_ref(),
        };
        match limit {
            None => Size::Fixed(self.list_size),
            Some(limit @ ir::Operand::Constant(_)) => {
                let rows = rows_of(limit, Variables::of(&[])).unwrap_or(Some(0));
                Size::Fixed(rows.unwrap_or(self.list_size))
            }
            Some(limit) => Size::Limit { limit: limit.clone(), otherwise: self.list_size },
        }
    }
}

#[cfg(test)]
mod tests {
    use catalog::EntityId;
    use ir::{Again, Filter, Isolation, Operand, Step, Transaction, Value};

    use super::*;

    #[test]
    fn each_write_within_a_write_costs() {
        let write = |children| Write {
            entity: EntityId::new(0),
            kind: WriteKind::Link { filter: Filter::all(), again: Again::Link },
            children,
            check: Filter::all(),
        };
        let child = |write| ChildWrite {
            hop: ir::Hop {
                relationship: catalog::RelationshipId::new(0),
                direction: ir::HopDirection::Forward,
            },
            parents: Vec::new(),
            write,
            edge: Vec::new(),
        };
        let deep = write(vec![child(write(vec![child(write(Vec::new()))])), child(write(vec![]))]);
        assert_eq!((within(&deep, 100), within(&write(Vec::new()), 100)), (3, 0));
    }

    #[test]
    fn a_change_costs_as_many_rows_as_it_may_reach_and_so_does_what_shows_them() {
        let at_most = Some(Operand::Constant(Value::Integer(7)));
        let kind = WriteKind::Delete { filter: Filter::all(), at_most };
        let write =
            Write { entity: EntityId::new(0), kind, children: Vec::new(), check: Filter::all() };
        let shown = Rows {
            id: ir::RowsId(0),
            from: ir::From::Returned { step: StepId(0), state: ir::State::After },
            filter: Filter::all(),
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs: Vec::new(),
        };
        let step = |id, kind| Step { id: StepId(id), root: 0, kind };
        let steps = vec![step(0, StepKind::Write(write)), step(1, StepKind::Read(shown))];
        let transactions = vec![Transaction { isolation: Isolation::ReadCommitted, steps }];
        let request = ir::Request { transactions, rows: 1, ..ir::Request::default() };
        let cost = Cost::new(&request, CostLimits::default());
        assert_eq!(cost.estimate(Variables::of(&[])), 7 + 1 + 7);
    }
}
