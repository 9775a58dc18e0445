//! Bindings of rows, of their conditions and of their aggregates.

use std::sync::Arc;

use ir::{AggregateFunction, Comparison, Form, Hop, HopDirection, Quantifier, ValueRef};
use response::Leaf;

use super::builder::Builder;
use super::facts::{is_foreign_id, is_id, is_interface};
use super::operators::{MISSING, refused};
use super::{values, variants};
use crate::located::{LocatedColumn, LocatedField, RelationPath};
use crate::model::{Base, TypeIndex};
use api::binding::{
    AggregateField, AggregateValue, DeclaredRole, FieldBinding, FilterRole, InputBinding, Meaning,
    OperatorRole, RowPart, RowsBinding, RowsForm, RowsFrom, RowsRole, Subject, ValueBinding,
};

/// The suffix of fields that aggregate the rows of a list.
pub(super) const AGGREGATE: &str = "Aggregate";

/// A field of a type.
pub(super) fn field(build: &mut Builder<'_>, index: TypeIndex, place: usize) -> FieldBinding {
    let r#type = build.r#type(index);
    if is_interface(r#type) {
        return FieldBinding::Refused("It is a field of an interface.".into());
    }
    let field = &r#type.fields[place];
    match build.located.field(index, place) {
        LocatedField::Column(column) => FieldBinding::Column(column.field),
        LocatedField::Coalesce(fields) => FieldBinding::Coalesce(fields.as_slice().into()),
        LocatedField::Missing | LocatedField::Rows(_) | LocatedField::Several(_) => {
            let form = match (field.r#type.list, build.located.field(index, place)) {
                (Some(_), _) => RowsForm::List,
                (None, LocatedField::Rows(RelationPath::Hop(hop))) if is_forward(hop) => {
                    RowsForm::Single
                }
                (None, _) => RowsForm::First,
            };
            related(build, index, place, form)
        }
    }
}

/// The aggregates of a list of a type.
pub(super) fn aggregate(build: &mut Builder<'_>, index: TypeIndex, place: usize) -> FieldBinding {
    match is_interface(build.r#type(index)) {
        true => FieldBinding::Refused("It is a field of an interface.".into()),
        false => related(build, index, place, RowsForm::Aggregate),
    }
}

/// All rows of a type.
pub(super) fn root(build: &mut Builder<'_>, index: TypeIndex, form: RowsForm) -> FieldBinding {
    let rows = match is_interface(build.r#type(index)) {
        true => variants::of_root(build, Base::Type(index), form),
        false => build.located.rows(index).map(|rows| RowsBinding {
            from: RowsFrom::Entity,
            entity: rows.entity,
            form,
            default_limit: None,
        }),
    };
    rows.map_or_else(|| FieldBinding::Refused(MISSING.into()), FieldBinding::Rows)
}

/// A key by which a row is found.
pub(super) fn key(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    if let Some(id) = foreign_id(build, index, place) {
        return compared(id, OperatorRole::CompareAsWritten(Comparison::Equal));
    }
    match subject(build, index, place) {
        Some(subject) => equal(subject),
        None => refused(MISSING),
    }
}

/// The condition on the automatic id.
pub(super) fn id_condition(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    if let Some(id) = foreign_id(build, index, place) {
        let among = compared(id, OperatorRole::CompareAsWritten(Comparison::In));
        return InputBinding { empty: Meaning::False, ..among };
    }
    let Some(subject) = subject(build, index, place) else { return refused(MISSING) };
    let among = compared(subject, OperatorRole::Compare(Comparison::In));
    InputBinding { empty: Meaning::False, ..among }
}

/// The condition on a field, whose input type is `filter`.
pub(super) fn condition(
    build: &Builder<'_>,
    index: TypeIndex,
    place: usize,
    filter: &str,
) -> InputBinding {
    let field = &build.r#type(index).fields[place];
    if let Some(texts) = texts(build, index, place) {
        let subjects = texts.into_iter().map(Subject::new).collect();
        return InputBinding::lenient(FilterRole::OperatorsOfAny(subjects));
    }
    match subject(build, index, place) {
        None => refused(MISSING),
        Some(subject) if field.r#type.list.is_some() => {
            InputBinding::lenient(FilterRole::OperatorsOfElements(Arc::new(subject)))
        }
        Some(subject) if filter == "Boolean" => equal(subject),
        Some(subject) => InputBinding::lenient(FilterRole::Operators(Arc::new(subject))),
    }
}

/// The condition that some related row passes; `None` if the field holds no rows.
pub(super) fn related_condition(
    build: &mut Builder<'_>,
    index: TypeIndex,
    place: usize,
) -> Option<InputBinding> {
    if is_interface(build.r#type(index)) {
        let role = Box::new(RowsRole::Quantified(Quantifier::Some));
        let place = variants::path_place(build, index, place)?;
        let role = FilterRole::Declared(DeclaredRole::By { place, role });
        return Some(InputBinding::lenient(role));
    }
    let located = build.located;
    let base = build.r#type(index).fields[place].r#type.base;
    let role = match located.field(index, place) {
        LocatedField::Rows(RelationPath::Hop(hop)) => FilterRole::Related(*hop),
        LocatedField::Rows(RelationPath::Through { near, far }) => {
            let quantifier = Quantifier::Some;
            FilterRole::RelatedThrough { near: *near, far: *far, quantifier }
        }
        LocatedField::Several(ways) => FilterRole::RelatedVariantsBy {
            variants: variants::list_of_relation(build, base, ways)?,
            role: RowsRole::Quantified(Quantifier::Some),
        },
        LocatedField::Missing | LocatedField::Column(_) | LocatedField::Coalesce(_) => return None,
    };
    Some(InputBinding::lenient(role))
}

/// A field that `has` requires.
pub(super) fn present(build: &mut Builder<'_>, index: TypeIndex, place: usize) -> ValueBinding {
    let located = build.located;
    let r#type = build.r#type(index);
    let refused = |text: &str| ValueBinding::Refused(text.into());
    let base = r#type.fields[place].r#type.base;
    let is_guarded = variants::are_guarded(build, base);
    if let Some(texts) = texts(build, index, place) {
        let texts = texts.into_iter().map(Subject::new);
        return ValueBinding::Present(RowPart::AnyOf(texts.collect()));
    }
    if is_interface(r#type) {
        // The key of an object, and a joining row, tell that there is an object, even if rules hide it.
        let key = || variants::common_place(build, index, place).map(RowPart::Common);
        let link = || variants::link_place(build, index, place).map(RowPart::Link);
        let told = if is_guarded { None } else { key().or_else(link) };
        let path = || variants::path_place(build, index, place).map(RowPart::Link);
        let part = told.or_else(path);
        return part.map_or_else(|| refused(MISSING), ValueBinding::Present);
    }
    ValueBinding::Present(match located.field(index, place) {
        LocatedField::Missing | LocatedField::Coalesce(_) => return refused(MISSING),
        LocatedField::Column(column) => RowPart::Field(column.field),
        LocatedField::Rows(RelationPath::Through { near, far }) if is_guarded => {
            RowPart::RelatedThrough { near: *near, far: *far }
        }
        LocatedField::Rows(way) => RowPart::Related(first_hop(way)),
        LocatedField::Several(ways) => {
            match ways.first() {
                // A row of the join table leads to a row of one of the types.
                Some((_, RelationPath::Through { near, .. })) if !is_guarded => {
                    RowPart::Related(*near)
                }
                _ => match variants::list_of_relation(build, base, ways) {
                    Some(variants) => RowPart::RelatedVariants(variants),
                    None => return refused(MISSING),
                },
            }
        }
    })
}

/// A field that rows are ordered by.
pub(super) fn sorted(build: &Builder<'_>, index: TypeIndex, place: usize) -> ValueBinding {
    if let Some(texts) = texts(build, index, place) {
        return ValueBinding::Sorted(Box::new(ValueRef::Coalesce(texts)));
    }
    match foreign_id(build, index, place).or_else(|| subject(build, index, place)) {
        Some(subject) => ValueBinding::Sorted(Box::new(subject.place)),
        None => ValueBinding::Refused(MISSING.into()),
    }
}

/// The number of rows.
pub(super) fn count() -> FieldBinding {
    value(AggregateValue {
        function: AggregateFunction::Count,
        field: None,
        leaf: Leaf::Int,
        form: Form::Stored,
        absent: Some(b"0".as_slice().into()),
    })
}

/// An aggregate of a field's values.
pub(super) fn aggregate_value(
    build: &Builder<'_>,
    index: TypeIndex,
    place: usize,
    function: AggregateFunction,
) -> FieldBinding {
    let base = build.r#type(index).fields[place].r#type.base;
    if let Some(texts) = texts(build, index, place) {
        let place = Box::new(ValueRef::Coalesce(texts));
        let (form, absent) = (Form::Stored, None);
        let value = AggregateValue { function, field: None, leaf: Leaf::Text, form, absent };
        let value = Box::new(value);
        return FieldBinding::Aggregate(AggregateField::ValueOf { place, value });
    }
    let Some(LocatedColumn { field, r#type }) = column(build, index, place) else {
        return FieldBinding::Refused(MISSING.into());
    };
    let leaf = match function {
        AggregateFunction::Average => Leaf::Float,
        _ if is_foreign_id(&build.r#type(index).fields[place]) => Leaf::Text,
        _ => values::leaf(build.model, base, r#type),
    };
    value(AggregateValue { function, field: Some(*field), leaf, form: Form::Stored, absent: None })
}

/// The rows of a relation of a type.
fn related(
    build: &mut Builder<'_>,
    index: TypeIndex,
    place: usize,
    form: RowsForm,
) -> FieldBinding {
    let located = build.located;
    let base = build.r#type(index).fields[place].r#type.base;
    let rows = match (located.field(index, place), base) {
        (LocatedField::Rows(way), Base::Type(target)) => {
            located.rows(target).map(|rows| RowsBinding {
                from: match *way {
                    RelationPath::Hop(hop) => RowsFrom::Relation(hop),
                    RelationPath::Through { near, far } => RowsFrom::Through { near, far },
                },
                entity: rows.entity,
                form,
                default_limit: None,
            })
        }
        (LocatedField::Several(ways), base) => variants::of_relation(build, base, ways, form),
        (
            LocatedField::Missing
            | LocatedField::Column(_)
            | LocatedField::Coalesce(_)
            | LocatedField::Rows(_),
            _,
        ) => None,
    };
    rows.map_or_else(|| FieldBinding::Refused(MISSING.into()), FieldBinding::Rows)
}

/// The value of a field that conditions compare. Ids of other subgraphs are texts, but their input
/// type is that of numbers.
fn subject(build: &Builder<'_>, index: TypeIndex, place: usize) -> Option<Subject> {
    let r#type = build.r#type(index);
    if is_foreign_id(&r#type.fields[place]) {
        return None;
    }
    match is_interface(r#type) {
        true if is_id(&r#type.fields[place]) => Some(Subject::new(ValueRef::Common(variants::KEY))),
        true => {
            let place = variants::common_place(build, index, place)?;
            Some(Subject::new(ValueRef::Common(place)))
        }
        false => build.located.column(index, place).map(|column| Subject::field(column.field)),
    }
}

/// The texts of a field that reads several languages, in the order in which it prefers them.
fn texts(build: &Builder<'_>, index: TypeIndex, place: usize) -> Option<Vec<ValueRef>> {
    if is_interface(build.r#type(index)) {
        let places = variants::common_texts(build, index, place)?;
        return Some(places.map(ValueRef::Common).collect());
    }
    match build.located.field(index, place) {
        LocatedField::Coalesce(fields) => {
            Some(fields.iter().copied().map(ValueRef::field).collect())
        }
        _ => None,
    }
}

/// The stored value of a field; of an interface that of its first type.
fn column<'b>(build: &'b Builder<'_>, index: TypeIndex, place: usize) -> Option<&'b LocatedColumn> {
    match is_interface(build.r#type(index)) {
        true => variants::first_column(build, index, place),
        false => build.located.column(index, place),
    }
}

/// The id of another subgraph, which is a text here: it has the form of ids elsewhere.
fn foreign_id(build: &Builder<'_>, index: TypeIndex, place: usize) -> Option<Subject> {
    let field = &build.r#type(index).fields[place];
    let column = build.located.column(index, place).filter(|_| is_foreign_id(field))?;
    Some(Subject::field(column.field))
}

fn equal(subject: Subject) -> InputBinding {
    compared(subject, OperatorRole::Compare(Comparison::Equal))
}

fn compared(subject: Subject, operator: OperatorRole) -> InputBinding {
    InputBinding {
        role: FilterRole::On { subject: Arc::new(subject), operator }.into(),
        null: Meaning::Ignore,
        empty: Meaning::Ignore,
    }
}

fn value(value: AggregateValue) -> FieldBinding {
    FieldBinding::Aggregate(AggregateField::Value(vec![value].into()))
}

fn first_hop(way: &RelationPath) -> Hop {
    match way {
        RelationPath::Hop(hop) | RelationPath::Through { near: hop, .. } => *hop,
    }
}

fn is_forward(hop: &Hop) -> bool {
    match hop.direction {
        HopDirection::Forward => true,
        HopDirection::Backward => false,
    }
}
