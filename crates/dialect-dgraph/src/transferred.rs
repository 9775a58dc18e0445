//! The names of types and predicates in imports and exports, with their tables.

use storage::model::EndOf;
use storage::plan::{Plan, RelationPlace};
use storage::tables::{Side, Tables};
use transfer::mapping::{
    End, GroupType, Holds, Mapping, Member, ObjectType, Relation, RelationStorage, Target,
};

use crate::model::{Base, Field, Model};
use crate::stored::{self, FieldStorage, Stored};

/// The mapping of a model, by the tables that are planned for it.
#[must_use]
pub fn mapping(model: &Model, plan: &Plan) -> Mapping {
    let stored = stored::stored(model);
    let mapper = Mapper { model, stored: &stored, plan };
    let groups = mapper.groups();
    let objects = (0..stored.model.entities.len()).map(|entity| mapper.object(entity)).collect();
    let relations = mapper.relations();
    Mapping { tables: plan.tables.clone(), objects, groups, relations }
}

struct Mapper<'m> {
    model: &'m Model,
    stored: &'m Stored,
    plan: &'m Plan,
}

fn table(tables: &Tables, name: &str) -> usize {
    tables.tables.iter().position(|table| *table.name == *name).unwrap_or_default()
}

fn column(tables: &Tables, table: usize, name: &str) -> usize {
    let columns = tables.tables.get(table).map(|table| &table.columns);
    columns
        .and_then(|columns| columns.iter().position(|own| *own.name == *name))
        .unwrap_or_default()
}

impl Mapper<'_> {
    /// The type whose rows an entity has. Several GraphQL types may have the same rows.
    fn object(&self, entity: usize) -> ObjectType {
        let place = &self.plan.places.entities[entity];
        let tables = &self.plan.tables;
        let own = table(tables, &place.table);
        let mut object = ObjectType {
            name: self.stored.model.entities[entity].name.clone(),
            aliases: Vec::new(),
            interfaces: Vec::new(),
            table: own,
            key: place.key.first().map_or(0, |key| column(tables, own, key)),
            members: Vec::new(),
        };
        for (index, r#type) in self.model.types.iter().enumerate() {
            let Some(stored) = &self.stored.types[index] else { continue };
            if stored.rows != EndOf::Entity(storage::model::EntityIndex(entity)) {
                continue;
            }
            object.aliases.push(r#type.name.clone());
            for interface in &r#type.implements {
                let name = &self.model.types[interface.0].stored_name;
                if !object.interfaces.contains(name) {
                    object.interfaces.push(name.clone());
                }
            }
            let predicates = stored::names::predicates(self.model, r#type);
            for (place, field) in r#type.fields.iter().enumerate() {
                let Some(found) = &stored.fields[place] else { continue };
                let Some(holds) = self.holds(entity, own, field, found) else { continue };
                let predicate = predicates[place].as_str().into();
                object.add(member(field, predicate, holds));
            }
            for language in &stored.languages {
                let name = &self.plan.places.entities[entity].fields[language.position];
                object.add(Member {
                    field: language.predicate.as_str().into(),
                    predicate: language.predicate.as_str().into(),
                    is_list: false,
                    is_required: false,
                    holds: Holds::Column(column(tables, own, name)),
                });
            }
            if let (Some(secret), Some(position)) = (&r#type.secret, stored.secret) {
                let name = &self.plan.places.entities[entity].fields[position];
                let declaring = secret.inherited.map_or(r#type, |index| &self.model.types[index.0]);
                let predicate = match secret.stored_name == secret.field {
                    true => [&declaring.stored_name, ".", &secret.field].concat().into(),
                    false => secret.stored_name.clone(),
                };
                object.add(Member {
                    field: secret.field.clone(),
                    predicate,
                    is_list: false,
                    is_required: false,
                    holds: Holds::Column(column(tables, own, name)),
                });
            }
        }
        object
    }

    fn holds(
        &self,
        entity: usize,
        table: usize,
        field: &Field,
        found: &FieldStorage,
    ) -> Option<Holds> {
        match found {
            FieldStorage::Key => Some(Holds::Key),
            FieldStorage::Field(position) => {
                let name = &self.plan.places.entities[entity].fields[*position];
                Some(Holds::Column(column(&self.plan.tables, table, name)))
            }
            FieldStorage::Relation { relation, side } => {
                let side = match side {
                    stored::Side::Near => Side::Near,
                    stored::Side::Far => Side::Far,
                };
                let target = self.target(field.r#type.base)?;
                Some(Holds::Objects { relation: *relation, side, target })
            }
            FieldStorage::Members | FieldStorage::Coalesce(_) => None,
        }
    }

    fn target(&self, base: Base) -> Option<Target> {
        let rows = match base {
            Base::Type(index) => self.stored.types[index.0].as_ref()?.rows,
            Base::Union(index) => EndOf::Group(self.stored.unions[index.0]?),
            Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => return None,
        };
        Some(match rows {
            EndOf::Entity(index) => Target::Object(index.0),
            EndOf::Group(index) => Target::Group(index.0),
        })
    }

    fn groups(&self) -> Vec<GroupType> {
        let groups = self.stored.model.groups.iter().zip(&self.plan.places.groups);
        let groups = groups.map(|(group, place)| {
            let own = place.as_ref().map(|name| table(&self.plan.tables, name));
            let keys = group
                .unique
                .iter()
                .filter_map(|field| Some((field.clone(), column(&self.plan.tables, own?, field))));
            GroupType {
                name: group.name.clone(),
                members: group.members.iter().map(|member| member.0).collect(),
                keys: keys.collect(),
                table: own,
            }
        });
        groups.collect()
    }

    fn relations(&self) -> Vec<Relation> {
        let tables = &self.plan.tables;
        let relations = self.stored.model.relations.iter().zip(&self.plan.places.relations);
        let relations = relations.map(|(relation, place)| Relation {
            place: match place {
                RelationPlace::Columns { side, tables: holders, .. } => {
                    let columns = holders.iter().filter_map(|(name, columns)| {
                        let own = table(tables, name);
                        Some((own, column(tables, own, columns.first()?)))
                    });
                    RelationStorage::Columns { side: *side, columns: columns.collect() }
                }
                RelationPlace::Pairs { table: name, near, far } => {
                    let own = table(tables, name);
                    let of = |columns: &[Box<str>]| {
                        columns.first().map_or(0, |name| column(tables, own, name))
                    };
                    RelationStorage::Pairs { table: own, near: of(near), far: of(far) }
                }
            },
            near: self.end(&relation.near),
            far: self.end(&relation.far),
            is_symmetric: relation.near.of == relation.far.of
                && relation.near.field.is_some()
                && relation.near.field == relation.far.field,
        });
        relations.collect()
    }

    fn end(&self, end: &storage::model::End) -> End {
        let objects = match end.of {
            EndOf::Entity(index) => vec![index.0],
            EndOf::Group(index) => {
                let members = &self.stored.model.groups[index.0].members;
                members.iter().map(|member| member.0).collect()
            }
        };
        End {
            objects,
            field: end.field.clone().unwrap_or_default(),
            is_single: end.field.is_some() && !end.is_list,
            is_required: end.is_required,
        }
    }
}

fn member(field: &Field, predicate: Box<str>, holds: Holds) -> Member {
    let is_vector = field.is_embedding;
    Member {
        field: field.name.clone(),
        predicate,
        is_list: field.r#type.list.is_some() && !is_vector,
        is_required: field.r#type.is_required,
        holds,
    }
}
