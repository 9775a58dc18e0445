//! Changes of objects.

use catalog::FieldId;

use super::Printer;
use crate::objects::{
    FindPurpose, KeyPlace, ObjectChange, ObjectKey, ObjectKeys, Pairing, WhichObjects,
};
use crate::operand::Operand;

impl Printer<'_> {
    pub(super) fn objects(&mut self, lead: &str, change: &ObjectChange) {
        let list = |printer: &Self, (field, operand): &(FieldId, Operand)| {
            format!("{} {}", printer.field(*field), printer.operand(operand))
        };
        let lists = |printer: &Self, fields: &[(FieldId, Operand)]| {
            fields.iter().map(|own| list(printer, own)).collect::<Vec<_>>().join(", ")
        };
        let sets = |printer: &Self, fields: &[(FieldId, Operand)], extended: &[FieldId]| {
            let set = |own: &(FieldId, Operand)| match extended.contains(&own.0) {
                true => format!("{} with {}", printer.field(own.0), printer.operand(&own.1)),
                false => list(printer, own),
            };
            fields.iter().map(set).collect::<Vec<_>>().join(", ")
        };
        let text = match change {
            ObjectChange::Find { rows, purpose } => {
                let purpose = match purpose {
                    FindPurpose::Refer => "refer to",
                    FindPurpose::Count => "count",
                    FindPurpose::Update => "update",
                    FindPurpose::Delete => "delete",
                };
                return self.rows(&format!("{lead}find, to {purpose}, "), rows);
            }
            ObjectChange::NewKeys { key, count } => {
                format!("{count} new keys for {}", self.field(*key))
            }
            ObjectChange::Insert { entity, key, keys, fields } => {
                let keys = list(self, &(*key, keys.clone()));
                format!("insert {} each: {keys}, {}", self.entity(*entity), lists(self, fields))
            }
            ObjectChange::SetEach { entity, key, keys, fields, extended, is_upsert } => {
                let keys = list(self, &(*key, keys.clone()));
                let verb = if *is_upsert { "upsert" } else { "update" };
                let sets = sets(self, fields, extended);
                format!("{verb} {} each of {keys}: {sets}", self.entity(*entity))
            }
            ObjectChange::SetAll { entity, key, keys, fields, extended } => {
                let keys = list(self, &(*key, keys.clone()));
                let sets = sets(self, fields, extended);
                format!("update {} all of {keys}: {sets}", self.entity(*entity))
            }
            ObjectChange::Clear { entity, field, values, rows } => {
                let of = rows
                    .as_ref()
                    .map_or(String::new(), |rows| format!(", only of {}", list(self, rows)));
                let values = list(self, &(*field, values.clone()));
                format!("clear {} where {values}{of}", self.entity(*entity))
            }
            ObjectChange::RemoveElements { entity, key, keys, field, elements } => {
                let keys = list(self, &(*key, keys.clone()));
                let elements = list(self, &(*field, elements.clone()));
                format!("update {} all of {keys}: without {elements}", self.entity(*entity))
            }
            ObjectChange::Connect { joining, near, far, pairing } => {
                let each = match pairing {
                    Pairing::Pairwise => "pairwise",
                    Pairing::All => "each with each",
                };
                let (near, far) = (list(self, near), list(self, far));
                format!("connect by {} {each}: {near}, {far}", self.entity(*joining))
            }
            ObjectChange::Disconnect { joining, near, far } => {
                let far =
                    far.as_ref().map_or(String::new(), |far| format!(", {}", list(self, far)));
                format!("disconnect by {}: {}{far}", self.entity(*joining), list(self, near))
            }
            ObjectChange::Delete { entity, key, keys } => {
                format!("delete {} of {}", self.entity(*entity), list(self, &(*key, keys.clone())))
            }
        };
        self.line(format!("{lead}{text}"));
    }
}

/// A list of keys.
pub(super) fn object_keys(keys: &ObjectKeys) -> String {
    let which = match keys.which {
        WhichObjects::All => "",
        WhichObjects::New => "new ",
        WhichObjects::Found => "found ",
        WhichObjects::Elsewhere => "elsewhere ",
    };
    let each = keys.each.iter().map(|place| {
        let key = place.and_then(|place| keys.set.objects.get(place as usize));
        key.map_or("null".to_owned(), object_key)
    });
    format!("{which}objects [{}]", each.collect::<Vec<_>>().join(", "))
}

fn object_key(key: &ObjectKey) -> String {
    let place = |place: &KeyPlace| format!("{} of step {}", place.place, place.step.0);
    let new = key.new.map(|new| KeyPlace { step: new.step, place: new.place });
    let either = key.found.iter().chain(&new).map(place).collect::<Vec<_>>().join(" or ");
    match key.unless.is_empty() {
        true => either,
        false => {
            let unless = key.unless.iter().map(place).collect::<Vec<_>>().join(" or ");
            format!("{either} unless {unless}")
        }
    }
}
