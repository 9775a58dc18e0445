//! Data in memory, and the meaning of changes: rows by their ids, and the pairs of each relation.
//!
//! The order of work and the errors are Prisma's, with one difference: a new row that has the
//! column of a relation is inserted after the row to which it refers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::generated::{Change, Data, Filter, Key, Kind, Verb};
use super::model::{Field, RELATIONS, TYPES, fields};

const UNIQUE: u32 = 3010;
const MISSING: u32 = 3039;
const UNRELATED: u32 = 3041;
const REQUIRED: u32 = 3042;

type Id = &'static str;

#[derive(Clone, Debug, Default)]
struct Row {
    name: Option<&'static str>,
    age: Option<usize>,
    marks: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    rows: [BTreeMap<Id, Row>; TYPES.len()],
    /// The ids of both ends.
    pairs: [BTreeSet<[Id; 2]>; RELATIONS.len()],
}

impl State {
    /// Changes the data; returns the number of rows of a change of many, or the code of an error.
    pub(super) fn apply(&mut self, change: &Change) -> Result<Option<u64>, u32> {
        let r#type = change.r#type;
        match &change.kind {
            Kind::Create(data) => {
                self.create(r#type, data, None)?;
            }
            Kind::Update(key, data) => {
                let id = self.find(r#type, key)?;
                self.update(r#type, id, data)?;
            }
            Kind::Upsert { key, create, update } => match self.find(r#type, key) {
                Ok(id) => self.update(r#type, id, update)?,
                Err(_) => {
                    self.create(r#type, create, None)?;
                }
            },
            Kind::Delete(key) => {
                let id = self.find(r#type, key)?;
                self.delete(r#type, &[id])?;
            }
            Kind::UpdateMany(filter, data) => {
                let ids = self.filtered(r#type, filter);
                self.update_many(r#type, &ids, data)?;
                return Ok(Some(ids.len() as u64));
            }
            Kind::DeleteMany(filter) => {
                let ids = self.filtered(r#type, filter);
                self.delete(r#type, &ids)?;
                return Ok(Some(ids.len() as u64));
            }
        }
        Ok(None)
    }

    /// All data, as the query of it answers.
    pub(super) fn json(&self) -> Value {
        let mut all = Map::new();
        for (r#type, name) in TYPES.iter().enumerate() {
            let row = |(id, row): (&Id, &Row)| {
                let mut object = json!({
                    "id": id, "name": row.name, "age": row.age, "marks": row.marks,
                });
                for field in fields(r#type) {
                    let others = self.related(field, id).into_iter().map(|id| json!({ "id": id }));
                    let mut others: Vec<Value> = others.collect();
                    object[field.near().field] = match field.near().is_list {
                        true => others.into(),
                        false => others.pop().unwrap_or_default(),
                    };
                }
                object
            };
            let rows = self.rows[r#type].iter().map(row).collect();
            all.insert((*name).into(), rows);
        }
        all.into()
    }

    fn find(&self, r#type: usize, key: &Key) -> Result<Id, u32> {
        let found = match key {
            Key::Id(id) => self.rows[r#type].get_key_value(id).map(|(id, _)| *id),
            Key::Name(name) => {
                let mut rows = self.rows[r#type].iter();
                rows.find(|(_, row)| row.name == Some(name)).map(|(id, _)| *id)
            }
        };
        found.ok_or(MISSING)
    }

    fn filtered(&self, r#type: usize, filter: &Filter) -> Vec<Id> {
        let rows = self.rows[r#type].iter();
        rows.filter(|(id, row)| passes(id, row, filter)).map(|(id, _)| *id).collect()
    }

    /// The ids of the other end, in their order.
    fn related(&self, field: Field, id: &str) -> BTreeSet<Id> {
        let pairs = self.pairs[field.relation].iter();
        pairs.filter(|pair| pair[field.end] == id).map(|pair| pair[1 - field.end]).collect()
    }

    fn relate(&mut self, field: Field, near: Id, far: Id) {
        let pair = if field.end == 0 { [near, far] } else { [far, near] };
        self.pairs[field.relation].insert(pair);
    }

    fn unrelate(&mut self, field: Field, id: Id) {
        self.pairs[field.relation].retain(|pair| pair[field.end] != id);
    }

    fn is_related(&self, field: Field, near: Id, far: Id) -> bool {
        self.related(field, near).contains(far)
    }

    /// Inserts a row, related to another one or not.
    fn create(
        &mut self,
        r#type: usize,
        data: &Data,
        parent: Option<(Field, Id)>,
    ) -> Result<Id, u32> {
        let id = data.id.unwrap_or_default();
        let mut references = Vec::new();
        for place in 0..9 {
            let own = data.relations.iter().filter(|(field, _)| field.near().has_column);
            let verbs = own.flat_map(|(field, verbs)| verbs.iter().map(move |verb| (field, verb)));
            for (field, verb) in verbs.filter(|(_, verb)| order(verb) == place) {
                let other = match verb {
                    Verb::Create(rows) => self.create(field.far().r#type, &rows[0], None)?,
                    Verb::Connect(keys) => self.find(field.far().r#type, &keys[0])?,
                    _ => unreachable!("changes of a new row"),
                };
                if matches!(verb, Verb::Connect(_)) {
                    let (near, far) = (field.near(), field.far());
                    if near.is_required
                        && !far.is_list
                        && !self.related(field.opposite(), other).is_empty()
                    {
                        return Err(REQUIRED);
                    }
                    if !far.is_list {
                        self.unrelate(field.opposite(), other);
                    }
                }
                references.push((*field, other));
            }
        }
        self.check_name(r#type, id, data.name.flatten())?;
        let row = Row {
            name: data.name.flatten(),
            age: data.age.flatten(),
            marks: data.marks.clone().unwrap_or_default(),
        };
        if self.rows[r#type].insert(id, row).is_some() {
            return Err(UNIQUE);
        }
        for (field, other) in references {
            // The last one counts.
            self.unrelate(field, id);
            self.relate(field, id, other);
        }
        if let Some((field, parent)) = parent {
            self.relate(field, parent, id);
        }
        for place in 0..9 {
            for (field, verbs) in &data.relations {
                for verb in verbs.iter().filter(|verb| order(verb) == place) {
                    if !field.near().has_column {
                        self.along(*field, id, true, verb)?;
                    }
                }
            }
        }
        Ok(id)
    }

    fn check_name(&self, r#type: usize, id: Id, name: Option<&str>) -> Result<(), u32> {
        let mut rows = self.rows[r#type].iter();
        match name.is_some() && rows.any(|(own, row)| *own != id && row.name == name) {
            true => Err(UNIQUE),
            false => Ok(()),
        }
    }

    fn set(&mut self, r#type: usize, id: Id, data: &Data) -> Result<(), u32> {
        self.check_name(r#type, id, data.name.flatten())?;
        if let Some(row) = self.rows[r#type].get_mut(id) {
            row.name = data.name.unwrap_or(row.name);
            row.age = data.age.unwrap_or(row.age);
            if let Some(marks) = &data.marks {
                row.marks.clone_from(marks);
            }
        }
        Ok(())
    }

    fn update(&mut self, r#type: usize, id: Id, data: &Data) -> Result<(), u32> {
        self.set(r#type, id, data)?;
        for place in 0..9 {
            for (field, verbs) in &data.relations {
                for verb in verbs.iter().filter(|verb| order(verb) == place) {
                    self.along(*field, id, false, verb)?;
                }
            }
        }
        Ok(())
    }

    fn update_many(&mut self, r#type: usize, ids: &[Id], data: &Data) -> Result<(), u32> {
        ids.iter().try_for_each(|id| self.set(r#type, id, data))
    }

    /// The changes of one kind along a relation.
    fn along(&mut self, field: Field, parent: Id, is_new: bool, verb: &Verb) -> Result<(), u32> {
        let target = field.far().r#type;
        match verb {
            Verb::Create(rows) => {
                for data in rows {
                    self.create_along(field, parent, is_new, data)?;
                }
            }
            Verb::Update(rows) => {
                for (key, data) in rows {
                    let child = self.child(field, parent, key.as_ref())?;
                    self.update(target, child, data)?;
                }
            }
            Verb::Upsert(rows) => {
                for (key, update, create) in rows {
                    match self.child(field, parent, key.as_ref()) {
                        Ok(child) => self.update(target, child, update)?,
                        Err(_) => self.create_along(field, parent, false, create)?,
                    }
                }
            }
            Verb::Delete(keys) => {
                for key in keys {
                    let child = self.child(field, parent, key.as_ref())?;
                    self.delete(target, &[child])?;
                }
            }
            Verb::Connect(keys) => {
                for key in keys {
                    self.connect(field, parent, is_new, key)?;
                }
            }
            Verb::Set(keys) => {
                self.unrelate(field, parent);
                for key in keys {
                    let child = self.find(target, key)?;
                    if !field.far().is_list {
                        self.unrelate(field.opposite(), child);
                    }
                    self.relate(field, parent, child);
                }
            }
            Verb::Disconnect(keys) => {
                for key in keys {
                    if field.near().is_required || field.far().is_required {
                        return Err(REQUIRED);
                    }
                    let child = self.child(field, parent, key.as_ref())?;
                    let pair = if field.end == 0 { [parent, child] } else { [child, parent] };
                    self.pairs[field.relation].remove(&pair);
                }
            }
            Verb::UpdateMany(rows) => {
                for (filter, data) in rows {
                    let ids = self.children(field, parent, filter);
                    self.update_many(target, &ids, data)?;
                }
            }
            Verb::DeleteMany(filters) => {
                for filter in filters {
                    let ids = self.children(field, parent, filter);
                    self.delete(target, &ids)?;
                }
            }
        }
        Ok(())
    }

    /// The related row of a key, or the only one.
    fn child(&self, field: Field, parent: Id, key: Option<&Key>) -> Result<Id, u32> {
        match key {
            Some(key) => {
                let child = self.find(field.far().r#type, key)?;
                match self.is_related(field, parent, child) {
                    true => Ok(child),
                    false => Err(UNRELATED),
                }
            }
            None => self.related(field, parent).pop_first().ok_or(UNRELATED),
        }
    }

    fn children(&self, field: Field, parent: Id, filter: &Filter) -> Vec<Id> {
        let rows = &self.rows[field.far().r#type];
        let mut ids: Vec<Id> = self.related(field, parent).into_iter().collect();
        ids.retain(|id| rows.get(id).is_some_and(|row| passes(id, row, filter)));
        ids
    }

    fn create_along(
        &mut self,
        field: Field,
        parent: Id,
        is_new: bool,
        data: &Data,
    ) -> Result<(), u32> {
        let (near, far) = (field.near(), field.far());
        if !is_new && !near.is_list {
            let has_child = !self.related(field, parent).is_empty();
            if !far.is_list && far.is_required && (near.is_required || has_child) {
                return Err(REQUIRED);
            }
            self.unrelate(field, parent);
        }
        self.create(far.r#type, data, Some((field, parent)))?;
        Ok(())
    }

    fn connect(&mut self, field: Field, parent: Id, is_new: bool, key: &Key) -> Result<(), u32> {
        let (near, far) = (field.near(), field.far());
        let is_single = !near.is_list && !far.is_list;
        if is_single && far.is_required {
            let has_child = !is_new && !self.related(field, parent).is_empty();
            if near.is_required || has_child {
                return Err(REQUIRED);
            }
        }
        let child = self.find(far.r#type, key)?;
        let is_taken = !self.related(field.opposite(), child).is_empty();
        if is_single && near.is_required && is_taken {
            return Err(REQUIRED);
        }
        if !near.is_list && !is_new {
            self.unrelate(field, parent);
        }
        if !far.is_list {
            self.unrelate(field.opposite(), child);
        }
        self.relate(field, parent, child);
        Ok(())
    }

    /// Deletes rows, after those that are deleted with them.
    fn delete(&mut self, r#type: usize, ids: &[Id]) -> Result<(), u32> {
        for field in fields(r#type).into_iter().filter(|field| field.near().cascades) {
            let children = ids.iter().flat_map(|id| self.related(field, id));
            let children: Vec<Id> = children.collect();
            self.delete(field.far().r#type, &children)?;
        }
        for field in fields(r#type) {
            let is_needed = ids.iter().any(|id| !self.related(field, id).is_empty());
            if field.far().is_required && is_needed {
                return Err(REQUIRED);
            }
        }
        for id in ids {
            self.rows[r#type].remove(id);
            for field in fields(r#type) {
                self.unrelate(field, id);
            }
        }
        Ok(())
    }
}

fn passes(id: &str, row: &Row, filter: &Filter) -> bool {
    match filter {
        Filter::All => true,
        Filter::OlderThan(age) => row.age.is_some_and(|own| own > *age),
        Filter::NotOlder(age) => row.age.is_some_and(|own| own <= *age),
        Filter::Ids(ids) => ids.contains(&id),
    }
}

/// The place of changes of a kind among those of a row.
fn order(verb: &Verb) -> usize {
    match verb {
        Verb::Create(_) => 0,
        Verb::Update(_) => 1,
        Verb::Upsert(_) => 2,
        Verb::Delete(_) => 3,
        Verb::Connect(_) => 4,
        Verb::Set(_) => 5,
        Verb::Disconnect(_) => 6,
        Verb::UpdateMany(_) => 7,
        Verb::DeleteMany(_) => 8,
    }
}
