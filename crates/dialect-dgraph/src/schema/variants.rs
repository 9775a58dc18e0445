//! Rows of several types in one list: those of an interface or of a union.

use std::ops::Range;
use std::sync::Arc;

use catalog::FieldId;
use ir::Hop;

use super::builder::Builder;
use super::facts::is_interface;
use crate::located::{LocatedColumn, LocatedField, RelationPath};
use crate::model::{Base, TypeIndex};
use api::ApiBuilder;
use api::binding::{
    ObjectLink, RowsBinding, RowsForm, RowsFrom, VariantBinding, VariantLink, VariantsId,
};

/// The key of the rows, among the common fields.
pub(super) const KEY: u16 = 0;

/// Rows of several types in one list, before the types have ids.
pub(super) type VariantList = Vec<Variant>;

/// One of the types of a list.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    r#type: TypeIndex,
    way: Option<RelationPath>,
    /// Its index in the interface or the union.
    number: u16,
    common: Vec<FieldId>,
    links: Vec<VariantLink>,
}

/// The types whose rows an interface or a union has.
pub(super) fn members(build: &Builder<'_>, base: Base) -> Vec<TypeIndex> {
    match base {
        Base::Type(index) if is_interface(build.r#type(index)) => {
            let types = build.stored_types().into_iter();
            types.filter(|known| build.r#type(*known).implements.contains(&index)).collect()
        }
        Base::Type(index) => vec![index],
        Base::Union(index) => build.model.unions[index.0].members.clone(),
        Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => Vec::new(),
    }
}

/// Returns true if rules of `@auth` hide objects of a type, or of one of several types.
pub(super) fn are_guarded(build: &Builder<'_>, base: Base) -> bool {
    members(build, base).iter().any(|member| build.r#type(*member).auth.query.is_some())
}

/// All rows of an interface; `None` if no type implements it.
pub(super) fn of_root(build: &mut Builder<'_>, base: Base, form: RowsForm) -> Option<RowsBinding> {
    let ways = members(build, base).into_iter().map(|member| (member, None));
    let ways = ways.collect::<Vec<_>>();
    add(build, base, &ways, form)
}

/// The types of related rows, if they are stored.
pub(super) fn list_of_relation(
    build: &mut Builder<'_>,
    base: Base,
    ways: &[(TypeIndex, RelationPath)],
) -> Option<VariantsId> {
    match of_relation(build, base, ways, RowsForm::List)?.from {
        RowsFrom::Variants { variants, .. } => Some(variants),
        _ => None,
    }
}

/// Related rows of several types, if they are stored.
pub(super) fn of_relation(
    build: &mut Builder<'_>,
    base: Base,
    ways: &[(TypeIndex, RelationPath)],
    form: RowsForm,
) -> Option<RowsBinding> {
    let ways: Vec<_> = ways.iter().map(|(member, way)| (*member, Some(*way))).collect();
    add(build, base, &ways, form)
}

/// The index of an interface's field among the common fields of its types: the key is the first of
/// them.
pub(super) fn common_place(build: &Builder<'_>, index: TypeIndex, field: usize) -> Option<u16> {
    let fields = common_fields(build, index);
    let place = fields.iter().position(|(known, _)| *known == field)?;
    let before = fields[..place].iter().map(|(_, width)| width).sum::<usize>();
    u16::try_from(before + 1).ok()
}

/// The indexes of the texts of an interface's field that reads several languages, among the common
/// fields of its types.
pub(super) fn common_texts(
    build: &Builder<'_>,
    index: TypeIndex,
    field: usize,
) -> Option<Range<u16>> {
    let name = &build.r#type(index).fields[field].name;
    let members = members(build, Base::Type(index));
    members.iter().find_map(|one| texts_of(build, *one, name))?;
    let fields = common_fields(build, index);
    let (_, width) = fields.iter().find(|(known, _)| *known == field)?;
    let first = common_place(build, index, field)?;
    Some(first..first + u16::try_from(*width).ok()?)
}

/// The index of an interface's relation among the common ones of its types: it tells that there are
/// joining rows, or rows.
pub(super) fn link_place(build: &Builder<'_>, index: TypeIndex, field: usize) -> Option<u16> {
    let place = linked_fields(build, index).iter().position(|known| *known == field)?;
    u16::try_from(place).ok()
}

/// The index of an interface's relation among the common ones of its types: it leads to the rows.
/// `None` if a type lacks it, or if there is no type.
pub(super) fn path_place(build: &Builder<'_>, index: TypeIndex, field: usize) -> Option<u16> {
    members(build, Base::Type(index)).first()?;
    let before = linked_fields(build, index).len();
    let place = related_fields(build, index).iter().position(|known| *known == field)?;
    u16::try_from(before + place).ok()
}

/// The field of each type of an interface with the hash of the password, if all have one.
pub(super) fn passwords(build: &Builder<'_>, index: TypeIndex) -> Option<Arc<[FieldId]>> {
    let members = members(build, Base::Type(index)).into_iter();
    members.map(|member| build.located.password(member)).collect()
}

/// The stored value of an interface's field in the first type that implements it.
pub(super) fn first_column<'b>(
    build: &'b Builder<'_>,
    index: TypeIndex,
    field: usize,
) -> Option<&'b LocatedColumn> {
    let member = *members(build, Base::Type(index)).first()?;
    column_of(build, member, &build.r#type(index).fields[field].name)
}

/// Adds all lists to the API, by the ids that the types have there.
pub(super) fn finish(builder: &mut ApiBuilder, build: &Builder<'_>) {
    for list in &build.variants {
        let variants = list.iter().filter_map(|variant| {
            let rows = build.located.rows(variant.r#type)?;
            let (through, hop) = match variant.way {
                None => (None, None),
                Some(RelationPath::Hop(hop)) => (None, Some(hop)),
                Some(RelationPath::Through { near, far }) => (Some(near), Some(far)),
            };
            Some(VariantBinding {
                entity: rows.entity,
                hop,
                through,
                r#type: builder.schema().find_type(&build.r#type(variant.r#type).name)?,
                properties: None,
                number: variant.number,
                common: variant.common.clone(),
                links: variant.links.clone(),
            })
        });
        let variants = variants.collect();
        builder.add_variants(variants);
    }
}

fn add(
    build: &mut Builder<'_>,
    base: Base,
    ways: &[(TypeIndex, Option<RelationPath>)],
    form: RowsForm,
) -> Option<RowsBinding> {
    let variants = list(build, base, ways)?;
    let entity = build.located.rows(variants.first()?.r#type)?.entity;
    let id = next_list(build)?;
    build.variants.push(variants);
    let from = RowsFrom::Variants { variants: id, once: false };
    Some(RowsBinding { from, entity, form, default_limit: None })
}

/// The types of a list, with what each has of the interface.
fn list(
    build: &mut Builder<'_>,
    base: Base,
    ways: &[(TypeIndex, Option<RelationPath>)],
) -> Option<VariantList> {
    let members = members(build, base);
    let mut variants = Vec::with_capacity(ways.len());
    for (member, way) in ways {
        let number = members.iter().position(|known| known == member)?;
        let number = u16::try_from(number).ok()?;
        let (common, links) = (common(build, base, *member)?, links(build, base, *member)?);
        variants.push(Variant { r#type: *member, way: *way, number, common, links });
    }
    Some(variants)
}

/// The id of the list that is added next.
fn next_list(build: &Builder<'_>) -> Option<VariantsId> {
    Some(VariantsId(u32::try_from(build.variants.len()).ok()?))
}

/// The key of a type, and its fields for those of an interface.
fn common(build: &Builder<'_>, base: Base, member: TypeIndex) -> Option<Vec<FieldId>> {
    let mut common = vec![build.located.rows(member)?.key];
    if let Base::Type(index) = base {
        let fields = &build.r#type(index).fields;
        for (field, width) in common_fields(build, index) {
            let values = values_of(build, member, &fields[field].name)?;
            // Where a type has fewer texts, the last one counts again.
            let last = *values.last()?;
            common.extend(values.into_iter().chain(std::iter::repeat(last)).take(width));
        }
    }
    Some(common)
}

/// The fields of an interface that all its types store: values and references in one column, texts in
/// several languages in as many as the type with the most.
fn common_fields(build: &Builder<'_>, index: TypeIndex) -> Vec<(usize, usize)> {
    let members = members(build, Base::Type(index));
    let fields = build.r#type(index).fields.iter().enumerate();
    let width = |name: &str| {
        let widths = members.iter().map(|one| Some(values_of(build, *one, name)?.len()));
        widths.collect::<Option<Vec<usize>>>()?.into_iter().max()
    };
    fields.filter_map(|(place, field)| Some((place, width(&field.name)?))).collect()
}

/// The relations of a type for those of an interface: the first relationship to the rows of each
/// field of [`linked_fields`], then the whole path to the rows of each of [`related_fields`].
fn links(build: &mut Builder<'_>, base: Base, member: TypeIndex) -> Option<Vec<VariantLink>> {
    let Base::Type(index) = base else { return Some(Vec::new()) };
    let fields = &build.r#type(index).fields;
    let linked = linked_fields(build, index).into_iter();
    let first = linked.filter_map(|field| link_of(build, member, &fields[field].name));
    let mut links: Vec<_> = first.map(VariantLink::One).collect();
    for field in related_fields(build, index) {
        links.push(path_of(build, member, &fields[field].name)?);
    }
    Some(links)
}

/// The relations of an interface that one relationship of each of its types tells of.
fn linked_fields(build: &Builder<'_>, index: TypeIndex) -> Vec<usize> {
    let members = members(build, Base::Type(index));
    let fields = build.r#type(index).fields.iter().enumerate();
    let is_linked = |name: &str| members.iter().all(|one| link_of(build, *one, name).is_some());
    let fields = fields.filter(|(_, field)| is_linked(&field.name));
    fields.map(|(place, _)| place).collect()
}

/// The relations of an interface whose rows are stored for each of its types.
fn related_fields(build: &Builder<'_>, index: TypeIndex) -> Vec<usize> {
    let members = members(build, Base::Type(index));
    let is_stored = |member: TypeIndex, name: &str| {
        let place = place_of(build, member, name);
        place.is_some_and(|place| match build.located.field(member, place) {
            LocatedField::Rows(_) | LocatedField::Several(_) => true,
            LocatedField::Missing | LocatedField::Column(_) | LocatedField::Coalesce(_) => false,
        })
    };
    let fields = build.r#type(index).fields.iter().enumerate();
    let fields = fields.filter(|(_, field)| members.iter().all(|one| is_stored(*one, &field.name)));
    fields.map(|(place, _)| place).collect()
}

fn place_of(build: &Builder<'_>, member: TypeIndex, name: &str) -> Option<usize> {
    build.r#type(member).fields.iter().position(|field| &*field.name == name)
}

/// The first relationship to the related rows of a field. A row of a join table leads to a row of
/// one of several types.
fn link_of(build: &Builder<'_>, member: TypeIndex, name: &str) -> Option<Hop> {
    match build.located.field(member, place_of(build, member, name)?) {
        LocatedField::Rows(RelationPath::Hop(hop) | RelationPath::Through { near: hop, .. }) => {
            Some(*hop)
        }
        LocatedField::Several(ways) => match ways.first()? {
            (_, RelationPath::Through { near, .. }) => Some(*near),
            (_, RelationPath::Hop(_)) => None,
        },
        LocatedField::Missing | LocatedField::Column(_) | LocatedField::Coalesce(_) => None,
    }
}

/// The path to the related rows of a field.
fn path_of(build: &mut Builder<'_>, member: TypeIndex, name: &str) -> Option<VariantLink> {
    let place = place_of(build, member, name)?;
    let located = build.located;
    match located.field(member, place) {
        LocatedField::Rows(RelationPath::Hop(hop)) => Some(VariantLink::One(*hop)),
        LocatedField::Rows(RelationPath::Through { near, far }) => {
            Some(VariantLink::Through { near: *near, far: *far })
        }
        LocatedField::Several(ways) => {
            if let Some(known) = build.linked.get(&(member, place)) {
                return Some(VariantLink::Several(*known));
            }
            // Interfaces may lead to each other: the list has its id before its own links are found.
            let id = next_list(build)?;
            build.variants.push(Vec::new());
            build.linked.insert((member, place), id);
            let base = build.r#type(member).fields[place].r#type.base;
            let ways: Vec<_> = ways.iter().map(|(member, way)| (*member, Some(*way))).collect();
            let list = list(build, base, &ways)?;
            *build.variants.get_mut(usize::try_from(id.0).ok()?)? = list;
            Some(VariantLink::Several(id))
        }
        LocatedField::Missing | LocatedField::Column(_) | LocatedField::Coalesce(_) => None,
    }
}

/// The columns of a field: one, or those of its languages.
fn values_of(build: &Builder<'_>, member: TypeIndex, name: &str) -> Option<Vec<FieldId>> {
    let texts = texts_of(build, member, name).map(<[FieldId]>::to_vec);
    texts.or_else(|| value_of(build, member, name).map(|value| vec![value]))
}

/// The texts of a field that reads several languages.
fn texts_of<'b>(build: &'b Builder<'_>, member: TypeIndex, name: &str) -> Option<&'b [FieldId]> {
    let place = place_of(build, member, name)?;
    match build.located.field(member, place) {
        LocatedField::Coalesce(fields) => Some(fields),
        _ => None,
    }
}

/// The column of a field: its value, or the key of the row to which it refers.
fn value_of(build: &Builder<'_>, member: TypeIndex, name: &str) -> Option<FieldId> {
    let place = place_of(build, member, name)?;
    if let Some(column) = build.located.column(member, place) {
        return Some(column.field);
    }
    let links = &build.located.types.get(member.0)?.links;
    match links.get(place)?.as_ref()?.link {
        ObjectLink::Near { field, .. } => Some(field),
        ObjectLink::Far { .. } | ObjectLink::Joined { .. } => None,
    }
}

fn column_of<'b>(
    build: &'b Builder<'_>,
    member: TypeIndex,
    name: &str,
) -> Option<&'b LocatedColumn> {
    let place = place_of(build, member, name)?;
    build.located.column(member, place)
}
