//! Values of new and changed rows, with the rows of their relations.
//!
//! Names of types are those of Prisma. A type for rows within another row, `Without` the field that
//! leads back, has all other fields; it is added when a field needs it.

use std::sync::Arc;

use api::InputBinding;
use api::binding::{
    AssignVerb, FilterRole, InputRole, LimitedText, Meaning, RelatedRole, RelationLink,
    RelationVerb, WriteRole,
};
use api::draft::DraftInput;
use catalog::FieldId;

use super::builder::{Builder, RelationField, required_if, upper_first};
use super::{filters, rows};
use crate::errors::{null_of_required, null_refused, too_long};
use crate::located::LocatedField;
use crate::model::{Behaviour, Field, IdStrategy, ScalarField, ScalarType, TypeIndex};

/// Changes of numbers by others, with the suffixes of their names.
const VERBS: [(&str, AssignVerb); 4] = [
    ("_increment", AssignVerb::Add),
    ("_decrement", AssignVerb::Subtract),
    ("_multiply", AssignVerb::Multiply),
    ("_divide", AssignVerb::Divide),
];

/// The most characters of an identifier.
const ID_CHARACTERS: u32 = 25;

const MISSING: &str = "The database does not have it.";

/// Adds the values of new rows of a type, within the rows of a relation if there is one. Returns the
/// name of the input, if a row has any values.
pub(super) fn create(
    build: &mut Builder<'_>,
    index: TypeIndex,
    within: Option<RelationField<'_>>,
) -> Option<String> {
    let name = match within.and_then(|relation| relation.opposite) {
        None => format!("{}CreateInput", build.r#type(index).name),
        Some(opposite) => {
            format!("{}CreateWithout{}Input", build.r#type(index).name, upper_first(&opposite.name))
        }
    };
    if build.draft.has(&name) {
        return Some(name);
    }
    let mut members = scalars(build, index, Written::New);
    // Relations may lead back to this type.
    build.input(&name, Vec::new());
    members.extend(relations(build, index, within, Written::New));
    replace(build, name, members)
}

/// Adds the values of many new rows, if the extension is chosen and there are any: those of the row
/// itself with its lists, and the rows to which it refers.
pub(super) fn create_many(build: &mut Builder<'_>, index: TypeIndex) -> Option<String> {
    if !build.offered.extensions.create_many {
        return None;
    }
    let mut members = scalars(build, index, Written::New);
    for relation in build.relations(index) {
        let Some(writes) = rows::writes(build, relation) else { continue };
        let (RelationLink::Forward { .. }, Some(unique)) = (writes.link, unique(build, relation))
        else {
            continue;
        };
        let is_required = relation.is_required;
        let role = RelatedRole::Reference(Arc::new(writes));
        let binding = InputBinding::lenient(WriteRole::Related(role));
        members.push(DraftInput::new(relation.name, &required_if(is_required, &unique), binding));
    }
    if members.is_empty() {
        return None;
    }
    let name = format!("{}CreateManyDataInput", build.r#type(index).name);
    build.input(&name, members);
    Some(name)
}

/// Adds the values of changed rows, if there are any.
pub(super) fn update(build: &mut Builder<'_>, index: TypeIndex) -> Option<String> {
    let name = format!("{}UpdateInput", build.r#type(index).name);
    update_named(build, index, None, name)
}

/// Adds the values of all changed rows, if there are any.
pub(super) fn update_many(
    build: &mut Builder<'_>,
    index: TypeIndex,
    suffix: &str,
) -> Option<String> {
    let name = format!("{}{suffix}", build.r#type(index).name);
    let members = scalars(build, index, Written::Changed);
    if members.is_empty() {
        return None;
    }
    build.input(&name, members);
    Some(name)
}

fn update_within(build: &mut Builder<'_>, relation: RelationField<'_>) -> Option<String> {
    let target = &build.r#type(relation.target).name;
    let name = match relation.opposite {
        None => format!("{target}UpdateDataInput"),
        Some(opposite) => {
            format!("{target}UpdateWithout{}DataInput", upper_first(&opposite.name))
        }
    };
    update_named(build, relation.target, Some(relation), name)
}

fn update_named(
    build: &mut Builder<'_>,
    index: TypeIndex,
    within: Option<RelationField<'_>>,
    name: String,
) -> Option<String> {
    if build.draft.has(&name) {
        return Some(name);
    }
    let mut members = scalars(build, index, Written::Changed);
    build.input(&name, Vec::new());
    members.extend(relations(build, index, within, Written::Changed));
    replace(build, name, members)
}

/// Gives an input its members; one without members is removed.
fn replace(build: &mut Builder<'_>, name: String, members: Vec<DraftInput>) -> Option<String> {
    if members.is_empty() {
        build.draft.retain(|known| *known.name != *name);
        return None;
    }
    build.draft.set_members(&name, members);
    Some(name)
}

/// The rows whose values an input has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    New,
    Changed,
}

fn scalars(build: &mut Builder<'_>, index: TypeIndex, written: Written) -> Vec<DraftInput> {
    let mut members = single_values(build, index, written);
    members.extend(lists(build, index, written));
    members
}

fn single_values(build: &Builder<'_>, index: TypeIndex, written: Written) -> Vec<DraftInput> {
    let owner = &*build.r#type(index).name;
    let mut members = Vec::new();
    for (place, field, scalar) in build.scalars(index) {
        let column = build.located.column(index, place);
        let is_given_number = build.offered.is_introspected
            && written == Written::New
            && scalar.behaviour == Behaviour::Id(IdStrategy::None);
        if !(is_written(scalar, written) || is_given_number)
            || column.is_some_and(|column| column.is_generated)
        {
            continue;
        }
        let name = build.scalar_name(scalar.r#type);
        let is_given = match &scalar.behaviour {
            Behaviour::Id(strategy) => *strategy == IdStrategy::None,
            Behaviour::Plain | Behaviour::CreatedAt | Behaviour::UpdatedAt => {
                field.is_required && scalar.default.is_none()
            }
        };
        let r#type = required_if(is_given && written == Written::New, name);
        let binding = match column {
            Some(column) => InputBinding {
                role: stored(build, (field, scalar), column.field).into(),
                // Of a required field of a new row without a default the type refuses null.
                null: match (field.is_required && !is_key(scalar), written) {
                    (false, _) => Meaning::Ignore,
                    (true, Written::New) => Meaning::refuse(null_refused(&field.name, owner)),
                    (true, Written::Changed) => Meaning::refuse(null_of_required(&field.name)),
                },
                empty: Meaning::Ignore,
            },
            None => InputBinding::lenient(InputRole::Refused(MISSING.into())),
        };
        members.push(DraftInput::new(&field.name, &r#type, binding));
        if written == Written::Changed && build.offered.extensions.arithmetic {
            members.extend(arithmetic(build, index, (place, field, scalar)));
        }
    }
    members
}

/// The value that a field gets. One of the type `ID` has a column of its greatest length.
fn stored(
    build: &Builder<'_>,
    (field, scalar): (&Field, &ScalarField),
    stored: FieldId,
) -> WriteRole {
    match scalar.r#type {
        ScalarType::Id if !build.offered.is_introspected => {
            WriteRole::Related(RelatedRole::Limited(Box::new(LimitedText {
                field: stored,
                most: ID_CHARACTERS,
                otherwise: too_long(&field.name).into(),
            })))
        }
        ScalarType::Id
        | ScalarType::Uuid
        | ScalarType::String
        | ScalarType::Int
        | ScalarType::Float
        | ScalarType::Boolean
        | ScalarType::DateTime
        | ScalarType::Json
        | ScalarType::Enum(_) => WriteRole::Stored(stored),
    }
}

/// The changes of a number by another.
fn arithmetic(
    build: &Builder<'_>,
    index: TypeIndex,
    (place, field, scalar): (usize, &Field, &ScalarField),
) -> Vec<DraftInput> {
    let column = build.located.column(index, place);
    let (Some(column), ScalarType::Int | ScalarType::Float) = (column, scalar.r#type) else {
        return Vec::new();
    };
    let members = VERBS.iter().map(|(suffix, verb)| {
        let name = format!("{}{suffix}", field.name);
        let null = Meaning::refuse(format!("{name} must not be null: leave it out."));
        let role = WriteRole::Assign { field: column.field, verb: *verb }.into();
        let binding = InputBinding { role, null, empty: Meaning::Ignore };
        DraftInput::new(&name, build.scalar_name(scalar.r#type), binding)
    });
    members.filter(|member| !build.has_field(index, &member.name)).collect()
}

fn lists(build: &mut Builder<'_>, index: TypeIndex, written: Written) -> Vec<DraftInput> {
    let mut members = Vec::new();
    for (place, field, r#type) in build.scalar_lists(index) {
        let verb = if written == Written::New { "Create" } else { "Update" };
        let name = format!("{}{verb}{}Input", build.r#type(index).name, field.name);
        let list = format!("[{}!]", build.scalar_name(r#type));
        let set = InputBinding::lenient(WriteRole::Related(RelatedRole::SetElements));
        let set = DraftInput::new("set", &list, set);
        build.input(&name, vec![set]);
        let role = match build.located.field(index, place) {
            LocatedField::List(list) => InputRole::from(WriteRole::Related(RelatedRole::Elements(
                Box::new(rows::elements(list)),
            ))),
            _ => InputRole::Refused(MISSING.into()),
        };
        members.push(DraftInput::new(&field.name, &name, InputBinding::lenient(role)));
    }
    members
}

/// True for keys: a new row without one gets it.
fn is_key(scalar: &ScalarField) -> bool {
    matches!(scalar.behaviour, Behaviour::Id(_))
}

/// True for fields whose values clients write: keys only of new rows, and only those that are no
/// numbers.
fn is_written(scalar: &ScalarField, written: Written) -> bool {
    match scalar.behaviour {
        Behaviour::Plain => true,
        Behaviour::CreatedAt | Behaviour::UpdatedAt => false,
        Behaviour::Id(_) => written == Written::New && scalar.r#type != ScalarType::Int,
    }
}

fn relations(
    build: &mut Builder<'_>,
    index: TypeIndex,
    within: Option<RelationField<'_>>,
    written: Written,
) -> Vec<DraftInput> {
    let mut members = Vec::new();
    for relation in build.relations(index) {
        if within.is_some_and(|within| is_opposite(within, relation)) {
            continue;
        }
        let name = wrapper(build, relation, written);
        let verbs = match written {
            Written::New => new_verbs(build, relation),
            Written::Changed => verbs(build, relation),
        };
        build.input(&name, verbs);
        let is_required = relation.is_required && !relation.is_list && written == Written::New;
        let binding = match rows::writes(build, relation) {
            Some(writes) => {
                InputBinding::lenient(WriteRole::Related(RelatedRole::Relation(Arc::new(writes))))
            }
            None => InputBinding::lenient(InputRole::Refused(MISSING.into())),
        };
        members.push(DraftInput::new(relation.name, &required_if(is_required, &name), binding));
    }
    members
}

/// True if a field is the one that leads back to the rows within which these are.
fn is_opposite(within: RelationField<'_>, relation: RelationField<'_>) -> bool {
    within.opposite.is_some() && within.index == relation.index && within.end != relation.end
}

/// The name of the input of changes along a relation.
fn wrapper(build: &Builder<'_>, relation: RelationField<'_>, written: Written) -> String {
    let target = &build.r#type(relation.target).name;
    let number = match (relation.is_list, relation.is_required, written) {
        (true, _, _) => "Many",
        (false, true, Written::Changed) => "OneRequired",
        (false, _, _) => "One",
    };
    let verb = match written {
        Written::New => "Create",
        Written::Changed => "Update",
    };
    format!("{target}{verb}{number}{}Input", without(relation))
}

fn without(relation: RelationField<'_>) -> String {
    match relation.opposite {
        Some(opposite) => format!("Without{}", upper_first(&opposite.name)),
        None => String::new(),
    }
}

fn new_verbs(build: &mut Builder<'_>, relation: RelationField<'_>) -> Vec<DraftInput> {
    let created = create(build, relation.target, Some(relation));
    let verb = |name, r#type: Option<String>, verb| {
        r#type.map(|r#type| self::verb(relation, name, &r#type, verb))
    };
    let members = [
        verb("create", created, RelationVerb::Create),
        verb("connect", unique(build, relation), RelationVerb::Connect),
    ];
    members.into_iter().flatten().collect()
}

/// The verbs along a relation of a row that exists, in Prisma's order.
fn verbs(build: &mut Builder<'_>, relation: RelationField<'_>) -> Vec<DraftInput> {
    let mut members = new_verbs(build, relation);
    let unique = unique(build, relation);
    let listed = unique.filter(|_| relation.is_list);
    let mut add = |name, r#type: Option<String>, verb| {
        members.extend(r#type.map(|r#type| self::verb(relation, name, &r#type, verb)));
    };
    add("set", listed.clone(), RelationVerb::Set);
    let flag = match (relation.is_list, relation.is_required) {
        (true, _) => listed,
        (false, false) => Some("Boolean".to_owned()),
        (false, true) => None,
    };
    add("disconnect", flag.clone(), RelationVerb::Disconnect);
    add("delete", flag, RelationVerb::Delete);
    let data = update_within(build, relation);
    let updated = data.clone().and_then(|data| match relation.is_list {
        false => Some(data),
        true => updated_by_key(build, relation, &data),
    });
    add("update", updated, RelationVerb::Update);
    if relation.is_list {
        add("updateMany", updated_many(build, relation), RelationVerb::UpdateMany);
        add("deleteMany", scalar_conditions(build, relation), RelationVerb::DeleteMany);
    }
    let upserted = data.and_then(|data| upserted(build, relation, &data));
    add("upsert", upserted, RelationVerb::Upsert);
    members
}

/// The input of the verb: a list of the type where there may be several rows.
fn verb(relation: RelationField<'_>, name: &str, r#type: &str, verb: RelationVerb) -> DraftInput {
    let r#type = if relation.is_list { format!("[{type}!]") } else { r#type.to_owned() };
    DraftInput::new(
        name,
        &r#type,
        InputBinding::lenient(WriteRole::Related(RelatedRole::Verb(verb))),
    )
}

fn unique(build: &Builder<'_>, relation: RelationField<'_>) -> Option<String> {
    let name = &build.r#type(relation.target).name;
    build.has_unique_field(relation.target).then(|| format!("{name}WhereUniqueInput"))
}

fn part(name: &str, r#type: &str, role: RelatedRole) -> DraftInput {
    let binding = InputBinding::lenient(WriteRole::Related(role));
    DraftInput::new(name, &format!("{type}!"), binding)
}

fn updated_by_key(
    build: &mut Builder<'_>,
    relation: RelationField<'_>,
    data: &str,
) -> Option<String> {
    let unique = unique(build, relation)?;
    let target = &build.r#type(relation.target).name;
    let name = match relation.opposite {
        Some(_) => format!("{target}UpdateWithWhereUnique{}Input", without(relation)),
        None => format!("{target}UpdateWithWhereUniqueNestedInput"),
    };
    let members =
        vec![part("where", &unique, RelatedRole::Where), part("data", data, RelatedRole::Data)];
    build.input(&name, members);
    Some(name)
}

fn upserted(build: &mut Builder<'_>, relation: RelationField<'_>, data: &str) -> Option<String> {
    let target = &build.r#type(relation.target).name;
    let created = create(build, relation.target, Some(relation))?;
    let mut members = Vec::new();
    let kind = match relation.is_list {
        true => {
            members.push(part("where", &unique(build, relation)?, RelatedRole::Where));
            "UpsertWithWhereUnique"
        }
        false => "Upsert",
    };
    let name = match relation.opposite {
        Some(_) => format!("{target}{kind}{}Input", without(relation)),
        None => format!("{target}{kind}NestedInput"),
    };
    members.push(part("update", data, RelatedRole::Update));
    members.push(part("create", &created, RelatedRole::Create));
    build.input(&name, members);
    Some(name)
}

fn updated_many(build: &mut Builder<'_>, relation: RelationField<'_>) -> Option<String> {
    let data = update_many(build, relation.target, "UpdateManyDataInput")?;
    let conditions = scalar_conditions(build, relation)?;
    let name = format!("{}UpdateManyWithWhereNestedInput", build.r#type(relation.target).name);
    let role = InputBinding {
        role: FilterRole::Conditions.into(),
        null: Meaning::Ignore,
        empty: Meaning::Ignore,
    };
    let members = vec![
        DraftInput::new("where", &format!("{conditions}!"), role),
        part("data", &data, RelatedRole::Data),
    ];
    build.input(&name, members);
    Some(name)
}

/// The conditions on the values of a type alone.
fn scalar_conditions(build: &mut Builder<'_>, relation: RelationField<'_>) -> Option<String> {
    filters::add_scalar(build, relation.target)
}
