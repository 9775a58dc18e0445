//! Rows and relations of collected objects.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{EntityId, FieldId};
use ir::{ObjectChange, Operand, Pairing};

use super::super::Context;
use super::collect::{Collected, HeldKey, Object, Origin};
use super::table::Table;

/// Objects that refer to each other at most so deep; deeper ones are inserted before.
type Rank = usize;

/// Pairs of objects by their join entity and its two fields.
type Pairs = BTreeMap<(EntityId, FieldId, FieldId), (Vec<Option<u32>>, Vec<Option<u32>>)>;

/// The keys that each object holds.
type HeldBy<'c> = BTreeMap<u32, Vec<&'c HeldKey>>;

impl Context<'_> {
    /// Adds the steps that insert new objects, update existing ones, and relate them.
    pub(super) fn insert_objects(&mut self, collected: &Collected, table: &Table) {
        self.clear_unique(collected, table);
        let ranks = ranks(collected);
        let mut groups: BTreeMap<(Rank, EntityId), Vec<u32>> = BTreeMap::new();
        for (place, object) in collected.objects.iter().enumerate() {
            if object.can_be_new {
                let rank = ranks.get(place).copied().unwrap_or_default();
                let group = groups.entry((rank, object.binding.entity)).or_default();
                group.push(Object::place(place));
            }
        }
        let mut held = HeldBy::new();
        for own in &collected.held {
            held.entry(own.holder).or_default().push(own);
        }
        for ((_, entity), places) in groups {
            self.insert_group(entity, &places, (collected, &held), table);
        }
        self.update_found(collected, table);
        self.hold_keys(collected, table);
        self.join_objects(collected, table);
    }

    /// Inserts the new objects of one entity.
    fn insert_group(
        &mut self,
        entity: EntityId,
        places: &[u32],
        (collected, held_by): (&Collected, &HeldBy<'_>),
        table: &Table,
    ) {
        let mut columns: BTreeMap<FieldId, Vec<Option<Operand>>> = BTreeMap::new();
        let mut held: BTreeMap<FieldId, Vec<Option<u32>>> = BTreeMap::new();
        let mut key = None;
        for (row, place) in places.iter().enumerate() {
            let Some(object) = collected.objects.get(*place as usize) else { continue };
            key = Some(object.binding.key);
            let generated = self.generated_on_create(entity).iter();
            let generated = generated
                .filter(|(field, _)| !object.values.iter().any(|(given, _)| given == field));
            for (field, operand) in object.values.iter().chain(generated) {
                let column = columns.entry(*field).or_insert_with(|| vec![None; places.len()]);
                if let Some(cell) = column.get_mut(row) {
                    *cell = Some(operand.clone());
                }
            }
            for own in held_by.get(place).into_iter().flatten() {
                let column = held.entry(own.field).or_insert_with(|| vec![None; places.len()]);
                if let Some(cell) = column.get_mut(row) {
                    *cell = Some(own.target);
                }
            }
        }
        let Some(key) = key else { return };
        let null = || Operand::Constant(ir::Value::Null);
        let values = columns.into_iter().map(|(field, cells)| {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(null)).collect();
            (field, Operand::List(cells))
        });
        let held = held.into_iter().map(|(field, cells)| (field, table.all(cells)));
        let fields = values.chain(held).collect();
        let keys = table.created(places.iter().copied().map(Some).collect());
        self.add_change(ObjectChange::Insert { entity, key, keys, fields });
    }

    /// Sets the values of objects of an upsert that exist: together those that give the same fields.
    fn update_found(&mut self, collected: &Collected, table: &Table) {
        let mut groups: BTreeMap<(EntityId, Vec<FieldId>), Vec<u32>> = BTreeMap::new();
        for (place, object) in collected.objects.iter().enumerate() {
            if object.origin == Origin::Upserted && !object.identifiers.is_empty() {
                let mut fields: Vec<FieldId> =
                    object.values.iter().map(|(field, _)| *field).collect();
                fields.sort_unstable();
                let group = groups.entry((object.binding.entity, fields)).or_default();
                group.push(Object::place(place));
            }
        }
        for ((entity, fields), places) in groups {
            let objects = places.iter().filter_map(|place| collected.objects.get(*place as usize));
            let objects: Vec<&Object> = objects.collect();
            let Some(key) = objects.first().map(|object| object.binding.key) else { continue };
            let generated = self.generated_on_update(entity);
            let value = |object: &&Object, field: FieldId| {
                let given = object.values.iter().find(|(own, _)| *own == field);
                given.map(|(_, operand)| operand.clone())
            };
            let column = |field: FieldId| {
                let values = objects.iter().filter_map(|object| value(object, field)).collect();
                (field, Operand::List(values))
            };
            let mut columns: Vec<_> = fields.iter().copied().map(column).collect();
            for (field, operand) in generated.iter().filter(|(field, _)| !fields.contains(field)) {
                let values = objects.iter().map(|_| operand.clone()).collect();
                columns.push((*field, Operand::List(values)));
            }
            let keys = table.found(places.into_iter().map(Some).collect());
            let is_list = |field: &FieldId| objects.iter().any(|own| own.lists.contains(field));
            let extended = fields.into_iter().filter(is_list).collect();
            let (fields, is_upsert) = (columns, true);
            self.add_change(ObjectChange::SetEach {
                entity,
                key,
                keys,
                fields,
                extended,
                is_upsert,
            });
        }
    }

    /// Sets references of objects that exist.
    fn hold_keys(&mut self, collected: &Collected, table: &Table) {
        let mut groups: BTreeMap<(EntityId, FieldId, FieldId), Vec<&HeldKey>> = BTreeMap::new();
        for held in &collected.held {
            let holder = collected.objects.get(held.holder as usize);
            let may_exist =
                holder.is_some_and(|holder| holder.key.is_some() || !holder.identifiers.is_empty());
            if may_exist && !collected.is_within(held.target, held.holder) {
                groups.entry((held.entity, held.key, held.field)).or_default().push(held);
            }
        }
        for ((entity, key, field), held) in groups {
            let keys = table.elsewhere(held.iter().map(|held| Some(held.holder)).collect());
            let values = table.all(held.iter().map(|held| Some(held.target)).collect());
            let fields = vec![(field, values)];
            self.add_change(ObjectChange::SetEach {
                entity,
                key,
                keys,
                fields,
                extended: Vec::new(),
                is_upsert: false,
            });
        }
    }

    /// Takes references from the rows that hold them, where only one row may.
    fn clear_unique(&mut self, collected: &Collected, table: &Table) {
        let mut groups: BTreeMap<(EntityId, FieldId), Vec<Option<u32>>> = BTreeMap::new();
        for held in collected.held.iter().filter(|held| held.is_unique) {
            if collected.is_within(held.holder, held.target) {
                continue;
            }
            let target = collected.objects.get(held.target as usize);
            let may_exist =
                target.is_some_and(|target| target.key.is_some() || !target.identifiers.is_empty());
            if may_exist {
                groups.entry((held.entity, held.field)).or_default().push(Some(held.target));
            }
        }
        for ((entity, field), targets) in groups {
            let values = table.found(targets);
            self.add_change(ObjectChange::Clear { entity, field, values, rows: None });
        }
    }

    fn join_objects(&mut self, collected: &Collected, table: &Table) {
        let mut groups = Pairs::new();
        for joined in &collected.joined {
            let place = (joined.joining, joined.near.0, joined.far.0);
            let (near, far) = groups.entry(place).or_default();
            near.push(Some(joined.near.1));
            far.push(Some(joined.far.1));
        }
        for ((joining, near, far), (nears, fars)) in groups {
            self.add_change(ObjectChange::Connect {
                joining,
                near: (near, table.all(nears)),
                far: (far, table.all(fars)),
                pairing: Pairing::Pairwise,
            });
        }
    }
}

/// The rank of each object: one more than those of all new objects whose keys it holds.
///
/// All objects of an entity have one rank, so that it does not matter which of several objects with
/// the same identifier is created; unless the entities refer to each other in a circle.
fn ranks(collected: &Collected) -> Vec<Rank> {
    let objects = &collected.objects;
    let entity = |place: u32| objects.get(place as usize).map(|object| object.binding.entity);
    let mut of_entities: BTreeMap<EntityId, Rank> = BTreeMap::new();
    let between = |held: &HeldKey| {
        let (holder, target) = (entity(held.holder)?, entity(held.target)?);
        (holder != target).then_some((holder, target))
    };
    let edges: Vec<(EntityId, EntityId)> = collected.held.iter().filter_map(between).collect();
    let count = objects.iter().map(|object| object.binding.entity).collect::<BTreeSet<_>>().len();
    let is_circle = !raise(count, || {
        let mut is_changed = false;
        for (holder, target) in &edges {
            let target = of_entities.get(target).copied().unwrap_or_default();
            let rank = of_entities.entry(*holder).or_default();
            if *rank <= target {
                *rank = target + 1;
                is_changed = true;
            }
        }
        is_changed
    });
    if !is_circle {
        let rank = |object: &Object| of_entities.get(&object.binding.entity).copied();
        return objects.iter().map(|object| rank(object).unwrap_or_default()).collect();
    }
    let mut ranks = vec![0; objects.len()];
    raise(objects.len(), || {
        let mut is_changed = false;
        for held in &collected.held {
            let target = ranks.get(held.target as usize).copied().unwrap_or_default();
            if let Some(rank) = ranks.get_mut(held.holder as usize)
                && *rank <= target
            {
                *rank = target + 1;
                is_changed = true;
            }
        }
        is_changed
    });
    ranks
}

/// Raises ranks until none changes; false if that does not end within the number of ranks.
fn raise(count: usize, mut step: impl FnMut() -> bool) -> bool {
    (0..=count).any(|_| !step())
}
