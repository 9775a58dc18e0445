//! The types of the datamodel, and their relations.

use api::binding::{FieldBinding, RelationPath, RowsBinding, RowsForm, RowsFrom};
use api::draft::{DraftField, DraftKind, DraftType};
use ir::HopDirection;

use super::arguments;
use super::builder::{Builder, RelationField, required_if};
use super::section::Section;
use crate::located::LocatedField;
use crate::model::{FieldKind, TypeIndex};

/// Adds the type of a table's rows.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let fields = r#type.fields.iter().enumerate().map(|(place, field)| {
        let known = match (&field.kind, build.relation(index, field)) {
            (FieldKind::Scalar(scalar), _) => {
                let name = build.scalar_name(scalar.r#type);
                let name = required_if(field.is_required, name);
                DraftField::new(&field.name, &name, column(build, index, place))
            }
            (FieldKind::ScalarList { r#type, .. }, _) => {
                let name = format!("[{}!]!", build.scalar_name(*r#type));
                DraftField::new(&field.name, &name, list(build, index, place))
            }
            (FieldKind::Relation { .. }, Some(relation)) => related(build, relation),
            (FieldKind::Relation { .. }, None) => missing(&field.name),
        };
        DraftField { description: field.description.clone(), ..known }
    });
    let fields = fields.collect();
    let interfaces = if build.is_node(index) { vec!["Node".into()] } else { Vec::new() };
    build.draft.add(DraftType {
        name: r#type.name.clone(),
        description: r#type.description.clone(),
        section: Section,
        kind: DraftKind::Object { fields, interfaces },
    });
}

/// The binding of a field with one value.
pub(super) fn column(build: &Builder<'_>, index: TypeIndex, place: usize) -> FieldBinding {
    match build.located.column(index, place) {
        Some(column) => FieldBinding::Column(column.field),
        None => FieldBinding::Refused(MISSING.into()),
    }
}

/// The binding of a field with a list of values.
pub(super) fn list(build: &Builder<'_>, index: TypeIndex, place: usize) -> FieldBinding {
    match build.located.field(index, place) {
        LocatedField::List(list) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Relation(list.hop),
            entity: list.entity,
            form: RowsForm::List,
            default_limit: None,
        }),
        _ => FieldBinding::Refused(MISSING.into()),
    }
}

/// The text at parts of the datamodel that the database lacks; the API is refused before.
pub(super) const MISSING: &str = "The database does not have it.";

fn missing(name: &str) -> DraftField {
    DraftField::new(name, "String", FieldBinding::Refused(MISSING.into()))
}

fn related(build: &Builder<'_>, relation: RelationField<'_>) -> DraftField {
    let target = &*build.r#type(relation.target).name;
    let (r#type, form, arguments) = match relation.is_list {
        true => {
            let arguments = arguments::of_list(build, relation.target);
            (format!("[{target}!]"), RowsForm::List, arguments)
        }
        false => (required_if(relation.is_required, target), to_one(build, relation), Vec::new()),
    };
    let path = build.located.path(relation.index, relation.end);
    let rows = build.located.r#type(relation.target).zip(path);
    let binding = rows.map_or_else(
        || FieldBinding::Refused(MISSING.into()),
        |(rows, path)| {
            FieldBinding::Rows(RowsBinding {
                from: match path {
                    RelationPath::Hop(hop) => RowsFrom::Relation(hop),
                    RelationPath::Through { near, far } => RowsFrom::Through { near, far },
                },
                entity: rows.entity,
                form,
                default_limit: None,
            })
        },
    );
    DraftField::new(relation.name, &r#type, binding).with(arguments)
}

/// Only the key in the row itself leads to one row at most; the database does not enforce it
/// elsewhere.
fn to_one(build: &Builder<'_>, relation: RelationField<'_>) -> RowsForm {
    match build.located.path(relation.index, relation.end) {
        Some(RelationPath::Hop(hop)) if hop.direction == HopDirection::Forward => RowsForm::Single,
        _ => RowsForm::First,
    }
}
