//! Pages whose size a database can plan for.
//!
//! PostgreSQL plans a statement for the values of its parameters until a plan for any values has
//! proved no dearer. A page whose limit is a parameter counts as a tenth of its rows there, so that
//! it never has, and each execution plans anew, which takes longer than finding a few rows. So a
//! page stands within another one, whose limit is a number in the text: one of a few, for few texts,
//! and not less than what the page's offset and limit come to.
//!
//! A plan for any values is a bad one where rows are found in different ways for different values:
//! those that many rows have, and those that few have. A statement that compares with a value has
//! bounds only where there is one way: along the index that the rows are ordered by, or by a key.

use catalog::{Entity, FieldId};
use ir::{Comparison, Direction, Filter, KeysetValue, Nulls, OrderKey, OrderTerm, Rows, ValueRef};
use source::Bounding;
use source::operand::{Variables, resolve};
use sql::{Bound, Bounded};

use super::compile::Compiler;
use super::level::{Level, Parameter, ParameterSource};
use super::value::ParameterKind;

/// What pages are bounded by. Larger ones are planned for each time: next to reading so many rows
/// that is little, and a plan for any values takes them for a tenth of what they are.
const BOUNDS: [u64; 4] = [16, 64, 256, 1_024];

/// How many bounds of a statement differ from each other: that of its first page, which belongs to
/// a root field, and the greatest of the others.
const MOST_DIFFERENT: usize = Bounding::MOST_DIFFERENT;

/// The parameters of a page, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageParameters {
    pub(super) limit: sql::Parameter,
    pub(super) offset: Option<sql::Parameter>,
}

/// A statement whose pages may have bounds.
#[derive(Clone, Debug)]
pub struct BoundedPages {
    text: Bounded,
    pages: Box<[PageParameters]>,
}

impl BoundedPages {
    pub(super) fn new(text: Bounded, pages: Vec<PageParameters>) -> Self {
        Self { text, pages: pages.into() }
    }

    /// The statement's text with bounds.
    #[must_use]
    pub fn text(&self, bounding: Bounding) -> String {
        self.text.text(|bound| {
            let number = bounding.0.get(different(usize::from(bound.0)));
            number.and_then(|number| BOUNDS.get(usize::from(*number))).copied().unwrap_or(u64::MAX)
        })
    }

    /// The bytes that they keep on the heap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.bytes() + size_of_val(&*self.pages)
    }

    /// How many texts there can be.
    #[must_use]
    pub fn texts(&self) -> usize {
        (0..self.pages.len().min(MOST_DIFFERENT)).map(|_| BOUNDS.len()).product()
    }

    /// The bounds for a request; none where a page is without limit, or beyond all bounds.
    fn bounding(&self, parameters: &[Parameter], variables: Variables<'_>) -> Option<Bounding> {
        let mut bounding = Bounding([0; MOST_DIFFERENT]);
        for (number, page) in self.pages.iter().enumerate() {
            let limit = rows_of(parameters, page.limit, variables)?;
            let offset = match page.offset {
                Some(offset) => rows_of(parameters, offset, variables).unwrap_or(0),
                None => 0,
            };
            let most = offset.saturating_add(limit);
            let least = BOUNDS.iter().position(|bound| most <= *bound)?;
            let least = u8::try_from(least).ok()?;
            let bound = bounding.0.get_mut(different(number))?;
            *bound = least.max(*bound);
        }
        Some(bounding)
    }
}

/// The place of bounds among all that there can be for a statement.
#[must_use]
pub fn bounding_place(bounding: Bounding) -> usize {
    bounding.0.iter().rev().fold(0, |place, number| place * BOUNDS.len() + usize::from(*number))
}

impl Level {
    /// The bounds of the statement's pages for a request; none where it is sent without.
    #[must_use]
    pub fn bounding(&self, variables: Variables<'_>) -> Option<Bounding> {
        self.bounded.as_ref()?.bounding(&self.parameters, variables)
    }

    /// The text that is sent with these bounds.
    #[must_use]
    pub fn bounded_text(&self, bounding: Option<Bounding>) -> std::borrow::Cow<'_, str> {
        match (&self.bounded, bounding) {
            (Some(bounded), Some(bounding)) => bounded.text(bounding).into(),
            _ => (&*self.text).into(),
        }
    }
}

/// The place of a page's bound among those that differ.
fn different(page: usize) -> usize {
    page.min(MOST_DIFFERENT - 1)
}

/// The number of rows that a page's parameter is; `None` for null, and where it is refused.
fn rows_of(
    parameters: &[Parameter],
    parameter: sql::Parameter,
    variables: Variables<'_>,
) -> Option<u64> {
    let Parameter { source, kind } = parameters.get(usize::from(parameter.0))?;
    let ParameterSource::Operand(operand) = source else { return None };
    let value = resolve(operand, variables).ok()?;
    match kind {
        ParameterKind::Limit { look_ahead } => {
            let limit = value.rows("LIMIT").ok()??;
            Some(limit.saturating_add((*look_ahead).into()))
        }
        _ => value.rows("OFFSET").ok()?,
    }
}

impl Compiler<'_> {
    /// Whether there is one good way to find these rows, whatever the values are that the filter
    /// and the keyset compare with.
    pub(super) fn is_found_alike(&self, rows: &Rows) -> bool {
        let (ir::From::Entity(_), Ok(entity)) = (&rows.from, self.entity(rows)) else {
            return false;
        };
        let entity = &self.catalog[entity];
        let mut equal = Vec::new();
        if collect(&rows.filter, &mut equal, |comparison| comparison == Comparison::Equal)
            && entity.is_unique(&equal)
        {
            return true;
        }
        let Some(first) = rows.order.first().and_then(|term| self.along_index(term, entity)) else {
            return false;
        };
        let mut ranged = Vec::new();
        let along = collect(&rows.filter, &mut ranged, is_range)
            && ranged.iter().all(|field| *field == first);
        // Where null may be beyond a cursor too, no range of the index is what is beyond it.
        along && (!continues(rows) || !self.catalog[first].nullable)
    }

    /// The row's own field that an order begins with, if an index has the rows in that order.
    fn along_index(&self, term: &OrderTerm, entity: &Entity) -> Option<FieldId> {
        let OrderKey::Value(ValueRef::Field { path, field }) = &term.key else { return None };
        let usual = match term.direction {
            Direction::Ascending => Nulls::Last,
            Direction::Descending => Nulls::First,
        };
        let in_order = term.nulls == usual || !self.catalog[*field].nullable;
        (path.is_empty() && in_order && entity.is_ordered_by_index(*field)).then_some(*field)
    }
}

/// Whether a row is found from a cursor on.
fn continues(rows: &Rows) -> bool {
    let has = |values: &Option<Vec<KeysetValue>>| values.is_some();
    matches!(&rows.page, ir::Page::Keyset(keyset) if has(&keyset.after) || has(&keyset.before))
}

fn is_range(comparison: Comparison) -> bool {
    matches!(
        comparison,
        Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual
    )
}

/// Collects the row's own fields that a filter compares. Whether it does nothing else, and
/// compares in the ways that are wanted.
fn collect(
    filter: &Filter,
    fields: &mut Vec<FieldId>,
    wanted: impl Fn(Comparison) -> bool + Copy,
) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().all(|filter| collect(filter, fields, wanted)),
        Filter::Barrier { first, then } => {
            collect(then, fields, wanted) && collect(first, fields, wanted)
        }
        Filter::Compare { place: ValueRef::Field { path, field }, comparison, .. } => {
            fields.push(*field);
            path.is_empty() && wanted(*comparison)
        }
        _ => false,
    }
}

/// Where a bound stands among those of its statement; the pages of equal parameters share one.
pub(super) fn bound(pages: &mut Vec<PageParameters>, page: PageParameters) -> Option<Bound> {
    let place = pages.iter().position(|known| *known == page).unwrap_or_else(|| {
        pages.push(page);
        pages.len() - 1
    });
    u8::try_from(place).ok().map(Bound)
}

#[cfg(test)]
mod tests {
    use ir::{Operand, Value};
    use sql::{Alias, Expression, Flavor, FromItem, Identifier, Select, TableName};

    use super::*;

    /// `(limit, offset)` of pages one inside the other, as a level has them.
    fn level(
        pages: &[(Option<i64>, Option<i64>)],
        look_ahead: bool,
    ) -> (BoundedPages, Vec<Parameter>) {
        let mut parameters = Vec::new();
        let mut parameter = |number: Option<i64>, kind| {
            let operand = Operand::Constant(number.map_or(Value::Null, Value::Integer));
            parameters.push(Parameter { source: ParameterSource::Operand(operand), kind });
            sql::Parameter(u16::try_from(parameters.len() - 1).unwrap())
        };
        let name = TableName { schema: None, name: Identifier("t".into()) };
        let mut item = FromItem::Table { name, alias: Alias(0) };
        let mut known = Vec::new();
        for (alias, (limit, offset)) in (1..).zip(pages) {
            let mut select = Select::from(item);
            let page = PageParameters {
                limit: parameter(*limit, ParameterKind::Limit { look_ahead }),
                offset: Some(parameter(*offset, ParameterKind::Offset)),
            };
            select.limit = Some(Expression::Parameter(page.limit));
            select.offset = page.offset.map(Expression::Parameter);
            select.bound = bound(&mut known, page);
            item = FromItem::Subquery { select: Box::new(select), alias: Alias(alias) };
        }
        let text = sql::print_bounded(&Select::from(item), &Flavor::POSTGRES);
        (BoundedPages::new(text, known), parameters)
    }

    /// The numbers that stand in the text; none where it is sent without.
    fn numbers(pages: &[(Option<i64>, Option<i64>)], look_ahead: bool) -> Option<Vec<String>> {
        let (bounded, parameters) = level(pages, look_ahead);
        let bounding = bounded.bounding(&parameters, Variables::of(&[]))?;
        assert!(bounding_place(bounding) < bounded.texts(), "{bounding:?}");
        let text = bounded.text(bounding);
        let numbers = text.split(" LIMIT ").filter_map(|rest| rest.split_once(") AS page"));
        Some(numbers.map(|(number, _)| number.to_owned()).collect())
    }

    fn check(limit: i64, offset: i64, expected: Option<&str>) {
        let numbers = numbers(&[(Some(limit), Some(offset))], false);
        let numbers = numbers.map(|numbers| numbers.concat());
        assert_eq!(numbers.as_deref(), expected, "{limit} from {offset}");
    }

    #[test]
    fn a_bound_is_the_least_that_holds_offset_and_limit() {
        check(0, 0, Some("16"));
        check(15, 0, Some("16"));
        check(10, 6, Some("16"));
        check(10, 7, Some("64"));
        check(0, 64, Some("64"));
        check(1_023, 0, Some("1024"));
        check(1_024, 0, Some("1024"));
        check(1, 1_023, Some("1024"));
        check(1, 1_024, None);
        check(i64::MAX, i64::MAX, None);
    }

    #[test]
    fn a_row_that_is_read_ahead_is_within_the_bound() {
        let numbers = |limit| numbers(&[(Some(limit), None)], true).map(|all| all.concat());
        assert_eq!(numbers(15).as_deref(), Some("16"));
        assert_eq!(numbers(16).as_deref(), Some("64"));
        assert_eq!(numbers(1_023).as_deref(), Some("1024"));
        assert_eq!(numbers(1_024), None);
    }

    #[test]
    fn a_page_without_limit_leaves_all_without_bounds() {
        assert_eq!(numbers(&[(None, Some(3))], false), None);
        assert_eq!(numbers(&[(Some(1), None), (None, None)], false), None);
    }

    #[test]
    fn the_first_page_has_its_own_bound_and_the_others_share_the_greatest() {
        let pages = [(Some(300), None), (Some(1), None), (Some(60), None)];
        let written = ["1024", "64", "64"].map(str::to_owned).to_vec();
        assert_eq!(numbers(&pages, false), Some(written));
        let (bounded, _) = level(&pages, false);
        assert_eq!(bounded.texts(), BOUNDS.len().pow(2));
        let mut places = rustc_hash::FxHashSet::default();
        for first in 0..4 {
            places.extend((0..4).map(|other| bounding_place(Bounding([first, other]))));
        }
        assert_eq!(places.len(), 16);
    }
}
