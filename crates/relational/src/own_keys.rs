//! Conditions on the key of a row that is referred to, asked of the row that refers to it.
//!
//! `album.artist.id = 127` is `EXISTS (SELECT … FROM artist …)` as it is said, in the statement of
//! each level below. The album has that key itself: where the artist is there and seen for sure
//! ([`catalog::Relationship::always_found`]), `album.artist_id = 127` says the same, finds rows by an
//! index, and gives the levels below a key.
//!
//! A condition that was unknown is so still, but a row without a reference made it false and makes
//! it unknown now. So only conditions are changed for which both mean that a row does not pass: those
//! that stand in no negation.

use catalog::{Catalog, FieldId};
use ir::{
    Comparison, Filter, From, Hop, HopDirection, OutputKind, Quantifier, Request, Rows, StepKind,
    ValueRef,
};

use super::compile::KeyTypes;

struct OwnKeys<'a> {
    catalog: &'a Catalog,
    types: &'a dyn KeyTypes,
    changed: bool,
}

/// The request with conditions on own fields in the place of those on keys of rows that are
/// referred to; `None` if it has no such condition.
pub fn with_own_keys(
    catalog: &Catalog,
    request: &Request,
    types: &dyn KeyTypes,
) -> Option<Request> {
    let reads_relations = request.transactions.iter().any(|transaction| {
        let mut steps = transaction.steps.iter();
        steps.any(|step| matches!(&step.kind, StepKind::Read(rows) if has_condition(rows)))
    });
    if !reads_relations {
        return None;
    }
    let mut request = request.clone();
    let mut own = OwnKeys { catalog, types, changed: false };
    for transaction in &mut request.transactions {
        for step in &mut transaction.steps {
            if let StepKind::Read(rows) = &mut step.kind {
                own.rows(rows);
            }
        }
    }
    own.changed.then_some(request)
}

/// Whether rows, or rows below them, have a condition on other rows.
fn has_condition(rows: &Rows) -> bool {
    rows.filter.reads_other_rows()
        || rows.outputs.iter().any(|output| match &output.kind {
            OutputKind::Related { rows, .. } => has_condition(rows),
            _ => false,
        })
}

impl OwnKeys<'_> {
    fn rows(&mut self, rows: &mut Rows) {
        // A function makes rows as it likes, which refer to anything.
        if matches!(rows.from, From::Entity(_) | From::Relation(_) | From::Through { .. }) {
            self.filter(&mut rows.filter);
        }
        for output in &mut rows.outputs {
            if let OutputKind::Related { rows, .. } = &mut output.kind {
                self.rows(rows);
            }
        }
    }

    fn filter(&mut self, filter: &mut Filter) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.filter(filter));
            }
            Filter::Barrier { first, then } => {
                self.filter(first);
                self.filter(then);
            }
            Filter::Relation { hop, quantifier, filter: far } => {
                match quantifier {
                    Quantifier::Some | Quantifier::Single | Quantifier::None => self.filter(far),
                    // It is asked whether a row fails it.
                    Quantifier::Every => return,
                }
                if matches!(quantifier, Quantifier::Some | Quantifier::Single)
                    && let Some(own) = self.of_own_key(*hop, far)
                {
                    *filter = own;
                    self.changed = true;
                }
            }
            _ => {}
        }
    }

    /// The condition on the row at the end of a hop as one on the row itself.
    fn of_own_key(&self, hop: Hop, filter: &Filter) -> Option<Filter> {
        let relationship = &self.catalog[hop.relationship];
        let [key] = relationship.to_fields.as_slice() else { return None };
        let [own] = relationship.from_fields.as_slice() else { return None };
        let is_its_own = hop.direction == HopDirection::Forward
            && relationship.always_found
            && self.types.print_alike(*own, *key);
        if !is_its_own {
            return None;
        }
        replaced(filter, *key, *own)
    }
}

/// The condition with another field; `None` if it is on anything else than `field`, or may be true
/// of null.
fn replaced(filter: &Filter, field: FieldId, by: FieldId) -> Option<Filter> {
    let is_field = |place: &ValueRef| matches!(place, ValueRef::Field { path, field: found } if path.is_empty() && *found == field);
    let place = ValueRef::Field { path: Vec::new(), field: by };
    let each = |filters: &[Filter]| -> Option<Vec<Filter>> {
        filters.iter().map(|filter| replaced(filter, field, by)).collect()
    };
    Some(match filter {
        Filter::And(filters) if filters.is_empty() => Filter::Not(Box::new(Filter::IsNull(place))),
        Filter::And(filters) => Filter::And(each(filters)?),
        Filter::Or(filters) => Filter::Or(each(filters)?),
        Filter::Compare { place: of, comparison, operand }
            if is_field(of) && is_strict(*comparison) =>
        {
            Filter::Compare { place, comparison: *comparison, operand: operand.clone() }
        }
        Filter::CompareText { place: of, comparison, case, operand }
            if is_field(of) && is_strict(*comparison) =>
        {
            let (comparison, case, operand) = (*comparison, *case, operand.clone());
            Filter::CompareText { place, comparison, case, operand }
        }
        _ => return None,
    })
}

/// Whether a comparison with null is never true, whatever the operand is. Null is in no list, not even
/// in an empty one.
fn is_strict(comparison: Comparison) -> bool {
    matches!(
        comparison,
        Comparison::Equal
            | Comparison::NotEqual
            | Comparison::In
            | Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual
    )
}
