//! Objects as representations.

use graphql::schema::TypeId;
use rustc_hash::FxHashMap;

use super::arena::{Arena, Cell, ObjectId};
use crate::plan::{Entities, Entry, Form};
use crate::supergraph::{Supergraph, TypeSet};

/// What a list of entities is asked with, and whose each of them is.
#[derive(Debug, Default)]
pub(super) struct Representations {
    /// The texts, each once.
    pub(super) texts: Vec<Vec<u8>>,
    /// By text: the objects that it stands for, with their entries.
    pub(super) owners: Vec<Vec<(usize, ObjectId)>>,
}

/// The representations of a list of entities: equal ones are one.
pub(super) fn representations(
    supergraph: &Supergraph,
    arena: &Arena,
    list: &Entities,
) -> Representations {
    let mut all = Representations::default();
    let mut known: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    for (place, entry) in list.entries.iter().enumerate() {
        for object in &arena.at[entry.position.index()] {
            let Some(text) = representation(supergraph, arena, entry, *object) else { continue };
            let next = all.texts.len();
            let index = *known.entry(text.clone()).or_insert(next);
            if index == next {
                all.texts.push(text);
                all.owners.push(Vec::new());
            }
            all.owners[index].push((place, *object));
        }
    }
    all
}

/// The representation of an object; `None` if it is not meant, or if what it takes is not known.
fn representation(
    supergraph: &Supergraph,
    arena: &Arena,
    entry: &Entry,
    object: ObjectId,
) -> Option<Vec<u8>> {
    let r#type = arena.object(object).r#type;
    let name = match (entry.on, r#type) {
        (_, Some(own)) if !supergraph.contains(&entry.types, own) => return None,
        (Some(on), _) => on,
        (None, own) => own?,
    };
    text_of(supergraph, arena, &entry.form, name, object)
}

/// What a form says of an object, as one of a type.
pub(super) fn text_of(
    supergraph: &Supergraph,
    arena: &Arena,
    form: &Form,
    name: TypeId,
    object: ObjectId,
) -> Option<Vec<u8>> {
    let mut text = b"{\"__typename\":\"".to_vec();
    text.extend_from_slice(supergraph.schema[name].name.as_bytes());
    text.push(b'"');
    Forming { supergraph, arena }.members(form, object, &mut text)?;
    text.push(b'}');
    Some(text)
}

struct Forming<'f> {
    supergraph: &'f Supergraph,
    arena: &'f Arena,
}

impl Forming<'_> {
    fn members(&self, form: &Form, object: ObjectId, text: &mut Vec<u8>) -> Option<()> {
        for member in &form.members {
            let cell = self.arena.cell(object, member.item);
            if member.is_key && cell == Cell::Null {
                return None;
            }
            if !text.ends_with(b"{") {
                text.push(b',');
            }
            text.push(b'"');
            text.extend_from_slice(member.name.as_bytes());
            text.extend_from_slice(b"\":");
            self.value(cell, &member.below, text)?;
        }
        Some(())
    }

    /// Recursion is bounded by the nesting of field sets and of lists.
    fn value(&self, cell: Cell, below: &[(TypeSet, Form)], text: &mut Vec<u8>) -> Option<()> {
        match cell {
            Cell::Absent | Cell::Failed => return None,
            Cell::Null => text.extend_from_slice(b"null"),
            Cell::Leaf { buffer, start, end } => {
                text.extend_from_slice(self.arena.leaf(buffer, start, end));
            }
            Cell::List { start, end } => {
                text.push(b'[');
                for (place, cell) in self.arena.list(start, end).iter().enumerate() {
                    if place > 0 {
                        text.push(b',');
                    }
                    self.value(*cell, below, text)?;
                }
                text.push(b']');
            }
            Cell::Object(object) => self.object(object, below, text)?,
        }
        Some(())
    }

    fn object(
        &self,
        object: ObjectId,
        below: &[(TypeSet, Form)],
        text: &mut Vec<u8>,
    ) -> Option<()> {
        let own: Option<TypeId> = self.arena.object(object).r#type;
        let form = match own {
            Some(own) => below.iter().find(|(types, _)| self.supergraph.contains(types, own)),
            None => below.first(),
        };
        text.push(b'{');
        if let Some((_, form)) = form {
            if let (true, Some(own)) = (form.typename, own) {
                text.extend_from_slice(b"\"__typename\":\"");
                text.extend_from_slice(self.supergraph.schema[own].name.as_bytes());
                text.push(b'"');
            }
            self.members(form, object, text)?;
        }
        text.push(b'}');
        Some(())
    }
}
