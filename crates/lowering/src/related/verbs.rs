//! Changes along a relation of a row.
//!
//! `near` is what the row has of the other end, `far` what a row of the other end has of this one.

use catalog::FieldId;
use ir::{Filter, Operand};

use super::super::input::Input;
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::data::{DataOf, InputEntry, Selector, Verb};
use super::link::{Unrelated, related_to, unrelated};
use super::{Known, Place, missing};
use api::binding::{RelatedRows, RelationLink, RelationVerb, RelationWrites};

impl<'a> Context<'a> {
    /// The value of a new row from the row to which it refers, which is inserted or found.
    pub(super) fn referred(
        &mut self,
        rows: &RelatedRows,
        verb: Verb<'a>,
        place: Place,
    ) -> Result<(FieldId, Operand), LowerError> {
        let RelationLink::Forward { field } = verb.writes.link else {
            return Err(misplaced("a row that refers to another"));
        };
        let target = self.rows_with_relations(verb.writes.target)?;
        let place = place.below()?;
        let child = match verb.verb {
            RelationVerb::Create => {
                let data = self.row_data((verb.id, verb.input), DataOf::New, place)?;
                self.insert_row(target, data, Vec::new(), place)?
            }
            RelationVerb::Connect => {
                let given = (verb.id, verb.input);
                return self.connected(rows, verb.writes, given, place);
            }
            RelationVerb::Update
            | RelationVerb::Upsert
            | RelationVerb::Delete
            | RelationVerb::Set
            | RelationVerb::Disconnect
            | RelationVerb::UpdateMany
            | RelationVerb::DeleteMany => return Err(misplaced("a change of related rows")),
        };
        Ok((field, child.key))
    }

    /// The value of a new row from the row to which it refers, which is found.
    pub(super) fn connected(
        &mut self,
        rows: &RelatedRows,
        writes: &RelationWrites,
        given: InputEntry<'a>,
        place: Place,
    ) -> Result<(FieldId, Operand), LowerError> {
        let RelationLink::Forward { field } = writes.link else {
            return Err(misplaced("a row that refers to another"));
        };
        let target = self.rows_with_relations(writes.target)?;
        let selected = self.selector(target, given, place)?;
        let child = self.find_row(target, &selected);
        self.require_connectable(writes, &child);
        if !writes.far.is_list {
            self.unrelate_child(writes, (rows, &child));
        }
        Ok((field, child.key))
    }

    /// The changes of one kind along a relation of a row.
    pub(super) fn along_relation(
        &mut self,
        parent: &Known<'a>,
        is_new: bool,
        verb: Verb<'a>,
        place: Place,
    ) -> Result<(), LowerError> {
        let Verb { verb, writes, id, input } = verb;
        let place = place.below()?;
        let is_flag = matches!(verb, RelationVerb::Disconnect | RelationVerb::Delete);
        if !writes.near.is_list && is_flag {
            return match self.is_true(&input) {
                true => self.end_single(parent, verb, writes, place),
                false => Ok(()),
            };
        }
        let items = match writes.near.is_list {
            true => self.items(&input)?,
            false => vec![input],
        };
        if verb == RelationVerb::Set {
            return self.set_rows(parent, writes, (id, items), place);
        }
        for item in items {
            let given = (id, item);
            match verb {
                RelationVerb::Create => self.create_along(parent, is_new, writes, given, place)?,
                RelationVerb::Connect => {
                    let target = self.rows_with_relations(writes.target)?;
                    let selected = self.selector(target, given, place)?;
                    if !is_new {
                        self.require_replaceable(writes, parent)?;
                    }
                    let child = self.find_row(target, &selected);
                    self.relate_row(parent, is_new, writes, &child)?;
                }
                RelationVerb::Update => self.update_along(parent, writes, given, place)?,
                RelationVerb::Upsert => self.upsert_along(parent, writes, given, place)?,
                RelationVerb::Delete | RelationVerb::Disconnect => {
                    let target = self.rows_with_relations(writes.target)?;
                    if verb == RelationVerb::Disconnect && is_required(writes) {
                        self.violate(writes, parent);
                    }
                    let selected = self.selector(target, given, place)?;
                    let child = self.find_row(target, &selected);
                    self.require_related(writes, (parent, &child));
                    match verb {
                        RelationVerb::Delete => {
                            self.delete_rows(target, &child.key_is(), None, place)?;
                        }
                        _ => self.unrelate(writes, (parent, &child)),
                    }
                }
                RelationVerb::UpdateMany => self.update_many_along(parent, writes, given, place)?,
                RelationVerb::DeleteMany => self.delete_many_along(parent, writes, given, place)?,
                RelationVerb::Set => return Err(misplaced("several rows that are set")),
            }
        }
        Ok(())
    }

    /// Disconnects or deletes the only related row.
    fn end_single(
        &mut self,
        parent: &Known<'a>,
        verb: RelationVerb,
        writes: &'a RelationWrites,
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        if verb == RelationVerb::Disconnect && is_required(writes) {
            self.violate(writes, parent);
        }
        let child = self.find_key(target, related_to(writes, parent));
        self.require_row(&child, unrelated(writes, &Unrelated::Parent(parent, target)));
        match verb {
            RelationVerb::Delete => self.delete_rows(target, &child.key_is(), None, place),
            _ => self.unrelate_parent(writes, parent),
        }
    }

    fn create_along(
        &mut self,
        parent: &Known<'a>,
        is_new: bool,
        writes: &'a RelationWrites,
        (id, input): (graphql::schema::InputId, Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        if !is_new {
            self.require_replaceable(writes, parent)?;
            if !writes.near.is_list && !is_forward(writes) {
                self.unrelate_parent(writes, parent)?;
            }
        }
        let data = self.row_data((id, input), DataOf::New, place)?;
        match writes.link {
            RelationLink::Backward { field } => {
                let given = vec![(field, parent.key.clone())];
                self.insert_row(target, data, given, place)?;
            }
            RelationLink::Forward { .. } | RelationLink::Joined { .. } => {
                let (child, verbs) = self.insert_alone(target, data, Vec::new(), place)?;
                self.relate(writes, (parent, &child));
                self.change_relations(&child, verbs, place)?;
            }
        }
        Ok(())
    }

    /// Requires that another row may take the place of the one to which a row is related.
    fn require_replaceable(
        &mut self,
        writes: &RelationWrites,
        parent: &Known<'_>,
    ) -> Result<(), LowerError> {
        let RelationWrites { near, far, .. } = writes;
        match (near.is_list, far.is_list, near.is_required, far.is_required) {
            (false, false, true, true) => self.violate(writes, parent),
            (false, false, false, true) => self.require_no_child(writes, parent)?,
            _ => {}
        }
        Ok(())
    }

    /// Requires that a row may be related to another one.
    fn require_connectable(&mut self, writes: &RelationWrites, child: &Known<'_>) {
        let RelationWrites { near, far, .. } = writes;
        match (near.is_list, far.is_list, near.is_required, far.is_required) {
            (false, false, true, true) => self.violate(writes, child),
            (false, false, true, false) => self.require_unrelated_child(writes, child),
            _ => {}
        }
    }

    /// Relates a row, after the relations are removed that exclude it.
    fn relate_row(
        &mut self,
        parent: &Known<'a>,
        is_new: bool,
        writes: &'a RelationWrites,
        child: &Known<'a>,
    ) -> Result<(), LowerError> {
        self.require_connectable(writes, child);
        // A reference is replaced by the next one.
        if !is_new && !writes.near.is_list && !is_forward(writes) {
            self.unrelate_parent(writes, parent)?;
        }
        self.move_child(writes, (parent, child));
        Ok(())
    }

    /// Relates a row, which leaves its former parent if it has at most one.
    fn move_child(&mut self, writes: &RelationWrites, (parent, child): (&Known<'a>, &Known<'a>)) {
        if !writes.far.is_list && !is_backward(writes) {
            self.unrelate_child(writes, (parent.rows, child));
        }
        self.relate(writes, (parent, child));
    }

    /// Relates exactly these rows.
    fn set_rows(
        &mut self,
        parent: &Known<'a>,
        writes: &'a RelationWrites,
        (id, items): (graphql::schema::InputId, Vec<Input<'a>>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        let mut children = Vec::with_capacity(items.len());
        for item in items {
            let selected = self.selector(target, (id, item), place)?;
            children.push(self.find_row(target, &selected));
        }
        self.unrelate_parent(writes, parent)?;
        for child in &children {
            self.move_child(writes, (parent, child));
        }
        Ok(())
    }

    fn update_along(
        &mut self,
        parent: &Known<'a>,
        writes: &'a RelationWrites,
        (id, input): (graphql::schema::InputId, Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        if !writes.near.is_list {
            let child = self.find_key(target, related_to(writes, parent));
            self.require_row(&child, unrelated(writes, &Unrelated::Neither(target)));
            let data = self.row_data((id, input), DataOf::Existing, place)?;
            return self.update_row(&child, data, place);
        }
        let inputs = self.row_inputs((id, &input), place)?;
        let selected = self.selector(target, inputs.key()?, place)?;
        let child = self.related_child(parent, writes, target, &selected);
        let data = self.row_data(inputs.data()?, DataOf::Existing, place)?;
        self.update_row(&child, data, place)
    }

    /// The row of a key, which must exist and be related to this one.
    fn related_child(
        &mut self,
        parent: &Known<'a>,
        writes: &RelationWrites,
        target: &'a RelatedRows,
        selected: &Selector<'_>,
    ) -> Known<'a> {
        let any = self.find_key(target, selected.filter.clone());
        self.require_row(&any, missing(target, selected.name, &selected.value));
        let filter = Filter::and(vec![selected.filter.clone(), related_to(writes, parent)]);
        let child = self.find_key(target, filter);
        self.require_row(&child, unrelated(writes, &Unrelated::Child(target, selected)));
        child
    }

    fn upsert_along(
        &mut self,
        parent: &Known<'a>,
        writes: &'a RelationWrites,
        (id, input): (graphql::schema::InputId, Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        let inputs = self.row_inputs((id, &input), place)?;
        let mut filters = vec![related_to(writes, parent)];
        if writes.near.is_list {
            filters.push(self.selector(target, inputs.key()?, place)?.filter);
        }
        let found = self.find_key(target, Filter::and(filters));
        let update = inputs.update()?;
        let data = self.row_data(update, DataOf::Existing, place)?;
        self.only_if(&found, true, |context| context.update_row(&found, data, place))?;
        let create = inputs.create()?;
        self.only_if(&found, false, |context| {
            context.create_along(parent, false, writes, create, place)
        })
    }

    fn update_many_along(
        &mut self,
        parent: &Known<'a>,
        writes: &'a RelationWrites,
        (id, input): (graphql::schema::InputId, Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        let mut inputs = self.row_inputs((id, &input), place)?;
        let mut filters = vec![related_to(writes, parent)];
        filters.append(&mut inputs.conditions);
        let data = self.row_data(inputs.data()?, DataOf::All, place)?;
        self.update_all(target, Filter::and(filters), data);
        Ok(())
    }

    fn delete_many_along(
        &mut self,
        parent: &Known<'a>,
        writes: &'a RelationWrites,
        (id, input): (graphql::schema::InputId, Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        let target = self.rows_with_relations(writes.target)?;
        let mut filters = vec![related_to(writes, parent)];
        filters.extend(self.conditions_of((id, &input), place)?);
        self.delete_all(target, Filter::and(filters), place)?;
        Ok(())
    }
}

/// True if one of two related rows must have the other.
fn is_required(writes: &RelationWrites) -> bool {
    writes.near.is_required || writes.far.is_required
}

fn is_forward(writes: &RelationWrites) -> bool {
    matches!(writes.link, RelationLink::Forward { .. })
}

fn is_backward(writes: &RelationWrites) -> bool {
    matches!(writes.link, RelationLink::Backward { .. })
}
