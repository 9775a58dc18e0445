//! Levels whose parents need not be asked for.
//!
//! A row that refers to its parent has the parent's key itself. Where all parents there are were
//! asked for, or the one with a key that is given, the rows are found by their own fields, and the
//! parents stand nowhere in the statement: no join, and no DISTINCT. Rows whose parent is not among
//! those asked for find none and are passed over.

use catalog::FieldId;
use ir::{Comparison, Filter, Hop, HopDirection, Operand, Rows, ValueRef};
use source::CompileError;
use sql::{Expression, Select};

use super::compile::Compiler;
use super::level::Parents;
use super::parents::{Above, LinkedScope, is_paged};
use super::row_set::Scope;
use super::statement::Statement;

/// Which parents were asked for.
enum Asked<'r> {
    All,
    /// The one with this key.
    One(Vec<&'r Operand>),
}

impl Compiler<'_> {
    /// The rows of a relation, found by their own fields; `None` where that needs the parents.
    pub(super) fn implied_scope(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        path: &[Hop],
        statement: &mut Statement,
    ) -> Result<Option<LinkedScope>, CompileError> {
        let ir::From::Relation(hop) = rows.from else { return Ok(None) };
        let relationship = &self.catalog[hop.relationship];
        let refers = hop.direction == HopDirection::Backward && relationship.enforced;
        if !refers || !above.implies || is_paged(rows) {
            return Ok(None);
        }
        let (near, far) = self.hop_fields(hop);
        if !near.iter().zip(far).all(|(near, far)| self.print_alike(*near, *far)) {
            return Ok(None);
        }
        let Some(own) = self.own_fields(path, near) else { return Ok(None) };
        let Some(asked) = asked(above, path, &own) else { return Ok(None) };
        let alias = statement.alias();
        let mut scope = Scope::new(Select::from(self.table(self.entity(rows)?, alias)), alias);
        match asked {
            Asked::All => {
                for field in far.iter().filter(|field| self.catalog[**field].nullable) {
                    let value = Box::new(self.field(alias, *field));
                    let is_null = Expression::IsNull(value);
                    scope.select.and_where(Expression::Not(Box::new(is_null)));
                }
            }
            Asked::One(key) => {
                for (field, operand) in far.iter().zip(key) {
                    let filter = Filter::Compare {
                        place: ValueRef::Field { path: Vec::new(), field: *field },
                        comparison: Comparison::Equal,
                        operand: operand.clone(),
                    };
                    let is_parents = self.filter(&filter, &mut scope, statement)?;
                    scope.select.and_where(is_parents);
                }
            }
        }
        self.restrict(rows, &mut scope, statement)?;
        let link = far.iter().map(|field| self.field(alias, *field)).collect();
        Ok(Some(LinkedScope { scope, lateral: None, link, how: Parents::Implied, numbered: false }))
    }

    /// The row's own fields that hold the same as fields of the row at the end of a path: those
    /// themselves, or those by which it refers to that row.
    pub(super) fn own_fields(&self, path: &[Hop], fields: &[FieldId]) -> Option<Vec<FieldId>> {
        let hop = match path {
            [] => return Some(fields.to_vec()),
            [hop] if hop.direction == HopDirection::Forward => *hop,
            _ => return None,
        };
        if !self.catalog[hop.relationship].enforced {
            return None;
        }
        let (near, far) = self.hop_fields(hop);
        let own = fields.iter().map(|field| {
            let place = far.iter().position(|far| far == field)?;
            let own = near.get(place).copied()?;
            self.print_alike(own, *field).then_some(own)
        });
        own.collect()
    }
}

/// What the rows above say about whose key `own` is; `None` if they are some of several.
fn asked<'r>(above: &Above<'r>, path: &[Hop], own: &[FieldId]) -> Option<Asked<'r>> {
    let rows = above.rows;
    if !matches!(rows.from, ir::From::Entity(_)) || above.above.is_some() || is_paged(rows) {
        return None;
    }
    if rows.filter.is_all() {
        // Of the rows at the end of a path some may not be referred to.
        return path.is_empty().then_some(Asked::All);
    }
    let mut given = Vec::new();
    collect_equal(&rows.filter, &mut given)?;
    let is_key = given.len() == own.len();
    let key = own.iter().map(|field| {
        let found = given.iter().find(|(given, _)| given == field);
        found.map(|(_, operand)| *operand)
    });
    let key: Option<Vec<&Operand>> = key.collect();
    key.filter(|_| is_key).map(Asked::One)
}

/// The row's own fields and what they must equal, if the filter says nothing else.
fn collect_equal<'r>(filter: &'r Filter, found: &mut Vec<(FieldId, &'r Operand)>) -> Option<()> {
    match filter {
        Filter::And(filters) => filters.iter().try_for_each(|filter| collect_equal(filter, found)),
        Filter::Barrier { first, then } => {
            collect_equal(then, found)?;
            collect_equal(first, found)
        }
        Filter::Compare {
            place: ValueRef::Field { path, field },
            comparison: Comparison::Equal,
            operand,
        } if path.is_empty() => {
            found.push((*field, operand));
            Some(())
        }
        _ => None,
    }
}
