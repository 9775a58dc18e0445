//! The rows of all levels, found by their parents' keys.

use ahash::AHashMap;
use relational::{FIRST_APART, Level, Link, Parents, Program, Repeats};
use response::{Bounds, BudgetExceeded, Cursor, LevelId, MemoryReservation, Value};
use source::SourceError;

use super::bind::Bound;
use super::wire::{Row, Rows};

/// All rows of a program.
#[derive(Debug)]
pub struct Answer<'r> {
    program: &'r Program,
    bound: &'r Bound,
    rows: &'r [Rows],
    indexes: Vec<Option<Index<'r>>>,
    /// By level: for a split join, the row to which each row above refers.
    referred: Vec<Option<Box<[u32]>>>,
    /// The memory of these.
    _held: MemoryReservation,
}

/// The rows of a level by their parent's key, each parent's in their order.
#[derive(Debug)]
pub(super) struct Index<'r> {
    groups: Groups<'r>,
    /// For each row the next one of the same parent.
    next: Vec<u32>,
    /// The memory of both.
    _held: MemoryReservation,
}

#[derive(Debug)]
enum Groups<'r> {
    /// Keys of one column, as they came.
    Borrowed(AHashMap<&'r [u8], Group>),
    /// Copies of keys: of one column as they came, of several with the length before each value.
    Owned(AHashMap<Box<[u8]>, Group>),
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    last: u32,
}

const END: u32 = u32::MAX;

/// The index of so few rows is not counted.
const FEW_ROWS: usize = 128;

impl<'r> Answer<'r> {
    /// Indexes the rows of all levels.
    pub fn new(
        program: &'r Program,
        bound: &'r Bound,
        rows: &'r [Rows],
    ) -> Result<Self, BudgetExceeded> {
        let indexes = program.levels.iter().zip(rows).map(|(level, rows)| {
            level.link.as_ref().map(|link| Index::new(rows, level, link)).transpose()
        });
        let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
        let mut held = MemoryReservation::default();
        let referred = referred(program, rows, &indexes, &mut held)?;
        Ok(Self { program, bound, rows, indexes, referred, _held: held })
    }

    /// The cursor of the top.
    #[must_use]
    pub fn top(&self) -> PostgresCursor<'_> {
        let Self { program, bound, rows, indexes, referred, _held: _ } = self;
        View { program, bound, rows, indexes, referred, portion: 0 }.top()
    }
}

/// Rows of all levels with their indexes.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) program: &'a Program,
    pub(super) bound: &'a Bound,
    pub(super) rows: &'a [Rows],
    pub(super) indexes: &'a [Option<Index<'a>>],
    pub(super) referred: &'a [Option<Box<[u32]>>],
    /// The number of the portion.
    pub(super) portion: u32,
}

impl<'a> View<'a> {
    fn top(self) -> PostgresCursor<'a> {
        PostgresCursor {
            answer: self,
            level: None,
            rows: None,
            repeats: None,
            first: END,
            current: END,
            following: END,
            walk: Walk::All,
            bounds: Bounds::default(),
            shown: 0,
            has_more: false,
        }
    }
}

impl<'r> Index<'r> {
    fn new(rows: &'r Rows, level: &Level, link: &Link) -> Result<Self, BudgetExceeded> {
        let groups = match link.columns.len() {
            1 => Groups::Borrowed(AHashMap::default()),
            _ => Groups::Owned(AHashMap::default()),
        };
        Self::filled(rows, level, link, groups)
    }

    fn filled(
        rows: &'r Rows,
        level: &Level,
        link: &Link,
        mut groups: Groups<'r>,
    ) -> Result<Self, BudgetExceeded> {
        // A small index takes less memory than the margin of the reservation.
        let mut held =
            if rows.len() > FEW_ROWS { rows.another_held() } else { MemoryReservation::default() };
        let mut taken = (rows.len() * size_of::<u32>()) as u64;
        held.grow_to(taken)?;
        let mut next = vec![END; rows.len()];
        let sorted = level.sorted_by.map(|column| sorted(rows, column)).transpose()?;
        let sorted = sorted.as_ref().map(|(rows, _held)| rows.as_slice());
        // Rows of one parent often come one after the other: they are found in the groups once.
        let mut run: Option<Group> = None;
        for place in 0..rows.len() {
            let number = match sorted.and_then(|sorted| sorted.get(place)) {
                Some((_, number)) => *number,
                None => u32::try_from(place).unwrap_or(END),
            };
            let repeats = level.repeats.as_ref();
            if repeats.is_some_and(|repeats| is_repeated(rows, number as usize, &repeats.key)) {
                continue;
            }
            let value = |row: u32, column: &u16| rows.value(row as usize, usize::from(*column));
            if let Some(run) = &mut run
                && link.columns.iter().all(|key| value(run.last, key) == value(number, key))
            {
                next[run.last as usize] = number;
                run.last = number;
                continue;
            }
            if let Some(ended) = run.replace(Group { first: number, last: number }) {
                groups.add(rows, link, ended, (&mut next, &mut held, &mut taken))?;
            }
        }
        if let Some(ended) = run {
            groups.add(rows, link, ended, (&mut next, &mut held, &mut taken))?;
        }
        Ok(Self { groups, next, _held: held })
    }
}

/// The rows in ascending order of a column of integers, each with its integer, and their memory.
type Sorted = (Vec<(i64, u32)>, MemoryReservation);

fn sorted(rows: &Rows, column: u16) -> Result<Sorted, BudgetExceeded> {
    let mut held =
        if rows.len() > FEW_ROWS { rows.another_held() } else { MemoryReservation::default() };
    held.grow_to((rows.len() * size_of::<(i64, u32)>()) as u64)?;
    let integer = |row: Row<'_>| {
        let text = row.value(usize::from(column)).and_then(|text| str::from_utf8(text).ok());
        // The column is an integer without nulls.
        text.and_then(|text| text.parse().ok()).unwrap_or(i64::MAX)
    };
    let mut sorted: Vec<_> = rows.iter().map(integer).zip(0_u32..).collect();
    // The rows of all parents together may be in order already.
    if !sorted.is_sorted() {
        sorted.sort_unstable();
    }
    Ok((sorted, held))
}

/// Overhead of an allocation.
const ALLOCATION: usize = 16;

/// Bytes of a table with this number of entries.
fn table_bytes<K>(_: &AHashMap<K, Group>, entries: usize) -> u64 {
    // An eighth of the buckets stays free, and each has a byte of its hash.
    let buckets = (entries * 8 / 7).next_power_of_two();
    if entries == 0 { 0 } else { (buckets * (size_of::<(K, Group)>() + 1)) as u64 }
}

/// Reserves the growth of a full table, in addition to other reservations: its old and its new
/// entries exist at once.
#[inline]
fn reserve_entry<K: Eq + std::hash::Hash>(
    groups: &mut AHashMap<K, Group>,
    held: &mut MemoryReservation,
    taken: u64,
) -> Result<(), BudgetExceeded> {
    let capacity = groups.capacity();
    if groups.len() == capacity {
        let after = 2 * capacity.max(4);
        let both = table_bytes(groups, capacity) + table_bytes(groups, after);
        held.grow_to(taken + both)?;
        groups.reserve(after - capacity);
        held.shrink_to(taken + table_bytes(groups, groups.capacity()));
    }
    Ok(())
}

impl Index<'static> {
    /// An index with keys of its own, so that it may stand beside its rows.
    pub(super) fn of(rows: &Rows, level: &Level, link: &Link) -> Result<Self, BudgetExceeded> {
        let groups = Groups::Owned(AHashMap::default());
        let Index { groups, next, _held } = Index::filled(rows, level, link, groups)?;
        let groups = match groups {
            Groups::Owned(groups) => groups,
            Groups::Borrowed(_) => AHashMap::default(),
        };
        Ok(Self { groups: Groups::Owned(groups), next, _held })
    }
}

impl<'r> Groups<'r> {
    /// Adds the rows of a chain, which have one key; none where a part of it is null.
    fn add(
        &mut self,
        rows: &'r Rows,
        link: &Link,
        chain: Group,
        (next, held, taken): (&mut [u32], &mut MemoryReservation, &mut u64),
    ) -> Result<(), BudgetExceeded> {
        let row = rows.row(chain.first as usize);
        let value = |column: &u16| row.value(usize::from(*column));
        let group = match self {
            Self::Borrowed(groups) => {
                let Some(key) = link.columns.first().and_then(value) else { return Ok(()) };
                reserve_entry(groups, held, *taken)?;
                groups.entry(key).or_insert(chain)
            }
            Self::Owned(groups) => {
                let key = match link.columns.as_slice() {
                    [column] => value(column).map(Box::from),
                    columns => composite(columns.iter().map(value)),
                };
                let Some(key) = key else { return Ok(()) };
                *taken += (key.len() + ALLOCATION) as u64;
                held.grow_to(*taken + table_bytes(groups, groups.capacity()))?;
                reserve_entry(groups, held, *taken)?;
                groups.entry(key).or_insert(chain)
            }
        };
        if group.first != chain.first {
            next[group.last as usize] = chain.first;
            group.last = chain.last;
        }
        Ok(())
    }

    /// The rows with a key; none where a part of it is null.
    fn find<'v>(&self, columns: &[u16], value: impl Fn(&u16) -> Option<&'v [u8]>) -> Option<Group> {
        match self {
            Self::Borrowed(groups) => groups.get(value(columns.first()?)?),
            Self::Owned(groups) => match columns {
                [column] => groups.get(value(column)?),
                columns => groups.get(&composite(columns.iter().map(value))?),
            },
        }
        .copied()
    }
}

/// For each level of a split join, the row to which each row above refers.
pub(super) fn referred(
    program: &Program,
    rows: &[Rows],
    indexes: &[Option<Index<'_>>],
    held: &mut MemoryReservation,
) -> Result<Vec<Option<Box<[u32]>>>, BudgetExceeded> {
    let mut taken = 0;
    let mut referred: Vec<Option<Box<[u32]>>> = Vec::new();
    for above in &program.levels {
        for apart in &above.apart {
            let place = usize::from(apart.level.0);
            referred.resize_with(program.levels.len(), || None);
            if referred[place].is_none() {
                let (link, index) = (&program.levels[place].link, &indexes[place]);
                if let (Some(link), Some(index)) = (link, index) {
                    let above = &rows[usize::from(above.id.0)];
                    if above.len() > FEW_ROWS && !held.is_counted() {
                        *held = above.another_held();
                    }
                    taken += above.len() * size_of::<u32>();
                    held.grow_to(taken as u64)?;
                    referred[place] = Some(rows_referred(above, link, index));
                }
            }
        }
    }
    Ok(referred)
}

fn rows_referred(above: &Rows, link: &Link, index: &Index<'_>) -> Box<[u32]> {
    let mut before = END;
    let rows = above.iter().zip(0_usize..).map(|(row, number)| {
        let value = |column: &u16| row.value(usize::from(*column));
        // Rows that come one after the other often refer to the same.
        if number == 0 || !is_repeated(above, number, &link.parent_columns) {
            let group = index.groups.find(&link.parent_columns, value);
            before = group.map_or(END, |group| group.first);
        }
        before
    });
    // Their number is known: nothing grows.
    rows.collect()
}

/// Whether a row repeats, for another row of the level that is joined to it.
pub(super) fn is_repeated(rows: &Rows, row: usize, key: &[u16]) -> bool {
    let Some(before) = row.checked_sub(1) else { return false };
    let value = |row, column: &u16| rows.value(row, usize::from(*column));
    key.iter().all(|column| value(before, column) == value(row, column))
}

/// The values with their lengths; `None` if one of them is null.
pub(super) fn composite<'v>(values: impl Iterator<Item = Option<&'v [u8]>>) -> Option<Box<[u8]>> {
    let mut key = Vec::new();
    for value in values {
        let value = value?;
        key.extend_from_slice(&value.len().to_le_bytes());
        key.extend_from_slice(value);
    }
    Some(key.into())
}

/// The rows of one level under one parent.
#[derive(Debug)]
pub struct PostgresCursor<'a> {
    answer: View<'a>,
    level: Option<&'a Level>,
    rows: Option<&'a Rows>,
    /// The repeated columns of the rows.
    repeats: Option<&'a Repeats>,
    /// The first row of the parent.
    first: u32,
    current: u32,
    following: u32,
    walk: Walk,
    bounds: Bounds,
    shown: u64,
    has_more: bool,
}

/// The order in which a cursor visits rows.
#[derive(Clone, Copy, Debug)]
enum Walk {
    /// All rows, in order.
    All,
    /// All rows, in order, without repetitions.
    First,
    /// Along the chain of a group.
    Group,
    /// Consecutive rows while the row above repeats.
    Run,
}

impl<'a> PostgresCursor<'a> {
    /// The cursor of a root field's row, by its place.
    pub(super) fn at(answer: View<'a>, level: &'a Level, row: u32) -> Self {
        let rows = answer.rows.get(usize::from(level.id.0));
        Self { level: Some(level), rows, current: row, ..answer.top() }
    }

    /// Whether a row repeats for another row joined to it; `None` if there is no such row.
    fn is_repeated(&self, row: u32) -> Option<bool> {
        let rows = self.rows.filter(|rows| (row as usize) < rows.len())?;
        Some(self.repeats.is_some_and(|repeats| is_repeated(rows, row as usize, &repeats.key)))
    }

    /// The row after a row.
    fn after(&self, row: u32) -> u32 {
        match self.walk {
            Walk::All => {
                let following = row + 1;
                let count = self.rows.map_or(0, Rows::len);
                if (following as usize) < count { following } else { END }
            }
            Walk::First => {
                let mut following = row + 1;
                loop {
                    match self.is_repeated(following) {
                        Some(true) => following += 1,
                        Some(false) => return following,
                        None => return END,
                    }
                }
            }
            Walk::Run => match self.is_repeated(row + 1) {
                Some(true) => row + 1,
                Some(false) | None => END,
            },
            Walk::Group => {
                let level = self.level.map_or(0, |level| usize::from(level.id.0));
                let index = self.answer.indexes.get(level).and_then(Option::as_ref);
                let next = index.and_then(|index| index.next.get(row as usize));
                next.copied().unwrap_or(END)
            }
        }
    }

    /// Whether there are more rows than the limit of the page.
    fn is_longer_than_limit(&self) -> bool {
        let Some(limit) = self.bounds.limit else { return false };
        let (mut row, mut count) = (self.following, 0);
        while row != END && count <= limit {
            row = self.after(row);
            count += 1;
        }
        count > limit
    }

    /// The rows of a level that belong to the current row.
    pub(super) fn below(&self, level: LevelId) -> PostgresCursor<'a> {
        let answer = self.answer;
        let place = usize::from(level.0);
        let level = &answer.program.levels[place];
        let (following, walk) = match (level.parents, &level.link, answer.indexes[place].as_ref()) {
            (Parents::Joined { present }, _, _) => {
                let is_there = self.key(present).is_some();
                (if is_there { self.current } else { END }, Walk::Run)
            }
            (_, Some(link), Some(index)) => {
                let group = index.groups.find(&link.parent_columns, |column| self.key(*column));
                (group.map_or(END, |group| group.first), Walk::Group)
            }
            _ => {
                let count = answer.rows.get(place).map_or(0, Rows::len);
                let walk = if level.repeats.is_some() { Walk::First } else { Walk::All };
                (if count > 0 { 0 } else { END }, walk)
            }
        };
        let bound = &answer.bound.levels[place];
        let reader = usize::from(level.read_by().0);
        let mut cursor = PostgresCursor {
            answer,
            level: Some(level),
            rows: answer.rows.get(reader),
            repeats: answer.program.levels[reader].repeats.as_ref(),
            first: following,
            current: END,
            following,
            walk,
            bounds: bound.bounds,
            shown: 0,
            has_more: false,
        };
        if level.reads_ahead_first() && cursor.is_longer_than_limit() {
            cursor.has_more = true;
            cursor.following = cursor.after(cursor.following);
        }
        cursor
    }

    /// A value of the row to which the current one refers.
    #[cold]
    pub(super) fn split_value(&self, number: u16) -> Option<&'a [u8]> {
        let apart = self.level?.apart.get(usize::from(number))?;
        let place = usize::from(apart.level.0);
        let row = self.answer.referred.get(place)?.as_ref()?.get(self.current as usize)?;
        self.answer.rows.get(place)?.value(*row as usize, usize::from(apart.column))
    }

    fn key(&self, column: u16) -> Option<&[u8]> {
        self.rows?.value(self.current as usize, usize::from(column))
    }
}

impl Cursor for PostgresCursor<'_> {
    type Error = SourceError;
    type Child<'b>
        = PostgresCursor<'b>
    where
        Self: 'b;

    // Each output has a writer of its own, which calls this for every row.
    #[inline]
    fn next(&mut self) -> Result<bool, SourceError> {
        if self.following == END {
            return Ok(false);
        }
        if self.bounds.limit.is_some_and(|limit| self.shown >= limit) {
            self.has_more = true;
            return Ok(false);
        }
        self.current = self.following;
        self.following = self.after(self.current);
        self.shown += 1;
        Ok(true)
    }

    fn value(&self, column: u16) -> Value<'_> {
        let value = match self.key(column) {
            None if column >= FIRST_APART => self.split_value(column - FIRST_APART),
            value => value,
        };
        value.map_or(Value::Null, Value::Text)
    }

    fn open(&mut self, level: LevelId) -> Result<PostgresCursor<'_>, SourceError> {
        Ok(self.below(level))
    }

    fn row_number(&self) -> u64 {
        self.bounds.offset + self.shown
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn has_more(&self) -> bool {
        // A page of no rows stands nowhere: nothing follows it.
        self.has_more && self.bounds.limit != Some(0)
    }

    fn parent(&self) -> Option<u64> {
        Some(u64::from(self.answer.portion) << 32 | u64::from(self.first))
    }
}
