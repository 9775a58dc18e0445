//! Fields of rows of several entities: a field of the first entity stands for the common one.

use ir::{From, OrderKey, OutputKind, Rows, ValueRef};

/// Replaces the fields of the first of several entities in the order and the aggregates of their
/// rows by the common fields.
pub(super) fn name_common_fields(rows: &mut Rows) {
    let From::Variants(variants) = &rows.from else { return };
    let Some(first) = variants.first() else { return };
    let name = |place: &mut ValueRef| {
        if let ValueRef::Field { path, field } = place
            && path.is_empty()
            && let Some(common) = first.common.iter().position(|known| known == field)
            && let Ok(common) = u16::try_from(common)
        {
            *place = ValueRef::Common(common);
        }
    };
    for term in &mut rows.order {
        if let OrderKey::Value(place) = &mut term.key {
            name(place);
        }
    }
    for output in &mut rows.outputs {
        if let OutputKind::Aggregate(aggregate) = &mut output.kind {
            aggregate.terms.iter_mut().filter_map(|term| term.place.as_mut()).for_each(name);
        }
    }
}
