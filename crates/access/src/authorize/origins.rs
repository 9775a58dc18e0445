//! Grants of the origins of rows.

use catalog::{EntityId, FunctionResult};
use ir::{Filter, From, StepId};

use super::{Changed, Walk, Within};

impl Walk<'_> {
    /// Checks the origin of rows; returns the readable ones.
    pub(super) fn from(&mut self, from: &mut From, outer: Option<EntityId>) -> Within {
        let (entity, visible, edge) = match from {
            From::Entity(entity) => (Some(*entity), self.visible(*entity), None),
            From::Keys { entity, keys, .. } => {
                let mut known = Vec::new();
                for (field, _) in keys {
                    known.push(self.key_field(*field));
                }
                known.push(self.visible(*entity));
                (Some(*entity), Filter::and(known), None)
            }
            From::Relation(hop) => {
                let (entity, visible) = self.hop(*hop, outer);
                (Some(entity), visible, None)
            }
            From::Through { near, joining, far } => {
                let (edge, may_join) = self.hop(*near, outer);
                let (entity, visible) = self.hop(*far, Some(edge));
                if !joining.is_all() {
                    self.unsupported("joining rows with a condition");
                }
                *joining = may_join;
                (Some(entity), visible, Some(edge))
            }
            From::Joining { near, far } => {
                let (edge, visible) = self.hop(*near, None);
                self.hop(*far, Some(edge));
                (Some(edge), visible, None)
            }
            From::Function(call) => {
                if call.of_row.as_ref().is_some_and(|path| !path.is_empty()) {
                    self.unsupported("rows of a function of a related row");
                }
                self.may_call(call);
                match self.catalog[call.function].result {
                    FunctionResult::Row(entity)
                    | FunctionResult::Rows(entity)
                    | FunctionResult::RowArray(entity) => {
                        (Some(entity), self.visible(entity), None)
                    }
                    FunctionResult::Values(field) | FunctionResult::Value(field) => {
                        (Some(self.catalog[field].entity), Filter::all(), None)
                    }
                    FunctionResult::Nothing => return Within::nothing(),
                }
            }
            From::Value(field) => {
                self.plain(*field);
                match self.catalog.find_rows(&self.catalog[*field].r#type) {
                    Some((entity, _)) => (Some(entity), self.visible(entity), None),
                    None => {
                        self.unsupported("rows within a value");
                        return Within::nothing();
                    }
                }
            }
            From::Search { search, .. } => {
                let search = &self.catalog[*search];
                let scores = self.catalog[search.score].entity;
                (Some(search.entity), self.visible(search.entity), Some(scores))
            }
            From::Once | From::List { .. } => return Within::nothing(),
            // No grants are of events.
            From::Event(_) => return self.none("the node of an event"),
            From::Returned { step, .. } => return self.returned(*step),
            // Restrictions are of each variant; those of tables have grants, too: `variants`.
            From::Variants(_) => return Within::nothing(),
            From::FunctionOfVariants { .. } => {
                return self.none("a function of rows of several entities");
            }
        };
        Within { edge, ..Within::rows(entity, visible) }
    }

    fn none(&mut self, what: &'static str) -> Within {
        self.unsupported(what);
        Within::nothing()
    }

    /// The readable rows that a step changed or returned.
    fn returned(&mut self, step: StepId) -> Within {
        match self.changed.get(&step) {
            Some(Changed { entity: Some(entity), is_gone, is_given, .. }) => {
                let (entity, is_gone, is_given) = (*entity, *is_gone, *is_given);
                let is_granted = self.set.changes_unreadable() && !is_given;
                let visible = match is_gone || is_granted {
                    true => Filter::all(),
                    false => self.visible(entity),
                };
                Within { is_gone, ..Within::rows(Some(entity), visible) }
            }
            Some(Changed { entity: None, .. }) | None => {
                self.none("rows of a step that gives none")
            }
        }
    }
}
