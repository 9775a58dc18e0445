//! Tables whose rows are the values of an enum (`is_enum`), in terms of the catalog.

use catalog::{Catalog, Entity, EntityId, FieldId, Scalar, Type};
use hasura_metadata::types::table::Table;
use hasura_metadata::{Problem, ProblemKind};

/// An enum table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnumSource {
    pub(crate) entity: EntityId,
    /// The column of the values, which is the primary key.
    pub(crate) key: FieldId,
    /// The column of their descriptions.
    pub(crate) description: Option<FieldId>,
}

/// The columns of an enum table.
pub(super) fn enum_source(
    catalog: &Catalog,
    entity: &Entity,
    table: &Table,
) -> Result<EnumSource, Problem> {
    let is_text = |field: &FieldId| match catalog.base_type(&catalog[*field].r#type) {
        Type::Scalar(Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText) => true,
        Type::Scalar(_)
        | Type::Enum(_)
        | Type::Composite(_)
        | Type::Domain(_)
        | Type::Range(_)
        | Type::List(_)
        | Type::Row(_) => false,
    };
    let key = entity.primary_key().map(|key| &key.fields[..]);
    let others: Vec<FieldId> =
        entity.fields.iter().copied().filter(|field| key != Some(&[*field])).collect();
    match (key, &others[..]) {
        (Some([key]), others)
            if is_text(key) && others.len() <= 1 && others.iter().all(is_text) =>
        {
            Ok(EnumSource { entity: entity.id, key: *key, description: others.first().copied() })
        }
        _ => Err(Problem {
            kind: ProblemKind::WrongValue,
            place: table.table.place.clone(),
            message: format!(
                "{} is no enum table: it needs a primary key of one column of texts, and at most one \
                 other column, of texts as well.",
                catalog.qualified_name(entity.id)
            ),
        }),
    }
}
