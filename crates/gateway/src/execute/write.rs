//! The answer, in the order of the operation.
//! <https://spec.graphql.org/draft/#sec-Response-Format>

use std::collections::HashMap;

use graphql::schema::{TypeId, TypeKind, TypeRef};
use rustc_hash::FxHashSet;

use super::arena::{Cell, ObjectId};
use super::run::Executed;
use super::{ErrorKind, ExecutionError, Step};
use crate::outline::{Item, ItemId, Tree, What};
use crate::plan::Plan;
use crate::supergraph::Supergraph;

/// A value that may not be null is not there.
struct Nulled;

/// Writes `data`. What is missing where nothing may be adds to the errors of `executed`, if none of
/// them says why. `literals` are the answers of introspection, by the name in the answer.
pub fn write(
    supergraph: &Supergraph,
    plan: &Plan,
    executed: &mut Executed,
    literals: &HashMap<Box<str>, Vec<u8>>,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let (nulls, denied) = (Vec::new(), Denied::default());
    let mut writer =
        Writer { supergraph, tree: &plan.tree, executed, literals, out, nulls, denied };
    let root = writer.executed.arena.at[Tree::ROOT.index()].first().copied();
    let written = root.map(|root| writer.object(root));
    let nulls = std::mem::take(&mut writer.nulls);
    let denied = std::mem::take(&mut writer.denied.errors);
    if !matches!(written, Some(Ok(()))) {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
    executed.errors.extend(denied);
    for null in nulls {
        // Whoever caused it may have told it, at the place, above it, or in general.
        let is_told = executed.errors.iter().any(|error| {
            let both = error.path.len().min(null.path.len());
            error.path[..both] == null.path[..both]
        });
        if !is_told {
            executed.errors.push(null);
        }
    }
}

struct Writer<'w> {
    supergraph: &'w Supergraph,
    tree: &'w Tree,
    executed: &'w Executed,
    literals: &'w HashMap<Box<str>, Vec<u8>>,
    out: &'w mut Vec<u8>,
    /// Places where a null may not stand.
    nulls: Vec<ExecutionError>,
    denied: Denied,
}

/// What the caller may not read and has been told so: once each, at its first place.
#[derive(Debug, Default)]
struct Denied {
    items: FxHashSet<ItemId>,
    errors: Vec<ExecutionError>,
}

impl Writer<'_> {
    /// Recursion is bounded by the depth of the operation.
    fn object(&mut self, id: ObjectId) -> Result<(), Nulled> {
        let object = self.executed.arena.object(id);
        let (position, r#type) = (object.position, object.r#type);
        self.out.push(b'{');
        let mut is_first = true;
        for item in &self.tree.position(position).items {
            let asked = self.tree.item(*item);
            if !asked.is_visible || !self.is_meant(asked, r#type) {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                self.out.push(b',');
            }
            self.out.push(b'"');
            self.out.extend_from_slice(asked.key.as_bytes());
            self.out.extend_from_slice(b"\":");
            self.member(id, *item, asked, r#type)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Whether an item is asked of objects of a type; of one that nobody knows, what is asked of all.
    fn is_meant(&self, item: &Item, r#type: Option<TypeId>) -> bool {
        match r#type {
            Some(r#type) => self.supergraph.contains(&item.types, r#type),
            None => self.tree.position(item.position).possible.is_subset(&item.types),
        }
    }

    fn member(
        &mut self,
        object: ObjectId,
        id: ItemId,
        item: &Item,
        r#type: Option<TypeId>,
    ) -> Result<(), Nulled> {
        match &item.what {
            What::Introspection => {
                match self.literals.get(&item.key) {
                    Some(text) => self.out.extend_from_slice(text),
                    None => self.out.extend_from_slice(b"null"),
                }
                Ok(())
            }
            What::Typename => {
                let own = r#type.unwrap_or(self.tree.position(item.position).r#type);
                self.out.push(b'"');
                self.out.extend_from_slice(self.supergraph.schema[own].name.as_bytes());
                self.out.push(b'"');
                Ok(())
            }
            What::Field { name, field } => {
                // An object type may promise more than the interface that it is asked by.
                let own = r#type.and_then(|own| self.supergraph.schema.find_field(own, name));
                let field = own.unwrap_or(*field);
                let declared = self.supergraph.schema[field].r#type;
                if item.is_denied {
                    return self.deny(object, id, name, declared);
                }
                let cell = self.executed.arena.cell(object, id);
                let mut indexes = Vec::new();
                self.value(object, item, cell, declared, &mut indexes)
            }
        }
    }

    fn value(
        &mut self,
        object: ObjectId,
        item: &Item,
        cell: Cell,
        r#type: TypeRef,
        indexes: &mut Vec<usize>,
    ) -> Result<(), Nulled> {
        let start = self.out.len();
        if self.inner(object, item, cell, r#type, indexes).is_ok() {
            return Ok(());
        }
        self.out.truncate(start);
        if r#type.is_non_null() {
            return Err(Nulled);
        }
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn inner(
        &mut self,
        object: ObjectId,
        item: &Item,
        cell: Cell,
        r#type: TypeRef,
        indexes: &mut Vec<usize>,
    ) -> Result<(), Nulled> {
        match cell {
            Cell::Absent | Cell::Null | Cell::Failed => {
                if r#type.is_non_null() {
                    self.missing(object, item, indexes);
                    return Err(Nulled);
                }
                self.out.extend_from_slice(b"null");
                Ok(())
            }
            Cell::Leaf { buffer, start, end } => {
                let written = self.leaf(r#type.base, (buffer, start, end));
                if written.is_err() {
                    let kind = ErrorKind::Value { field: item.key.clone() };
                    self.tell(object, item, indexes, kind);
                }
                written
            }
            Cell::Object(below) => {
                let own = self.executed.arena.object(below).r#type;
                // What clients do not know of is not there for them.
                if own.is_some_and(|own| !self.supergraph.api.has(own)) {
                    return Err(Nulled);
                }
                self.object(below)
            }
            Cell::List { start, end } => {
                let element = r#type.item().unwrap_or(r#type);
                self.out.push(b'[');
                for place in start..end {
                    if place > start {
                        self.out.push(b',');
                    }
                    let cells = self.executed.arena.list(place, place + 1);
                    let cell = cells.first().copied().unwrap_or(Cell::Null);
                    indexes.push((place - start) as usize);
                    let written = self.value(object, item, cell, element, indexes);
                    indexes.pop();
                    written?;
                }
                self.out.push(b']');
                Ok(())
            }
        }
    }

    fn leaf(&mut self, base: TypeId, (buffer, start, end): (u32, u32, u32)) -> Result<(), Nulled> {
        let bytes = self.executed.arena.leaf(buffer, start, end);
        let definition = &self.supergraph.schema[base];
        match &definition.kind {
            TypeKind::Enum { .. } => {
                let value = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
                if !self.supergraph.api.has_value(&definition.name, value) {
                    return Err(Nulled);
                }
                self.out.extend_from_slice(bytes);
            }
            // An id is a text, whatever its subgraph writes.
            _ if &*definition.name == "ID" && !bytes.starts_with(b"\"") => {
                self.out.push(b'"');
                self.out.extend_from_slice(bytes);
                self.out.push(b'"');
            }
            _ => self.out.extend_from_slice(bytes),
        }
        Ok(())
    }

    fn deny(
        &mut self,
        object: ObjectId,
        id: ItemId,
        name: &str,
        r#type: TypeRef,
    ) -> Result<(), Nulled> {
        if self.denied.items.insert(id) {
            let item = self.tree.item(id);
            let parent = self.tree.parent_of(self.supergraph, item);
            let kind = ErrorKind::Denied { parent, field: name.into(), location: item.location };
            let path = self.path(object, item, &[]);
            self.denied.errors.push(ExecutionError { kind, path });
        }
        if r#type.is_non_null() {
            return Err(Nulled);
        }
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn missing(&mut self, object: ObjectId, item: &Item, indexes: &[usize]) {
        let parent = self.tree.position(item.position).r#type;
        self.tell(object, item, indexes, ErrorKind::Null { parent, field: item.key.clone() });
    }

    fn tell(&mut self, object: ObjectId, item: &Item, indexes: &[usize], kind: ErrorKind) {
        let path = self.path(object, item, indexes);
        self.nulls.push(ExecutionError { kind, path });
    }

    fn path(&self, object: ObjectId, item: &Item, indexes: &[usize]) -> Vec<Step> {
        let mut path = self.executed.arena.path(self.tree, object);
        path.push(Step::Key(item.key.clone()));
        path.extend(indexes.iter().map(|index| Step::Index(*index)));
        path
    }
}
