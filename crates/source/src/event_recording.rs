//! Events of changed rows for the log of events: a change records them in its own transaction, so that
//! each committed change has its events, and no other has any.

use std::collections::HashMap;

use catalog::EntityId;
use serde_json_bytes::{Map, Value};

use crate::error::{SourceError, SourceErrorKind};
use crate::events::{CommittedEvent, CommittedEvents};

/// The triggers whose events changes record, by the entity of the changed rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventRecorders(HashMap<EntityId, Vec<EventRecorder>>);

/// A trigger that receives all events of the rows of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecorder {
    pub trigger: Box<str>,
    /// The table as the log has it.
    pub schema: Box<str>,
    pub table: Box<str>,
}

impl EventRecorders {
    pub fn add(&mut self, entity: EntityId, recorder: EventRecorder) {
        self.0.entry(entity).or_default().push(recorder);
    }

    /// The entities whose changes are recorded.
    pub fn entities(&self) -> impl Iterator<Item = EntityId> {
        self.0.keys().copied()
    }

    /// The new rows of the log, a JSON array of objects, for the events of a transaction; `None` without
    /// any. A change whose events are not known is refused, for none would be recorded.
    pub fn rows(&self, committed: &CommittedEvents) -> Result<Option<String>, SourceError> {
        if committed.is_incomplete {
            let message = "The events of the change could not be recorded; nothing was changed.";
            return Err(SourceError::new(SourceErrorKind::Internal, message));
        }
        let mut rows = Vec::new();
        for event in &committed.events {
            let CommittedEvent::Row(event) = &**event else { continue };
            for recorder in self.0.get(&event.entity).into_iter().flatten() {
                let mut row = Map::new();
                row.insert("schema_name", (&*recorder.schema).into());
                row.insert("table_name", (&*recorder.table).into());
                row.insert("trigger_name", (&*recorder.trigger).into());
                row.insert("event", event.value.clone());
                rows.push(Value::Object(row));
            }
        }
        Ok((!rows.is_empty()).then(|| Value::Array(rows).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::events::RowEvent;

    fn event(entity: usize, value: &str) -> Arc<CommittedEvent> {
        let (entity, value) = (EntityId::new(entity), Value::from(value));
        Arc::new(CommittedEvent::Row(RowEvent { entity, value }))
    }

    fn recorder(trigger: &str) -> EventRecorder {
        EventRecorder { trigger: trigger.into(), schema: "s".into(), table: "User".into() }
    }

    #[test]
    fn each_trigger_of_an_entity_gets_each_event() {
        let mut recorders = EventRecorders::default();
        recorders.add(EntityId::new(1), recorder("first"));
        recorders.add(EntityId::new(1), recorder("second"));
        let events = vec![event(0, "b"), event(1, "c")];
        let committed = CommittedEvents { events, is_incomplete: false };
        let row = |trigger: &str| {
            format!(
                r#"{{"schema_name":"s","table_name":"User","trigger_name":"{trigger}","event":"c"}}"#
            )
        };
        let expected = format!("[{},{}]", row("first"), row("second"));
        assert_eq!(recorders.rows(&committed), Ok(Some(expected)));
        assert_eq!(recorders.rows(&CommittedEvents::default()), Ok(None));
        assert_eq!(EventRecorders::default().rows(&committed), Ok(None));
    }

    #[test]
    fn a_change_with_unknown_events_is_refused() {
        let refused = EventRecorders::default().rows(&CommittedEvents::unknown());
        assert!(refused.unwrap_err().message.contains("nothing was changed"));
    }
}
