//! Relations of tables, with a field at both ends.

use catalog::Catalog;
use rustc_hash::FxHashMap;

use super::comments::{Comment, CommentPosition};
use super::names::{self, Names, capitalized};
use super::order::sort_fields;
use super::tables::{Pair, Reference, Tables};
use crate::definitions::{generated_name, is_relation_name};
use crate::model::{
    End, Field, FieldKind, OnDelete, Relation, RelationEnd, RelationIndex, RelationStorage, Type,
    TypeIndex,
};

/// The most characters of a relation's name.
const LONGEST: usize = 54;

/// A relation without its name and its fields, but for that of its column.
#[derive(Debug)]
pub(super) enum Draft {
    Inline(Inline),
    Pairs(Pairs),
}

/// A column of the rows of a type.
#[derive(Debug)]
pub(super) struct Inline {
    pub(super) holder: TypeIndex,
    /// The index of its field.
    pub(super) field: usize,
    pub(super) target: TypeIndex,
    /// The given name of the field of the other end.
    pub(super) back: Option<Box<str>>,
    pub(super) column: Box<str>,
    pub(super) is_unique: bool,
}

/// A table of pairs.
#[derive(Debug)]
pub(super) struct Pairs {
    table: Box<str>,
    ends: [PairEnd; 2],
    id_column: Option<Box<str>>,
}

/// A column of a table of pairs, with the type of the rows to which it leads.
#[derive(Debug)]
struct PairEnd {
    r#type: TypeIndex,
    column: Box<str>,
    /// The given name of the field of these rows.
    name: Option<Box<str>>,
}

/// The relations by tables of pairs.
pub(super) fn of_pairs(catalog: &Catalog, tables: &Tables) -> Vec<Draft> {
    let drafts = tables.pairs.iter().filter_map(|pair| {
        let Pair { entity, ends: [first, second], id } = pair;
        let end = |own: &Reference| {
            let column = catalog[own.column].name.clone();
            let mut joins = catalog.given().joins(own.target);
            let name = joins.find(|join| join.near == own.relationship);
            let name = name.map(|join| join.name.clone());
            Some(PairEnd { r#type: tables.type_of(own.target)?, column, name })
        };
        Some(Draft::Pairs(Pairs {
            table: catalog[*entity].name.clone(),
            ends: [end(first)?, end(second)?],
            id_column: id.map(|id| catalog[id].name.clone()),
        }))
    });
    drafts.collect()
}

impl Draft {
    /// The types of both ends, in the order of their indexes.
    fn types(&self) -> (TypeIndex, TypeIndex) {
        let (one, other) = match self {
            Self::Inline(own) => (own.holder, own.target),
            Self::Pairs(Pairs { ends: [first, second], .. }) => (first.r#type, second.r#type),
        };
        (one.min(other), one.max(other))
    }
}

impl Inline {
    /// The type with a field for the rows that have the column, and its wanted name, if the name is
    /// not given.
    fn wanted_back_field(&self, types: &[Type]) -> Option<(TypeIndex, String)> {
        let table = &types[self.holder.0].table;
        self.back.is_none().then(|| (self.target, names::wanted_back_field(table)))
    }
}

/// Makes the relations, adds the fields of their other ends to the types, and sorts the fields.
pub(super) fn relations(
    types: &mut [Type],
    drafts: Vec<Draft>,
    names: &mut Names,
    comments: &mut Vec<Comment>,
) -> Vec<Relation> {
    let mut pairs: FxHashMap<(TypeIndex, TypeIndex), usize> = FxHashMap::default();
    let mut back_fields: FxHashMap<(TypeIndex, String), usize> = FxHashMap::default();
    for draft in &drafts {
        *pairs.entry(draft.types()).or_default() += 1;
        if let Draft::Inline(own) = draft
            && let Some(field) = own.wanted_back_field(types)
        {
            *back_fields.entry(field).or_default() += 1;
        }
    }
    let mut relations: Vec<Relation> = Vec::new();
    for draft in drafts {
        let is_ambiguous = pairs.get(&draft.types()).is_some_and(|count| *count > 1);
        let relation = match draft {
            Draft::Inline(own) => {
                let field = own.wanted_back_field(types);
                let field =
                    field.filter(|field| back_fields.get(field).is_some_and(|count| *count > 1));
                let field = field.as_ref().map(|(_, field)| &**field);
                own.relation(types, is_ambiguous, field, &relations, comments)
            }
            Draft::Pairs(own) => own.relation(types, is_ambiguous, &relations, names),
        };
        relations.push(relation);
    }
    sort_fields(types, &mut relations);
    // As the reader of datamodels has them, by their first fields.
    relations.sort_by_key(|relation| {
        let places = [End::A, End::B].map(|end| {
            let RelationEnd { r#type, field, .. } = *relation.end(end);
            field.map(|field| (r#type, field))
        });
        places.into_iter().flatten().min()
    });
    for (index, relation) in relations.iter().enumerate() {
        set_fields(types, RelationIndex(index), relation);
    }
    relations
}

/// Tells the fields of a relation to which one they belong.
fn set_fields(types: &mut [Type], index: RelationIndex, relation: &Relation) {
    for end in [End::A, End::B] {
        let RelationEnd { r#type, field, .. } = *relation.end(end);
        let own = field.and_then(|field| types[r#type.0].fields.get_mut(field));
        if let Some(FieldKind::Relation { relation, end: own_end, .. }) =
            own.map(|field| &mut field.kind)
        {
            (*relation, *own_end) = (index, end);
        }
    }
}

/// Adds a field for the rows of the other end. Its relation is set later.
fn add_field(
    types: &mut [Type],
    index: TypeIndex,
    (given, wanted): (Option<Box<str>>, &str),
    is_list: bool,
) -> usize {
    let fields = &mut types[index.0].fields;
    let taken: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    let name = given.unwrap_or_else(|| names::back_field(wanted, &taken));
    fields.push(Field {
        name,
        description: None,
        old_name: None,
        is_required: false,
        kind: FieldKind::Relation { relation: RelationIndex(0), end: End::A, is_list },
    });
    fields.len() - 1
}

fn end(r#type: TypeIndex, field: Option<usize>) -> RelationEnd {
    RelationEnd { r#type, field, on_delete: OnDelete::SetNull }
}

/// The ends in their order, with the names of their fields: by the names of the types, else by those of
/// the fields. Of a type with itself, an end without a field is the last.
fn in_order(
    types: &[Type],
    one: (RelationEnd, &str),
    other: (RelationEnd, &str),
) -> ([RelationEnd; 2], bool) {
    let key = |(end, name): &(RelationEnd, &str)| {
        (types[end.r#type.0].name.clone(), end.field.is_none(), (*name).to_owned())
    };
    match key(&one) <= key(&other) {
        true => ([one.0, other.0], false),
        false => ([other.0, one.0], true),
    }
}

/// A name that no other relation has.
fn free_name(wanted: &str, relations: &[Relation]) -> Box<str> {
    let mut wanted = capitalized(wanted);
    wanted.truncate(LONGEST);
    let mut name = wanted.clone();
    let mut number = 2;
    while relations.iter().any(|relation| *relation.name == *name) {
        let ending = number.to_string();
        wanted.truncate(LONGEST - ending.len());
        name = [&*wanted, &ending].concat();
        number += 1;
    }
    name.into()
}

impl Inline {
    /// `ambiguous_back` is the name of the field of the other end, if several relations would have it:
    /// as in Prisma, it is a comment then.
    fn relation(
        self,
        types: &mut [Type],
        is_ambiguous: bool,
        ambiguous_back: Option<&str>,
        relations: &[Relation],
        comments: &mut Vec<Comment>,
    ) -> Relation {
        let Self { holder, field, target, back, column, is_unique } = self;
        // Prisma stores a relation of one row to one of the same type at its second field, which may
        // not be this one.
        let is_list = !is_unique || holder == target;
        let table = types[holder.0].table.clone();
        let near_name = types[holder.0].fields[field].name.clone();
        let (back, back_name) = match ambiguous_back {
            Some(name) => (None, name.into()),
            None => {
                let back = add_field(types, target, (back, &table), is_list);
                (Some(back), types[target.0].fields[back].name.clone())
            }
        };
        let ends = ((end(holder, Some(field)), &*near_name), (end(target, back), &*back_name));
        let ([a, b], is_turned) = in_order(types, ends.0, ends.1);
        let name = match is_ambiguous || back.is_none() {
            true => {
                let (near, far) = (&types[holder.0].name, &types[target.0].name);
                let (one, other) = ((near, &near_name), (far, &back_name));
                let (first, last) = match (near, one.1) <= (far, other.1) {
                    true => (one, other),
                    false => (other, one),
                };
                let first = [first.0, &*capitalized(first.1)].concat();
                let last = [last.0, &*capitalized(last.1)].concat();
                free_name(&[&*first, "To", &*last].concat(), relations)
            }
            false => generated_name(&types[a.r#type.0].name, &types[b.r#type.0].name).into(),
        };
        if let Some(field) = ambiguous_back {
            let holder = &types[holder.0].name;
            comments.push(ambiguous((target, field), (holder, &near_name), is_list, &name));
        }
        let holder_end = if is_turned { End::B } else { End::A };
        let storage = RelationStorage::Inline { end: holder_end, column };
        Relation { name, old_name: None, a, b, storage }
    }
}

/// The comment in place of a field whose name several relations would have.
fn ambiguous(
    (of, field): (TypeIndex, &str),
    (r#type, other): (&str, &str),
    is_list: bool,
    relation: &str,
) -> Comment {
    let referenced = format!("It references {type}.{other}.");
    let r#type = if is_list { format!("[{type}]") } else { r#type.to_owned() };
    let definition = format!("{field}: {type} @relation(name: \"{relation}\")");
    let place = CommentPosition::NoField { of, name: field.into(), definition: definition.into() };
    let reasons = [
        "Field name normalization failed because of a conflicting field name.",
        "Could not auto-generate backwards relation field, field name would be ambiguous.",
        "Please specify the name of this field and the name of the relation manually.",
        &referenced,
    ];
    Comment { place, reasons: reasons.map(Into::into).into() }
}

impl Pairs {
    fn relation(
        self,
        types: &mut [Type],
        is_ambiguous: bool,
        relations: &[Relation],
        names: &mut Names,
    ) -> Relation {
        let Self { table, ends: [first, second], id_column } = self;
        let is_of_itself = first.r#type == second.r#type;
        let table_of = |types: &[Type], own: TypeIndex| types[own.0].table.clone();
        let wanted = table_of(types, second.r#type);
        let near = add_field(types, first.r#type, (first.name, &wanted), true);
        let wanted = match is_of_itself {
            true => format!("{}Of", table_of(types, first.r#type)),
            false => table_of(types, first.r#type).into(),
        };
        let far = add_field(types, second.r#type, (second.name, &wanted), true);
        let name_of = |own: TypeIndex, field: usize| types[own.0].fields[field].name.clone();
        let (near_name, far_name) = (name_of(first.r#type, near), name_of(second.r#type, far));
        let ([a, b], is_turned) = in_order(
            types,
            (end(first.r#type, Some(near)), &near_name),
            (end(second.r#type, Some(far)), &far_name),
        );
        let (a_column, b_column) = match is_turned {
            false => (first.column, second.column),
            true => (second.column, first.column),
        };
        let generated = generated_name(&types[a.r#type.0].name, &types[b.r#type.0].name);
        let own_name = table.strip_prefix('_').unwrap_or_default();
        let is_plain = (&*a_column, &*b_column) == ("A", "B") && id_column.is_none();
        let is_free = relations.iter().all(|relation| *relation.name != *own_name);
        // A table of Prisma's has the name of its relation; another one needs a type of its own.
        let name = match () {
            () if is_plain && own_name == generated && !is_ambiguous && !is_of_itself => {
                own_name.into()
            }
            () if is_plain && is_relation_name(own_name) && is_free => own_name.into(),
            () => {
                let mut name = match is_relation_name(own_name) {
                    true => names.take(own_name),
                    false => names.r#type(&table),
                };
                while relations.iter().any(|relation| relation.name == name) {
                    name = names.take(&name);
                }
                name
            }
        };
        let storage = RelationStorage::Table { table, a_column, b_column, id_column };
        Relation { name, old_name: None, a, b, storage }
    }
}
