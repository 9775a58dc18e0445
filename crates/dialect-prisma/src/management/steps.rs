//! The steps from one datamodel to the next, as Prisma tells them of a migration.
//!
//! <https://github.com/prisma/prisma1>, `MigrationStepsInferrer.scala`.

use serde_json::{Map, Value as Json, json};

use super::request::TYPE;
use crate::definitions::generated_name;
use crate::model::{
    Behaviour, Default, End, Enum, EnumIndex, Field, FieldKind, Model, Relation, ScalarType, Type,
};

/// The steps, in Prisma's order.
pub(super) fn steps(before: &Model, after: &Model) -> Vec<Json> {
    let change = Change { before, after };
    let mut steps = Vec::new();
    change.delete_relations(&mut steps);
    change.delete_fields(&mut steps);
    change.delete_types(&mut steps);
    change.enums(&mut steps);
    change.update_fields(&mut steps);
    change.update_types(&mut steps);
    change.update_relations(&mut steps);
    change.create(&mut steps);
    steps
}

/// A step of a type of the schema, with its members.
fn step(r#type: &str, members: Json) -> Json {
    let mut own = Map::new();
    own.insert(TYPE.into(), r#type.into());
    own.insert("type".into(), r#type.into());
    if let Json::Object(members) = members {
        own.extend(members);
    }
    Json::Object(own)
}

struct Change<'m> {
    before: &'m Model,
    after: &'m Model,
}

impl<'m> Change<'m> {
    /// A type under its former name.
    fn former_type(&self, own: &Type) -> Option<&'m Type> {
        let name = own.old_name.as_ref().unwrap_or(&own.name);
        find_type(self.before, name).or_else(|| find_type(self.before, &own.name))
    }

    /// A type under its new name.
    fn next_type(&self, former: &Type) -> Option<&'m Type> {
        let mut types = self.after.types.iter();
        types.find(|own| self.former_type(own).is_some_and(|own| own.name == former.name))
    }

    fn former_relation(&self, own: &Relation) -> Option<&'m Relation> {
        let mut relations = self.before.relations.iter();
        relations.find(|former| self.is_same(former, own))
    }

    fn next_relation(&self, former: &Relation) -> Option<&'m Relation> {
        self.after.relations.iter().find(|own| self.is_same(former, own))
    }

    /// Whether a relation is between the same types, and has the same name, or is the only one between
    /// them and had no name or has none now.
    fn is_same(&self, former: &Relation, own: &Relation) -> bool {
        let types = |model: &'m Model, relation: &Relation| {
            [End::A, End::B].map(|end| model.types.get(relation.end(end).r#type.0))
        };
        let former_types = types(self.before, former).map(|own| own.map(|own| &*own.name));
        let next = types(self.after, own);
        let mapped = next.map(|own| self.former_type(own?).map(|own| &*own.name));
        let is_between = mapped == former_types || mapped == [former_types[1], former_types[0]];
        if !is_between {
            return false;
        }
        let is_unnamed = |model: &'m Model, relation: &Relation| {
            let [Some(a), Some(b)] = types(model, relation) else { return false };
            *relation.name == *generated_name(&a.name, &b.name)
        };
        let count = |model: &'m Model, relation: &Relation| {
            let ends = types(model, relation).map(|own| own.map(|own| &*own.name));
            let others = model.relations.iter().filter(|other| {
                let own = types(model, other).map(|own| own.map(|own| &*own.name));
                own == ends || own == [ends[1], ends[0]]
            });
            others.count()
        };
        let name = own.old_name.as_ref().unwrap_or(&own.name);
        let is_only = count(self.before, former) == 1 && count(self.after, own) == 1;
        // `oldName` may stay after its migration.
        [name, &own.name].contains(&&former.name)
            || is_only && (is_unnamed(self.before, former) || is_unnamed(self.after, own))
    }

    fn delete_relations(&self, steps: &mut Vec<Json>) {
        let gone = self.before.relations.iter().filter(|own| self.next_relation(own).is_none());
        steps.extend(gone.map(|own| step("DeleteRelation", json!({ "name": own.name }))));
    }

    fn delete_fields(&self, steps: &mut Vec<Json>) {
        for former in &self.before.types {
            let Some(own) = self.next_type(former) else { continue };
            let gone = former.fields.iter().filter(|field| {
                !own.fields.iter().any(|next| *former_name(next, former) == *field.name)
            });
            steps.extend(gone.map(|field| {
                step("DeleteField", json!({ "model": former.name, "name": field.name }))
            }));
        }
    }

    fn delete_types(&self, steps: &mut Vec<Json>) {
        let gone = self.before.types.iter().filter(|own| self.next_type(own).is_none());
        steps.extend(gone.map(|own| step("DeleteModel", json!({ "name": own.name }))));
    }

    fn enums(&self, steps: &mut Vec<Json>) {
        let is_gone = |own: &&Enum| find_enum(self.after, &own.name).is_none();
        let gone = self.before.enums.iter().filter(is_gone);
        steps.extend(gone.map(|own| step("DeleteEnum", json!({ "name": own.name }))));
        for own in &self.after.enums {
            let former = find_enum(self.before, &own.name);
            if former.is_some_and(|former| former.values != own.values) {
                let members = json!({ "name": own.name, "newName": null, "values": own.values });
                steps.push(step("UpdateEnum", members));
            }
        }
    }

    fn update_fields(&self, steps: &mut Vec<Json>) {
        for own in &self.after.types {
            let Some(former) = self.former_type(own) else { continue };
            for field in &own.fields {
                let Some(former_field) = find_field(former, former_name(field, former)) else {
                    continue;
                };
                let old = Facts::of(self.before, former_field);
                let new = Facts::of(self.after, field);
                if former_field.name == field.name && old.is_same(&new) {
                    continue;
                }
                let different =
                    |is_other: bool, value: Json| if is_other { value } else { Json::Null };
                let name = different(former_field.name != field.name, json!(field.name));
                let members = json!({
                    "model": former.name,
                    "name": former_field.name,
                    "newName": name,
                    "typeName": different(old.type_name != new.type_name, json!(new.type_name)),
                    "isRequired": different(old.is_required != new.is_required, json!(new.is_required)),
                    "isList": different(old.is_list != new.is_list, json!(new.is_list)),
                    "unique": different(old.is_unique != new.is_unique, json!(new.is_unique)),
                    "relation": different(old.relation != new.relation, json!(new.relation)),
                    "default": different(old.default != new.default, json!(new.default)),
                    "enum": different(old.r#enum != new.r#enum, json!(new.r#enum)),
                });
                steps.push(step("UpdateField", members));
            }
        }
    }

    fn update_types(&self, steps: &mut Vec<Json>) {
        for own in &self.after.types {
            let Some(former) = self.former_type(own) else { continue };
            if (&former.name, &former.table) != (&own.name, &own.table) {
                let members = json!({ "name": former.name, "newName": own.name });
                steps.push(step("UpdateModel", members));
            }
        }
    }

    fn update_relations(&self, steps: &mut Vec<Json>) {
        for former in &self.before.relations {
            let Some(own) = self.next_relation(former) else { continue };
            if former.name != own.name || former.storage != own.storage {
                let name = (former.name != own.name).then_some(&own.name);
                let members = json!({ "name": former.name, "newName": name });
                steps.push(step("UpdateRelation", members));
            }
        }
    }

    fn create(&self, steps: &mut Vec<Json>) {
        for own in &self.after.enums {
            if find_enum(self.before, &own.name).is_none() {
                steps.push(step("CreateEnum", json!({ "name": own.name, "values": own.values })));
            }
        }
        let new = self.after.types.iter().filter(|own| self.former_type(own).is_none());
        steps.extend(new.map(|own| step("CreateModel", json!({ "name": own.name }))));
        for own in &self.after.types {
            let former = self.former_type(own);
            for field in &own.fields {
                if former
                    .is_some_and(|former| find_field(former, former_name(field, former)).is_some())
                {
                    continue;
                }
                let facts = Facts::of(self.after, field);
                let members = json!({
                    "model": own.name,
                    "name": field.name,
                    "typeName": facts.type_name,
                    "isRequired": facts.is_required,
                    "isList": facts.is_list,
                    "unique": facts.is_unique,
                    "relation": facts.relation,
                    "default": facts.default,
                    "enum": facts.r#enum,
                });
                steps.push(step("CreateField", members));
            }
        }
        for own in &self.after.relations {
            if self.former_relation(own).is_none() {
                let type_name =
                    |end: End| self.after.types.get(own.end(end).r#type.0).map(|own| &own.name);
                let members = json!({
                    "name": own.name,
                    "leftModel": type_name(End::A),
                    "rightModel": type_name(End::B),
                });
                steps.push(step("CreateRelation", members));
            }
        }
    }
}

fn find_type<'m>(model: &'m Model, name: &str) -> Option<&'m Type> {
    model.types.iter().find(|own| *own.name == *name)
}

fn find_enum<'m>(model: &'m Model, name: &str) -> Option<&'m Enum> {
    model.enums.iter().find(|own| *own.name == *name)
}

fn find_field<'m>(own: &'m Type, name: &str) -> Option<&'m Field> {
    own.fields.iter().find(|field| *field.name == *name)
}

/// The name that a field had, if `@rename` stayed after its migration: its own.
fn former_name<'f>(field: &'f Field, former: &Type) -> &'f str {
    match &field.old_name {
        Some(name) if find_field(former, name).is_some() => name,
        _ => &field.name,
    }
}

/// What Prisma tells of a field.
struct Facts<'m> {
    type_name: &'m str,
    is_required: bool,
    is_list: bool,
    is_unique: bool,
    r#enum: Option<&'m str>,
    relation: Option<&'m str>,
    default: Option<String>,
    column: Option<&'m str>,
    behaviour: Option<&'m Behaviour>,
}

impl<'m> Facts<'m> {
    fn of(model: &'m Model, field: &'m Field) -> Self {
        let name_of = |r#type: ScalarType| match r#type {
            ScalarType::Enum(EnumIndex(index)) => {
                model.enums.get(index).map_or("", |known| &*known.name)
            }
            plain => plain.built_in_name(),
        };
        let enum_name =
            |r#type: ScalarType| matches!(r#type, ScalarType::Enum(_)).then(|| name_of(r#type));
        let blank = Self {
            type_name: "",
            is_required: field.is_required,
            is_list: false,
            is_unique: false,
            r#enum: None,
            relation: None,
            default: None,
            column: None,
            behaviour: None,
        };
        match &field.kind {
            FieldKind::Scalar(scalar) => Self {
                type_name: name_of(scalar.r#type),
                is_unique: scalar.is_unique,
                r#enum: enum_name(scalar.r#type),
                default: scalar.default.as_ref().and_then(written),
                column: Some(&scalar.column),
                behaviour: Some(&scalar.behaviour),
                ..blank
            },
            FieldKind::ScalarList { r#type, column } => Self {
                type_name: name_of(*r#type),
                is_list: true,
                r#enum: enum_name(*r#type),
                column: Some(column),
                ..blank
            },
            FieldKind::Relation { relation, end, is_list } => {
                let relation = model.relations.get(relation.0);
                let target = relation.map(|own| own.end(end.other()).r#type);
                let target = target.and_then(|target| model.types.get(target.0));
                Self {
                    type_name: target.map_or("", |own| &*own.name),
                    is_list: *is_list,
                    relation: relation.map(|own| &*own.name),
                    ..blank
                }
            }
        }
    }

    /// Whether nothing changed that Prisma calls a change of the field.
    fn is_same(&self, other: &Self) -> bool {
        // Changes of the types of relations are those of the relations.
        let are_relations = self.relation.is_some() && other.relation.is_some();
        (are_relations || self.type_name == other.type_name)
            && self.is_required == other.is_required
            && self.is_list == other.is_list
            && self.is_unique == other.is_unique
            && self.column == other.column
            && self.default == other.default
            && self.behaviour == other.behaviour
    }
}

/// A default as text.
fn written(default: &Default) -> Option<String> {
    match default {
        Default::Text(text) => Some(text.to_string()),
        Default::Int(number) => Some(number.to_string()),
        Default::Float(number) => Some(number.to_string()),
        Default::Boolean(value) => Some(value.to_string()),
        Default::OfDatabase => None,
    }
}
