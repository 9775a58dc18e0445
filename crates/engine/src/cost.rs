//! The estimated cost of an operation, before it runs.
//!
//! The unit is a row. A list costs one, and each of its rows one more, with one for each row of a
//! to-one relationship and for each function call; lists below a row are counted for each row. The
//! number of rows of a list is not known in advance, so it is taken to be the size of its page, or
//! the number of an option. The tree is made once per plan; a request only reads the sizes of pages
//! from its variables.
//!
//! **Statistics.** The source may know the average number of rows for a parent of a list without a
//! page. The estimate uses it where rows repeat: in a list below rows that several others refer to,
//! such as the tracks of the genre of each track. There the answer may be many times the stored
//! data, and six such lists in 130 bytes of a query are billions of rows. Where each row comes once
//! the answer is no larger than the tables, and large tables may be read as a whole.
//!
//! Two alternatives were considered. Statistics of all lists would be more accurate, and would
//! refuse by the default limit to read a large table with its related rows, which is served in a
//! stream and takes little memory. Statistics for nothing but the number of concurrent requests
//! would refuse nothing, and would let each of them write what `--max-response-size` allows.
//!
//! **Disclosure by statistics.** A cost is shown in errors and by `explain`, so it must not reveal
//! hidden rows. It rises only by powers of ten and from a hundred rows for a parent on, rounded
//! down so that refused requests are really that large. Statistics count only if the session may
//! see all rows of both tables: a policy that hides some, row level security, or a database role of
//! the session's own, whose rights only the database knows, keep the fixed number.

use std::collections::{HashMap, HashSet};

use catalog::{Catalog, End, EntityId, EntityKind, FieldId, Key, RelationshipKind};
use graphql::{ErrorCode, GraphQLError};
use ir::{
    ChildWrite, Comparison, Filter, Hop, HopDirection, InsertedRows, ObjectChange, Operand,
    OrderKey, Output, OutputKind, Page, Pairing, Rows, StepId, StepKind, ValueRef, Write,
    WriteKind,
};
use source::Variables;

use crate::memory_size::MemorySize;

/// Number of rows that are only counted or aggregated which cost as much as one row in the answer.
const COUNTED_ROWS: u64 = 10;

/// Estimated selectivity of filters: one row in this number meets the conditions of a list.
const FILTERED_ROWS: u64 = 10;

/// Limits of the cost of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostLimits {
    /// The most that one may cost.
    pub most: u64,
    /// Assumed number of rows of a list without a page.
    pub list_size: u64,
    /// True to execute operations that cost more, so that their costs are only measured.
    pub measures_only: bool,
}

impl Default for CostLimits {
    fn default() -> Self {
        Self { most: 1_000_000, list_size: 10, measures_only: false }
    }
}

/// The cost of an operation.
#[derive(Debug)]
pub(crate) enum Cost {
    /// The cost for all variables, without statistics and with them.
    Fixed([u64; 2]),
    Paged(Box<[List]>),
}

/// Whether statistics of the source are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistics {
    Ignored,
    Counted,
}

/// The statistics of a source, and the entities of which they may be disclosed.
pub(crate) struct KnownStatistics<'a> {
    pub(crate) catalog: &'a Catalog,
    /// Whether the session may see all rows of an entity.
    pub(crate) is_open: &'a dyn Fn(EntityId) -> bool,
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

/// Assumed number of rows of a list.
#[derive(Debug)]
enum Size {
    Fixed(u64),
    Unpaged(Unpaged),
    /// The size of the page; `otherwise` where the value is null.
    Limit {
        limit: ir::Operand,
        otherwise: Unpaged,
    },
    /// The number of keys to find.
    Keys(ir::Operand),
}

/// Assumed number of rows of a list without a page.
#[derive(Clone, Copy, Debug)]
struct Unpaged {
    /// Without statistics.
    fixed: u64,
    /// By its statistics, and never less.
    known: u64,
}

impl Unpaged {
    fn rows(self, statistics: Statistics) -> u64 {
        match statistics {
            Statistics::Ignored => self.fixed,
            Statistics::Counted => self.known,
        }
    }
}

impl MemorySize for Cost {
    fn memory_size(&self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Paged(lists) => lists.memory_size(),
        }
    }
}

impl MemorySize for List {
    fn memory_size(&self) -> usize {
        match &self.size {
            Size::Fixed(_) | Size::Unpaged(_) => 0,
            Size::Limit { limit: operand, otherwise: _ } | Size::Keys(operand) => {
                operand.memory_size()
            }
        }
    }
}

impl CostLimits {
    /// Refuses an operation that costs more.
    pub(crate) fn check(&self, cost: u64) -> Result<(), GraphQLError> {
        if cost <= self.most || self.measures_only {
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
    pub(crate) fn new(
        request: &ir::Request,
        limits: CostLimits,
        known: &KnownStatistics<'_>,
    ) -> Self {
        let list_size = limits.list_size;
        let mut lists = Lists { lists: Vec::new(), list_size, changed: HashMap::new(), known };
        for transaction in &request.transactions {
            for step in &transaction.steps {
                match &step.kind {
                    StepKind::Read(rows) | StepKind::Objects(ObjectChange::Find { rows, .. }) => {
                        lists.add(rows, Parents::One);
                    }
                    StepKind::Require(require) => lists.add(&require.rows, Parents::One),
                    StepKind::Write(write) => {
                        let rows = changed(&write.kind, list_size);
                        let is_list = is_of_any_number(write, known.catalog);
                        let rows = rows.or(is_list.then_some(list_size));
                        if let Some(rows) = rows {
                            lists.changed.insert(step.id, rows);
                        }
                        let rows = rows.unwrap_or(1).max(1);
                        lists.add_change(rows.saturating_add(within(write, list_size)));
                    }
                    StepKind::Call(_) => lists.add_change(1),
                    StepKind::Objects(change) => {
                        lists.add_change(changed_objects(change, list_size))
                    }
                }
            }
        }
        let lists = lists.lists;
        match lists.iter().all(|list| matches!(list.size, Size::Fixed(_) | Size::Unpaged(_))) {
            true => Self::Fixed(
                [Statistics::Ignored, Statistics::Counted]
                    .map(|statistics| sum(&lists, Variables::of(&[]), statistics)),
            ),
            false => Self::Paged(lists.into()),
        }
    }

    /// The estimate for these variables.
    pub(crate) fn estimate(&self, variables: Variables<'_>, statistics: Statistics) -> u64 {
        match (self, statistics) {
            (Self::Fixed([cost, _]), Statistics::Ignored)
            | (Self::Fixed([_, cost]), Statistics::Counted) => *cost,
            (Self::Paged(lists), statistics) => sum(lists, variables, statistics),
        }
    }
}

/// Recursion is bounded by the depth of the operation.
fn sum(lists: &[List], variables: Variables<'_>, statistics: Statistics) -> u64 {
    struct Sum<'a> {
        lists: &'a [List],
        variables: Variables<'a>,
        statistics: Statistics,
    }

    fn of(all: &Sum<'_>, from: usize, to: usize, parents: u64) -> u64 {
        let mut cost: u64 = 0;
        let mut place = from;
        while let Some(list) = all.lists.get(place).filter(|_| place < to) {
            let rows = parents.saturating_mul(list.size.rows(all.variables, all.statistics));
            cost = cost
                .saturating_add(parents.saturating_mul(list.once))
                .saturating_add(rows.saturating_mul(list.per_row))
                .saturating_add(of(all, place + 1, list.end, rows));
            place = list.end;
        }
        cost
    }
    of(&Sum { lists, variables, statistics }, 0, lists.len(), 1)
}

impl Size {
    fn rows(&self, variables: Variables<'_>, statistics: Statistics) -> u64 {
        match self {
            Self::Fixed(rows) => *rows,
            Self::Unpaged(unpaged) => unpaged.rows(statistics),
            // An invalid number of rows is refused when it is bound.
            Self::Limit { limit, otherwise } => rows_of(limit, variables)
                .unwrap_or(Some(0))
                .unwrap_or_else(|| otherwise.rows(statistics)),
            Self::Keys(keys) => match source::operand::resolve(keys, variables) {
                Ok(source::operand::Resolved::List(keys)) => keys.len() as u64,
                Ok(_) | Err(_) => 0,
            },
        }
    }
}

fn rows_of(
    limit: &ir::Operand,
    variables: Variables<'_>,
) -> Result<Option<u64>, source::SourceError> {
    source::operand::resolve(limit, variables)?.rows("LIMIT")
}

/// Number of rows that a write may change; `None` where it is one, or the number of its keys.
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
            InsertedRows::Columns(_) | InsertedRows::ForEach { .. } => Some(list_size),
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

/// True for a change of rows of a table that no limit bounds and no key finds.
fn is_of_any_number(write: &Write, catalog: &Catalog) -> bool {
    let filter = match &write.kind {
        WriteKind::Update(update) if update.at_most.is_none() => &update.filter,
        WriteKind::Delete { filter, at_most: None } => filter,
        _ => return false,
    };
    let mut found_by = Vec::new();
    equal_fields(filter, &mut found_by);
    let entity = &catalog[write.entity];
    let is_found = |key: &Key| key.fields.iter().all(|field| found_by.contains(field));
    !matches!(entity.kind, EntityKind::Node | EntityKind::Edge) && !entity.keys.iter().any(is_found)
}

/// Adds the fields of which a condition requires one value.
fn equal_fields(filter: &Filter, fields: &mut Vec<FieldId>) {
    match filter {
        Filter::And(filters) => filters.iter().for_each(|filter| equal_fields(filter, fields)),
        Filter::Barrier { first, then } => {
            equal_fields(first, fields);
            equal_fields(then, fields);
        }
        Filter::Compare {
            place: ValueRef::Field { path, field },
            comparison: Comparison::Equal,
            ..
        } if path.is_empty() => fields.push(*field),
        _ => {}
    }
}

/// Number of rows that a part of a change of objects may change.
fn changed_objects(change: &ObjectChange, list_size: u64) -> u64 {
    let length = |operand: &Operand| match operand {
        Operand::Objects(keys) => keys.each.len() as u64,
        _ => list_size,
    };
    match change {
        ObjectChange::Find { .. } | ObjectChange::NewKeys { .. } => 0,
        ObjectChange::Insert { keys, .. }
        | ObjectChange::SetEach { keys, .. }
        | ObjectChange::SetAll { keys, .. }
        | ObjectChange::RemoveElements { keys, .. }
        | ObjectChange::Delete { keys, .. } => length(keys),
        ObjectChange::Clear { values, .. } => length(values),
        ObjectChange::Connect { near, far, pairing, .. } => match pairing {
            Pairing::Pairwise => length(&near.1),
            Pairing::All => length(&near.1).saturating_mul(length(&far.1)),
        },
        ObjectChange::Disconnect { near, .. } => length(&near.1),
    }
}

/// Cost of the nested writes of a write. Recursion is bounded by the depth of the operation's
/// values.
fn within(write: &Write, list_size: u64) -> u64 {
    let of = |child: &ChildWrite| {
        let rows = changed(&child.write.kind, list_size).unwrap_or(1).max(1);
        rows.saturating_add(within(&child.write, list_size))
    };
    write.children.iter().map(of).fold(0, u64::saturating_add)
}

struct Lists<'a> {
    lists: Vec<List>,
    list_size: u64,
    /// Number of rows that steps may change, where it is known.
    changed: HashMap<StepId, u64>,
    known: &'a KnownStatistics<'a>,
}

/// For which rows a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parents {
    /// For one, or for none.
    One,
    /// For several, each of them once.
    Several,
    /// For several, the same ones again and again.
    Repeated,
}

impl Lists<'_> {
    fn add_change(&mut self, once: u64) {
        let end = self.lists.len() + 1;
        self.lists.push(List { size: Size::Fixed(0), once, per_row: 0, end });
    }

    fn add(&mut self, rows: &Rows, parents: Parents) {
        let place = self.lists.len();
        let size = self.size(rows, parents);
        let shown = self.known.parents(rows, parents);
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
            | ir::From::Event(_)
            | ir::From::List { .. }
            | ir::From::Keys { .. }
            | ir::From::Returned { .. } => &[],
        };
        let of_variants = variants.iter().flat_map(|variant| &variant.outputs);
        for output in rows.outputs.iter().chain(of_variants) {
            self.output(output, shown, &mut paths, &mut once, &mut per_row);
        }
        for term in &rows.order {
            match &term.key {
                OrderKey::Value(_) => {}
                OrderKey::Relation { .. } | OrderKey::Call(_) | OrderKey::FunctionRows { .. } => {
                    once += self.counted()
                }
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
        parents: Parents,
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
                self.add(rows, if path.is_empty() { parents } else { parents.referred() });
            }
            OutputKind::Groups(groups) => self.add_groups(&groups.outputs, parents),
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
    fn add_groups(&mut self, outputs: &[Output], parents: Parents) {
        let place = self.lists.len();
        let size = Size::Fixed(self.list_size);
        self.lists.push(List { size, once: 1, per_row: 1, end: place });
        let mut paths: HashSet<&[ir::Hop]> = HashSet::new();
        let (mut once, mut per_row) = (1, 1);
        for output in outputs {
            self.output(output, parents.several(), &mut paths, &mut once, &mut per_row);
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

    fn size(&self, rows: &Rows, parents: Parents) -> Size {
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
            Page::Offset { limit, .. } => limit.as_ref(),
            Page::BesideRows(beside) => beside.limit.as_ref(),
            Page::Keyset(keyset) => keyset.limit.as_ref(),
        };
        let unpaged = self.unpaged(rows, parents);
        match limit {
            None => Size::Unpaged(unpaged),
            Some(limit @ ir::Operand::Constant(_)) => {
                match rows_of(limit, Variables::of(&[])).unwrap_or(Some(0)) {
                    Some(rows) => Size::Fixed(rows),
                    None => Size::Unpaged(unpaged),
                }
            }
            Some(limit) => Size::Limit { limit: limit.clone(), otherwise: unpaged },
        }
    }

    fn unpaged(&self, rows: &Rows, parents: Parents) -> Unpaged {
        let fixed = self.list_size;
        let known = match parents {
            Parents::One | Parents::Several => None,
            Parents::Repeated => self.known.related(&rows.from),
        };
        let filtered = |known| match rows.filter.is_all() {
            true => known,
            false => known / FILTERED_ROWS,
        };
        let known = known.map_or(0, |known| power_of_ten(filtered(known)));
        Unpaged { fixed, known: known.max(fixed) }
    }
}

impl Parents {
    /// The rows that these refer to.
    fn referred(self) -> Self {
        match self {
            Self::One => Self::One,
            Self::Several | Self::Repeated => Self::Repeated,
        }
    }

    /// Several rows for each of them.
    fn several(self) -> Self {
        match self {
            Self::One | Self::Several => Self::Several,
            Self::Repeated => Self::Repeated,
        }
    }
}

impl KnownStatistics<'_> {
    /// The rows of a list that is read for `parents`, as parents of further lists.
    fn parents(&self, rows: &Rows, parents: Parents) -> Parents {
        let is_one = rows.single || rows.from == ir::From::Once;
        match (&rows.from, parents) {
            (_, Parents::One) if is_one => Parents::One,
            // Several of them refer to one, and are joined with one by several.
            (ir::From::Relation(hop), Parents::Several) if self.is_repeated(*hop) => {
                Parents::Repeated
            }
            (ir::From::Through { .. }, Parents::Several) => Parents::Repeated,
            (ir::From::Variants(variants), Parents::Several)
                if self.graph_hops(variants).any(|(hop, _)| self.is_repeated(hop)) =>
            {
                Parents::Repeated
            }
            (_, parents) => parents.several(),
        }
    }

    /// The hops of the variants of a list that lead along relationships of a graph, and whether
    /// their rows have a condition.
    fn graph_hops<'v>(
        &'v self,
        variants: &'v [ir::Variant],
    ) -> impl Iterator<Item = (Hop, &'v ir::Filter)> {
        let hops = variants.iter().filter_map(|one| Some((one.hop?, &one.filter)));
        hops.filter(|(hop, _)| self.is_of_graph(*hop))
    }

    /// Returns true if several rows lead to the same row, and the session may know that. In a graph
    /// it depends on numbers of nodes, with foreign keys on the direction alone.
    fn is_repeated(&self, hop: Hop) -> bool {
        (!self.is_of_graph(hop) || self.is_disclosed(hop))
            && self.catalog.is_shared(hop.relationship, far_end(hop))
    }

    /// Returns true if the session may read all rows at both ends of a hop.
    fn is_disclosed(&self, hop: Hop) -> bool {
        let relationship = &self.catalog[hop.relationship];
        (self.is_open)(relationship.from) && (self.is_open)(relationship.to)
    }

    fn is_of_graph(&self, hop: Hop) -> bool {
        match self.catalog[hop.relationship].kind {
            RelationshipKind::Graph { .. } => true,
            RelationshipKind::ForeignKey => false,
        }
    }

    /// About how many rows of a list there are for a parent, if that may be known.
    fn related(&self, from: &ir::From) -> Option<u64> {
        let hop = match from {
            ir::From::Relation(hop) => hop,
            ir::From::Variants(variants) => {
                let rows = self.graph_hops(variants).map(|(hop, filter)| {
                    let rows = self.along(hop).unwrap_or(0);
                    if filter.is_all() { rows } else { rows / FILTERED_ROWS }
                });
                return Some(rows.fold(0, u64::saturating_add));
            }
            ir::From::Through { near, far, .. } => {
                if !self.is_disclosed(*far) {
                    return None;
                }
                near
            }
            ir::From::Entity(_)
            | ir::From::Joining { .. }
            | ir::From::Function(_)
            | ir::From::FunctionOfVariants { .. }
            | ir::From::Value(_)
            | ir::From::Search { .. }
            | ir::From::Once
            | ir::From::Event(_)
            | ir::From::List { .. }
            | ir::From::Keys { .. }
            | ir::From::Returned { .. } => return None,
        };
        self.along(*hop)
    }

    /// About how many rows a hop leads to, if that may be known.
    fn along(&self, hop: Hop) -> Option<u64> {
        let near = match far_end(hop) {
            End::From => End::To,
            End::To => End::From,
        };
        let related = || self.catalog.estimated_related(hop.relationship, near);
        self.is_disclosed(hop).then(related).flatten()
    }
}

/// The end of a relationship to which a hop leads.
fn far_end(hop: Hop) -> End {
    match hop.direction {
        HopDirection::Forward => End::To,
        HopDirection::Backward => End::From,
    }
}

/// The greatest power of ten that is no more.
fn power_of_ten(number: u64) -> u64 {
    number.checked_ilog10().map_or(0, |exponent| 10_u64.saturating_pow(exponent))
}

#[cfg(test)]
mod tests {
    use catalog::{Builder, Capabilities, EntityId, EntityKind, RowEstimate};
    use ir::{ExistingLink, Filter, Isolation, Operand, Step, Transaction, Value, Variant};

    use super::*;

    /// All rows of a source, or those of a step.
    fn rows(from: ir::From) -> Rows {
        Rows::unordered(ir::RowsId(0), from, Filter::all(), Vec::new())
    }

    #[test]
    fn a_change_of_rows_that_no_key_finds_costs_as_much_as_a_list() {
        let mut builder = Builder::new(Capabilities::default());
        let person = builder.entity(None, "person".into(), EntityKind::Table, None);
        let mut field = |name: &str| {
            builder.field(
                person,
                catalog::builder::NewField {
                    name: name.into(),
                    r#type: catalog::Type::Scalar(catalog::Scalar::Int32),
                    nullable: false,
                    has_default: false,
                    generated: None,
                    description: None,
                },
            )
        };
        let (id, mood) = (field("id"), field("mood"));
        builder.key(
            person,
            Key {
                name: "".into(),
                kind: catalog::KeyKind::Primary,
                fields: vec![id],
                enforced: true,
                deferrable: false,
                description: None,
            },
        );
        let catalog = builder.finish();
        let equal = |field| Filter::Compare {
            place: ValueRef::field(field),
            comparison: Comparison::Equal,
            operand: Operand::Constant(Value::Integer(1)),
        };
        let is_list = |filter| {
            let kind = WriteKind::Delete { filter, at_most: None };
            let write = Write { entity: person, kind, children: Vec::new(), check: Filter::all() };
            is_of_any_number(&write, &catalog)
        };
        assert!(!is_list(equal(id)));
        assert!(!is_list(Filter::And(vec![equal(mood), equal(id)])));
        assert!(is_list(equal(mood)));
        assert!(is_list(Filter::Or(vec![equal(id)])));
        assert!(is_list(Filter::all()));
    }

    #[test]
    fn each_write_within_a_write_costs() {
        let write = |children| Write {
            entity: EntityId::new(0),
            kind: WriteKind::Link { filter: Filter::all(), existing: ExistingLink::Link },
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
        let shown = rows(ir::From::Returned { step: StepId(0), state: ir::State::After });
        let step = |id, kind| Step::new(StepId(id), 0, kind);
        let steps = vec![step(0, StepKind::Write(write)), step(1, StepKind::Read(shown))];
        let transactions = vec![Transaction { isolation: Isolation::ReadCommitted, steps }];
        let request = ir::Request { transactions, rows: 1, ..ir::Request::default() };
        let catalog = Catalog::default();
        let known = KnownStatistics { catalog: &catalog, is_open: &|_| true };
        let cost = Cost::new(&request, CostLimits::default(), &known);
        assert_eq!(cost.estimate(Variables::of(&[]), Statistics::Counted), 7 + 1 + 7);
    }

    #[test]
    fn repeated_nodes_of_a_graph_are_known_where_all_nodes_are_shown() {
        let mut builder = Builder::new(Capabilities::default());
        let mut node = |name: &str| builder.entity(None, name.into(), EntityKind::Node, None);
        let (person, track) = (node("Person"), node("Track"));
        let likes = builder.graph_relationship("LIKES".into(), person, track, None, false);
        let mut catalog = builder.finish();
        catalog.estimate_rows(person, RowEstimate::About(50));
        catalog.estimate_rows(track, RowEstimate::About(200));
        catalog.estimate_pairs(likes, 5000);
        let check = |shown: &dyn Fn(EntityId) -> bool, expected| {
            let known = KnownStatistics { catalog: &catalog, is_open: shown };
            for direction in [HopDirection::Forward, HopDirection::Backward] {
                let hop = Hop { relationship: likes, direction };
                let variant = Variant {
                    entity: track,
                    hop: Some(hop),
                    through: None,
                    filter: Filter::all(),
                    common: Vec::new(),
                    outputs: Vec::new(),
                };
                for from in [ir::From::Relation(hop), ir::From::Variants(vec![variant])] {
                    let parents = known.parents(&rows(from), Parents::Several);
                    assert_eq!(parents, expected, "{direction:?}");
                }
            }
        };
        check(&|_| true, Parents::Repeated);
        check(&|entity| entity != track, Parents::Several);
        check(&|entity| entity != person, Parents::Several);
    }
}
